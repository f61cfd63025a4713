#!/usr/bin/env python3
"""soak.py --cluster PROGRAM --dpm DPM [NAME]: plays what takes minutes, one after the other, and prints a table of results."""

import argparse
import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import soak_cases

SKIPPED = 77


def main() -> int:
    names = [name.removeprefix("soak_") for name in vars(soak_cases) if name.startswith("soak_")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", required=True)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("name", nargs="?", choices=names)
    words = parser.parse_args()
    rows = []
    for name in [words.name] if words.name else names:
        print(f"soak: {name}: {getattr(soak_cases, f'soak_{name}').__doc__.splitlines()[0]}", file=sys.stderr, flush=True)
        rows.append((name, *play(name, words)))
    width = max(len(name) for name, _, _ in rows)
    print(f"{'name':{width}}  result   figures")
    for name, result, figures in rows:
        print(f"{name:{width}}  {result:7}  {figures}")
    return 1 if any(result == "failed" for _, result, _ in rows) else 0


def play(name: str, words: argparse.Namespace) -> tuple[str, str]:
    """What it came to, and its figures or the reason."""
    began_s = time.monotonic()
    command = [HERE / "check_faults.py", "--cluster", words.cluster, "--dpm", words.dpm, f"soak_{name}"]
    last = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as case:
        assert case.stdout
        for line in case.stdout:
            print(f"  {line}", end="", file=sys.stderr, flush=True)
            last = line.strip() if not line.startswith(" ") else last
    result = {0: "good", SKIPPED: "skipped"}.get(case.returncode, "failed")
    return result, f"{last} ({time.monotonic() - began_s:.0f} s)"


if __name__ == "__main__":
    sys.exit(main())
