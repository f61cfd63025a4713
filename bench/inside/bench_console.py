#!/usr/bin/env python3
"""How long a definition takes until it is in force: from the command of `dpm control` to its answer, and to the first event, with 1,000
processes and 10,000 other definitions, on one machine and over three (daemons of this machine), for programs that use libdpm and for
programs that were not changed."""

import argparse
import pathlib
import shlex
import sys
import tempfile
import time
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent / "meter"), str(FOLDER.parents[1] / "tests/backends/instrumented")]
sys.dont_write_bytecode = True

import check_console
import table

MACHINES = ["red", "green", "blue"]


class Bench:
    def __init__(self, console: Any, asked: argparse.Namespace, is_library: bool, machines: list[str]) -> None:
        self.console, self.asked, self.machines = console, asked, machines
        self.program = "inside_calls" if is_library else "inside_unmodified"
        self.event = "integer_assign on o{} at *.p.main" if is_library else "point_enter on it at *.p.assigned"

    def answered_ms(self, line: str, answer: str) -> Any:
        began_s, since = time.monotonic(), self.console.type(line)
        at, _ = self.console.wait_for(answer, since)
        return (self.console.lines[at - 1][0] - began_s) * 1000, began_s, since

    def prepare(self, folder: pathlib.Path) -> Any:
        console, each = self.console, -(-self.asked.processes // len(self.machines))
        console.says(f"filter f1 {self.machines[0]}", "was created")
        console.type("newjob foo")
        for machine in self.machines:
            program = shlex.quote(f"{self.asked.build}/bench/inside/{self.program}")
            console.says(f"addprocess foo {machine} {program} stay {each}", "was created")
        console.says("startjob foo", "started")
        time.sleep(3)  # they fork
        process_ms = self.answered_ms(f"define process p from {self.program}", "process 'p' is defined on")[0]
        script = folder / "others.events"
        script.write_text("process other from other-program\n" + "".join(
            f"event defined{n} is integer_assign on defined{n} at *.other.elsewhere\n" for n in range(self.asked.definitions)))
        read_ms = self.answered_ms(f"read {script}", "definitions read")[0]
        console.says("log on", "")
        return process_ms, read_ms

    def turns(self) -> Any:
        """Of a definition: until it is answered, until the first event; of its end. Each turn is about another object, or function."""
        define_ms, event_ms, undefine_ms = [], [], []
        for turn in range(self.asked.turns):
            taken_ms, began_s, since = self.answered_ms(f"define event e{turn} is " + self.event.format(turn % 10), f"event 'e{turn}' is defined on")
            define_ms.append(taken_ms)
            at, _ = self.console.wait_for(f" e{turn}: ", since)
            event_ms.append((self.console.lines[at - 1][0] - began_s) * 1000)
            time.sleep(0.2)
            undefine_ms.append(self.answered_ms(f"undefine event e{turn}", f"event 'e{turn}' is not defined")[0])
            time.sleep(0.6)  # the kernel takes probes out one after the other, a tenth of a second each; here for three machines
        return define_ms, event_ms, undefine_ms


def show(name: str, values: Any) -> None:
    table.note(f"{name}: {table.median(values):.1f} ms (longest {max(values):.1f})")


def one(module: Any, asked: argparse.Namespace, is_library: bool, machines: list[str]) -> None:
    kind = "programs with libdpm" if is_library else "unmodified programs"
    table.heading(f"{kind}, {asked.processes} processes on {len(machines)} machine{'s' if len(machines) > 1 else ''}, "
                  f"{asked.definitions} other definitions")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = pathlib.Path(name)
        console = check_console.Console(argparse.Namespace(dpm=asked.build / "dpm"), folder)
        try:
            bench = Bench(console, asked, is_library, machines)
            process_ms, read_ms = bench.prepare(folder)
            table.note(f"the process is defined, which makes ready what events need: {process_ms:.1f} ms; the others are read: {read_ms:.1f} ms")
            define_ms, event_ms, undefine_ms = bench.turns()
            show("define", define_ms)
            show("until the first event is printed", event_ms)
            show("undefine", undefine_ms)
        except check_console.Failed as why:
            table.note(f"left out: {why}")
        finally:
            console.type("removejob foo")
            console.end()
            check_console.end_daemons(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=FOLDER.parents[1] / "build/release")
    parser.add_argument("--processes", type=int, default=1000)
    parser.add_argument("--definitions", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--only", choices=("library", "unmodified"))
    asked = parser.parse_args()
    for kind in ("library", "unmodified"):
        for machines in (MACHINES[:1], MACHINES):
            if asked.only in (None, kind):
                one(check_console, asked, kind == "library", machines)


if __name__ == "__main__":
    main()
