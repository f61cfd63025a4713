#!/usr/bin/env python3
"""Connections, pipes, peers and processes come and go: the meter's memory stays, calls stay as fast, and nothing is lost."""

import argparse
import os
import pathlib
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/live/harness"), str(pathlib.Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import lifetimes
import running

# How many, in parts of how many; a soak has a multiple of them.
KINDS = {"connections": (40_000, 10_000), "pipes": (20_000, 5_000), "datagrams": (40_000, 20_000), "processes": (20_000, 4_000)}
# A few buffers reach their size late: those for processes, which are few, in the second part.
GROWTH_KB_MAX = 2048
SETTLED_PARTS = {"processes": 2}
CPU_MAX = 1.5  # of the last parts, relative to the early ones: on a busy machine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--program", required=True, help="comings_and_goings")
    parser.add_argument("--can-notify", required=True, help="the program can_notify")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--count", type=int)
    parser.add_argument("--part", type=int)
    parser.add_argument("--growth-percent-max", type=float, help="of the memory after the first part")
    asked = parser.parse_args()
    running.need_notification(asked.can_notify)
    count, part = KINDS[asked.kind]
    found = lifetimes.run(asked.dpm, asked.program, asked.kind, asked.count or count, asked.part or part,
                          lambda line: print("  " + line, flush=True))
    print(found)
    wrong = []
    growth_kb = found.growth_kb(SETTLED_PARTS.get(asked.kind, 1))
    keeps_freed_memory = bool(os.environ.get("DPM_SANITIZER"))
    if keeps_freed_memory:
        print("REDUCED: a sanitizer keeps memory that was freed: how much the supervisor needs is not looked at")
    elif growth_kb > GROWTH_KB_MAX:
        wrong.append(f"memory grew by {growth_kb} kB, more than {GROWTH_KB_MAX}")
    elif asked.growth_percent_max is not None and found.growth_percent() > asked.growth_percent_max:
        wrong.append(f"memory grew by {found.growth_percent():.1f} %, more than {asked.growth_percent_max}")
    if found.cpu_at_the_end() > CPU_MAX:
        wrong.append(f"the last parts cost the meter {found.cpu_at_the_end():.2f} times the CPU time of the early ones")
    if found.lost() != 0:
        wrong.append(found.ledger())
    for what in wrong:
        print(f"FAILED: {what}")
    if wrong:
        print(f"again: {shlex.join(sys.argv)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
