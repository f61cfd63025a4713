"""Cases of check_browser.py: what a user does with the page, and what the page must show. Each has the page and a function that starts a server."""
import json
import re
import time
from typing import Any

from browser_page import Keys, Page, VIEWS
from synthetic import HOSTILE_NAMES

DRAWN = """const canvas = document.querySelector(arguments[0]); if (!canvas || canvas.width === 0) return 0;
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; let seen = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ++seen; return seen;"""


def case_every_view_opens(page: Page, serve: Any) -> None:
    """Every view opens and shows something, from a server with a strict policy."""
    page.open(serve("--processes", "30").address)
    contents = {"overview": "P over time", "hot-spots": "Requests lead", "matrix": "A row sends", "history": "whole run",
                "space-time": "critical path", "queues": "State diagram", "placement": "predicted time", "time": "run-queue wait"}
    for view in VIEWS:
        page.view(view)
        page.wait("return document.querySelector('main').innerText.includes(arguments[0])", contents[view])
    page.view("placement")
    page.wait("return /\\d\\ss/.test(document.querySelector('.two-numbers .value').textContent)")
    for view, canvas in [("overview", ".time-plot canvas"), ("matrix", ".matrix-place canvas"), ("space-time", ".lanes canvas")]:
        page.view(view)
        page.wait(DRAWN + "", canvas)
    loaded = page.script("return performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith('data:')).length")
    assert loaded == 0, "the page loads something"


def case_pictures_keep_coming(page: Page, serve: Any) -> None:
    """With 200 processes and 50,000 messages a second pictures follow each other, and data arrives."""
    page.open(serve("--processes", "200", "--rate", "50000").address + "#view=hot-spots&last=10")
    page.wait("return document.querySelectorAll('.arc').length > 4")
    page.wait("return Number(document.documentElement.dataset.fps) > 0")
    before = page.script("return window.dpmFrames")
    page.wait("return window.dpmFrames > arguments[0] + 20", before)
    label = page.script("return document.querySelector('.arc-labels').textContent")
    page.wait("return document.querySelector('.arc-labels').textContent !== arguments[0]", label)


def case_pictures_are_few_while_the_page_is_only_looked_at(page: Page, serve: Any) -> None:
    """A page that is looked at draws a few pictures a second, one that is used many, and data arrives all the time."""
    page.open(serve("--processes", "200", "--rate", "50000").address + "#view=overview&last=10")
    page.wait(DRAWN, ".time-plot canvas")
    time.sleep(1)

    def pictures(seconds: int) -> Any:
        before = page.script("return window.dpmFrames")
        time.sleep(seconds)
        return (page.script("return window.dpmFrames") - before) / seconds

    seen = page.script("return document.querySelector('.range').textContent")
    rest = pictures(2)
    assert 1 <= rest <= 5, f"{rest} pictures a second while nothing is touched"
    assert page.script("return document.querySelector('.range').textContent") != seen, "the range stands still"
    page.script("window.moving = setInterval(() => document.querySelector('main').dispatchEvent(new PointerEvent('pointermove', { bubbles: true "
                "})), 50)")
    used = pictures(2)
    page.script("clearInterval(window.moving)")
    assert used > 3 * rest, f"{used} pictures a second while the pointer moves, {rest} otherwise"
    page.open(serve("--processes", "20", "--ended", "60").address + "#view=overview")
    page.wait(DRAWN, ".time-plot canvas")
    time.sleep(2)
    assert pictures(2) == 0, "a trace that has ended is drawn again and again"


