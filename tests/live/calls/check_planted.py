#!/usr/bin/python3
"""A call, a flag or an object that is forgotten makes check_calls.py fail, and say which."""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def without_name(name: str, calls: str) -> str:
    return re.sub(rf"(?<= ){name}(?= |$)", "", calls, flags=re.MULTILINE)


def without_object(name: str, table: str) -> str:
    """The table without a column."""
    lines = table.splitlines()
    column = lines[1].split().index(name)
    return "\n".join(lines[:1] + ["  ".join(word for at, word in enumerate(line.split()) if at != column) for line in lines[1:]]) + "\n"


def main() -> int:
    calls, table = (HERE / "calls.table").read_text(), (HERE / "cells.table").read_text()
    planted = {
        "a call forgotten": (without_name("tee", calls), table, "pipe send write there", "no verdict: tee of <asm/unistd_64.h>"),
        "a flag forgotten": (without_name("MSG_OOB", calls), table, "pipe send write there", "no verdict: MSG_OOB of <bits/socket.h>"),
        "an object forgotten": (calls, without_object("eventfd", table), "eventfd send write there", "the table says no verdict"),
        "nothing forgotten": (calls, table, "pipe send write there", ""),
    }
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (its_calls, its_table, cells, words) in planted.items():
            paths = pathlib.Path(folder) / "calls.table", pathlib.Path(folder) / "cells.table"
            for path, text in zip(paths, (its_calls, its_table)):
                path.write_text(text)
            done = subprocess.run([HERE / "check_calls.py", *sys.argv[1:], "--only", cells, "--calls", paths[0], "--table", paths[1]],
                                  capture_output=True, text=True)
            if done.returncode == 77:
                print(done.stdout, end="")
                return 77
            is_right = done.returncode == (1 if words else 0) and words in done.stdout
            failed += not is_right
            print(f"{'good' if is_right else 'FAILED'}  {name}: {done.stdout}{done.stderr}", end="")
    return failed


if __name__ == "__main__":
    sys.exit(main())
