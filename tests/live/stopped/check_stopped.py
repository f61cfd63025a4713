#!/usr/bin/env python3
"""A meter that is stopped (SIGSTOP): the program goes on meanwhile, is metered again afterwards, and the ledger tells."""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/live/harness")]
sys.dont_write_bytecode = True

import running

# Two processes that put questions to each other, and check what they read. The file `rounds` says how many.
PING_PONG = """
import os, socket, sys
kind = sys.argv[1]
if kind == "pipe":
    (from_first, to_second), (from_second, to_first) = os.pipe(), os.pipe()
else:
    if kind == "unix":
        first, second = socket.socketpair()
    else:
        listener = socket.create_server(("127.0.0.1", 0))
        first = socket.create_connection(listener.getsockname())
        second, _ = listener.accept()
    to_second = from_second = first.detach()
    from_first = to_first = second.detach()
child = os.fork()
if child == 0:
    os.close(to_second)
    if from_second != to_second:
        os.close(from_second)
    while question := os.read(from_first, 100):
        os.write(to_first, question.upper())
    os._exit(0)
os.close(from_first)
if from_first != to_first:
    os.close(to_first)
rounds = 0
while not os.path.exists("enough"):
    question = b"question %08d" % rounds
    os.write(to_second, question)
    if os.read(from_second, 100) != question.upper():
        sys.exit("a wrong answer")
    rounds += 1
    with open("rounds.new", "w") as file:
        file.write(str(rounds))
    os.rename("rounds.new", "rounds")
os.close(to_second)
os.waitpid(child, 0)
"""
PATIENCE_S = 60
STANDS_IN_S = 2  # the keeper answers for about a second after the meter was continued


def expect(condition: object, *told: object) -> None:
    if not condition:
        raise AssertionError(told)


def wait_until(condition: Callable[..., Any], what: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        expect(time.monotonic() < until, f"waited for {what}")
        time.sleep(0.01)


def rounds(folder: pathlib.Path) -> int:
    try:
        return int((folder / "rounds").read_text())
    except FileNotFoundError:
        return 0


def go_on(folder: Any, count: int) -> None:
    before = rounds(folder)
    wait_until(lambda: rounds(folder) >= before + count, f"{count} rounds")


def state_of(pid: int) -> str:
    return running.stat_fields(pid)[0]


def meter_of(trace: pathlib.Path) -> int:
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if (entry / "comm").read_text() == "dpm-meter\n" and str(trace).encode() in words:
                return int(entry.name)
        except OSError:
            pass
    raise AssertionError("there is no meter")


def stop_and_continue_meter(trace: pathlib.Path, folder: pathlib.Path) -> int:
    """How many rounds went on meanwhile."""
    go_on(folder, 200)
    meter = meter_of(trace)
    os.kill(meter, signal.SIGSTOP)
    try:
        wait_until(lambda: state_of(meter) == "T", "the meter to be stopped")
        before = rounds(folder)
        go_on(folder, 500)
        expect(state_of(meter) == "T", "the meter is not stopped any more")
        unseen = rounds(folder) - before
    finally:
        os.kill(meter, signal.SIGCONT)
    time.sleep(STANDS_IN_S)
    go_on(folder, 1000)
    return unseen


def last_words(program: subprocess.Popen[str]) -> str:
    """What it says until its end. The file `enough` tells it to end; one that hangs is killed, and its child sees the end of its pipe."""
    try:
        return program.communicate(timeout=PATIENCE_S)[1]
    except subprocess.TimeoutExpired:
        program.kill()
        return program.communicate()[1]


def check(dpm: Any, kind: str, folder: pathlib.Path) -> None:
    trace = folder / "out"
    program = subprocess.Popen([dpm, "meter", "-o", str(trace), "--", sys.executable, "-S", "-c", PING_PONG, kind],
                               cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        unseen = stop_and_continue_meter(trace, folder)
    finally:
        (folder / "enough").touch()
        said = last_words(program)
    expect(program.returncode == 0, program.returncode, said)
    print(f"{kind}: {rounds(folder)} rounds, {unseen} of them while the meter was stopped")

    lost = re.search(r"lost: (\d+) events: the meter was stopped .* for \d+\.\d s: calls of that time", said)
    expect(lost and int(lost[1]) >= 2 * unseen, said)
    sent = int(re.findall(r"(\d+) messages sent", said)[0])
    expect(sent >= 2 * (200 + 500), f"{sent} messages: it was not metered when the meter was continued", said)
    for command in ("parallelism", "statistics"):
        shown = subprocess.run([dpm, command, str(trace)], capture_output=True, text=True, check=True)
        expect("contradict" not in shown.stdout + shown.stderr, shown.stdout, shown.stderr)


def check_end_meanwhile(dpm: Any, folder: pathlib.Path) -> None:
    """The program ends while its meter is stopped: the ledger says for how long."""
    trace = folder / "out"
    program = subprocess.Popen([dpm, "meter", "-o", str(trace), "--", sys.executable, "-S", "-c", PING_PONG, "pipe"],
                               cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        go_on(folder, 200)
        meter = meter_of(trace)
        os.kill(meter, signal.SIGSTOP)
        began = time.monotonic()
        try:
            go_on(folder, 500)
            (folder / "enough").touch()
            count = -1
            while count != (count := rounds(folder)):
                time.sleep(.5)
            stopped_s = time.monotonic() - began
        finally:
            os.kill(meter, signal.SIGCONT)
    finally:
        (folder / "enough").touch()
        said = last_words(program)
    expect(program.returncode == 0, program.returncode, said)
    told = re.search(r"the meter was stopped .* for (\d+\.\d) s: calls of that time", said)
    # From when the keeper saw it, which takes a moment, until the program had ended.
    expect(told and 0 < float(told[1]) < stopped_s + .5, stopped_s, said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--can-notify", required=True, help="the program can_notify")
    asked = parser.parse_args()
    running.need_notification(asked.can_notify)
    with running.Workshop() as workshop:
        for kind in ("pipe", "unix", "tcp"):
            check(asked.dpm, kind, workshop.folder())
        check_end_meanwhile(asked.dpm, workshop.folder())


if __name__ == "__main__":
    main()