def case_lanes_are_drawn_where_they_are_seen(page: Page, serve: Any) -> None:
    """Of many lanes those in sight are drawn, also after scrolling; all of them are on paper."""
    page.open(serve("--processes", "200", "--ended", "60").address + "#view=space-time")
    page.wait(DRAWN, ".lanes canvas")
    lanes, sight = "document.querySelector('.lanes').clientHeight", "document.querySelector('.lanes canvas').clientHeight"
    assert page.script(f"return {sight} < {lanes} * 0.8")
    # A row of the picture from the last lane: it is seen only when scrolled to.
    row = ("const canvas = document.querySelector('.lanes canvas'); "
           "return [...canvas.getContext('2d').getImageData(0, canvas.height - 4, canvas.width, 1).data].join()")
    top = page.script(row)
    page.script("document.querySelector('.lane-scroller').scrollTop = 1e6")
    page.wait(row.replace("return ", "return arguments[0] !== "), top)
    page.wait(DRAWN, ".lanes canvas")
    page.script("dispatchEvent(new Event('beforeprint'))")
    assert page.script(f"return Math.abs({sight} - {lanes}) <= 1"), "paper has only a part of the lanes"
    assert page.script(DRAWN, ".lanes canvas") > 0
    page.script("dispatchEvent(new Event('afterprint'))")
    page.wait(f"return {sight} < {lanes} * 0.8")


def case_selection_is_linked(page: Page, serve: Any) -> None:
    """A process selected in one view is selected in every view, and an arc too."""
    page.open(serve("--processes", "12").address + "#view=hot-spots")
    page.wait("return document.querySelectorAll('.node').length === 12")
    page.click(page.find(".node[aria-label^='gateway-0']"))
    page.wait("return location.hash.includes('selected=5')")
    assert "gateway-0" in page.text(".inspector")
    page.view("space-time")
    page.wait("return [...document.querySelectorAll('.lane-label[aria-selected=true] .name')].map((e) => e.textContent).join() === 'gateway-0'")
    page.view("queues")
    page.wait("return document.querySelector('tr.selected')?.innerText.includes('gateway-0')")
    page.view("placement")
    page.wait("return document.querySelector('.process.selected')?.innerText.includes('gateway-0')")
    page.view("history")
    page.wait("return document.querySelector('.plot-head')?.innerText.includes('gateway-0')")
    page.view("matrix")
    place = page.find(".matrix-place")
    page.click(place)
    page.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ENTER)
    page.wait("return location.hash.includes('arc=')")
    page.press(Keys.ESCAPE)
    page.wait("return !location.hash.includes('selected=')")


def case_keyboard_alone(page: Page, serve: Any) -> None:
    """Views, help, search, theme and boxes are reached with the keyboard."""
    page.open(serve("--processes", "30").address)
    page.press("2")
    page.wait("return document.documentElement.dataset.view === 'hot-spots'")
    page.press("?")
    page.wait("return !document.querySelector('.help').hidden && document.querySelector('.help').innerText.includes('Space')")
    page.press(Keys.ESCAPE)
    page.wait("return document.querySelector('.help').hidden")
    page.press("/")
    page.press("postgres-1")
    page.wait("return document.querySelectorAll('.found li').length === 1")
    page.press(Keys.ENTER)
    page.wait("return document.querySelector('.inspector').innerText.includes('postgres-1')")
    page.press("p")
    page.wait("return location.hash.includes('pin=cpu')")
    page.script("document.querySelector('.node[tabindex=\"0\"]').focus()")
    page.press(Keys.ARROW_RIGHT)
    group = page.script("return document.activeElement.getAttribute('aria-label')")
    assert "Click to open" in group, group
    page.press(Keys.ENTER)
    page.wait("return document.querySelector('.node.member') !== null")
    page.press(Keys.BACK_SPACE)
    page.wait("return document.querySelector('.node.member') === null")
    dark = page.script("return getComputedStyle(document.body).backgroundColor")
    page.press("t")
    page.wait("return getComputedStyle(document.body).backgroundColor !== arguments[0]", dark)
    page.press("c")
    page.wait("return location.hash.includes('colours=viridis')")
    page.script("document.querySelector('[role=tab][aria-selected=true]').focus()")
    page.press(Keys.ARROW_RIGHT, Keys.ENTER)
    page.wait("return document.documentElement.dataset.view === 'matrix'")


