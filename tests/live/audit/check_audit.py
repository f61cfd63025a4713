#!/usr/bin/env python3
"""The second ledger of `dpm meter --audit` agrees with the trace of each program that both see, and finds what a source does not see."""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/live/harness")]
sys.dont_write_bytecode = True

import moves  # noqa: F401 (its programs are in SEEN and HIDDEN)
import playing
import running

DIFFERS = 3  # exit status
ATTEMPTS = 3
OWN_STATUS = 7
MEMORY_IS_FREED_S = 0.05
# What a program of HIDDEN sends and receives, by which carrier.
MOVED = {"vmsplice": ("pipes", 5000), "tee": ("pipes", 6000), "asynchronous_writes": ("pipes", 20_000), "poll": ("UNIX streams", 200)}


class Site:
    def __init__(self, dpm: str, source: str, workshop: running.Workshop, user: int | None) -> None:
        self.source, self.user = source, user
        self.may_load = user is None and os.geteuid() == 0  # programs into the kernel
        self.workshop = workshop
        self.dpm = running.for_every_account(dpm, workshop.path) if user else dpm
        # With what it imports beside it.
        *_, self.moves = (running.for_every_account(HERE / name, workshop.path) for name in ("playing.py", "transfers.py", "moves.py"))

    def audit(self, name: str) -> tuple[int, str, dict[str, Any]]:
        """Exit status, what was printed, and audit.json."""
        folder = self.workshop.folder()
        account: dict[str, Any] = {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}
        words: list[running.Word] = [self.dpm, "meter", "--audit", "--whole-cpu", "--source", self.source, "-o", folder / "out", "--",
                                     "/usr/bin/python3", self.moves, name, str(OWN_STATUS)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120, **account)
        found = folder / "out/audit.json"
        return done.returncode, done.stderr, json.loads(found.read_text()) if found.exists() else {}


def is_known(site: Site, found: dict[str, Any]) -> bool:
    """dpm waits for the program's first process at once. Then only a counter has its last CPU time, which since Linux 6.16 lacks what the kernel
    needs to free its memory (docs/limitations.md)."""
    differing = [row for rows in ("moved", "connections", "cpu") for row in found.get(rows, []) if row["verdict"] == "differs"]
    first = (found.get("cpu") or [{}])[0]
    return site.source == "notify" and differing == [first] and first["trace_s"] < first["kernel_s"] < first["trace_s"] + MEMORY_IS_FREED_S


def check_seen(site: Site, name: str) -> list[str]:
    status, printed, found = site.audit(name)
    wrong = []
    known = is_known(site, found)
    if known:
        print("  KNOWN: the CPU time of the first process lacks its end")
    if not known and (found.get("verdict") != "agrees" or found["differing"] != 0):
        wrong.append(f"the verdict is {found.get('verdict')}, with {found.get('differing')} differences")
    if status != (DIFFERS if known else OWN_STATUS):
        wrong.append(f"exit status {status}, not the program's {OWN_STATUS}")
    if site.may_load and not any(row["verdict"] == "equal" for row in found.get("moved", [])):
        wrong.append("nothing was compared")
    return [f"{text}\n{printed}" for text in wrong]


def check_hidden(site: Site, name: str) -> tuple[list[str], bool]:
    """What is wrong, and whether the source does not see it."""
    status, printed, found = site.audit(name)
    wrong = []
    carrier, bytes_moved = MOVED[name]
    rows = [row for row in found.get("moved", []) if row["carrier"] == carrier]
    for direction in ("sent", "received"):
        of_kernel = sum(row["kernel"]["bytes"] for row in rows if row["direction"] == direction)
        if of_kernel != bytes_moved:
            wrong.append(f"the kernel counted {of_kernel} B {direction}, not {bytes_moved}")
    unseen = any(row["verdict"] == "differs" for row in rows)
    if unseen and not any("[" in each["object"] for row in rows for each in row.get("objects", [])):
        wrong.append("the object is not named")
    expected = DIFFERS if unseen and found["lost"] == 0 else OWN_STATUS
    if status != expected:
        wrong.append(f"exit status {status}, not {expected}")
    if expected == DIFFERS and f"ended with status {OWN_STATUS}" not in printed:
        wrong.append("the program's own status is not shown")
    return [f"{text}\n{printed}" for text in wrong], unseen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--source", required=True, choices=("notify", "ebpf"))
    parser.add_argument("--user", type=int, help="as this account, which may not load programs into the kernel")
    parser.add_argument("--only", action="append", help="one of the programs of moves.py")
    asked = parser.parse_args()
    failures = 0
    with running.Workshop() as workshop:
        running.need_source(asked.dpm, asked.source)
        if asked.user is not None and os.geteuid() != 0:
            running.skip("only root can become another account")
        site = Site(asked.dpm, asked.source, workshop, asked.user)
        unseen = []
        for name in asked.only or [*playing.SEEN, *(playing.HIDDEN if site.may_load else [])]:
            if name in playing.SEEN:
                # On a busy machine lengths may by chance be unknown: those that the meter says are not checkable, and units of an
                # eventfd (docs/limitations.md).
                for _ in range(ATTEMPTS):
                    wrong = check_seen(site, name)
                    if not wrong or not (name.startswith("eventfd") or "not checkable" in wrong[0]):
                        break
            else:
                wrong, is_unseen = check_hidden(site, name)
                unseen += [name] if is_unseen else []
            failures += len(wrong)
            print(f"{name}: {'FAILED' if wrong else 'ok'}{': the source does not see it' if name in unseen else ''}")
            for text in wrong:
                print(f"  {text}")
    if failures:
        print(f"again: {shlex.join(sys.argv)}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
