#!/usr/bin/python3
"""Plays every case of a conformance program bare and metered.

Both runs must print the same results and end in the same way, and the trace must hold what the program says it did.
"""

import argparse
import concurrent.futures
import difflib
import errno
import os
import pathlib
import shutil
import subprocess
import sys
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import events
import expectation
import running

ACCOUNT_BYTES = 4 << 20
UNANNOUNCED = "threads that make no metered call are missing, and so are processes that make none and outlive their parent"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--list-events", required=True)
    parser.add_argument("--can-notify", required=True)
    parser.add_argument("--source", default="notify", help="the source that meters")
    parser.add_argument("--user", type=int, help="a user id to run both as")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--keep", action="store_true", help="keep the folder with traces and outputs")
    parser.add_argument("program")
    parser.add_argument("cases", nargs="*")
    return parser.parse_args()


def role_of(line: str) -> str:
    return line.partition(":")[0]


def by_role(results: list[str]) -> list[str]:
    """Lines of different roles come in any order; those of one role do not."""
    return sorted(results, key=role_of)


def wait_status(status: int) -> int:
    """As wait(2) tells it; whether a core was dumped is up to the machine."""
    return -status if status < 0 else status << 8


def documented_difference(options: argparse.Namespace, case: str) -> list[str]:
    """What is known to differ: PROGRAM.CASE in the source's folder of differences."""
    path: pathlib.Path = pathlib.Path(__file__).parent / "differences" / options.source / f"{options.name}.{case}"
    return path.read_text().splitlines() if path.exists() else []


def is_unseen(options: argparse.Namespace, case: str, warned: str) -> bool:
    """Whether what the case does is in the table of what goes unseen where no process is announced, and the meter has warned of that."""
    if not running.is_in_process_namespace() or UNANNOUNCED not in warned:
        return False
    table = (pathlib.Path(__file__).parent / "differences/unannounced").read_text()
    return any(line.partition(" ")[0] == f"{options.name}.{case}" for line in table.splitlines())


class Played(NamedTuple):
    """What a case did, and what it says it did."""
    finished: running.Finished
    expected: dict[int, list[expectation.Line]]
    results: list[str]


def play(options: argparse.Namespace, case: str, folder: pathlib.Path, meter: str | None) -> Played:
    account = folder / "account"
    with open(account, "wb") as file:
        file.truncate(ACCOUNT_BYTES)
    account.chmod(0o666)
    finished = running.run([options.program, case], folder, meter=meter, source=options.source, user=options.user,
                           environment={"DPM_ACCOUNT": str(account)}, limit_s=90)
    return Played(finished, *expectation.read_account(account, options.source))


def check_case(options: argparse.Namespace, workshop: running.Workshop, case: str) -> list[str]:
    ways = {"bare": None, "metered": options.dpm}
    done = {}
    for way, meter in ways.items():
        try:
            done[way] = play(options, case, workshop.folder(), meter)
        except running.Hung as hung:
            return [f"{way}: {hung}"]
    bare, metered = done["bare"].finished, done["metered"].finished
    expected = done["metered"].expected
    if bare.status in (98, 99):
        return [f"bare, it could not be prepared: {bare.errors}"]
    complaints = []
    if bare.status != metered.status:
        complaints.append(f"it ends with {bare.status} bare and with {metered.status} metered: {metered.errors}")
    differences = [line for line in difflib.unified_diff(by_role(done["bare"].results), by_role(done["metered"].results), n=0, lineterm="")
                   if not line.startswith(("---", "+++", "@@"))]
    if differences != documented_difference(options, case):
        complaints += differences or ["it behaves alike, which is documented not to be so"]
    assert metered.trace
    try:
        trace = events.Trace(options.list_events, metered.trace)
    except ValueError as error:
        return complaints + [str(error), metered.errors]
    expected[metered.pid].append(expectation.Line("END", wait_status(metered.status), "-"))
    if not is_unseen(options, case, metered.errors):
        complaints += expectation.Comparison(expected, trace).run(metered.errors)
    if complaints:
        complaints.append(f"the meter said: {metered.errors.strip()}")
    return complaints


def main() -> bool:
    options = arguments()
    options.program = os.path.abspath(options.program)
    options.name = os.path.basename(options.program).removeprefix("conformance_")
    try:
        listed = subprocess.run([options.program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        running.skip("this kernel runs no programs of 32-bit code")
    cases = options.cases or listed
    failed = 0
    with running.Workshop() as workshop, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.keep:
            print(f"in {workshop.path}")
        if options.user is not None:
            for program in ("dpm", "program", "can_notify"):
                setattr(options, program, running.for_every_account(getattr(options, program), workshop.path))
        if options.source == "notify":
            running.need_notification(options.can_notify, options.user)
        else:
            running.need_source(options.dpm, options.source)
        checks = {case: pool.submit(check_case, options, workshop, case) for case in cases}
        for case, check in checks.items():
            complaints = check.result()
            print(f"{'FAILED' if complaints else 'good':7}{case}")
            for complaint in complaints[:12]:
                print(f"  {complaint}")
            failed += bool(complaints)
        if options.keep:
            shutil.copytree(workshop.path, f"{workshop.path}-kept")
    if failed:
        print(f"{failed} of {len(cases)} cases failed; one alone: {' '.join(sys.argv)} CASE")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
