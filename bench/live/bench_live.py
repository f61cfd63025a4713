#!/usr/bin/python3
"""How soon the live page shows a large trace, what it costs beside a program, also in a browser, and whether viewers slow one that is
metered."""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "meter"), str(FOLDER.parents[1] / "tests/view/server")]
sys.dont_write_bytecode = True

import table
import watchers
from served import Served
from shown import Shown


def seconds_of(command: list[Any]) -> float:
    began = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def large_trace(asked: Any, scratch: Any) -> None:
    """The first picture, the whole run, and zooms, beside a command that reads the same trace once."""
    trace, dpm = scratch / "large", asked.build / "dpm"
    subprocess.run([asked.build / "bench/live/make_trace", trace, str(asked.events)], check=True)
    table.heading(f"dpm serve on {asked.events:,} events")
    statistics_s = seconds_of([dpm, "statistics", trace])
    with Served(dpm, trace) as served:
        served.picture(width=1000)
        table.amount("the first picture: what is read by then", served.since_began(), "s", table.Goal("<=", 2))
        served.slowest_s = {}
        while (described := served.ask("describe"))["read"] < 1 or described["state"] == "recording":
            time.sleep(0.1)
        whole_s = served.since_began()
        table.amount("the longest answer while it reads", served.slowest_s["describe"] * 1000, "ms")
        table.row("the whole run is in it, against dpm statistics", whole_s / statistics_s, None,
                  f"({whole_s:.1f} s against {statistics_s:.1f} s)")
        slowest_s: dict[str, Any] = {}
        for _ in range(60):
            span_s = described["now_s"] * 10 ** random.uniform(-4, 0)
            from_s = random.uniform(0, described["now_s"] - span_s)
            for name in "overview", "traffic", "spacetime":
                began = time.monotonic()
                served.ask(name, from_s=from_s, to_s=from_s + span_s, width=1000)
                slowest_s.setdefault(name, []).append(time.monotonic() - began)
        for name, taken_s in slowest_s.items():
            table.amount(f"a zoom: {name}, the median of 60", table.median(taken_s) * 1000, "ms", table.Goal("<=", 100),
                         f"(the longest {max(taken_s) * 1000:.0f})")
        table.amount("memory, with the analyses of the whole trace under way", served.resident_mb(), "MB")


def live_program(asked: Any, scratch: Any) -> None:
    """A trace of 200 processes that grows by 50,000 messages a second."""
    table.heading("dpm serve beside 200 processes with 50,000 messages a second")
    viewers: dict[str, list[str]] = {"no viewer": [], "a viewer": ["describe", "overview", "traffic"],
                                     "a viewer of space-time": ["describe", "spacetime"]}
    for what, names in viewers.items():
        trace = scratch / f"live-{len(what)}"
        rate = 100_000  # a message is two events
        maker = subprocess.Popen([asked.build / "bench/live/make_trace", trace, str(int(rate * asked.seconds)), str(rate)])
        began = time.monotonic()
        time.sleep(1)
        with Served(asked.build / "dpm", trace) as served:
            time.sleep(1)
            before_s, since, behind_s = served.cpu_s(), time.monotonic(), []
            with watchers.watching(served.url, names) as viewer:
                while time.monotonic() - began < asked.seconds - 1:
                    time.sleep(0.3)
                    now_s = served.ask("describe")["now_s"]
                    behind_s.append(time.monotonic() - began - now_s)
            share = (served.cpu_s() - before_s) / (time.monotonic() - since)
            table.amount(f"{what}: CPU of the server", share * 100, "%", table.Goal("<=", 15))
            table.amount(f"{what}: from an event to its answer, the longest", max(behind_s), "s", table.Goal("<=", 1))
            pictures = "" if viewer is None else f"({viewer.pictures / (time.monotonic() - since):.1f} pictures a second)"
            table.amount(f"{what}: memory", served.resident_mb(), "MB", None, pictures)
        maker.wait()


VIEWS = ["overview", "hot-spots", "matrix", "history", "space-time", "queues", "placement"]
MESSAGES_PER_S = 50_000