def case_keys_of_space_time(page: Page, serve: Any) -> None:
    """W A S D and the wheel zoom and move down to microseconds; messages can be gone through; their causal past is shown."""
    page.open(serve("--processes", "12", "--ended", "60", "--rate", "500").address + "#view=space-time&from=10&to=20")
    page.wait(DRAWN, ".lanes canvas")

    def width() -> Any:
        span = page.script("return location.hash.match(/from=([^&]+)&to=([^&]+)/).slice(1).map(Number)")
        return span[1] - span[0], span
    page.press("w")
    page.wait("return !location.hash.includes('from=10&to=20')")
    first, _ = width()
    assert first < 10, first
    page.hold("w", 0.3)
    time.sleep(0.4)
    second, span = width()
    assert second < first, (first, second)
    page.press("d")
    page.wait("return Number(location.hash.match(/from=([^&]+)/)[1]) > arguments[0]", span[0])
    page.press("a", "a")
    page.wait("return Number(location.hash.match(/from=([^&]+)/)[1]) < arguments[0]", span[0] + 1)
    page.press("s")
    time.sleep(0.4)
    assert width()[0] > second * 0.999
    page.open(page.browser.current_url.split("#")[0] + "#view=space-time&from=10&to=10.05")
    page.wait("return document.querySelectorAll('.lane-label').length > 5")
    page.script("document.querySelector('.lanes').focus()")
    page.wait("document.querySelector('.lanes').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })); return "
              "location.hash.includes('message=') || null")
    page.wait("return /led to it/.test(document.querySelector('.message-card').innerText)")
    page.press(Keys.ENTER)
    page.wait("return !location.hash.includes('from=10&to=10.05')")
    for _ in range(24):
        page.script("document.querySelector('.lanes').dispatchEvent(new WheelEvent('wheel', { deltaY: -200, clientX: 700, clientY: 400, bubbles: "
                    "true, cancelable: true }))")
    time.sleep(0.4)
    assert width()[0] < 1e-5, width()
    page.wait("return /(µs|s)$/.test(document.querySelector('.range').textContent)")
    page.press("0")
    page.wait("return !location.hash.includes('from=')")


LABELS = "return [...document.querySelectorAll('.lane-label .name')].map((name) => name.textContent)"


def case_lanes_are_moved_pinned_and_hidden(page: Page, serve: Any) -> None:
    """Lanes change their order with buttons and keys; the address has it, also when it changes in the open page."""
    server = serve("--processes", "12", "--ended", "60", "--rate", "500")
    page.open(server.address + "#view=space-time&from=10&to=10.2")
    given = page.wait(LABELS.replace("return ", "const names = ") + "; return names.length > 5 && names")
    assert page.script("return document.querySelector('.lane-tools button').disabled"), "nothing is selected"
    page.click(page.all(".lane-label")[2])
    tools = {text: f"[...document.querySelectorAll('.lane-tools button')].find((b) => b.textContent.startsWith('{text}'))"
             for text in ("up", "down", "pin", "hide", "show")}
    page.script(f"{tools['up']}.click()")
    page.wait(LABELS + ".join() === arguments[0]", ",".join([given[0], given[2], given[1], *given[3:]]))
    page.script("document.querySelectorAll('.lane-label')[1].focus()")
    page.script("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', altKey: true, bubbles: true }))")
    page.wait(LABELS + ".join() === arguments[0]", ",".join(given))
    assert page.script("return document.activeElement.querySelector('.name').textContent") == given[2], "the focus stays on the lane"
    page.script(f"{tools['pin']}.click()")
    pinned = [given[2], *given[:2], *given[3:]]
    page.wait(LABELS + ".join() === arguments[0]", ",".join(pinned))
    page.wait("return /pinned=\\d+/.test(location.hash)")
    page.browser.refresh()
    page.wait(LABELS + ".join() === arguments[0]", ",".join(pinned))
    page.wait(DRAWN, ".lanes canvas")
    page.script(f"{tools['hide']}.click()")
    page.wait(LABELS + ".join() === arguments[0]", ",".join(pinned[1:]))
    page.wait("return document.querySelector('.caption').textContent.includes('1 lane hidden')")
    page.script(f"{tools['show']}.focus()")
    page.press(Keys.ENTER)
    page.wait(LABELS + ".join() === arguments[0]", ",".join(pinned))
    page.script("location.hash = 'view=space-time&from=10&to=10.2'")
    page.wait(LABELS + ".join() === arguments[0]", ",".join(given))


