"""What a conformance program says it should be seen to do, against what the trace says it did.

The lines of each thread are compared in order with its messages. Channels are compared by use: each name that the program
makes up must stand for exactly one channel of the trace. What only other evidence tells (births, ends, paths) is compared
without regard to order.
"""

import collections
import difflib
import pathlib
from typing import NamedTuple

from events import Event, Trace


class Line(NamedTuple):
    """MAYBE-SEND and its like: the meter may see it or not."""
    kind: str
    bytes: int
    channel: str

    @property
    def is_optional(self) -> bool:
        return self.kind.startswith(MAYBE)

    @property
    def event(self) -> str:
        return self.kind.removeprefix(MAYBE)


MAYBE = "MAYBE-"

MESSAGES = ("SEND", "RECEIVECALL", "RECEIVE", "ACCEPT", "GAP")
PATHS = {"SOCKET": "SOCKET", "CONNECT": "CONNECT", "DUP": "DUP", "DESTROYPATH": "DESTSOCKET", "ACCEPT": "ACCEPTED"}
NAMELESS = ("-", "?")
PROCESS_END = 0  # WaitKind
CALL_LESS = "threads that make no metered call are missing"
PARENTLESS = "processes whose parent had ended before they were seen"


def read_account(path: pathlib.Path, source: str = "notify") -> tuple[dict[int, list[Line]], list[str]]:
    """What a program wrote with Account: its expectation, as lines by thread id, and its results.

    A kind with a source before it, as in "ebpf:SEND", is expected of that source only."""
    expected: dict[int, list[Line]] = collections.defaultdict(list)
    results = []
    for text in path.read_bytes()[8:].replace(b"\0", b"").decode().splitlines():
        word, _, rest = text.partition(" ")
        if word == "result":
            results.append(rest)
        elif word == "expect" and rest.count(" ") >= 3:
            tid, kind, count, channel = rest.split(" ", 3)
            of_source, _, kind = kind.rpartition(":")
            if of_source not in ("", source):
                continue
            expected[int(tid)].append(Line(kind, int(count), channel))
    return expected, results


def is_message(event: Event) -> bool:
    return event.type in MESSAGES and (event.evidence == "observed" or event.type not in PATHS)


def pair_up(wanted: list[Line], seen: list[Event]) -> list[tuple[Line, Event]] | None:
    """Pairs of lines and events in order, leaving out only lines that may be missing; None if there is no such way."""
    if len(seen) > len(wanted):
        return None
    choices: list[tuple[int, int, int]] = []  # where an optional line was taken, and could have been left out
    pairs: list[tuple[Line, Event]] = []
    i = j = 0
    while True:
        if i < len(wanted) and j < len(seen) and (wanted[i].event, wanted[i].bytes) == (seen[j].type, seen[j].length):
            if wanted[i].is_optional:
                choices.append((i, j, len(pairs)))
            pairs.append((wanted[i], seen[j]))
            i, j = i + 1, j + 1
        elif i < len(wanted) and wanted[i].is_optional:
            i += 1
        elif i == len(wanted) and j == len(seen):
            return pairs
        elif choices:
            i, j, length = choices.pop()
            del pairs[length:]
            i += 1
        else:
            return None


def is_named_parentless(tid: int, errors: str) -> bool:
    """Where no process is announced, a parent may be gone before its child is seen: the meter warns of that child by name then."""
    return any(PARENTLESS in line and f"({tid})" in line for line in errors.splitlines())


def is_warned_missing(lines: list[Line], events: list[Event], errors: str) -> bool:
    """A thread that only begins: where none is announced, the meter says that it sees no such thread, unless it comes across it."""
    return not events and all(line.kind == "BEGIN" for line in lines) and CALL_LESS in errors


