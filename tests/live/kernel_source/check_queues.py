#!/usr/bin/python3
"""dpm queues divides the waits of two programs that share a core as the programs themselves know them (waits_known.py)."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import running

PROGRAM = pathlib.Path(__file__).resolve().parent / "waits_known.py"
# The readings around a wait are not at the instants of its events, and clocks are read one after the other.
SLACK, SLACK_NS = .004, 1_000_000
MOST_RUNS, LEAST_IN_QUEUE_NS = 3, 20_000_000


def metered(dpm: Any, folder: pathlib.Path) -> dict[str, Any]:
    done = subprocess.run([dpm, "meter", "--source", "ebpf", "--wait", "-o", "out", "--", sys.executable, PROGRAM,
                           str(max(os.sched_getaffinity(0))), folder], cwd=folder, timeout=120, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the program fails when it is metered: {done.stderr}")
    queues = subprocess.run([dpm, "queues", "out", "--json"], cwd=folder, check=True, capture_output=True, text=True)
    return {row["process"]: row for row in json.loads(queues.stdout)["own_waits"]}


def between(what: str, seconds: Any, least_ns: Any, most_ns: Any) -> list[Any]:
    """Prints the figure, and returns what is wrong with it."""
    shown = f"{what}: {seconds:.6f} s, known to be {least_ns * 1e-9:.6f} to {most_ns * 1e-9:.6f} s"
    print(f"  {shown}")
    return [] if least_ns * (1 - SLACK) - SLACK_NS <= seconds * 1e9 <= most_ns * (1 + SLACK) + SLACK_NS else [shown]


def compare(name: str, found: Any, known: Any) -> list[Any]:
    receiving, working = found["to_receive"], found["at_work"]
    messages, disk, timers = known["messages"], known["disk"], known["timers"]
    queue_ns = messages["queue_ns"]
    wrong = between(f"{name} to receive, the CPU", receiving["cpu_s"], *queue_ns)
    wrong += between(f"{name} to receive, a message", receiving["message_s"], *messages["idle_ns"])
    all_ns = known["all_queue_ns"]
    wrong += between(f"{name} at work, the CPU", working["cpu_s"], all_ns - queue_ns[1], all_ns - queue_ns[0])
    wrong += between(f"{name} in all, the CPU", receiving["cpu_s"] + working["cpu_s"], all_ns, all_ns)
    if known["has_disk"]:
        # The interpreter may read from the disk before it knows its waits. Where the disk is busy, an inode's lock may be waited for too.
        wrong += between(f"{name} at work, a disk", working["disk_s"], disk["idle_ns"][0] * .9, disk["idle_ns"][1] + known["idle_before_ns"])
    wrong += between(f"{name} at work, a disk or else", working["disk_s"] + working["other_s"],
                     disk["idle_ns"][0] + timers["idle_ns"][0], disk["idle_ns"][1] + timers["idle_ns"][1] + known["idle_before_ns"])
    for part, waits in (("to receive", receiving), ("at work", working)):
        total = sum(value for key, value in waits.items() if key != "total_s")
        if abs(total - waits["total_s"]) > 1e-6:
            wrong.append(f"{name} {part}: the parts are {total} s of {waits['total_s']} s")
    return wrong


def compare_run(dpm: Any, folder: pathlib.Path) -> Any:
    """What is wrong in a run of its own, and for how long the programs waited for their core when they received messages."""
    rows = metered(dpm, folder)
    wrong, in_queue_ns = [], 0
    for name in ("first", "second"):
        known = json.loads((folder / name).read_text())
        in_queue_ns += known["messages"]["queue_ns"][0]
        wrong += compare(name, rows[f"program-{name}"], known)
    return wrong, in_queue_ns


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    options = parser.parse_args()
    running.need_source(options.dpm, "ebpf")
    wrong, in_queue_ns, runs = [], 0, 0
    with running.Workshop() as workshop:
        # How long they meet on their core is chance: the waits of one run may be few.
        while in_queue_ns < LEAST_IN_QUEUE_NS and runs < MOST_RUNS:
            runs += 1
            wrong_in_run, in_run_ns = compare_run(options.dpm, workshop.folder())
            wrong += wrong_in_run
            in_queue_ns += in_run_ns
    if in_queue_ns < LEAST_IN_QUEUE_NS:
        wrong.append(f"the programs hardly met on their core: {in_queue_ns} ns in {runs} runs")
    print(*wrong, sep="\n")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