RULER = "const [from, to] = decodeURIComponent(location.hash).match(/\\.ruler=([^&]+)/)[1].split(',').map(Number); "


def case_ruler(page: Page, serve: Any) -> None:
    """A ruler is laid with a key, a drag or two clicks, and moved with keys or typed times; it has the sums of the selected lanes."""
    page.open(serve("--processes", "12", "--ended", "60", "--rate", "500").address + "#view=space-time&from=10&to=12&selected=3,5")
    page.wait(DRAWN, ".lanes canvas")
    page.press("r")
    page.wait(RULER + "return from === 10.5 && to === 11.5")
    assert page.text(".ruler-card h2").startswith("1\u202fs from 10.5")
    page.wait("return document.querySelector('.ruler-card').dataset.exact === 'true'")
    cell = "Number(document.querySelector(`tr[data-lane='${arguments[0]}'] [data-%s]`).dataset.value)"
    for what in "cause='its CPU time'", "cause='run-queue wait'", "sum=sent", "sum=received_bytes":
        one, other, together = (page.script("return " + cell % what, lane) for lane in ("3", "5", "all"))
        assert abs(one + other - together) <= 1e-9 * together, (what, one, other, together)
    page.script("document.querySelector('.ruler-end.start').focus()")
    page.press(Keys.ARROW_LEFT)
    page.wait(RULER + "return Math.abs(from - 10.48) < 1e-3 && to === 11.5")
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.wait(RULER + "return Math.abs(from - 10.52) < 1e-3 && to === 11.5")
    shown = page.script("return document.activeElement.getAttribute('aria-valuetext')")
    assert re.match(r"10\.52\d*\u202fs, of 980\u202fms", shown), shown
    field = page.find("[aria-label='End of the ruler']")
    page.script("arguments[0].value = '10600 ms'; arguments[0].dispatchEvent(new Event('change'))", field)
    page.wait(RULER + "return to === 10.6")
    page.script("location.hash = 'view=space-time&from=10&to=12&.ruler=11,11.25'")
    page.wait("return document.querySelector('.ruler-card h2').textContent.startsWith('250\u202fms from 11.0')")
    page.press("r")
    page.wait("return document.querySelector('.ruler-card').hidden && !location.hash.includes('ruler')")
    axis = page.find(".lane-axis")
    width = axis.rect["width"]
    page.drag(axis, width / 4, 0)
    page.wait(RULER + "return Math.abs(from - 11) < 0.02 && Math.abs(to - 11.5) < 0.02")
    page.press("r")
    page.click(axis)
    page.wait("return !location.hash.includes('ruler')")
    page.click(page.find(".tabs [aria-selected=true]"))
    page.script("document.querySelector('.lanes').focus()")
    ends = ("const axis = document.querySelector('.lane-axis'), box = axis.getBoundingClientRect(); for (const kind of ['pointerdown', 'pointerup']) "
            "axis.dispatchEvent(new PointerEvent(kind, { clientX: box.left + box.width * 0.75, clientY: box.top + 5, button: 0, bubbles: true }))")
    page.script("Element.prototype.setPointerCapture = () => {}; " + ends)
    page.wait(RULER + "return Math.abs(from - 11) < 0.02 && Math.abs(to - 11.5) < 0.02")
    page.script("document.querySelector('.note-text').focus()")
    page.press("<b>slow</b> & late", Keys.ENTER)
    page.wait("return document.querySelector('.notes .note')?.textContent.endsWith('<b>slow</b> & late') && location.hash.includes('notes=')")
    page.browser.refresh()
    page.wait("return document.querySelector('.notes .note') !== null && !document.querySelector('.ruler-card').hidden")
    page.script("document.querySelector('.notes .quiet').click()")
    page.wait("return document.querySelector('.notes').hidden && !location.hash.includes('notes=')")


