#!/usr/bin/python3
"""Threads that hand over a token in shared memory are as parallel as the same threads over pipes, within 1 %.

FUTEX: semaphores of the C library, and a lock with a condition, as --hand-overs sees them. METERED: libdpm's semaphores, with both
sources, and with two tokens, which are often there before they are waited for. END: a thread's end is a WAIT of the one that joins it.
FORKS: the same semaphores in Python, between processes, with units at the beginning.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import events
import running

FORKS = """
import os, dpm_monitor
monitor = dpm_monitor.Monitor(connect=False)
ready, done = (dpm_monitor.Semaphore(monitor, "main", name) for name in ("ready", "done"))
ready.open_metered(2)
done.open_metered(0)
child = os.fork()
for _ in range(10):
    (ready if child == 0 else done).wait()
    (done if child == 0 else ready).post()
if child == 0: os._exit(0)
assert os.waitpid(child, 0)[1] == 0 and ready.count == 2 and done.count == 0
"""

THREADS, LAPS = 4, 60
WITHIN = .01


class Ring:
    """One run, metered."""

    def __init__(self, options: argparse.Namespace, folder: pathlib.Path, source: str, way: str, tokens: int, *more: str) -> None:
        subprocess.run([options.dpm, "meter", "--source", source, *more, "--wait", "-o", "out", "--", options.ring, way, str(tokens)],
                       cwd=folder, check=True, timeout=120, capture_output=True)
        self.trace = events.Trace(options.list_events, folder / "out/trace")
        said = subprocess.run([options.dpm, "parallelism", "out", "--json"], cwd=folder, capture_output=True, text=True)
        self.parallelism = json.loads(said.stdout)["no_delay"]["P"] if said.returncode == 0 else 0  # refused: no messages
        print(f"       {source:6} {way:9} {tokens} {' '.join(more):12} P {self.parallelism:.4f}")

    def hand_overs(self) -> int:
        return sum(event.type == "RECEIVE" and self.trace.channel_name[event.channel].startswith("memory of thread")
                   for event in self.trace.events)


def compare(wrong: list[str], over_pipes: Ring, other: Ring, name: str) -> None:
    ratio = other.parallelism / over_pipes.parallelism
    if abs(ratio - 1) > WITHIN:
        wrong.append(f"P over {name} is {ratio:.4f} of that over pipes")
    if other.trace.losses:
        wrong.append(f"lost over {name}: {other.trace.losses}")


def futex(options: argparse.Namespace, workshop: running.Workshop) -> list[str]:
    wrong: list[str] = []
    running.need_source(options.dpm, "ebpf")
    pipes = Ring(options, workshop.folder(), "ebpf", "pipe", 1, "--hand-overs")
    # With a condition, who is woken may then wait for the lock, which the other still holds, and so may a neighbour.
    for way, most in ("semaphore", 1.5), ("condition", 3):
        ring = Ring(options, workshop.folder(), "ebpf", way, 1, "--hand-overs")
        compare(wrong, pipes, ring, way)
        # A thread that others keep from its own work may find the token there.
        if not .9 * THREADS * LAPS <= ring.hand_overs() <= most * THREADS * LAPS:
            wrong.append(f"{way}: {ring.hand_overs()} hand-overs of {THREADS * LAPS}")
    blind = Ring(options, workshop.folder(), "ebpf", "semaphore", 1)
    if blind.hand_overs():
        wrong.append("hand-overs without --hand-overs")
    return wrong


def end(options: argparse.Namespace, workshop: running.Workshop) -> list[str]:
    running.need_source(options.dpm, "ebpf")
    ring = Ring(options, workshop.folder(), "ebpf", "pipe", 1, "--hand-overs")
    thread_end = 1  # WaitKind
    joined = [event.peer for event in ring.trace.events if event.type == "WAIT" and event.code == thread_end]
    return [] if joined and len(set(joined)) == len(joined) <= THREADS else [f"joined: {joined}"]


def metered(options: argparse.Namespace, workshop: running.Workshop) -> list[str]:
    wrong: list[str] = []
    for source in "ebpf", "notify":
        running.need_source(options.dpm, source)
        for tokens in 1, 2:
            pipes = Ring(options, workshop.folder(), source, "pipe", tokens)
            compare(wrong, pipes, Ring(options, workshop.folder(), source, "metered", tokens), f"{source}, {tokens} tokens")
    return wrong


def forks(options: argparse.Namespace, workshop: running.Workshop) -> list[str]:
    running.need_source(options.dpm, "notify")
    folder = workshop.folder()
    environment = {**os.environ, "PYTHONPATH": options.python, "DPM_LIBRARY": options.library}
    subprocess.run([options.dpm, "meter", "--source", "notify", "--wait", "-o", "out", "--", sys.executable, "-c", FORKS],
                   cwd=folder, env=environment, check=True, timeout=120, capture_output=True)
    trace = events.Trace(options.list_events, folder / "out/trace")
    units = {type_: sum(event.length for event in trace.events
                        if event.type == type_ and trace.channel_name[event.channel].startswith("eventfd"))
             for type_ in ("SEND", "RECEIVE")}
    return [] if units == {"SEND": 22, "RECEIVE": 20} and not trace.losses else [f"units {units}, lost {trace.losses}"]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in "dpm", "list-events", "ring", "library", "python":
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    failed = 0
    with running.Workshop() as workshop:
        for case in (futex, end, metered, forks):
            if options.cases and case.__name__ not in options.cases:
                continue
            wrong = case(options, workshop)
            print(f"{'FAILED' if wrong else 'good':7}{case.__name__}", *wrong, sep="\n       " if wrong else "")
            failed += bool(wrong)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
