"""Cases of check_served.py: what a user does with dpm serve and dpm meter --serve. Each has the page, and traces to look at."""
import json
import re
import shutil
import time
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from browser_page import Keys, Page, VIEWS
from served_numbers import check_views, DRAWN
from shown_numbers import check_near
from synthetic import HOSTILE_NAMES
from traces import NotHere, Redis, Scheduled, Traces, document, dpm, free_port
from tunnel import Tunnel
from versions import Bursts, compare, READ, read, Reading, Versions


def where_possible(case: Any) -> Callable[..., Any]:
    def tried(page: Page, traces: Traces) -> None:
        try:
            case(page, traces)
        except NotHere as reason:
            print(f"   not tried: {reason}")
    tried.__name__, tried.__doc__, tried.__code__ = case.__name__, case.__doc__, tried.__code__.replace(co_firstlineno=case.__code__.co_firstlineno)
    return tried


def case_numbers_of_a_simulation(page: Page, traces: Traces) -> None:
    """Every view of a simulated system shows the numbers that the commands print."""
    check_views(page, traces.serve(traces.simulated()).address, traces.simulated())


@where_possible
def case_numbers_of_a_live_program(page: Page, traces: Traces) -> None:
    """Every view of a metered program shows the numbers that the commands print."""
    check_views(page, traces.serve(traces.live()).address, traces.live())


@where_possible
def case_numbers_of_a_merged_trace(page: Page, traces: Traces) -> None:
    """Every view of two programs that were metered apart shows the numbers that the commands print."""
    check_views(page, traces.serve(traces.merged()).address, traces.merged())


