#!/usr/bin/env python3
"""check_clones.py: the parts of `./dev soak clones` that need no clone: its table, how it reads results, and the program for every account."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "live/harness"))
import running
import try_clones as clones
from environments import ENVIRONMENTS

RESULTS = """dev: testing build/release
skipped: door: curl is not installed
failed: linux_faults_link_down
  run it alone: ctest --test-dir build/release --output-on-failure -R '^linux_faults_link_down$'
skipped: live: it gives no reason
400 passed, 1 failed, 2 skipped
"""
# A home as Debian 12 makes it, and a program as umask 077 leaves it.
CLOSED = [(0o700, 0o755), (0o755, 0o700), (0o700, 0o700)]
failures = 0


def check(what: str, got: object, wanted: object) -> None:
    global failures
    if got != wanted:
        failures += 1
        print(f"clones: {what}: {got!r}, not {wanted!r}")


def check_table() -> None:
    for name, environment in ENVIRONMENTS.items():
        place = clones.place_of(environment, pathlib.Path("/srv/dpm clone 12345678"))
        if environment.length:
            check(f"{name}: length of the path", len(str(place)), environment.length)
        check(f"{name}: in the home", place.is_relative_to("/srv/dpm clone 12345678"), True)
        check(f"{name}: longest name", max(len(part) for part in place.parts) <= 255, True)


def check_results() -> None:
    outcome = clones.Outcome(demo="good")
    clones.read_results(RESULTS, outcome)
    check("passed", outcome.passed, 400)
    check("failed", outcome.failed, ["linux_faults_link_down"])
    check("skipped", outcome.skipped, {"door: curl is not installed": "curl is not installed", "live: it gives no reason": "it gives no reason"})
    check("complaint", outcome.complaint, "skipped without a reason: live: it gives no reason")
    check("a clone with a failure is good", outcome.is_good(), False)
    ended = clones.Outcome(demo="good")
    clones.read_results("dev: the build failed: nothing was run\n", ended)
    check("a clone without results is good", ended.is_good(), False)


def check_for_every_account() -> None:
    if os.geteuid() != 0:
        print("SKIPPED: for_every_account: only root can act as another account")
        return
    for home_mode, program_mode in CLOSED:
        with tempfile.TemporaryDirectory() as name, running.Workshop() as workshop:
            home, program = pathlib.Path(name) / "a home", pathlib.Path(name) / "a home/a program"
            pathlib.Path(name).chmod(0o755)
            home.mkdir()
            program.write_text("#!/bin/sh\necho well\n")
            program.chmod(program_mode)
            home.chmod(home_mode)
            found = running.for_every_account(program, workshop.path)
            done = subprocess.run([found], user=running.NOBODY, group=running.NOBODY, extra_groups=[], capture_output=True, text=True, check=False)
            check(f"home {home_mode:o}, program {program_mode:o}", (done.stdout, done.stderr), ("well\n", ""))
    check("a program that every account can run", running.for_every_account("/bin/sh", "/nowhere"), str(pathlib.Path("/bin/sh").resolve()))


def main() -> int:
    check_table()
    check_results()
    check_for_every_account()
    print("clones: the table, the results and the program for every account" if not failures else f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
