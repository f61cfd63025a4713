"""Opens every view of a trace, and compares what it shows with what dpm NAME --json prints."""
import re
from typing import Any

from browser_page import Keys, Page, VIEWS
from shown_numbers import check_exact, check_near, is_near, number, whole_number
from traces import document

DRAWN = """const canvas = document.querySelector(arguments[0]); if (!canvas || canvas.width === 0) return 0;
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; let seen = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ++seen; return seen;"""


def check_views(page: Page, address: str, trace: Any) -> None:
    documents = {name: document(name, trace) for name in ("statistics", "queues", "parallelism", "causality", "blame")}
    names = {process["process"] for process in documents["statistics"]["processes"]}
    page.open(address + "#form=total&.groups=none")
    page.wait("return !document.querySelector('.state').textContent.startsWith('recording')")
    checks = {"overview": check_overview, "hot-spots": check_hot_spots, "matrix": check_matrix, "queues": check_queues, "space-time": check_lanes,
              "history": check_plots,
              "placement": check_placement, "time": check_time_spent}
    for view in VIEWS:
        page.view(view)
        checks[view](page, documents, names)
        page.check_log()


def pairs_of(statistics: Any) -> dict[tuple[Any, Any], tuple[Any, Any]]:
    pairs = {}
    for row in statistics["messages"]:
        if row["count"] > 0:
            pairs[row["from"], row["to"]] = (row["count"], row["bytes"])
    return pairs


def check_overview(page: Page, documents: Any, _: Any) -> None:
    parallelism, statistics = documents["parallelism"], documents["statistics"]
    read = ("return [...document.querySelectorAll('.number-card')].map((card) => [card.querySelector('.label').textContent, "
            "card.querySelector('.value').textContent, card.querySelector('.value').title])")
    page.wait("return document.querySelectorAll('.number-card .value')[1].title !== ''")
    cards = {label: (value, title) for label, value, title in page.script(read)}
    P, best, cpu = parallelism["as_it_ran"]["P"], parallelism["no_delay"]["P"], parallelism["as_it_ran"]["T_s"]
    check_exact("P", cards["P as it ran"][1], P)
    assert cards["P as it ran"][0] == f"{P:.2f}", (cards, P)
    check_exact("P at best", cards["P at best"][1], best)
    check_exact("CPU", cards["CPU time"][1], cpu)
    check_near("CPU", cards["CPU time"][0], cpu)
    count = sum(count for count, _ in pairs_of(statistics).values())
    size = sum(size for _, size in pairs_of(statistics).values())
    check_near("messages", cards["messages"][0], count)
    shown = [int(re.sub(r"\D", "", part)) for part in cards["messages"][1].split(",")]
    assert shown == [count, size], (shown, count, size)
    page.wait("return document.querySelector('.ledger')?.textContent.replace(/\\D/g, '').includes(arguments[0])", str(statistics["ledger"]["seen"]))
    page.wait(DRAWN, ".time-plot canvas")


def check_hot_spots(page: Page, documents: Any, names: Any) -> None:
    pairs = pairs_of(documents["statistics"])
    page.wait("return document.querySelectorAll('.arc title').length === arguments[0]", len(pairs))
    seen = {}
    for tip in page.script("return [...document.querySelectorAll('.arc title')].map((title) => title.textContent)"):
        sender, receiver, count = re.findall(r"^(.*) → (.*): (.*) messages?, .*$", tip)[0]
        seen[sender, receiver] = whole_number(count)
    assert seen == {ends: count for ends, (count, _) in pairs.items()}, (seen, pairs)
    tips = page.script("return [...document.querySelectorAll('.node title')].map((title) => title.textContent)")
    shares = {tip.split(":")[0]: re.search(r", (\S+) of the computation", tip) for tip in tips}
    for process in documents["statistics"]["processes"]:
        share = shares.get(process["process"])
        if process["cpu_percent"] > 1 and share:
            check_near(f"CPU of {process['process']}", share[1], process["cpu_percent"] / 100, digits=2)


