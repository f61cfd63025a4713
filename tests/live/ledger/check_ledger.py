#!/usr/bin/env python3
"""A few hundred thousand calls: each is in the ledger once, none is lost, and the supervisor's memory does not grow."""

import argparse
import os
import pathlib
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench/meter"), str(ROOT / "tests/live/harness")]
sys.dont_write_bytecode = True

import ledger
import running
import ways

# That many records may wait for the trace, on a machine where others keep its writer from running; a longer queue does not show a leak.
FEW_WAITING = ["--waiting", "5000"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="the build folder")
    parser.add_argument("--can-notify", required=True, help="the program can_notify")
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="full load for so long instead")
    asked = parser.parse_args()
    runs = [("tcp", asked.soak)] if asked.soak else [("tcp", "150000x"), ("mixed", "90000x")]
    running.need_notification(asked.can_notify)
    failures = 0
    keeps_freed_memory = bool(os.environ.get("DPM_SANITIZER"))
    if keeps_freed_memory:
        print("REDUCED: a sanitizer keeps memory that was freed: how much the supervisor needs is not looked at")
    with ways.Tools(asked.build) as tools:
        for kind, limit in runs:
            recording = ledger.record(tools, kind, limit, FEW_WAITING)
            ledger.show(kind, recording)
            failures += not recording.is_exact() or not (recording.is_flat() or keeps_freed_memory)
    if failures:
        print(f"again: {shlex.join(sys.argv)}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
