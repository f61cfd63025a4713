"""One program tried in all ways, and the table of all of them."""

import glob
import json
import os
import pathlib
import shutil
import time
from dataclasses import dataclass, field
from typing import Any

import comparison
from account import RECEIVE, SEND
from performances import Broken, Theatre, say

SHOWN_MOST = 5  # differences of each kind of one program
KINDS = ("messages", "accepts", "cpu", "counters", "results")


@dataclass
class Row:
    program: str
    skipped: str = ""
    broken: str = ""
    differences: list[Any] = field(default_factory=list)
    remarks: list[Any] = field(default_factory=list)
    sent: tuple[Any, ...] = (0, 0)
    received: tuple[Any, ...] = (0, 0)
    accepts: int = 0
    witness_sent: tuple[Any, ...] = (0, 0)
    witness_received: tuple[Any, ...] = (0, 0)
    witness_accepts: int = 0
    processes: int = 0
    cpu_s: float = 0
    witness_cpu_s: float = 0
    counters: int = 0
    matched: float | None = None
    seconds: float = 0
    open: dict[str, Any] = field(default_factory=dict)  # kind of difference, or part of one -> why DPM is known to have some

    def unexplained(self, kind: str | None = None) -> list[Any]:
        return [difference for difference in self.differences if not difference.reason and kind in (None, difference.kind)]

    def explained(self) -> list[Any]:
        return [difference for difference in self.differences if difference.reason]

    def unknown(self) -> list[Any]:
        return [difference for difference in self.unexplained() if not {difference.kind, difference.part} & self.open.keys()]

    def cells(self) -> list[Any]:
        if self.skipped or self.broken:
            return [self.program, *["-"] * 9, f"skipped: {self.skipped}" if self.skipped else f"BROKEN: {self.broken}"]
        counted = ", ".join(f"{kind} {len(self.unexplained(kind))}" for kind in KINDS if self.unexplained(kind))
        return [self.program, both(self.witness_sent), both(self.sent), both(self.witness_received), both(self.received),
                f"{self.witness_accepts} / {self.accepts}", f"{self.witness_cpu_s:.3f} / {self.cpu_s:.3f} s",
                "-" if self.matched is None else f"{100 * self.matched:.2f} %", str(self.counters),
                str(len(self.explained())), counted or "none"]

    def line(self) -> str:
        return "  ".join(self.cells()) + f"  ({self.seconds:.0f} s)"

    def texts(self) -> list[Any]:
        shown = []
        for kind in KINDS:
            of_kind = [f"{kind}: {difference.text}" for difference in self.unexplained(kind)]
            shown += of_kind[:SHOWN_MOST]
            shown += [f"{kind}: and {len(of_kind) - SHOWN_MOST} more"] if len(of_kind) > SHOWN_MOST else []
            names = {name for difference in self.unexplained(kind) for name in (difference.kind, difference.part)}
            shown += [f"{kind}: known: {self.open[name]}" for name in sorted(names & self.open.keys())]
        explained = [f"explained ({difference.reason}): {difference.text}" for difference in self.explained()]
        shown += explained[:SHOWN_MOST]
        shown += [f"explained: and {len(explained) - SHOWN_MOST} more"] if len(explained) > SHOWN_MOST else []
        return shown + self.remarks


COLUMNS = ["program", "sent, strace", "sent, trace", "received, strace", "received, trace", "accepts, strace / trace",
           "CPU, wait4 / trace", "matched", "own counters", "explained", "not explained"]


def both(messages_and_bytes: tuple[Any, ...]) -> str:
    return f"{messages_and_bytes[0]} / {messages_and_bytes[1]} B"


def missing(program: Any) -> str:
    for needed in program.NEEDS:
        if shutil.which(needed) is None and not os.path.exists(needed) and not glob.glob(f"/usr/sbin/{needed}"):
            return f"{needed} is not installed"
    return ""


def try_program(theatre: Theatre, name: str, path: pathlib.Path, program: Any) -> Row:
    row = Row(name, skipped=missing(program), open=getattr(program, "OPEN", {}))
    if row.skipped:
        return row
    say(f"{name}: {program.__doc__.splitlines()[0]}")
    began = time.monotonic()
    try:
        _compare(theatre, path, program, row)
    except Broken as broken:
        row.broken = str(broken)[-600:]
        row.differences.append(comparison.Difference("results", row.broken))
    row.seconds = time.monotonic() - began
    return row