def check_file(page: Page, out: Any) -> None:
    """report.html alone, from another place and with the network off: the same numbers, and words where a server is needed."""
    mailed = out.parent / "mailed" / out.name / "report.html"
    mailed.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(out / "report.html", mailed)
    page.browser.execute_cdp_cmd("Network.enable", {})
    page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    try:
        check_views(page, f"file://{mailed}", out)
        page.view("report")
        page.wait("return document.querySelectorAll('figure').length > 5")
        page.view("time")
        page.wait("return /dpm serve/.test(document.querySelector('main').innerText)")
        page.view("placement")
        page.wait("return /dpm serve/.test(document.querySelector('main').innerText) || document.querySelector('.missing') !== null")
        loaded = page.script("return performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith('data:')).length")
        assert loaded == 0, "the page loads something"
    finally:
        page.browser.execute_cdp_cmd("Network.emulateNetworkConditions",
                                     {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def case_file_of_a_simulation(page: Page, traces: Traces) -> None:
    """report.html of dpm run has all views, with the numbers that the commands print."""
    check_file(page, traces.simulated())


@where_possible
def case_file_of_a_live_program(page: Page, traces: Traces) -> None:
    """report.html of dpm meter has all views, with the numbers that the commands print."""
    check_file(page, traces.live())


WATCH_NUMBER = """
const value = document.querySelector('.two-numbers .value'), note = document.querySelector('.two-numbers .note');
window.began = 0; window.took = {};
for (const kind of ['pointerup', 'keydown']) addEventListener(kind, () => { window.began = performance.now(); window.took = {}; }, true);
new MutationObserver(() => (window.took.number ??= performance.now() - window.began))
  .observe(value, { childList: true, characterData: true, subtree: true });
new MutationObserver(() => / to /.test(note.textContent) && (window.took.interval = performance.now() - window.began))
  .observe(note, { childList: true, characterData: true, subtree: true });"""


def case_process_is_moved(page: Page, traces: Traces) -> None:
    """A process is dragged to another machine and moved on with a key: the predicted time is that of dpm predict."""
    server = traces.serve(traces.simulated())
    page.open(server.address + "#view=placement")
    page.wait("return / to /.test(document.querySelector('.two-numbers .note')?.textContent ?? '')")
    before = page.text(".two-numbers .value")
    page.script(WATCH_NUMBER)
    chip = page.find(".machine-box[aria-label='Machine vax_1'] .process[data-process='1']")
    target = page.find(".machine-box[aria-label='Machine vax_4']")
    page.drag(chip, target.rect["x"] + 60 - chip.rect["x"], target.rect["y"] + 90 - chip.rect["y"])
    check_prediction(page, traces, "vax_4", before, "pointer")
    dragged = page.text(".two-numbers .value")
    page.script("document.querySelector('.process.moved').focus()")
    page.press(Keys.ARROW_LEFT)
    check_prediction(page, traces, "vax_3", dragged, "key")
    page.command("z")
    page.command("z")
    page.wait("return document.querySelector('.two-numbers .value').textContent === arguments[0]", before)


def check_prediction(page: Page, traces: Traces, machine: str, before: Any, how: str) -> None:
    page.wait("return document.querySelector(`.machine-box[aria-label='Machine ${arguments[0]}'] "
              ".process.moved`)?.innerText.includes('buffer_manager')", machine)
    page.wait("return window.took.interval > 0")
    took = page.script("return window.took")
    print(f"   {how}: {took.get('number', 0):.0f} ms to the number, {took['interval']:.0f} ms to the interval")
    file = traces.folder / "placement.json"
    file.write_text(json.dumps({"processes": {"buffer_manager": machine}}))
    predicted = json.loads(dpm("predict", traces.simulated(), "--placement", file, "--json").stdout)
    shown = page.text(".two-numbers .value")
    check_near("predicted time", shown, predicted["elapsed_s"])
    assert shown != before, (shown, before)


def case_keys(page: Page, traces: Traces) -> None:
    """Views, range, search, event by event and messages are reached with the keyboard."""
    page.open(traces.serve(traces.simulated()).address)
    for key, view in enumerate(VIEWS, 1):
        page.press(str(key))
        page.wait("return document.documentElement.dataset.view === arguments[0]", view)
    page.press("5", "/")
    page.press("buffer", Keys.ENTER)
    page.wait("return document.querySelector('.inspector').innerText.includes('buffer_manager')")
    page.press("w", "w", "d")
    page.wait("return /from=/.test(location.hash)")
    page.press(".")
    page.wait("return /at \\d/.test(document.querySelector('.said').textContent) && /at=/.test(location.hash)")
    at = page.script("return Number(location.hash.match(/at=([^&]+)/)[1])")
    page.press(",")
    page.wait("return Number(location.hash.match(/at=([^&]+)/)[1]) < arguments[0]", at)
    page.open(page.browser.current_url.split("#")[0] + "#view=space-time&from=10&to=10.5")
    page.wait(DRAWN, ".lanes canvas")
    page.script("document.querySelector('.lanes').focus()")
    page.press(Keys.ARROW_RIGHT)
    page.wait("return /led to it/.test(document.querySelector('.message-card').innerText)")
    page.press("0")
    page.wait("return !/from=/.test(location.hash)")


def check_sums_of_a_ruler(page: Page, traces: Traces, trace: Any) -> None:
    server = traces.serve(trace)
    page.open(server.address)
    page.wait("return document.querySelector('.state').textContent.startsWith('ended')")
    described = json.loads(urllib.request.urlopen(f"{server.address}api/describe", timeout=60).read())
    from_s, to_s = (float(f"{described['now_s'] * share:.9f}") for share in (0.2, 0.98))
    page.open(f"{server.address}#view=space-time&.ruler={from_s!r},{to_s!r}")
    page.wait("return document.querySelector('.ruler-card').dataset.exact === 'true'", seconds=60)
    cells = "[...row.querySelectorAll('td')].map(({ dataset }) => [dataset.sum ?? dataset.cause, Number(dataset.value)])"
    shown = page.script("return Object.fromEntries([...document.querySelectorAll('.ruler-card tr[data-lane]')].map((row) => [row.dataset.lane, "
                        f"Object.fromEntries({cells})]))")
    times = f"--from={from_s!r}", f"--to={to_s!r}"
    statistics = {row["process"]: row for row in document("statistics", trace, *times)["processes"]}
    sums = ("sent", "sent_bytes", "received", "received_bytes")
    for process in described["processes"]:
        if (lane := shown.get(str(process["id"]))) is None:
            continue
        row = statistics.get(process["name"], dict.fromkeys(sums, 0))
        assert [lane[key] for key in sums] == [row[key] for key in sums], (process["name"], lane, row)
        if process["outside"]:
            continue
        tree = document("blame", trace, "--of", process["name"], *times)["tree"]
        messages_s = sum(wait["total_s"] for wait in tree["waits_for"] if wait["why"] == "message")
        for cause, expected in ("its CPU time", tree["cpu_s"]), ("run-queue wait", tree["cpu_queue_s"]), ("waits for messages", messages_s):
            assert abs(lane.get(cause, 0) - expected) < 1e-9, (process["name"], cause, lane, expected)
    assert shown["all"]["sent"] == sum(row["sent"] for row in statistics.values()) > 0, (shown, statistics)


@where_possible
def case_sums_of_a_ruler(page: Page, traces: Traces) -> None:
    """The sums of a ruler over the lanes of one machine are those of the commands with the same times."""
    check_sums_of_a_ruler(page, traces, traces.on_one_machine())
    check_sums_of_a_ruler(page, traces, traces.live())


def case_reload(page: Page, traces: Traces) -> None:
    """A reload shows the same view, range, selection, colours and placement."""
    wanted = "view=hot-spots&from=5&to=15&selected=1,2&quantity=bytes&form=total&colours=viridis&theme=dark&pin=cpu:1"
    page.open(traces.serve(traces.simulated()).address + "#" + wanted)
    read = ("return document.querySelectorAll('.arc title').length > 3 && [document.querySelector('.inspector').innerText, "
            "document.querySelector('.range').innerText, ...[...document.querySelectorAll('.arc title')].map((e) => e.textContent)]")
    first = page.wait(read)
    page.browser.refresh()
    page.wait("return document.querySelectorAll('.arc title').length > 3")
    assert page.wait(read) == first
    assert page.script("return decodeURIComponent(location.hash.slice(1))") == wanted


def case_server_starts_again(page: Page, traces: Traces) -> None:
    """Behind an address that stays, the page goes on when the server is back; at a new address it tells so."""
    page.permitted += ["WebSocket connection", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "404"]
    tunnel = traces.keep(Tunnel())
    server = tunnel.target = traces.serve(traces.simulated(), "--allow-host", f"127.0.0.1:{tunnel.port}", "--port", str(free_port()))
    page.open(tunnel.address + "#view=hot-spots&form=total")
    page.wait("return document.querySelectorAll('.arc').length > 4")
    server.stop()
    page.wait("return document.querySelector('.notice.lost')?.textContent.includes('connection was lost')")
    assert page.script("return document.querySelectorAll('.arc').length > 4"), "what was there stays"
    server.start()
    page.wait("return document.querySelector('.notice.lost') === null && document.querySelector('.state').textContent.startsWith('ended')")
    page.view("queues")
    page.wait("return document.querySelectorAll('#view tbody tr').length > 5")
    page.open(server.address + "#view=overview")
    page.wait("return /\\d/.test(document.querySelector('.number-card .value').textContent)")
    server.stop()
    server.start()  # the same port, another token
    page.wait("return document.querySelector('.notice.lost')?.textContent.includes('new address')")


def case_server_starts_again_with_its_token(page: Page, traces: Traces) -> None:
    """With --token-file the address stays: the open page goes on, a reload finds it again, and it shows the same."""
    page.permitted += ["WebSocket connection", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE"]
    token = traces.folder / "token"
    server = traces.serve(traces.simulated(), "--port", str(free_port()), "--token-file", str(token))
    address = server.address
    page.open(address + "#view=queues&selected=1")
    page.wait("return document.querySelectorAll('#view tbody tr').length > 5")
    read = "return document.querySelector('#view tbody').innerText"
    rows = page.script(read)
    server.stop()
    page.wait("return document.querySelector('.notice.lost')?.textContent.includes('connection was lost')")
    assert page.script(read) == rows, "what was there stays"
    server.start()
    assert server.address == address, (server.address, address)
    page.wait("return document.querySelector('.notice.lost') === null && document.querySelector('.state').textContent.startsWith('ended')")
    for _ in range(2):
        page.browser.refresh()
        page.wait("return document.querySelectorAll('#view tbody tr').length > 5")
        page.wait(read + " === arguments[0]", rows)
        assert "view=queues" in page.browser.current_url and "selected=1" in page.browser.current_url, page.browser.current_url
        server.stop()
        server.start()
    page.permitted.append("404")
    server.stop()
    token.unlink()
    server.start()  # a new token
    assert server.address != address
    page.wait("return document.querySelector('.notice.lost')?.textContent.includes('new address')")


MESSAGES = "return Number(document.querySelectorAll('.number-card')[3].querySelector('.value').title.split(',')[0].replace(/\\D/g, ''))"


def wait_until_at_rest(page: Page) -> Any:
    """Until the count of messages has not changed for two seconds."""
    before = None
    for _ in range(20):
        now = page.wait(MESSAGES)
        if now == before:
            return now
        before = now
        time.sleep(2)
    raise AssertionError(f"messages still come without a load: {before}")


@where_possible
def case_server_under_load(page: Page, traces: Traces) -> None:
    """The page shows the load of a redis-server as it comes and goes and comes again; at the end its numbers are those of dpm statistics."""
    redis = traces.keep(Redis(traces.folder / "redis"))
    page.open(redis.address)
    page.wait("return document.querySelector('.state').textContent.startsWith('recording')")
    redis.load()
    seen = [page.wait(MESSAGES)]
    for _ in range(4):
        seen.append(page.wait(MESSAGES.replace("return ", "const now = ") + "; return now > arguments[0] && now", seen[-1]))
    frames = page.script("return window.dpmFrames")
    page.wait("return window.dpmFrames > arguments[0] + 10", frames)
    for view in VIEWS[1:]:
        page.view(view)
        page.wait("return document.querySelector('main').innerText.length > 20")
    page.view("history")
    page.wait(DRAWN, ".plot canvas")
    page.view("overview")
    page.browser.refresh()
    page.wait(MESSAGES.replace("return ", "const now = ") + "; return now > arguments[0]", seen[-1])
    redis.end_load()
    rested = wait_until_at_rest(page)
    assert page.text(".state").startswith("recording"), page.text(".state")
    redis.load()
    page.wait(MESSAGES.replace("return ", "const now = ") + "; return now > arguments[0] + 1000", rested)
    redis.stop_program()
    page.view("overview")
    page.wait("return document.querySelector('.state').textContent.startsWith('ended')", seconds=40)
    count = sum(row["count"] for row in document("statistics", redis.out)["messages"])
    page.wait(MESSAGES.replace("return ", "const now = ") + "; return now === arguments[0]", count, seconds=40)
    page.view("hot-spots")
    page.wait("return document.querySelectorAll('.node').length > 1 && document.querySelectorAll('.arc').length > 1")


@where_possible
def case_numbers_while_a_run_ends(page: Page, traces: Traces) -> None:
    """A run is watched while it ends: each number is that of the command for the same version, and what is older than the end says so."""
    run, versions = traces.keep(Bursts(traces.folder / "bursts")), Versions()
    readings: list[Reading] = []
    page.open(run.address + "#form=total&.groups=none&.queues=all")
    for messages in (10, 20, 30, 60):
        run.send(messages)
        run.rest()
        events, _ = versions.add(run.out / "trace", traces.folder / f"copy-{messages}")
        for view in READ:
            page.view(view)
            page.wait("return Number(document.querySelector('#view .as-of')?.dataset.events) === arguments[0]", events, seconds=60)
            time.sleep(0.5)
            readings += filter(None, [read(page, view)])
    run.send(2000)
    run.end_program()
    not_final, end, aged = set(READ), time.monotonic() + 120, 0
    while not_final:
        for view in sorted(not_final):
            page.view(view)
            has_ended = page.text(".state").startswith("ended")
            found = read(page, view)
            if found is None:
                continue
            readings.append(found)
            if found.version[1]:
                not_final.discard(view)
            elif has_ended:
                aged += 1
                assert found.text, f"{view} shows {found.events} events of a run that has ended, and does not say so"
        assert time.monotonic() < end, f"these do not come to an end: {not_final}"
    run.stop_program()
    versions.add(run.out / "trace", None)
    count, of = compare(readings, versions)
    print(f"   {count} numbers of {of} versions are those of the commands; {aged} readings said that they were older than the end")
    assert count >= 200 and of >= 4, (count, of)


def case_state_is_the_address(page: Page, traces: Traces) -> None:
    """An address that is put into an open page shows what it shows in a new one."""
    server = traces.serve(traces.simulated())
    plan = {"machine_of": {"buffer_manager": "vax_4"}, "machines": {"vax_1": {"speed": 2}}, "delay_factor": 2, "replicas": {}}
    other = {"machine_of": {"disk_interface": "vax_3"}, "machines": {}, "delay_factor": 1, "replicas": {}}
    plans = ["view=placement&.plan=" + quote(json.dumps(each)) for each in (plan, other)]
    addresses = [*plans, "view=placement", "view=queues&.queues=all&.request=3", "view=queues",
                 "view=history&selected=1&.series=sent", "view=history&selected=1,2&pin=cpu:1", "view=matrix&.order=machine&form=total",
                 "view=matrix", "view=hot-spots&form=total&selected=1", "view=time&selected=2", "view=overview&from=5&to=10",
                 "view=space-time&from=5&to=5.5&.lanes=4,1&.pinned=2&.hidden=3&selected=1&.ruler=5.1,5.2", "view=space-time&from=5&to=5.5"]
    # Which labels of a graph have room depends on where its arcs were before.
    shown = """const main = document.querySelector('main'), all = (selector) => [...main.querySelectorAll(selector)], copy = main.cloneNode(true);
        copy.querySelectorAll('svg text').forEach((text) => text.remove());
        return copy.textContent + all('select, input').map((e) => e.value) + all('[aria-checked=true], .moved').map((e) => e.innerText)"""

    def settled() -> Any:
        before, since = None, time.monotonic()
        while time.monotonic() < since + 1.2:
            now = page.script(shown)
            if now != before:
                before, since = now, time.monotonic()
            time.sleep(0.1)
        return before
    fresh = {}
    for address in addresses:
        page.open(server.address + "#" + address)
        fresh[address] = settled()
    for address in [*addresses, *reversed(addresses)]:
        page.script("location.hash = arguments[0]", "#" + address)
        assert settled() == fresh[address], (address, settled(), fresh[address])


def case_search_ends_by_itself(page: Page, traces: Traces) -> None:
    """A search for the best placement shows how far it is, and its result, without anything that the user does."""
    page.open(traces.serve(traces.simulated()).address + "#view=placement")
    page.wait("return /\\d/.test(document.querySelector('.two-numbers .value')?.textContent ?? '')")
    page.script("""const best = document.querySelector('.best'); window.seen = new Set();
        new MutationObserver(() => window.seen.add(best.innerText.match(/Searching: \\S+/)?.[0]))
            .observe(best, { childList: true, subtree: true, characterData: true });
        [...best.querySelectorAll('button')].find((button) => /search for the best/.test(button.textContent)).click()""")
    page.wait("return /show it/.test(document.querySelector('.best').innerText)", seconds=90)
    assert page.script("return [...window.seen].filter(Boolean).length") > 0, "no progress was shown"


def case_placement_file_is_what_is_shown(page: Page, traces: Traces) -> None:
    """The file of a plan with moves, speeds, delays and copies predicts the time that the page shows."""
    server = traces.serve(traces.simulated())
    plans = [{"machine_of": {"buffer_manager": "vax_4"}, "machines": {"vax_1": {"speed": 2}}, "delay_factor": 1, "replicas": {}},
             {"machine_of": {}, "machines": {}, "delay_factor": 3, "replicas": {}},
             {"machine_of": {"buffer_manager": "vax_4"}, "machines": {}, "delay_factor": 0.5, "replicas": {"disk_interface": 2}}]
    for number, plan in enumerate(plans):
        page.open(server.address + "#view=placement&.plan=" + quote(json.dumps(plan)))
        page.wait("return / to /.test(document.querySelector('.two-numbers .note')?.textContent ?? '')")
        asked = "&".join(f"{key}={quote(json.dumps(value))}" for key, value in plan.items())
        with urllib.request.urlopen(f"{server.address}api/placement_file?{asked}", timeout=30) as answer:
            text = json.load(answer)["text"]
        file = traces.folder / f"plan-{number}.json"
        file.write_text(text)
        predicted = dpm("predict", traces.simulated(), "--placement", file, "--json")
        assert predicted.returncode == 0, predicted.stderr
        check_near("predicted time", page.text(".two-numbers .value"), json.loads(predicted.stdout)["elapsed_s"])


@where_possible
def case_journal_of_a_scheduler(page: Page, traces: Traces) -> None:
    """While a program runs, the page shows the decision to bind it and what was measured of it, as in the journal."""
    scheduled = traces.keep(Scheduled(traces.folder / "scheduled"))
    page.open(scheduled.address)
    cells = page.wait("const rows = [...document.querySelectorAll('#view tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent)); "
                      "return rows.find((row) => row[4] === 'kept')")
    assert page.text(".state").startswith("recording"), page.text(".state")
    assert "Policy fixed on core" in page.text(), page.text()
    decision = next(entry for entry in json.loads((scheduled.out / "schedule.json").read_text())["journal"] if entry["outcome"] == "kept")
    assert {part for part in cells[1].split("; ")} == {f"{move['process']}: {move['from']} to {move['to']}"
                                                       for move in decision["moves"]}, (cells, decision)
    assert cells[2] == "–" and re.fullmatch(r"[+−]?[\d.,]+\u202f%", cells[3]) and cells[5] == decision["reason"], (cells, decision)
    scheduled.stop_program()
    page.wait("return document.querySelector('.state').textContent.startsWith('ended')", seconds=40)
    page.wait("return [...document.querySelectorAll('#view tbody tr')].some((row) => row.cells[4].textContent === 'kept')")


def check_names(page: Page, address: Any) -> Any:
    page.open(address + "#.groups=none&selected=" + ",".join(map(str, range(20))))
    for view in VIEWS:
        page.view(view)
        page.wait("return document.querySelector('main').innerText.length > 20")
        time.sleep(0.2)
        assert page.script("return window.hostile === undefined"), view
        assert page.script("return document.querySelectorAll('main img, main script, main iframe, .inspector img, .inspector b, main table b, main "
                           "a').length") == 0, view
        unseen = page.script("return /[\\u0000-\\u0008\\u000b-\\u001f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText + document.title)")
        assert not unseen, f"{view}: a character that reorders text is in the page"
    page.view("queues")
    page.wait("return document.querySelectorAll('#view tbody tr').length > 10")
    page.script("[...document.querySelectorAll('button')].find((b) => /more process/.test(b.textContent))?.click()")
    return page.wait("const names = [...document.querySelectorAll('#view tbody tr td:first-child bdi')].map((e) => e.textContent); return "
                     "names.length >= 20 && names")


@where_possible
def case_names_of_real_processes(page: Page, traces: Traces) -> None:
    """Programs that name themselves after tags, escapes and right-to-left text are shown as text."""
    shown = check_names(page, traces.serve(traces.named()).address)
    for text in ["<script>window.", "<img src=x oner", "<!-- comment", "__proto__", "�[31mred�"]:
        assert any(text in name for name in shown), (text, shown)


@where_possible
def case_names_in_a_trace(page: Page, traces: Traces) -> None:
    """Twenty hostile names that are written into a trace are shown as text, the one of 4 kB shortened."""
    shown = check_names(page, traces.serve(traces.renamed()).address)
    for text in ["<script>window.hostile=1</script>", "<!-- comment", "(no name)", "__proto__", "�[31mred�[0m�", "�reversed�"]:
        assert any(text in name for name in shown), (text, shown)
    assert any(name.startswith("longlong") and "…" in name for name in shown)
    assert len(HOSTILE_NAMES) == 20
