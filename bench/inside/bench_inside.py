#!/usr/bin/env python3
"""What it costs a program to be looked into: by libdpm and by probes, beside LTTng-UST and bpftrace on the same function. The figures are
the CPU time of a call that assigns a number (calls.cpp), from alternating runs."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent / "meter")]
sys.dont_write_bytecode = True

import table


class Missing(Exception):
    pass


class Ways:
    def __init__(self, asked: argparse.Namespace, scratch: pathlib.Path) -> None:
        self.asked, self.scratch = asked, scratch
        self.program = str(asked.build / "bench/inside/inside_calls")
        self.unmodified = str(asked.build / "bench/inside/inside_unmodified")
        self.lost = ""  # of the last recording
        self.dpm = str(asked.build / "dpm")
        self.environment = {**os.environ, "DPM_MONITOR_FOLDER": str(scratch / "shared"), "LTTNG_HOME": str(scratch)}

    def output(self, words: list[str], **more: Any) -> subprocess.CompletedProcess[Any]:
        done = subprocess.run(words, env=self.environment, text=True, capture_output=True, timeout=300, **more)
        if done.returncode != 0:
            raise Missing(f"{words[0]}: {done.stderr.strip().splitlines()[-1:]}")
        return done

    @staticmethod
    def call_ns(text: Any) -> float:
        for line in text.splitlines():
            if line == "missing":
                raise Missing("the program was built without it")
            try:
                return float(line)
            except ValueError:
                continue
        raise Missing(f"no figure in {text[:200]}")

    def bare(self, way: str, times: Any, program: str | None = None) -> float:
        return self.call_ns(self.output([program or self.program, way, str(times)]).stdout)

    def script(self, event: str, way: str, times: Any, program: str | None = None, happens: bool = True) -> float:
        """With dpm script, which must have seen the event in each call, or never."""
        path, program = self.scratch / "script.events", program or self.program
        path.write_text(f"process p from {os.path.basename(program)}\nevent e is {event}\n")
        done = self.output([self.dpm, "script", "-q", "--json", str(path), "--", program, way, str(times)])
        if "looking at functions of unmodified programs" in done.stderr:
            raise Missing(done.stderr.strip().splitlines()[0])
        counted = json.loads(done.stdout.splitlines()[-1])["events"][0]
        seen, self.lost = counted["seen"], f"{counted['lost']} of {counted['seen']} lost" if happens else ""
        if (seen >= times) != happens or (seen == 0) == happens:
            raise Missing(f"the event was seen {seen} times in {times} calls")
        return self.call_ns(done.stdout)

    def probed(self, event: str, way: str, times: Any, happens: bool = True) -> float:
        return self.script(event, way, times, self.unmodified, happens)

    def bpftrace(self, probe: str, action: str, way: str, times: Any) -> float:
        if shutil.which("bpftrace") is None:
            raise Missing("bpftrace is not installed")
        words = ["bpftrace", "-q", "-o", str(self.scratch / "bpftrace.out"), "-e", f"{probe} {{ {action} }}", "-c",
                 f"{self.unmodified} {way} {times}"]
        return self.call_ns(self.output(words).stdout)

    def lttng(self, times: Any) -> float:
        if shutil.which("lttng") is None:
            raise Missing("lttng is not installed")
        daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for words in (["create", "bench", f"--output={self.scratch}/lttng"],
                          ["enable-channel", "-u", "--num-subbuf=8", "--subbuf-size=1M", "c"],
                          ["enable-event", "-u", "-c", "c", "dpm_bench:assigned"], ["start"]):
                self.until(["lttng", *words])
            taken_ns = self.bare("lttng", times)
            listed = self.output(["lttng", "list", "bench"]).stdout
            self.lost = ", ".join(line.strip() for line in listed.splitlines() if "iscarded" in line)
            self.output(["lttng", "destroy", "bench"])
            return taken_ns
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait()
            shutil.rmtree(self.scratch / "lttng", ignore_errors=True)

    def until(self, words: list[Any]) -> None:
        """The daemon needs a moment before it answers."""
        for _ in range(50):
            if subprocess.run(words, env=self.environment, capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        raise Missing(f"{' '.join(words)} failed")


def measured(name: str, turns: int, way: Callable[[], float]) -> float | None:
    """The median of several runs, or None with the reason."""
    try:
        return table.median([way() for _ in range(turns)])
    except (Missing, subprocess.TimeoutExpired) as why:
        table.note(f"{name}: left out, {why}")
        return None


def inside(asked: argparse.Namespace, ways: Ways) -> None:
    table.heading("a program that is made for it: an assignment, told")
    times = asked.times
    bare_ns = measured("bare", asked.turns, lambda: ways.bare("bare", times))
    rows = {
        "library, no monitor": lambda: ways.bare("library", times),
        "library, a monitor that wants something else": lambda: ways.script("integer_access on seen at *.p.main", "library", times, happens=False),
        "library, recorded": lambda: ways.script("integer_assign on seen at *.p.main", "library", times),
        "LTTng-UST, no session": lambda: ways.bare("lttng", times),
        "LTTng-UST, recorded": lambda: ways.lttng(times),
        "USDT probe, without a tracer": lambda: ways.bare("usdt", times),
    }
    show(rows, bare_ns, ways)
    table.heading("a function that was not made for it, and a static tracepoint (each stops in the kernel)")
    times = asked.times // 20
    path = ways.unmodified
    bare_ns = measured("bare", asked.turns, lambda: ways.bare("bare", times, path))
    rows = {
        "dpm script, another function is a Point": lambda: ways.probed("point_enter on it at *.p.never", "bare", times, happens=False),
        "dpm script, Point": lambda: ways.probed("point_enter on it at *.p.assigned", "bare", times),
        "bpftrace, uprobe that counts": lambda: ways.bpftrace(f"uprobe:{path}:assigned", "@ = count();", "bare", times),
        "bpftrace, uprobe that prints": lambda: ways.bpftrace(f"uprobe:{path}:assigned", 'printf("%llu %d\\n", nsecs, arg0);', "bare", times),
        "dpm script, Integer (the argument)": lambda: ways.probed("integer_access on arg1 at *.p.assigned", "bare", times),
        "dpm script, USDT": lambda: ways.probed("point_forced on dpm_bench:assigned:arg1 at *.p.*", "usdt", times),
        "bpftrace, USDT that counts": lambda: ways.bpftrace(f"usdt:{path}:dpm_bench:assigned", "@ = count();", "usdt", times),
        "bpftrace, USDT that prints": lambda: ways.bpftrace(f"usdt:{path}:dpm_bench:assigned", 'printf("%llu %d\\n", nsecs, arg0);', "usdt", times),
    }
    show(rows, bare_ns, ways)


def show(rows: Any, bare_ns: Any, ways: Ways) -> None:
    for name, way in rows.items():
        ways.lost = ""
        taken_ns = measured(name, ways.asked.turns, way)
        if taken_ns is not None:
            table.amount(name, taken_ns - bare_ns, "ns more than the bare call", details=ways.lost)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=FOLDER.parents[1] / "build/release")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--times", type=int, default=4_000_000, help="assignments of each run")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        inside(asked, Ways(asked, pathlib.Path(scratch)))


if __name__ == "__main__":
    main()
