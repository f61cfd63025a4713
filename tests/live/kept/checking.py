"""What both checks share: dpm, a folder, and sentences that hold or do not."""
import argparse
import json
import pathlib
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
sys.dont_write_bytecode = True

import running

SKIPPED = 77


class Check:
    def __init__(self, dpm: str, folder: pathlib.Path) -> None:
        self.program, self.folder = dpm, folder
        self.failures = 0

    def holds(self, what: str, is_so: object, seen: object = "") -> None:
        print(f"{'ok' if is_so else 'FAILED'}: {what}{'' if is_so else f': {seen}'}")
        self.failures += not is_so

    def dpm(self, *words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.holds(f"status {status} of: dpm {' '.join(map(str, words))[:100]}", done.returncode == status, (done.returncode, done.stderr))
        return done

    def json(self, *words: object) -> Any:
        return json.loads(self.dpm(*words, "--json").stdout)


def run(checks: list[Any]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--can-notify", required=True)
    asked = parser.parse_args()
    if subprocess.run([asked.can_notify]).returncode != 0:
        print("skipped: programs cannot be metered here")
        return SKIPPED
    failures = 0
    for check in checks:
        with running.Workshop() as workshop:
            checked = Check(asked.dpm, workshop.path)
            check(checked)
            failures += checked.failures
    return 1 if failures else 0