def case_pinch(page: Page, serve: Any) -> None:
    """Two fingers on the lanes zoom: what is under each finger stays under it."""
    page.open(serve("--processes", "12", "--ended", "60", "--rate", "500").address + "#view=space-time&from=10&to=20")
    page.wait(DRAWN, ".lanes canvas")
    left, top, width = page.script("const box = document.querySelector('.lanes').getBoundingClientRect(); return [box.left, box.top, box.width]")

    def touch(kind: str, *at: float) -> None:
        points = [{"x": left + x, "y": top + 60, "id": number} for number, x in enumerate(at)]
        page.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch("touchStart", width * 0.4)
    touch("touchStart", width * 0.4, width * 0.6)
    touch("touchMove", width * 0.2, width * 0.8)
    touch("touchEnd")
    page.wait("return !location.hash.includes('from=10&to=20')")
    from_s, to_s = page.script("return location.hash.match(/from=([^&]+)&to=([^&]+)/).slice(1).map(Number)")
    # 14 s and 16 s were under the fingers.
    assert abs(to_s - from_s - 10 / 3) < 0.1 and abs((from_s + to_s) / 2 - 15) < 0.1, (from_s, to_s)


def case_process_is_dragged(page: Page, serve: Any) -> None:
    """A process is dragged to another machine with the pointer and moved with keys; the prediction follows, and undo takes it back."""
    page.open(serve("--processes", "30").address + "#view=placement")
    page.wait("return document.querySelectorAll('.machine-box').length > 3 && /\\d/.test(document.querySelector('.two-numbers .value').textContent)")
    elapsed = page.text(".two-numbers .value")
    chip = page.find(".machine-box[aria-label='Machine red'] .process:not(.fixed)")
    name = chip.text
    target = page.find(".machine-box[aria-label='Machine blue']")
    # Held for longer than the page waits before it asks for an interval: what is dropped where it was held needs one too.
    page.drag(chip, target.rect["x"] + 60 - chip.rect["x"], target.rect["y"] + 100 - chip.rect["y"], hold=0.8)
    page.wait("return [...document.querySelectorAll(\".machine-box[aria-label='Machine blue'] .process.moved\")].some((e) => "
              "e.innerText.includes(arguments[0]))", name)
    page.wait("return document.querySelector('.two-numbers .value').textContent !== arguments[0]", elapsed)
    page.wait("return / to /.test(document.querySelector('.two-numbers .note').textContent)")
    page.script("document.querySelector('.process.moved').focus()")
    page.press(Keys.ARROW_RIGHT)
    page.wait("return document.querySelector(\".machine-box[aria-label='Machine amber'] .process.moved\") !== null")
    assert page.script("return document.activeElement.classList.contains('moved')"), "the focus stays on the process"
    page.command("z")
    page.wait("return document.querySelector(\".machine-box[aria-label='Machine blue'] .process.moved\") !== null")
    page.wait("return location.hash.includes('blue')")
    page.browser.refresh()
    page.wait("return document.querySelector(\".machine-box[aria-label='Machine blue'] .process.moved\") !== null")
    page.script("""const slider = document.querySelector(".machine-box[aria-label='Machine blue'] input[data-what=speed]"); slider.value = '3.5';
        slider.dispatchEvent(new Event('input')); slider.dispatchEvent(new Event('change'));""")
    page.wait("return document.querySelector(\".machine-box[aria-label='Machine blue'] output.changed\")?.textContent === '3.5×'")
    page.click(page.find(".best button"))
    page.wait("return document.querySelector('.best').innerText.includes('show it')", seconds=10)


def case_reload_keeps_what_is_shown(page: Page, serve: Any) -> None:
    """View, range, selection, colours, opened groups and pins are in the address: a reload shows the same."""
    server = serve("--processes", "30", "--ended", "60")
    wanted = ("view=hot-spots&from=10&to=20&selected=7,9&quantity=bytes&form=change&colours=viridis&theme=dark"
              "&pin=cpu:7,cpu:9&.groups=machine&.open=red")
    page.open(server.address + "#" + wanted)
    page.wait("return document.querySelector('.node.member') !== null")
    first = page.script("return [document.querySelector('.open-groups').innerText, document.querySelector('.inspector').innerText, "
                        "document.querySelector('.range').innerText]")
    page.browser.refresh()
    page.wait("return document.querySelector('.node.member') !== null")
    page.wait("return JSON.stringify([document.querySelector('.open-groups').innerText, document.querySelector('.inspector').innerText, "
              "document.querySelector('.range').innerText]) === arguments[0]", json.dumps(first, ensure_ascii=False, separators=(",", ":")))
    assert page.script("return document.documentElement.dataset.theme") == "dark"
    assert page.script("return decodeURIComponent(location.hash.slice(1))") == wanted
    page.view("history")
    page.wait("return document.querySelectorAll('.plot.pinned').length === 1")
    page.browser.back()
    page.wait("return document.documentElement.dataset.view === 'hot-spots'")


