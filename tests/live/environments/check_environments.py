#!/usr/bin/python3
"""Meters the lives of processes in an environment, with the meter in it as well, and with the meter outside of it.

The trace must have each exec, birth, wait, end and CPU time that the scenario says, and its messages; a script in which one process runs
after the other must have P = 1.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
sys.path.insert(0, str(HERE / "scenarios"))
import environments
import events
import lives
import running

PROCESS_END = 0  # WaitKind
P_MAX = 1.05
# What the scripts do, which say nothing themselves; `p_max` where they do one thing after the other.
SCRIPTS: dict[str, dict[str, Any]] = {
    "sequential.sh": {"execs": 17, "births": 20, "waits": 20, "ends": [0] * 20, "received": 8, "p_max": P_MAX},
    "short.sh": {"execs": 101, "births": 100, "waits": 100, "ends": [0] * 100, "received": 0},
    "pipelines.sh": {"execs": 21, "births": 30, "waits": 30, "ends": [0] * 30, "received": 40},
}
# What a source does not record, by scenario. docs/limitations.md has it in the user's words.
NOT_RECORDED = {("ebpf", "ignores"): "waits"}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--list-events", required=True)
    parser.add_argument("--source", default="notify")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("environment")
    parser.add_argument("scenarios", nargs="*")
    return parser.parse_args()


class Account:
    """What a trace says of one process and its descendants."""

    def __init__(self, trace: events.Trace, name: str) -> None:
        self.trace = trace
        first = [process for process, its in trace.name.items() if its == name]
        self.complaints = [] if first else [f"no process {name}, but {sorted(trace.name.values())}"]
        self.first = first[0] if first else "-"
        # It may have entered the environment by other programs.
        self.since_ns = max((event.time_ns for event in trace.events if event.type == "EXEC" and event.process == self.first), default=0)
        children = collections.defaultdict(list)
        for event in trace.events:
            if event.type == "CREATEPROCESS" and (event.process != self.first or event.time_ns >= self.since_ns):
                children[event.process].append(event.peer)
        self.threads: list[str] = []
        queue = [self.first]
        while queue:
            self.threads.append(queue.pop())
            queue += children[self.threads[-1]]
        self.pids = [trace.pid[process] for process in self.threads if trace.pid.get(process) == trace.tid.get(process)]

    def of(self, type_: str) -> list[events.Event]:
        within = set(self.threads)
        return [event for event in self.trace.events
                if event.type == type_ and event.process in within and (event.process != self.first or event.time_ns >= self.since_ns)]

    def cpu_us(self) -> list[int]:
        """Of each process that ended, but for the first."""
        used: dict[str, int] = collections.defaultdict(int)
        for event in self.trace.events:
            used[event.process] = max(used[event.process], event.cpu_ns)
        return sorted(used[process] // 1000 for process in self.threads if process != self.first)


def parallelism_of(dpm: str, folder: pathlib.Path) -> float:
    done = subprocess.run([dpm, "parallelism", "--json", folder], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["delay_cpu"]["P"])


def compare(account: Account, truth: dict[str, Any]) -> list[str]:
    trace = account.trace
    own = account.threads[:1]
    processes = [process for process in account.threads if trace.pid[process] == trace.tid[process]]
    of_root = [process for process in account.threads if trace.pid[process] == trace.pid[own[0]]]
    last = {event.process: event.code for event in account.of("DESTROYPROCESS")}
    seen = {
        "execs": len(account.of("EXEC")),
        "births": len(processes) - 1,
        "waits": len([event for event in account.of("WAIT") if event.process in of_root and event.code == PROCESS_END]),
        "ends": sorted(last.get(process, -1) for process in processes[1:]),
        "received": sum(event.length for event in account.of("RECEIVE")),
    }
    complaints = [f"{what}: {truth[what]} is true, the trace has {seen[what]}" for what in seen if truth[what] != seen[what]]
    used = account.cpu_us()
    for told in truth.get("cpu_us", []):
        near = [its for its in used if abs(its - told) <= max(0.01 * told, 2000)]
        if near:
            used.remove(min(near, key=lambda its: float(abs(its - told))))
        else:
            complaints.append(f"a child used {told} us of CPU; those of the trace that are left used {used}")
    return complaints


class Checker:
    def __init__(self, options: argparse.Namespace, workshop: running.Workshop) -> None:
        self.options, self.workshop = options, workshop
        self.place = environments.named(options.environment)
        self.enter = environments.entering(self.place)
        self.failed = 0

    def command_of(self, scenario: str, folder: pathlib.Path) -> list[str]:
        script = HERE / "scenarios" / (scenario if scenario in SCRIPTS else "lives.py")
        copy = folder / script.name  # for every account
        copy.write_text(script.read_text())
        copy.chmod(0o755)
        return [str(copy)] if scenario in SCRIPTS else [str(copy), scenario, str(folder / "truth")]

    def check(self, scenario: str, way: str) -> None:
        folder = self.workshop.folder()
        command = self.command_of(scenario, folder)
        meter = [self.options.dpm, "meter", "--wait", "--source", self.options.source, "-o", str(folder / "metered"), "--"]
        words = [*self.enter, *meter, *command] if way == "inside" else [*meter, *self.enter, *command]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, cwd=folder, check=False)
        if way == "inside" and self.place.refused:
            refused = done.returncode == 2 and self.place.refused in done.stderr
            return self.say(scenario, way, [] if refused else [f"is not refused: status {done.returncode}, {done.stderr}"])
        complaints = [] if done.returncode == 0 else [f"status {done.returncode}"]
        try:
            trace = events.Trace(self.options.list_events, folder / "metered" / "trace")
            truth = SCRIPTS.get(scenario) or json.loads((folder / "truth").read_text())
            account = Account(trace, pathlib.Path(command[0]).name)
            if missing := NOT_RECORDED.get((self.options.source, scenario)):
                truth[missing] = 0
            complaints += account.complaints or compare(account, truth)
            if "p_max" in truth and (p := parallelism_of(self.options.dpm, folder / "metered")) > truth["p_max"]:
                complaints.append(f"P is {p}, and {truth['p_max']} at most is true")
        except (ValueError, OSError, LookupError, subprocess.CalledProcessError) as error:
            complaints.append(f"{type(error).__name__}: {error}")
        self.say(scenario, way, complaints + ([f"the meter said: {done.stderr.strip()}"] if complaints else []))

    def say(self, scenario: str, way: str, complaints: list[str]) -> None:
        print(f"{'FAILED' if complaints else 'good':7}{self.place.name} {way} {scenario}")
        for complaint in complaints:
            print(f"  {complaint}")
        self.failed += bool(complaints)


def main() -> int:
    options = arguments()
    place = environments.named(options.environment)
    if reason := environments.why_not(place):
        running.skip(f"{place.name} cannot be had here: {reason}")
    with running.Workshop() as workshop:
        if place.user:
            options.dpm = running.for_every_account(options.dpm, workshop.path)
        checker = Checker(options, workshop)
        reasons = {way: why_not_metered(checker, way) for way in ("inside", "outside")}
        if all(reasons.values()):
            running.skip(f"{place.name} with {options.source}: {reasons}")
        for way, reason in reasons.items():
            if reason:
                print(f"SKIPPED {place.name} {way}: {reason}")
                continue
            for scenario in options.scenarios or [*SCRIPTS, *lives.SCENARIOS]:
                checker.check(scenario, way)
        if options.keep:
            print(f"in {workshop.path}")
            os.system(f"cp -r {workshop.path} {workshop.path}-kept")
    return checker.failed > 0


def why_not_metered(checker: Checker, way: str) -> str:
    """Why this source cannot meter there; empty: it can, or must be refused."""
    options, place = checker.options, checker.place
    if place.refused and way == "inside":
        return ""
    meter = [options.dpm, "meter", "--source", options.source, "--summary", "--wait", "--"]
    words = [*checker.enter, *meter, "true"] if way == "inside" else [*meter, *checker.enter, "true"]
    tried = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    return "" if tried.returncode == 0 else tried.stderr.strip()


if __name__ == "__main__":
    sys.exit(main())
