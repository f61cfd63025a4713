#!/usr/bin/python3
"""check_planted.py DPM WITNESS: a comparison that cannot fail compares nothing. Each error planted in the records of a trace is found."""

import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any

SKIPPED = 77
# What finds it, in a program that has something of that kind.
FOUND_BY = {"receive": r"^ +messages: .* RECEIVE ", "accept": r"^ +accepts: ", "cpu": r"^ +cpu: all "}
PROGRAM = "own_echo"


def run(dpm: str, witness: pathlib.Path, folder: str, *more: str) -> subprocess.CompletedProcess[Any]:
    command = [witness / "run.py", "--quick", "--judge", "--only", PROGRAM, "--dpm", dpm, "--keep", folder, *more]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, check=False)


def main() -> None:
    dpm, witness = sys.argv[1], pathlib.Path(sys.argv[2])
    failures = []
    with tempfile.TemporaryDirectory(prefix="dpm-planted-") as folder:
        good = run(dpm, witness, folder)
        if good.returncode == SKIPPED:
            print(good.stderr.strip().splitlines()[-1])
            sys.exit(SKIPPED)
        if good.returncode != 0:
            failures.append(f"nothing planted, and status {good.returncode}:\n{good.stderr}")
        for error, pattern in FOUND_BY.items():
            done = run(dpm, witness, folder, "--plant", error)
            if done.returncode != 1 or not re.search(pattern, done.stderr, re.MULTILINE):
                failures.append(f"'{error}' planted, and status {done.returncode}:\n{done.stderr}")
        done = run(dpm, witness, folder, "--plant", "acept")
        if done.returncode in (0, SKIPPED) or "there is receive, accept, cpu" not in done.stderr:
            failures.append(f"an unknown error is not refused by its name: {done.stderr}")
    print("\n".join(failures) or "each planted error is found")
    sys.exit(bool(failures))


main()
