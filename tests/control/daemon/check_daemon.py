#!/usr/bin/env python3
"""check_daemon.py DPM GROUP [CASE...]: plays the cases of cases_GROUP.py, each with meterdaemons of its own."""
import importlib
import os
import shlex
import subprocess
import sys
import tempfile
import traceback
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import control


def main() -> int:
    dpm, group, only = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if subprocess.run([dpm, "doctor"], capture_output=True).returncode != 0:
        print("SKIPPED: programs cannot be metered here (dpm doctor)")
        return 77
    module = importlib.import_module("cases_" + group)
    cases = [value for name, value in vars(module).items() if name.startswith("case_")]
    assert cases
    with tempfile.TemporaryDirectory(prefix="dpm-") as folder:
        filters = control.Machine(dpm, folder, "filters")
        try:
            return play(dpm, group, cases, only, filters.swallowing_filter())
        finally:
            filters.end()


def play(dpm: str, group: str, cases: list[Any], only: list[str], address: dict[str, Any]) -> int:
    failed = 0
    for case in cases:
        name = case.__name__.removeprefix("case_")
        if only and name not in only:
            continue
        with tempfile.TemporaryDirectory(prefix="dpm-") as folder:
            machine = control.Machine(dpm, folder, address=address)
            try:
                case(machine)
                print(f"passed: {name}")
            except Exception:  # whatever it is, it is a failure of this case alone
                failed += 1
                traceback.print_exc(file=sys.stdout)
                print(f"FAILED: {case.__doc__ or name}\n  again: {shlex.join([sys.argv[0], dpm, group, name])}\n  log: {machine.log()}")
            finally:
                machine.end()
        sys.stdout.flush()
    return 1 if failed else 0


sys.exit(main())