def page_beside_program(asked: Any, scratch: Any) -> None:
    """Server and browser together beside a trace of 200 processes that grows by 50,000 messages a second, by view."""
    table.heading("dpm serve and the page in headless Chromium, 200 processes, 50,000 messages a second; of a core")
    seconds = len(VIEWS) * (3.5 + 2 * asked.view_seconds) + 20
    rate = 2 * MESSAGES_PER_S  # a message is two events
    maker = subprocess.Popen([asked.build / "bench/live/make_trace", scratch / "page", str(int(rate * seconds)), str(rate)])
    began = time.monotonic()
    time.sleep(1)
    with Served(asked.build / "dpm", scratch / "page") as served, Shown() as shown:
        for view in VIEWS:
            shown.open(f"{served.url}#view={view}&last=10")
            time.sleep(3)
            server_s, page_s, since = served.cpu_s(), shown.cpu_s(), time.monotonic()
            time.sleep(asked.view_seconds)
            passed_s = time.monotonic() - since
            server, page = ((after - before) / passed_s * 100 for after, before in ((served.cpu_s(), server_s), (shown.cpu_s(), page_s)))
            table.amount(f"{view}: server and page", server + page, "%", table.Goal("<=", 15), f"(server {server:.1f}, page {page:.1f})")
            table.amount(f"{view}: while it is used", shown.pictures_while_used(asked.view_seconds), "pictures/s", table.Goal(">=", 30))
        shown.open(f"{served.url}#view=overview")
        time.sleep(3)
        behind_s = []
        for _ in range(40):
            time.sleep(random.uniform(0.05, 0.15))
            if (messages := shown.messages()) is not None:
                behind_s.append(time.monotonic() - began - messages / MESSAGES_PER_S)
        table.amount("from an event to the screen, the longest of 40", max(behind_s), "s", table.Goal("<=", 1),
                     f"(median {table.median(behind_s):.2f})")
        maker.terminate()
    maker.wait()


def metered_program(asked: Any, scratch: Any) -> None:
    """The speed of a metered program whose page is watched, against that of one without a page."""
    table.heading("a metered program, its page watched, against one without a page")
    dpm, loop, numbers = asked.build / "dpm", asked.build / "bench/meter/call_loop", iter(range(1_000_000))
    calls = {"as fast as it can": [loop, "unix", "150000x"], "9 of 10 of its time asleep": [sys.executable, FOLDER / "resting.py"]}
    for what, command in calls.items():
        taken_s: dict[str, list[float]] = {name: [] for name in ("without", *watchers.KINDS)}
        most_mb: dict[str, float] = {}
        for _ in range(asked.turns):
            for name, values in taken_s.items():
                taken, page_mb = watchers.metered(dpm, command, scratch / str(next(numbers)), name)
                values.append(taken)
                most_mb[name] = max(page_mb, most_mb.get(name, 0))
        for name in watchers.KINDS:
            table.row(f"{what}: {name}", table.ratio_of(taken_s["without"], taken_s[name]), table.Goal(">=", 0.99),
                      f"(the server had {most_mb[name]:.0f} MB at most)")


def main() -> None:
    sections = {"large": large_trace, "live": live_program, "page": page_beside_program, "metered": metered_program}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="of " + ", ".join(sections) + " (default: all)")
    parser.add_argument("--build", type=pathlib.Path, default=FOLDER.parents[1] / "build/release", help="the build folder")
    parser.add_argument("--events", type=int, default=10_000_000, help="of the section large (default: 10 million)")
    parser.add_argument("--seconds", type=float, default=12, help="of the section live (default: 12)")
    parser.add_argument("--view-seconds", type=float, default=6, help="of each view in the section page (default: 6)")
    parser.add_argument("--turns", type=int, default=5, help="of the section metered (default: 5)")
    asked = parser.parse_args()
    for section in asked.sections:
        if section not in sections:
            parser.error(f"no section '{section}' (there are: {', '.join(sections)})")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="dpm-bench-live-"))
    try:
        for section in asked.sections or sections:
            sections[section](asked, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
