#!/usr/bin/env python3
"""Every command that reads a trace, on every kind of trace, with every damage: it may count losses or refuse, in words. It never
crashes, hangs, or prints text of the trace raw.

    check_damaged.py --dpm DPM --source SOURCE --sample 300       some of them, chosen by --seed
    check_damaged.py --dpm DPM --source SOURCE --minutes 120      as many as time allows, in an order by --seed

A failure prints the damage and the command, and keeps the trace in --keep."""

from __future__ import annotations

import argparse
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from damages import Damage, all_damages
from seeds import Seeds

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "view/server"))
from viewer import Address, Closed, Viewer  # noqa: E402

PATIENCE_S = 120
# TRACE and OUT stand for the damaged trace, and for a place to write to.
COMMANDS = [
    "statistics TRACE", "statistics TRACE --json --threads --where --all", "statistics TRACE -j 3", "queues TRACE", "queues TRACE --json",
    "queues TRACE --from 0.001 --to 1", "parallelism TRACE", "parallelism TRACE --json --everybody", "parallelism TRACE --method thesis1984",
    "parallelism TRACE -j 3", "blame TRACE", "blame TRACE --json --request 1", "causality TRACE", "causality TRACE --json --dot OUT",
    "predict TRACE", "predict TRACE --computation --sensitivity --json", "predict TRACE --search --onto cores", "diff TRACE TRACE",
    "diff TRACE SOUND --json", "diff SOUND TRACE --report OUT", "twin TRACE --no-run -o OUT", "report TRACE -o OUT", "merge TRACE -o OUT",
    "merge SOUND TRACE -o OUT", "compress TRACE -o OUT", "compress TRACE --undo -o OUT", "clocks TRACE", "clocks TRACE --json",
    "events TRACE", "events TRACE --json --vector", "export TRACE --to csv", "export TRACE --to dot", "export TRACE --to otf2 -o OUT",
    "export TRACE --to paje", "export TRACE --to perfetto", "export TRACE --to prometheus", "export TRACE --to shiviz",
    "export TRACE --to sqlite -o OUT", "find TRACE", "find TRACE --by edge --json", "find TRACE messages wait>1ns --sort bytes",
    "find TRACE requests --json", "find TRACE processes", "find TRACE channels --json", "find TRACE gaps",
    "sql TRACE", "sql TRACE SELECT(avg(cpu_ns))FROM(event) --json",
    "top -b TRACE", "top -b TRACE --json --threads --all", "serve TRACE --until-closed",
]
# They read no trace.
NO_READERS = {"run", "filter", "import", "doctor", "calibrate", "meter", "sample", "sample report", "script", "acquire", "schedule",
              "setflags", "list", "stop", "meterd", "control", "validate"}
DEFECT = re.compile(r"AddressSanitizer|runtime error:|LeakSanitizer|terminate called|check failed|DPM_CHECK")
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def page_requests(source: pathlib.Path) -> list[str]:
    text = (source / "docs/live-page.md").read_text(encoding="utf-8")
    table = text.split("<!-- requests -->")[1].split("| parameter |")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


class Judge:
    def __init__(self, dpm: str, source: pathlib.Path, sound: pathlib.Path) -> None:
        self.dpm, self.sound, self.requests = dpm, sound, page_requests(source)

    def words(self, command: str, trace: pathlib.Path, out: pathlib.Path) -> list[str]:
        places = {"TRACE": str(trace), "OUT": str(out), "SOUND": str(self.sound)}
        return [self.dpm, *(places.get(word, word) for word in command.split())]

    def fault(self, command: str, trace: pathlib.Path, out: pathlib.Path) -> str:
        """What is wrong with the command on this trace; empty: nothing."""
        words = self.words(command, trace, out)
        if words[1] == "serve":
            return self.fault_of_page(words)
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False)
        except subprocess.TimeoutExpired:
            return f"does not end within {PATIENCE_S} s"
        # What other tools read is not for terminals.
        shown = b"" if words[1] == "export" or "--json" in words else done.stdout
        return self.fault_of(done.returncode, shown.decode(errors="replace"), done.stderr.decode(errors="replace"))

    @staticmethod
    def fault_of(status: int, out: str, err: str) -> str:
        if status < 0 or status > 2 or DEFECT.search(err):
            name = signal.Signals(-status).name if status < 0 else f"status {status}"
            return f"ends with {name}: {err[-2000:]}"
        if status != 0 and not err.strip():
            return f"ends with status {status} without a word"
        if raw := RAW.search(out + err):
            return f"prints {raw.group()!r} raw: {(out + err)[max(0, raw.start() - 60):raw.end() + 20]!r}"
        return ""

    def fault_of_page(self, words: list[str]) -> str:
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
            assert server.stdin and server.stdout and server.stderr
            killer = threading.Timer(PATIENCE_S, server.kill)
            killer.start()
            problem, line = "", server.stdout.readline()
            if found := re.search(r"http://\S+", line):
                try:
                    viewer = Viewer(Address(found.group()))
                    for request in self.requests:
                        viewer.answer(request, **({"of": [{"what": "messages"}]} if request == "series" else {}))
                    viewer.close()
                except (OSError, Closed, AssertionError, ValueError, EOFError) as why:
                    problem = f"does not answer: {why!r}"
            server.stdin.close()
            err = server.stderr.read()
            status = server.wait()
            killer.cancel()
        return self.fault_of(status, "", err) or problem


