#!/usr/bin/env python3
"""check_faults.py --cluster PROGRAM --dpm DPM CASE: what becomes of a computation when something fails, or is attacked.

A case is a function of cases_*.py. One that says so is played at the home of a test cluster (`./dev cluster`): this
script calls itself there. Those of soak_cases.py, whose names begin with soak_, take minutes. tests/live/faults/results.md tells
of each.
"""

import argparse
import importlib
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import session

SKIPPED = 77


def all_cases() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted(HERE.glob("*cases*.py")):
        module = importlib.import_module(path.stem)
        found |= {name.removeprefix("case_"): case for name, case in vars(module).items()
                  if name.startswith(("case_", "soak_"))}
    return found


def play(case: Any, dpm: str, folder: pathlib.Path) -> int:
    site = session.Site(dpm, folder)
    try:
        case(site)
    except session.Skip as why:
        print(f"SKIPPED: {why}")
        return SKIPPED
    finally:
        end_processes(folder)
    return 0


def end_processes(folder: pathlib.Path) -> None:
    """Everything that has the case's folder for its state: nothing of it goes on."""
    mark = f"XDG_STATE_HOME={folder}/".encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in pathlib.Path(f"/proc/{pid}/environ").read_bytes() and int(pid) != os.getpid():
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass


def play_in_cluster(case: Any, words: argparse.Namespace, folder: pathlib.Path) -> int:
    able = subprocess.run([words.cluster, "check"], capture_output=True, text=True, check=False)
    if able.returncode != 0:
        print(f"SKIPPED: {able.stdout.strip() or able.stderr.strip()}")
        return SKIPPED
    command = [words.cluster, *case.cluster.split(), "--", sys.executable, __file__, "--inside", str(folder), "--dpm",
               words.dpm, words.case]
    # It ends with us, and everything on its hosts with it.
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL) as cluster:
        try:
            return cluster.wait()
        except BaseException:
            cluster.terminate()
            raise


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", help="the program that makes clusters")
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--inside", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("case", choices=sorted(all_cases()))
    words = parser.parse_args()
    words.dpm, words.cluster = os.path.realpath(words.dpm), os.path.realpath(words.cluster or '')
    case = all_cases()[words.case]
    if words.inside:
        return play(case, words.dpm, words.inside)
    if subprocess.run([words.dpm, "doctor"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: programs cannot be metered here (dpm doctor)")
        return SKIPPED
    folder = pathlib.Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        return play_in_cluster(case, words, folder) if hasattr(case, "cluster") else play(case, words.dpm, folder)
    except AssertionError as wrong:
        print(wrong)
        return 1
    finally:
        end_processes(folder)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AssertionError as wrong:
        print(f"FAILED: {wrong}\n  again: {shlex.join(sys.argv)}")
        sys.exit(1)
