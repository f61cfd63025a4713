#!/usr/bin/env python3
"""Real programs of about eight processes on two cores: feedback scheduling against the kernel's own placement, in pairs.

    run.py [--quick] [--only PROGRAM] [--keep FOLDER] --dpm PROGRAM --result FILE

With --keep, what was measured of a program with a source is a file of FOLDER, and what is there already is not measured again: a
run can be divided (--only), and goes on where it was interrupted.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import Any

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from programs import PROGRAMS, Work
from real_programs import Missing, Quartiles, call, open_to_programs, say

SKIPPED = 77
PAIRS, QUICK_PAIRS = 3, 1
WINDOW_S = 1
POLICY = "predicted"
MOVED = ["kept", "undone", "ended", "open", "failed"]  # what becomes of a decision that moved something


class Bench:
    def __init__(self, dpm: str, folder: pathlib.Path, quick: bool) -> None:
        self.dpm, self.folder, self.quick = str(pathlib.Path(dpm).resolve()), folder, quick
        if len(os.sched_getaffinity(0)) < 2:
            raise Missing("two cores are needed, and there is one")
        self.runs = 0

    def has(self, source: str) -> bool:
        words = [self.dpm, "meter", "--source", source, "--wait", "--summary", "--", "true"]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    def play(self, work: Work, source: str, policy: str) -> tuple[float, dict[str, Any]]:
        """How long the work took, and what the scheduler did. The policy `none` watches as well, and moves nothing."""
        self.runs += 1
        out, clock = self.folder / f"out-{self.runs}", self.folder / f"clock-{self.runs}"
        prefix = [self.dpm, "meter", "--source", source, "--wait", "-o", out, "--window", "10s", "--schedule", policy,
                  "--decision-window", f"{WINDOW_S}s", "--"]
        call([*prefix, *work.command(self.folder, clock)], self.folder)
        begin, end = map(float, clock.read_text().split())
        schedule = json.loads((out / "schedule.json").read_text())
        shutil.rmtree(out)
        return end - begin, schedule


class Compared:
    """A program with a source."""

    def __init__(self, program: str, source: str) -> None:
        self.program, self.source = program, source
        self.none: list[float] = []
        self.scheduled: list[float] = []
        self.journals: list[list[dict[str, Any]]] = []
        self.left_bound = 0

    def add(self, none: float, scheduled: float, schedule: dict[str, Any]) -> None:
        self.none.append(none)
        self.scheduled.append(scheduled)
        self.journals.append(schedule["journal"])
        self.left_bound += schedule["not_restored_threads"]

    def read(self, file: pathlib.Path) -> None:
        known = json.loads(file.read_text())
        self.none, self.scheduled, self.journals, self.left_bound = (known[key] for key in ("none", "scheduled", "journals", "left_bound"))

    def write(self, file: pathlib.Path) -> None:
        file.write_text(json.dumps({"none": self.none, "scheduled": self.scheduled, "left_bound": self.left_bound,
                                    "journals": self.journals}, indent=1) + "\n")

    def ratio(self) -> float:
        """The speed with the scheduler, of that without."""
        result: float = statistics.median(a / b for a, b in zip(self.none, self.scheduled))
        return result

    def count(self, outcome: str) -> int:
        return sum(entry["outcome"] == outcome for journal in self.journals for entry in journal)

    def gain_errors(self) -> list[float]:
        """Of the elapsed time: what was predicted against what was measured."""
        errors = []
        for entry in (entry for journal in self.journals for entry in journal):
            if "predicted_gain" in entry and "measured_gain" in entry:
                errors.append(abs(1 / (1 + entry["predicted_gain"]["expected"]) - 1 / (1 + max(entry["measured_gain"], -0.99))) * 100)
        return errors

    def row(self) -> list[str]:
        def spread(values: list[float]) -> str:
            return f"{Quartiles(values).median:.2f} s ({Quartiles(values).low:.2f} to {Quartiles(values).high:.2f})"

        errors = self.gain_errors()
        return [self.program, self.source, spread(self.none), spread(self.scheduled), f"{(self.ratio() - 1) * 100:+.1f} %",
                *[str(self.count(outcome)) for outcome in MOVED], f"{statistics.mean(errors):.1f} %" if errors else "-"]


def journal_rows(compared: list[Compared]) -> list[list[str]]:
    def percent(ratio: float) -> str:
        return f"{ratio * 100:+.1f} %"

    rows = []
    for of, pair, entry in ((of, pair, entry) for of in compared for pair, journal in enumerate(of.journals, 1) for entry in journal):
        if not entry["moves"]:
            continue
        moves = "; ".join(f"{move['process']} to {move['to']}" for move in entry["moves"])
        predicted = entry.get("predicted_gain")
        rows.append([of.program, of.source, str(pair), f"{entry['at_s']:.1f} s", moves,
                     f"{percent(predicted['expected'])} ({percent(predicted['low'])} to {percent(predicted['high'])})" if predicted
                     else "-", percent(entry["measured_gain"]) if "measured_gain" in entry else "-", entry["outcome"]])
    return rows


def compare(bench: Bench, name: str, work: Work, of: Compared) -> None:
    work.source = of.source
    for pair in range(QUICK_PAIRS if bench.quick else PAIRS):
        say(f"{name}, source {of.source}: pair {pair + 1}")
        # Which of the two is first alternates: what changes over time is not counted for one of them.
        order = ["none", POLICY] if pair % 2 == 0 else [POLICY, "none"]
        times = {policy: bench.play(work, of.source, policy) for policy in order}
        of.add(times["none"][0], times[POLICY][0], times[POLICY][1])


def investigate(bench: Bench, only: list[str], keep: str) -> list[Compared]:
    sources = [source for source in ("ebpf", "notify") if bench.has(source)]
    if not sources:
        raise Missing("programs cannot be metered on this machine (dpm doctor says why)")
    chosen = {name: work for name, work in PROGRAMS.items() if not only or name in only}
    if bench.quick:
        sources, chosen = sources[:1], {name: chosen[name] for name in list(chosen)[:1]}
    compared = []
    for name, work_of in chosen.items():
        files = {source: pathlib.Path(keep) / f"{name}-{source}.json" if keep else None for source in sources}
        work = work_of(bench.quick)
        try:
            if any(file is None or not file.exists() for file in files.values()):
                work.prepare(bench.folder, bench.dpm)
        except Missing as missing:
            say(f"{name} is left out: {missing}")
            continue
        for source, file in files.items():
            of = Compared(name, source)
            if file and file.exists():
                of.read(file)
            else:
                compare(bench, name, work, of)
                if file:
                    of.write(file)
            say("    " + ", ".join(of.row()))
            compared.append(of)
    if not compared:
        raise Missing("none of the programs is installed")
    return compared


def document(compared: list[Compared], quick: bool) -> dict[str, Any]:
    figures: dict[str, float] = {"left_bound": sum(of.left_bound for of in compared)}
    if not quick:
        errors = [error for of in compared for error in of.gain_errors()]
        figures |= {"slowest": min(of.ratio() for of in compared) * 100, "fastest": max(of.ratio() for of in compared) * 100,
                    "mean": statistics.mean(of.ratio() for of in compared) * 100,
                    # A run that differs although nothing was moved says how much runs differ.
                    "faster_by_a_tenth": sum(of.ratio() >= 1.1 and of.count("kept") + of.count("open") > 0 for of in compared),
                    "gain_error": statistics.mean(errors) if errors else 0.0}
    return {"figures": figures,
            "remarks": ["both runs of a pair are metered alike; the one that is compared with moves nothing"],
            "tables": [{"title": "Elapsed time, the kernel's own placement and feedback scheduling",
                        "columns": ["program", "source", "kernel's placement", "scheduled", "speed", *MOVED,
                                    "error of predicted gains"], "rows": [of.row() for of in compared]},
                       {"title": "Decisions that moved something",
                        "columns": ["program", "source", "pair", "at", "moves", "predicted", "measured", "outcome"],
                        "rows": journal_rows(compared)}]}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--only", action="append", default=[], choices=list(PROGRAMS))
    arguments.add_argument("--keep", default="")
    arguments.add_argument("--dpm", required=True)
    arguments.add_argument("--result", required=True)
    options = arguments.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="dpm-feedback-") as folder:
            open_to_programs(folder)
            bench = Bench(options.dpm, pathlib.Path(folder), options.quick)
            compared = investigate(bench, options.only, options.keep)
    except Missing as missing:
        say(f"SKIPPED: {missing}")
        sys.exit(SKIPPED)
    pathlib.Path(options.result).write_text(json.dumps(document(compared, options.quick), indent=1) + "\n")


main()