def case_names_are_text(page: Page, serve: Any) -> None:
    """Twenty hostile names are shown as text in every view, and none of them runs or reorders what stands beside it."""
    page.open(serve("--processes", "20", "--hostile", "--ended", "30").address + "#.groups=none&selected=" + ",".join(map(str, range(20))))
    for view in VIEWS:
        page.view(view)
        time.sleep(0.5)
        assert page.script("return window.hostile === undefined"), view
        assert page.script("return document.querySelectorAll('main img, main script, main iframe, .inspector img, .inspector b, main table b, main "
                           "a').length") == 0, view
    page.view("queues")
    page.wait("return document.querySelectorAll('#view tbody tr').length > 10")
    page.script("[...document.querySelectorAll('button')].find((b) => /more process/.test(b.textContent))?.click()")
    shown = page.wait("const names = [...document.querySelectorAll('#view tbody tr td:first-child bdi')].map((e) => e.textContent); return "
                      "names.length === 20 && names")
    for text in ["<script>window.hostile=1</script>", "<!-- comment", "(no name)", "__proto__", "�[31mred�[0m�", "�reversed�"]:
        assert any(text in name for name in shown), (text, shown)
    assert any(name.startswith("longlong") and "…" in name for name in shown)
    unseen = page.script("return /[\\u0000-\\u0008\\u000b-\\u001f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)")
    assert not unseen, "a character that reorders text is in the page"
    assert len(HOSTILE_NAMES) == 20


def case_connection_is_lost_and_comes_back(page: Page, serve: Any) -> None:
    """When the server goes, the page reports it and keeps the picture; when it is back at the same address, the page goes on."""
    server = serve("--processes", "12")
    page.permitted += ["WebSocket connection", "ERR_CONNECTION_REFUSED"]
    page.open(server.address + "#view=overview")
    page.wait("return /\\d/.test(document.querySelector('.number-card .value').textContent)")
    server.stop()
    page.wait("return document.querySelector('.notice.lost')?.textContent.includes('connection was lost')")
    assert "not connected" in page.text(".state")
    assert any(letter.isdigit() for letter in page.text(".number-card .value")), "what was there stays"
    server.start()
    page.wait("return document.querySelector('.notice.lost') === null && document.querySelector('.state').textContent.startsWith('recording')")
    before = page.text(".state")
    page.wait("return document.querySelector('.state').textContent !== arguments[0]", before)


def case_slow_connection_is_reported(page: Page, serve: Any) -> None:
    """When pictures take long to come, the page says how long."""
    page.open(serve("--processes", "12", "--slow", "700").address + "#view=overview")
    page.wait("return /One picture every \\d\\.\\d s: slow connection/.test(document.querySelector('.notices').textContent)")


def case_clocks_and_growth(page: Page, serve: Any) -> None:
    """Clocks that could not be compared are reported, and processes that start later appear."""
    page.open(serve("--processes", "40", "--grow", "--before", "1", "--no-clocks").address + "#view=hot-spots&.groups=none")
    page.wait("return document.querySelector('.notices').textContent.includes('could not be compared')")
    count = page.wait("return document.querySelectorAll('.node').length")
    page.wait("return document.querySelectorAll('.node').length > arguments[0]", count)