def _compare(theatre: Any, path: Any, program: Any, row: Row) -> None:
    bare = theatre.perform(path, program, straced=False, metered=False)
    straced = theatre.perform(path, program, straced=True, metered=False)
    metered = theatre.perform(path, program, straced=False, metered=True)
    twice = theatre.perform(path, program, straced=True, metered=True)
    if not any(move.flow.medium == "eventfd" for move in metered.metered.moves + twice.metered.moves):
        for performance in (straced, twice):
            performance.strace.moves = [move for move in performance.strace.moves if move.flow.medium != "eventfd"]
    found = row.differences
    for other, which in ((straced, "under strace"), (metered, "metered"), (twice, "under both")):
        found += comparison.results_differ(bare.said["notes"], other.said["notes"], which)
    found += comparison.moved_differently(twice.strace, twice.metered)
    found += comparison.accepted_differently(twice.strace, twice.metered)
    found += comparison.classes_differ(comparison.Run(straced.strace, straced.ports, straced.said["answers"]),
                                       comparison.Run(metered.metered, metered.ports, metered.said["answers"]),
                                       getattr(program, "VARIES", []))
    if not getattr(program, "HANDS_ON", ""):
        found += comparison.accepted_by_others(metered.metered)
    for performance in (metered, twice):
        found += comparison.counters_differ(performance.said["counters"], performance.metered, performance.ports)
    cpu = comparison.cpu_differs(metered.said["reaped"], metered.metered, straced.strace.uncounted)
    found += cpu.differences
    row.processes, row.witness_cpu_s, row.cpu_s = cpu.processes, cpu.witness_s, cpu.trace_s
    row.counters = len(metered.said["counters"])
    row.sent, row.received = (tuple(twice.metered.totals()[way]) for way in (SEND, RECEIVE))
    row.witness_sent, row.witness_received = (tuple(twice.strace.totals()[way]) for way in (SEND, RECEIVE))
    row.accepts, row.witness_accepts = len(twice.metered.accepts), len(twice.strace.accepts)
    row.remarks += _never_received(twice)
    row.matched = min(_matched_share(theatre.fates(metered)),
                      _matched_share(theatre.fates(twice), never_received=comparison.never_received(twice.strace)))
    for performance in (straced, metered, twice):
        for account in (performance.strace, performance.metered):
            row.remarks += account.remarks if account else []


def _matched_share(fates: Any, never_received: Any | None = None) -> Any:
    """Of the messages between metered processes those that are found at both ends.

    What its receiver left unread when it ended has one end: as many messages as strace counted in this run, where it watched; in the
    other one all that DPM says so of, because their bytes are compared with strace's.
    """
    left = fates["not_received"] if never_received is None else min(fates["not_received"], never_received)
    matched = fates["matched_within"] + fates["matched_between"]
    between = matched + fates["before_acquire"] + fates["not_received"] + fates["lost"] - left
    return matched / between if between else 1


def _never_received(twice: Any) -> list[Any]:
    """That a message is matched with no receive is right if strace sees none."""
    witness, trace = (comparison.never_received(account) for account in (twice.strace, twice.metered))
    if not witness and not trace:
        return []
    return [f"sent and never received, under both: {witness} messages by strace, {trace} by the trace"]


def markdown(rows: list[Any]) -> str:
    lines = [COLUMNS, ["---"] * len(COLUMNS), *(row.cells() for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def document(rows: list[Any]) -> str:
    compared = [row for row in rows if not row.skipped]

    def count(kind: str) -> int:
        return sum(difference.kind == kind for row in compared for difference in row.unknown())

    known = sum(len(row.unexplained()) - len(row.unknown()) for row in compared)
    matched, matched_known = ([100 * row.matched for row in compared if row.matched is not None and ("matched" in row.open) == is_open]
                              for is_open in (False, True))
    figures = {"programs": len(compared), **{kind: count(kind) for kind in KINDS}, "known": known,
               "matched": min(matched, default=0), "matched_known": min(matched_known, default=100)}
    differences = [[row.program, text] for row in rows for text in row.texts()]
    remarks = [f"skipped: {row.program}: {row.skipped}" for row in rows if row.skipped]
    return json.dumps({"figures": figures, "remarks": remarks,
                       "tables": [{"title": "Messages and bytes, accepts and CPU time, by two witnesses", "columns": COLUMNS,
                                   "rows": [row.cells() for row in rows]},
                                  {"title": "What differs", "columns": ["program", "difference"], "rows": differences}]}, indent=1) + "\n"