class Comparison:
    def __init__(self, expected: dict[int, list[Line]], trace: Trace) -> None:
        self.expected, self.trace = expected, trace
        self.seen = trace.of_threads()
        self.complaints: list[str] = []
        self._channel_of: dict[str, str] = {}
        self._name_of: dict[str, str] = {}

    def run(self, errors: str) -> list[str]:
        for tid in sorted(self.expected):
            self._messages(tid)
            self._waits(tid)
            self._senders(tid)
            self._life(tid, errors)
            self._children(tid)
            self._paths(tid)
        self._streams()
        self._said(errors)
        if not self.trace.finished:
            self.complaints.append("the trace is not finished")
        self._lost()
        return self.complaints

    def _messages(self, tid: int) -> None:
        if any(line.kind == "UNSEEN" for line in self.expected[tid]):
            return
        wanted = [line for line in self.expected[tid] if line.event in MESSAGES]
        seen = [event for event in self.seen.get(tid, []) if is_message(event)]
        pairs = pair_up(wanted, seen)
        if pairs is not None:
            for line, event in pairs:
                self._same_channel(tid, line, event)
            return
        seen_text = [f"{event.type} {event.length}" for event in seen]
        # Without all optional lines or with them: whichever reads better.
        differences = min((list(difflib.unified_diff([f"{line.event} {line.bytes}" for line in lines], seen_text, n=2,
                                                     lineterm=""))[2:]
                           for lines in (wanted, [line for line in wanted if not line.is_optional])), key=len)
        names = "; ".join(sorted({line.channel for line in wanted})[:8])
        if len(differences) > 16:
            differences[16:] = [f"({len(wanted)} expected, {len(seen)} seen)"]
        self.complaints.append(f"thread {tid} ({names}):\n    " + "\n    ".join(differences))

    def _same_channel(self, tid: int, line: Line, event: Event) -> None:
        if line.channel in NAMELESS or event.channel == "-":
            if line.channel not in NAMELESS and line.event in ("SEND", "RECEIVE"):
                self.complaints.append(f"thread {tid}: {line.kind} {line.bytes} over '{line.channel}' has no channel")
            return
        channel = self._channel_of.setdefault(line.channel, event.channel)
        name = self._name_of.setdefault(event.channel, line.channel)
        if channel != event.channel or name != line.channel:
            self.complaints.append(
                f"thread {tid}: {line.kind} {line.bytes} over '{line.channel}' is seen on channel {event.channel} "
                f"({self.trace.channel_name.get(event.channel)}), which is '{name}'; '{line.channel}' was {channel}")

    def _waits(self, tid: int) -> None:
        """A line WAITED n: at least n ms between the RECEIVE before it and its RECEIVECALL."""
        received = [event for event in self.seen.get(tid, []) if is_message(event)]
        position = 0
        for line in self.expected[tid]:
            position += line.event in MESSAGES
            if line.kind != "WAITED" or position > len(received) or position < 2:
                continue
            waited_ms = (received[position - 1].time_ns - received[position - 2].time_ns) / 1e6
            if waited_ms < line.bytes:
                self.complaints.append(f"thread {tid}: a RECEIVE is stamped {waited_ms:.1f} ms after its RECEIVECALL, "
                                       f"which waited for {line.bytes} ms at least")

    def _senders(self, tid: int) -> None:
        """A line SENDER n: the RECEIVE before it is of what the thread n has sent."""
        received = [event for event in self.seen.get(tid, []) if is_message(event)]
        position = 0
        for line in self.expected[tid]:
            position += line.event in MESSAGES
            if line.kind != "SENDER" or not 0 < position <= len(received):
                continue
            sender = self.trace.tid.get(received[position - 1].peer)
            if sender != line.bytes:
                self.complaints.append(f"thread {tid}: its message number {position} is from {line.bytes}; the trace says {sender}")

    def _life(self, tid: int, errors: str) -> None:
        if is_warned_missing(self.expected[tid], self.seen.get(tid, []), errors):
            return
        for line in self.expected[tid]:
            events = self.seen.get(tid, [])
            if line.kind == "BEGIN":
                parents = [self.trace.tid.get(event.peer) for event in events if event.type == "STARTPROCESS"]
                if line.bytes not in parents and not is_named_parentless(tid, errors):
                    self.complaints.append(f"thread {tid} was begun by {line.bytes}; the trace says {parents}")
            elif line.kind == "END":
                self._end(tid, line.bytes)
            elif line.kind == "CPU":
                self._cpu(tid, line.bytes, max(0.01 * line.bytes, 2000))
            elif line.kind == "COUNTED":  # by a counter, which takes what a busy host takes from a virtual machine for use
                self._cpu(tid, line.bytes, max(0.2 * line.bytes, 20000))
            elif line.kind == "EXEC" and not any(event.type == "EXEC" for event in events):
                self.complaints.append(f"thread {tid}: its EXEC is not in the trace")

    def _children(self, tid: int) -> None:
        """Each child whose end a call returned has a WAIT, in that order, and once."""
        if any(line.kind == "UNSEEN" for line in self.expected[tid]):
            return
        wanted = [line.bytes for line in self.expected[tid] if line.kind == "CHILDEND"]
        waits = [event for event in self.seen.get(tid, []) if event.type == "WAIT" and event.code == PROCESS_END]
        seen = [self.trace.tid.get(event.peer) for event in waits]
        rest = iter(seen)
        if not all(child in rest for child in wanted) or len(set(seen)) < len(seen):
            self.complaints.append(f"thread {tid} waited for the ends of {wanted}; the trace says {seen}")
        for event in waits:
            end = max((its.time_ns for its in self.trace.events
                       if its.type == "DESTROYPROCESS" and its.process == event.peer), default=None)
            if end is None or end > event.time_ns:
                self.complaints.append(f"thread {tid} has waited for the end of {self.trace.tid.get(event.peer)}, which comes later")

    def _cpu(self, pid: int, wanted_us: int, tolerance_us: float) -> None:
        """CPU time of all threads, up to the end."""
        group = [process for process, its_pid in self.trace.pid.items() if its_pid == pid]
        cpu_us = sum(max((event.cpu_ns for event in self.trace.events if event.process == process), default=0)
                     for process in group) / 1e3
        if abs(cpu_us - wanted_us) > tolerance_us:
            self.complaints.append(f"process {pid} used {wanted_us / 1e3:.1f} ms of CPU; the trace says {cpu_us / 1e3:.1f}")

    def _end(self, pid: int, wait_status: int) -> None:
        """A process ends when the last of its threads does."""
        group = [process for process, its_pid in self.trace.pid.items() if its_pid == pid]
        ends = [event for event in self.trace.events if event.type == "DESTROYPROCESS" and event.process in group]
        last = max(ends, key=lambda event: event.time_ns, default=None)
        code = 128 + (wait_status & 0x7f) if wait_status & 0x7f else wait_status >> 8
        if last is None or last.code != code:
            self.complaints.append(f"process {pid} ended with {code}; the trace says {[event.code for event in ends]}")

    def _paths(self, tid: int) -> None:
        wanted = self.expected[tid]
        if not any(line.kind == "PATHS" for line in wanted):
            return
        listed = collections.Counter(line.kind for line in wanted if line.kind in PATHS.values())
        seen = collections.Counter(PATHS[event.type] for event in self.seen.get(tid, [])
                                   if event.type in PATHS and not is_message(event))
        if listed != seen:
            self.complaints.append(f"thread {tid}: paths expected {dict(listed)}, seen {dict(seen)}")

    def _said(self, errors: str) -> None:
        for lines in self.expected.values():
            for line in lines:
                if line.kind == "SAID" and line.channel not in errors:
                    self.complaints.append(f"the meter does not say '{line.channel}'")

    def _lost(self) -> None:
        """A line LOST: the ledger counts a loss of this kind. It counts no other."""
        expected = {line.channel for lines in self.expected.values() for line in lines if line.kind == "LOST"}
        self.complaints += [f"the ledger does not count '{words}'" for words in expected
                            if not any(words in loss for loss in self.trace.losses)]
        self.complaints += [f"lost: {loss}" for loss in self.trace.losses if not any(words in loss for words in expected)]

    def _streams(self) -> None:
        """The operations on a stream follow each other without hole or overlap, in each direction."""
        for direction, code in (("SEND", 0), ("RECEIVE", 1)):
            ends: dict[str, list[tuple[int, int]]] = collections.defaultdict(list)
            for event in self.trace.events:
                if event.type == direction or (event.type == "GAP" and event.code == code):
                    if self.trace.channel_kind.get(event.channel) == "stream":
                        ends[event.channel].append((event.sequence, event.length))
            for channel, pieces in ends.items():
                self._without_holes(direction, channel, sorted(pieces))

    def _without_holes(self, direction: str, channel: str, pieces: list[tuple[int, int]]) -> None:
        position = pieces[0][0]
        for offset, length in pieces:
            if offset != position:
                self.complaints.append(f"{direction}s on '{self.trace.channel_name.get(channel)}': after byte {position} "
                                       f"comes {offset} (length {length})")
                return
            position += length