def check_matrix(page: Page, documents: Any, names: Any) -> None:
    """Goes through the first rows with the keys."""
    pairs = pairs_of(documents["statistics"])
    page.wait(DRAWN, ".matrix-place canvas")
    page.script("document.querySelector('.matrix-place').focus()")
    size = len({end for pair in pairs for end in pair})
    page.press(Keys.ARROW_DOWN)
    seen = 0
    for row in range(min(size, 3)):
        for column in range(size):
            told = page.text(".told")
            sender, receiver, what = re.findall(r"^(.*) → (.*?): (.*)$", told)[0]
            count, bytes_ = pairs.get((sender, receiver), (0, 0))
            if count == 0:
                assert what == "no message", told
            else:
                seen += 1
                shown = re.findall(r"^(.*) messages?, (.*)$", what)[0]
                assert number(shown[0]) == count, (told, count)
                check_near(told, shown[1], bytes_)
            page.press(Keys.ARROW_RIGHT if column + 1 < size else Keys.ARROW_DOWN)
        page.press(*[Keys.ARROW_LEFT] * (size - 1))
    assert seen > 0


def check_queues(page: Page, documents: Any, names: Any) -> Any:
    queues = {row["process"]: row for row in documents["queues"]["processes"]}
    page.wait("return document.querySelectorAll('#view tbody tr').length > 0")
    page.script("[...document.querySelectorAll('#view button')].find((b) => /more process/.test(b.textContent))?.click()")
    rows = page.wait("""const rows = [...document.querySelectorAll('#view .wide-table tbody tr')].map((row) =>
        [row.querySelector('bdi').textContent, ...[...row.querySelectorAll('td.number')].map((cell) => cell.textContent)]);
        return rows.length >= arguments[0] && rows""", len(queues))
    for name, *cells in rows:
        queue = queues[name]
        assert number(cells[0]) == queue["received"], (name, cells, queue)
        if not queue["measured"]:
            assert cells[1] == "not metered", cells
            continue
        for cell, key in zip(cells[1:7], ["queue_mean", "queue_max", "wait_mean_s", "wait_median_s", "wait_p95_s", "wait_max_s"]):
            if key in queue:
                check_near(f"{name}: {key}", cell, queue[key])
    causality = documents["causality"]
    if causality is None:
        return page.wait("return document.querySelector('.paths .missing') !== null")
    page.wait("return document.querySelectorAll('.path-list li').length > 0")
    shown = page.script("return [...document.querySelectorAll('.path-list li')].map((row) => [row.querySelector('bdi').textContent, "
                        "row.lastChild.textContent])")
    strings = {row["path"]: row["count"] for row in causality["strings"]}
    assert {text: whole_number(count) for text, count in shown} == strings, (shown, strings)
    assert str(causality["requests"]) in page.text(".paths").replace("\u202f", "").replace(" ", ""), causality["requests"]


def check_lanes(page: Page, _: Any, names: Any) -> None:
    page.wait(DRAWN, ".lanes canvas")
    rows = page.wait("const rows = [...document.querySelectorAll('.lane-label')].map((label) => label.title.replace(/ on [^ ]*$/, '')); "
                     "return rows.length > 0 && rows")
    assert set(rows) <= names, (rows, names)


def check_plots(page: Page, _: Any, names: Any) -> None:
    page.wait("return document.querySelectorAll('.plot').length === 3")
    page.wait(DRAWN, ".plot canvas")


def check_placement(page: Page, _: Any, names: Any) -> None:
    page.wait("return document.querySelector('.missing') !== null || /\\d/.test(document.querySelector('.two-numbers .value')?.textContent ?? '')")


def check_time_spent(page: Page, documents: Any, names: Any) -> None:
    tree = documents["blame"]["tree"]
    read = """const rows = [...document.querySelectorAll('.time-spent table')].flatMap((table) => [...table.querySelectorAll('tbody tr')].map((row) =>
        [table.querySelector('th').textContent, ...[...row.children].map((cell) => cell.textContent)]));
        return rows.some((row) => row[0] === 'where the time went') && rows"""
    rows = [row[1:] for row in page.wait(read) if row[0] == "where the time went"]
    check_near("the whole time", rows[0][-1], tree["total_s"])
    shown = [row[-1] for row in rows]
    # Processes of one program are one row; less than 0.5 % is left out.
    programs = [child["process"].split("#")[0].split("/")[0] for child in tree["waits_for"]]
    alone = [child for child, program in zip(tree["waits_for"], programs) if programs.count(program) == 1]
    for child in [child for child in alone if child["total_s"] > 0.006 * tree["total_s"]][:1]:
        assert any(is_near(text, child["total_s"]) for text in shown), (child["process"], child["total_s"], shown)
