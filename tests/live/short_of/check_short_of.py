#!/usr/bin/env python3
"""A meter that is short of time, or of descriptors, says what it could not see."""

import argparse
import functools
import os
import pathlib
import re
import resource
import subprocess
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/live/harness")]
sys.dont_write_bytecode = True

import running


def expect(condition: object, *told: object) -> None:
    if not condition:
        raise AssertionError(told)


def metered(dpm: Any, *command: str, **more: Any) -> Any:
    done = subprocess.run([dpm, "meter", "--summary", "--", *command], capture_output=True, text=True, timeout=60,
                          check=False, **more)
    return done.returncode, done.stdout, done.stderr


def check_ring(dpm: Any, ring: Any) -> None:
    """A process that lives for milliseconds is named all the same."""
    for _ in range(5):
        status, _, said = metered(dpm, ring)
        if status == 77:
            print("REDUCED: this kernel makes no rings")
            return
        expect(status == 0 and "io_uring is used by short_ring" in said, status, said)


def check_few_descriptors(dpm: Any) -> None:
    """Each call that could not be looked at is in the ledger, unless the meter may raise its limit."""
    if os.environ.get("DPM_SANITIZER"):
        print("REDUCED: a sanitizer opens a pipe to look at an object: with few descriptors it takes each for a wrong one")
        return

    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))

    status, output, said = metered(dpm, "sh", "-c", "echo hi | cat", preexec_fn=few)
    expect(status == 0 and output == "hi\n", status, output, said)
    seen = int(re.findall(r"ledger: (\d+) seen", said)[0])
    lost = re.search(r"lost: (\d+) events: the meter may open no more files", said)
    expect(seen > 0 and (lost or "may open only 16 files" not in said), said)


def check_too_few_descriptors(dpm: Any) -> None:
    """An account that may not open what the meter itself needs is told so before its program begins."""
    if os.geteuid() != 0:
        print("REDUCED: root raises limits; an account without rights is needed beside root")
        return

    def few(limit: int) -> Any:
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    with running.Workshop() as workshop:
        program = running.for_every_account(dpm, workshop.path)
        for limit, words in ((12, ["--summary"]), (16, ["--audit", "-o", "/nonexistent/out"])):
            done = subprocess.run([program, "meter", *words, "--", "echo", "it began"], capture_output=True, text=True, timeout=60, check=False,
                                  user=running.NOBODY, group=running.NOBODY, extra_groups=[], preexec_fn=few(limit))
            expect(done.returncode == 2 and "open files" in done.stderr and "ulimit" in done.stderr and not done.stdout, limit, done)


def check_few_tasks(dpm: Any) -> None:
    """Under any limit of processes and threads, the program runs metered, or has not begun and the limit is named."""
    if os.geteuid() != 0:
        print("REDUCED: an account that has no other process is needed")
        return
    first_account = 54_321  # one for each limit: what has ended and is not reaped yet counts
    ended = {}
    with running.Workshop() as workshop:
        program = running.for_every_account(dpm, workshop.path)
        for limit in (1, 3, 5, 7, 8, 9, 10, 12):
            done = subprocess.run([program, "meter", "--summary", "--wait", "--", "echo", "it began"], capture_output=True, text=True, timeout=60,
                                  check=False, user=first_account + limit, group=first_account, extra_groups=[],
                                  preexec_fn=functools.partial(resource.setrlimit, resource.RLIMIT_NPROC, (limit, limit)))
            ended[limit] = done.returncode
            is_refused = done.returncode == 2 and not done.stdout and "pids.max" in done.stderr and "ulimit -u" in done.stderr
            expect(is_refused or (done.returncode == 0 and done.stdout == "it began\n"), limit, done)
    expect(ended[1] == 2 and ended[12] == 0, ended)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--can-notify", required=True, help="the program can_notify")
    parser.add_argument("--ring", required=True, help="the program short_ring")
    asked = parser.parse_args()
    running.need_notification(asked.can_notify)
    check_ring(asked.dpm, asked.ring)
    check_few_descriptors(asked.dpm)
    check_too_few_descriptors(asked.dpm)
    check_few_tasks(asked.dpm)


if __name__ == "__main__":
    main()
