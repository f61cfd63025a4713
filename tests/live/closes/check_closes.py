#!/usr/bin/env python3
"""What is recorded of sockets that are closed at once agrees with the kernel's last counts, and what is missing is found."""

import argparse
import pathlib
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
sys.dont_write_bytecode = True

import events
import running

UNSEEN_BYTES, UNSEEN_DATAGRAMS = 50, 3
NOT_CHECKABLE = "not checkable"
# The kernel announces the end of a socket soon, not at once: on a busy machine the last may come too late.
ATTEMPTS = 5
# The meter listens to a hundred of these in a second, those of other programs included.
FEW = 20


class Check:
    def __init__(self, asked: argparse.Namespace) -> None:
        self.dpm, self.list_events = asked.dpm, asked.list_events
        self.failures: list[str] = []

    def expect(self, what: str, holds: bool, seen: object) -> None:
        print(f"{'ok' if holds else 'FAILED'}: {what}{'' if holds else ': ' + str(seen)}")
        if not holds:
            self.failures.append(what)

    def meter(self, program: str, *arguments: int | str) -> tuple[running.Finished, events.Trace]:
        """The run, and the events of its trace."""
        with running.Workshop() as workshop:
            done = running.run([sys.executable, str(HERE / program), *map(str, arguments)], workshop.folder(), meter=self.dpm)
            if done.status != 0:
                raise SystemExit(f"FAILED: {program} ended with {done.status}: {done.errors}")
            assert done.trace
            return done, events.Trace(self.list_events, done.trace)


def gaps(trace: events.Trace) -> list[events.Event]:
    return [event for event in trace.events if event.type == "GAP"]


def last_operations(check: Check) -> None:
    for attempt in range(ATTEMPTS):
        done, trace = check.meter("brief_connections.py", FEW, 0)
        if NOT_CHECKABLE not in done.errors:
            break
    check.expect("each operation of a few short connections is checked", NOT_CHECKABLE not in done.errors, done.errors)
    check.expect("and none is missing", not gaps(trace), gaps(trace))


def unseen_bytes(check: Check) -> None:
    for attempt in range(ATTEMPTS):
        done, trace = check.meter("brief_connections.py", FEW, 3)
        sent = [gap.length for gap in gaps(trace) if gap.code == 0]
        if len(sent) == 3:
            break
    check.expect("bytes that were sent unseen before a close are GAPs", sent == [UNSEEN_BYTES] * 3, gaps(trace))
    check.expect("the ledger names them", "passed the meter unseen" in done.errors, done.errors)


def datagrams(check: Check) -> None:
    for way, count in (("answered", 100), ("flood", 200)):
        for attempt in range(ATTEMPTS):
            done, trace = check.meter("datagrams.py", way, count)
            if NOT_CHECKABLE not in done.errors:
                break
        check.expect(f"datagrams, {way}: each is checked", NOT_CHECKABLE not in done.errors, done.errors)
        check.expect(f"datagrams, {way}: none is missing", not gaps(trace), gaps(trace))
        received = sum(event.type == "RECEIVE" for event in trace.events)
        expected = int(done.output) * (2 if way == "answered" else 1)
        check.expect(f"datagrams, {way}: those that were received are recorded", received == expected, (received, expected))
        check.expect(f"datagrams, {way}: some were dropped", (int(done.output) < count) == (way == "flood"), done.output)


def unseen_datagrams(check: Check) -> None:
    for attempt in range(ATTEMPTS):
        done, trace = check.meter("datagrams.py", "unseen", 30)
        if gaps(trace):
            break
    found = [(gap.sequence, gap.code) for gap in gaps(trace)]
    check.expect("datagrams that were received unseen are a GAP", found == [(UNSEEN_DATAGRAMS, 1)], gaps(trace))
    check.expect("the ledger names them", f"{UNSEEN_DATAGRAMS} datagrams to 1 socket were recorded as sent" in done.errors,
                 done.errors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("dpm", "list-events", "can-notify"):
        parser.add_argument("--" + name, required=True)
    asked = parser.parse_args()
    running.need_notification(asked.can_notify)
    check = Check(asked)
    last_operations(check)
    unseen_bytes(check)
    datagrams(check)
    unseen_datagrams(check)
    if check.failures:
        print(f"again: {shlex.join(sys.argv)}")
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()