def check_commands(dpm: str) -> None:
    """Each command of `dpm --help` is tried, or reads no trace."""
    done = subprocess.run([dpm, "--help"], capture_output=True, text=True, check=True)
    table = done.stdout.split("Subcommands:")[1]
    named = {found.group(1) for line in table.splitlines() if (found := re.match(r"  (\w+(?: report)?) ", line))}
    tried = {command.split()[0] for command in COMMANDS}
    assert named == tried | NO_READERS, f"neither tried nor known to read no trace: {named ^ (tried | NO_READERS)}"


Try = tuple[str, pathlib.Path, Damage, str]


def chosen(seeds: dict[str, pathlib.Path], arguments: argparse.Namespace) -> Iterator[Try]:
    """All, in an order by the seed, with each command once for `nothing`; the sample has each command and each kind of trace."""
    order = random.Random(arguments.seed)
    nothing: Damage = ("nothing is damaged", lambda _: None)
    for command, (name, folder) in itertools.product(COMMANDS, seeds.items()):
        if arguments.sample == 0 or order.random() < 0.1:
            yield name, folder, nothing, command
    damages = [(name, folder, damage) for name, folder in seeds.items() for damage in all_damages(folder)]
    if arguments.sample > 0:
        for number in range(arguments.sample):
            yield (*order.choice(damages), COMMANDS[number % len(COMMANDS)])
        return
    # Each damage meets each command once, in rounds: a part of the time gives a part of every damage.
    order.shuffle(damages)
    for turn in range(len(COMMANDS)):
        for number, damage in enumerate(damages):
            yield (*damage, COMMANDS[(number + turn) % len(COMMANDS)])


class Trial:
    def __init__(self, judge: Judge, scratch: pathlib.Path, keep: pathlib.Path | None) -> None:
        self.judge, self.scratch, self.keep = judge, scratch, keep
        self.numbers, self.lock = itertools.count(), threading.Lock()
        self.failures: list[str] = []

    def __call__(self, one: Try) -> None:
        name, folder, (what, damage), command = one
        here = self.scratch / str(next(self.numbers))
        here.mkdir()
        shutil.copytree(folder, here / "t")
        damage(here / "t")
        fault = self.judge.fault(command, here / "t", here / "out")
        if fault:
            with self.lock:
                self.failures.append(f"{name}: {what}: dpm {command}: {fault}")
                print(f"FAILED {self.failures[-1]}", flush=True)
                if self.keep is not None and len(self.failures) <= 50:
                    shutil.copytree(here / "t", self.keep / f"{len(self.failures)}-{name}")
        shutil.rmtree(here)


def until(end_s: float, tries: Iterator[Try]) -> Iterator[Try]:
    return itertools.takewhile(lambda _: time.monotonic() < end_s, tries)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--sample", type=int, default=0, help="how many; 0: all")
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("DPM_SOAK_MINUTES", "120")))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    check_commands(arguments.dpm)
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True)
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seeds = Seeds(arguments.dpm, arguments.source.resolve(), pathlib.Path(folder) / "seeds")
        seeds.folder.mkdir()
        traces = seeds.make()
        for left_out in seeds.left_out:
            print(f"left out: {left_out}")
        scratch = pathlib.Path(folder) / "scratch"
        scratch.mkdir()
        trial = Trial(Judge(arguments.dpm, arguments.source, traces["desk"]), scratch, arguments.keep)
        tries = until(began_s + 60 * arguments.minutes, chosen(traces, arguments))
        with ThreadPoolExecutor(arguments.jobs) as pool:
            for batch in iter(lambda: list(itertools.islice(tries, 64 * arguments.jobs)), []):
                list(pool.map(trial, batch))
        done: Any = next(trial.numbers)
    print(f"{done} commands on damaged traces of {len(traces)} kinds ({', '.join(traces)}) in {time.monotonic() - began_s:.0f} s: "
          f"{len(trial.failures)} failed")
    return 1 if trial.failures else 0


if __name__ == "__main__":
    sys.exit(main())
