#!/usr/bin/python3
"""Plays one case with a test cluster of `./dev cluster`: check_cluster.py --source FOLDER [--dpm PROGRAM ...] CASE.

A case raises AssertionError with what is wrong. A machine that can have no cluster skips them all, and says why.
"""

import argparse
import inspect
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cases
import leaving
import running

SKIPPED = 77


def all_cases() -> dict[str, Callable[[running.Setting], None]]:
    found = {}
    for module in (cases, leaving):
        for name, case in inspect.getmembers(module, inspect.isfunction):
            if case.__module__ == module.__name__ and not name.startswith("_"):
                found[name] = case
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--dpm")
    parser.add_argument("--list-events")
    parser.add_argument("--can-notify")
    parser.add_argument("case", choices=sorted(all_cases()))
    words = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dpm-cluster-"))
    folder.chmod(0o755)
    try:
        program = words.source / "cluster/cluster.py"
        setting = running.Setting(program, folder, words.dpm, words.list_events, words.can_notify)
        able = subprocess.run([setting.program, "check"], capture_output=True, text=True, check=False)
        if able.returncode != 0:
            raise running.Skip(able.stdout.strip() or able.stderr.strip())
        all_cases()[words.case](setting)
    except running.Skip as reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    except AssertionError as wrong:
        print(f"cluster {words.case}: {wrong}")
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"cluster {words.case}: good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
