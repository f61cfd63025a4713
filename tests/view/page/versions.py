"""Numbers of the page and of commands, of one version of a trace that grows: what was read from the page is compared with what `dpm NAME --json`
prints for a copy of the trace as it was then."""
import json
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from browser_page import Page
from shown_numbers import is_near, number
from traces import LivePage, document

# Pairs of processes that exchange more messages with each line of standard input, and end with it.
BURSTS = """
import os, socket, sys
ends = []
for number in range(4):
    a, b = socket.socketpair()
    if os.fork() == 0:
        for end in [a] + ends: end.close()
        while b.recv(1000): sum(range(3000)); b.send(b"answer")
        os._exit(0)
    b.close()
    ends.append(a)
for line in sys.stdin:
    for number, end in enumerate(ends):
        for _ in range(int(line) * (number + 1)): end.send(b"x" * (40 + number)); end.recv(100)
for end in ends: end.close()
for end in ends: os.wait()
"""

# Each number of a view as [its name, its text], and which version of the trace it is of, read at once.
MARK = """const mark = (of) => {
    const m = document.querySelector(of + ' .as-of');
    return m && m.dataset.events ? [Number(m.dataset.events), m.dataset.state, m.textContent] : null;
};"""
READ = {
    "queues": MARK + """const rows = [...document.querySelectorAll('#view .wide-table tbody tr')];
        return [mark('.queues-and-paths'), rows.flatMap((row) => [...row.querySelectorAll('td.number')].map((cell, at) =>
            [row.querySelector('bdi').textContent + '|' + at, cell.textContent]))]""",
    "overview": MARK + """const cards = [...document.querySelectorAll('.number-card')];
        return [mark('.overview'), cards.flatMap((card) => {
            const value = card.querySelector('.value'), label = card.querySelector('.label').textContent;
            return label === 'messages' ? value.title.split(',').map((part, at) => [label + '|' + at, part]) : [[label, value.title]] })]""",
    "hot-spots": MARK + """const tips = [...document.querySelectorAll('.arc title')].map((title) => title.textContent);
        return [mark('.hot-spots'), tips.map((tip) => tip.match(/^(.* → .*): (.*) messages?, /)).filter(Boolean).map((found) => found.slice(1))]""",
    "placement": MARK + """const values = [...document.querySelectorAll('.two-numbers .value')];
        return [mark('.placement'), values.map((value, at) => [String(at), value.textContent])]""",
}
QUEUE_KEYS = ["received", "queue_mean", "queue_max", "wait_mean_s", "wait_median_s", "wait_p95_s", "wait_max_s", "still_queued"]


class Bursts(LivePage):
    def __init__(self, out: Path) -> None:
        super().__init__(out, [], [sys.executable, "-c", BURSTS], stdin=subprocess.PIPE)

    def send(self, messages: int) -> None:
        assert self.meter.stdin
        self.meter.stdin.write(f"{messages}\n")
        self.meter.stdin.flush()

    def end_program(self) -> None:
        assert self.meter.stdin
        self.meter.stdin.close()

    def as_of(self) -> Any:
        with urllib.request.urlopen(self.address + "api/describe", timeout=30) as answer:
            return json.load(answer)["as_of"]

    def rest(self) -> Any:
        """Until nothing has come for a second and a half."""
        before, since = self.as_of(), time.monotonic()
        while time.monotonic() < since + 1.5:
            time.sleep(0.2)
            now = self.as_of()
            if now["events"] != before["events"]:
                before, since = now, time.monotonic()
        return before


class Versions:
    """Copies of the trace, and the numbers of commands about them."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, bool], dict[str, float]] = {}

    def add(self, trace: Path, copy: Path | None) -> tuple[int, bool]:
        if copy is not None:
            shutil.copytree(trace, copy)
        documents = {name: document(name, copy or trace) for name in ("statistics", "queues", "parallelism", "predict")}
        ledger = documents["statistics"]["ledger"]
        version = ledger["kept"] - ledger.get("removed", 0), copy is None
        self.known[version] = numbers_of(documents, copy is None)
        return version


def numbers_of(documents: Any, is_final: bool) -> dict[str, Any]:
    numbers: dict[str, Any] = {}
    for row in documents["queues"]["processes"]:
        for at, key in enumerate(QUEUE_KEYS if row["measured"] else ["received"]):
            if key in row:
                numbers[f"queues {row['process']}|{at}"] = row[key]
    for row in documents["statistics"]["messages"]:
        if row["count"] > 0 and is_final:  # until then, the receivers of the first messages are not known to the page
            numbers[f"hot-spots {row['from']} → {row['to']}"] = row["count"]
    numbers["overview messages|0"] = sum(row["count"] for row in documents["statistics"]["messages"])
    numbers["overview messages|1"] = sum(row["bytes"] for row in documents["statistics"]["messages"])
    if is_final:  # until then, CPU time is counted up to the last event of each process, and P by the clock
        numbers["overview CPU time"] = documents["parallelism"]["as_it_ran"]["T_s"]
        numbers["overview P as it ran"] = documents["parallelism"]["as_it_ran"]["P"]
        numbers["overview P at best"] = documents["parallelism"]["no_delay"]["P"]
    if documents["predict"]:
        numbers["placement 0"], numbers["placement 1"] = documents["predict"]["elapsed_s"], documents["predict"]["P"]
    return numbers


class Reading:
    def __init__(self, view: str, seen: Any) -> None:
        mark, self.numbers = seen
        self.view = view
        self.events, state, self.text = mark
        self.version = self.events, state == "final"


def read(page: Page, view: str) -> Reading | None:
    seen = page.script(READ[view])
    return Reading(view, seen) if seen[0] and seen[1] else None


def compare(readings: list[Reading], versions: Versions) -> tuple[int, int]:
    """How many numbers were compared, of how many versions."""
    count, of = 0, set()
    for reading in readings:
        known = versions.known.get(reading.version)
        if known is None:
            continue
        for name, text in reading.numbers:
            expected = known.get(f"{reading.view} {name}")
            if expected is None or not re.search(r"\d", text):
                continue
            seen = number(re.sub("messages?|bytes", "", text).strip())
            is_exact = isinstance(expected, int) and reading.view != "queues"
            # The page writes at most six decimals.
            is_rounded = is_near(text, expected) or (seen is not None and "." in text and abs(seen - expected) < 5.1e-7)
            is_same = seen == expected if is_exact else is_rounded
            assert is_same, f"{reading.view}, {name}: '{text}' instead of {expected}, of {reading.version}; it says '{reading.text}'"
            count += 1
            of.add(reading.events)
    return count, len(of)