def case_request_is_drawn_between_its_processes(page: Page, serve: Any) -> None:
    """Each message of the diagram of one request begins and ends on the lines of its own processes."""
    page.open(serve("--processes", "12", "--ended", "30").address + "#view=queues")
    steps = page.wait("""const steps = [...document.querySelectorAll('#one-request .step')];
        const y = (step, end) => Number(step.querySelector('line').getAttribute(end));
        return steps.length > 3 && steps.map((step) => [y(step, 'y1'), y(step, 'y2'), step.querySelector('title').textContent])""")
    lines = page.script("""const texts = [...document.querySelectorAll('#one-request .end-text')];
        return Object.fromEntries(texts.map((text) => [text.firstChild.textContent, Number(text.getAttribute('y')) - 4]))""")
    for begins, ends, title in steps:
        named = re.match(r"\d+: (.*?) → (.*?),", title)
        assert named, title
        source, target = named.groups()
        assert (begins, ends) == (lines[source], lines[target]), (title, begins, ends, lines)


def case_replay(page: Page, serve: Any) -> None:
    """A replay plays, pauses, jumps to a time and to events; its cursor moves the range that all views share."""
    page.open(serve("--processes", "12", "--ended", "60").address + "#view=overview&from=10&to=14&at=11")
    page.wait("return document.querySelector('.range').textContent.startsWith('10')")
    page.press(" ")
    page.wait("return document.querySelector('#play').getAttribute('aria-label') === 'Pause the replay'")
    page.wait("return Number(location.hash.match(/from=([^&]+)/)[1]) > 10.2")
    page.press(" ")
    page.wait("return document.querySelector('#play').getAttribute('aria-label') === 'Play'")
    field = page.find("input.time")
    page.click(field)
    page.press("0:41.5", Keys.ENTER)
    page.wait("return location.hash.includes('at=41.5')")
    page.wait("const [from, to] = location.hash.match(/from=([^&]+)&to=([^&]+)/).slice(1).map(Number); return from < 41.5 && to > 41.5")
    page.press(".")
    page.wait("return document.querySelector('.said').textContent.includes('Select a process')")
    page.script("location.hash += '&selected=3'")
    page.wait("return document.querySelector('.inspector').hidden === false")
    page.press(".")
    page.wait("return document.querySelector('.said').textContent.includes('SEND')")


def case_file_without_a_server(page: Page, serve: Any) -> None:
    """A report.html answers from its data, and says what needs a server in the place of what is missing."""
    page.open(page.report() + "#view=report")
    page.wait("return document.querySelectorAll('figure').length >= 9")
    for kind in ["table table", "lines svg path.line", "scatter svg circle", "bars rect.fill", "heat_map rect.cell", "graph g.node",
                 "space_time rect.busy"]:
        page.find(".figure-" + kind)
    for view in VIEWS:
        page.view(view)
    page.view("placement")
    page.wait("return /dpm serve/.test(document.querySelector('.leaves-out').textContent)")
    page.view("space-time")
    page.wait(DRAWN, ".lanes canvas")
    page.view("overview")
    page.wait("return /\\d/.test(document.querySelector('.number-card .value').textContent)")
    page.open(page.report("--only-report"))
    page.wait("return document.querySelectorAll('figure').length >= 9")
    assert not page.find(".tabs").is_displayed(), "a report alone has no tabs"


def case_narrow_and_wide(page: Page, serve: Any) -> None:
    """From 360 pixels on, no view makes the page wider than the screen."""
    server = serve("--processes", "30", "--ended", "30")
    try:
        for width in (360, 768, 2400):
            page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                         {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
            page.open(server.address + "#selected=3,4")
            for view in VIEWS:
                page.script("location.hash = 'view=' + arguments[0] + '&selected=3,4'", view)
                page.wait("return document.documentElement.dataset.view === arguments[0]", view)
                time.sleep(0.15)
                found = page.script("return document.documentElement.scrollWidth")
                wide = page.script("return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > arguments[0] + "
                                   "1).map((e) => e.tagName + '.' + e.className).slice(0, 6)", width)
                assert found <= width, (view, width, found, wide)
        page.script("dispatchEvent(new Event('beforeprint'))")
        assert page.script("return document.documentElement.dataset.theme") == "light", "paper is light"
        page.script("dispatchEvent(new Event('afterprint'))")
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
