"""What a conformance program says it should be seen to do, against what the trace says it did.

The lines of each thread are compared in order with its messages. Channels are compared by use: each name that the program
makes up must stand for exactly one channel of the trace. What only other evidence tells (births, ends, paths) is compared
without regard to order.
"""

import collections
import difflib

Line = collections.namedtuple("Line", "kind bytes channel")

MESSAGES = ("SEND", "RECEIVECALL", "RECEIVE", "ACCEPT", "GAP")
PATHS = {"SOCKET": "SOCKET", "CONNECT": "CONNECT", "DUP": "DUP", "DESTROYPATH": "DESTSOCKET", "ACCEPT": "ACCEPTED"}
NAMELESS = ("-", "?")


def read_lines(path):
    """The expectation file: lines by thread id."""
    threads = collections.defaultdict(list)
    if not path.exists():
        return threads
    for text in path.read_text().splitlines():
        tid, kind, count, channel = text.split(" ", 3)
        threads[int(tid)].append(Line(kind, int(count), channel))
    return threads


def is_message(event):
    return event.type in MESSAGES and (event.evidence == "observed" or event.type not in PATHS)


class Comparison:
    def __init__(self, expected, trace):
        self.expected, self.trace = expected, trace
        self.seen = trace.of_threads()
        self.complaints = []
        self._channel_of, self._name_of = {}, {}

    def run(self):
        for tid in sorted(self.expected):
            self._messages(tid)
            self._waits(tid)
            self._life(tid)
            self._paths(tid)
        self._streams()
        if not self.trace.finished:
            self.complaints.append("the trace is not finished")
        self.complaints += [f"lost: {loss}" for loss in self.trace.losses]
        return self.complaints

    def _messages(self, tid):
        wanted = [line for line in self.expected[tid] if line.kind in MESSAGES]
        seen = [event for event in self.seen.get(tid, []) if is_message(event)]
        as_text = [f"{line.kind} {line.bytes}" for line in wanted]
        seen_text = [f"{event.type} {event.length}" for event in seen]
        if as_text != seen_text:
            named = [f"{text} {line.channel}" for text, line in zip(as_text, wanted)]
            differences = difflib.unified_diff(as_text, seen_text, "expected", "seen", n=2, lineterm="")
            context = "; ".join(sorted(set(named))[:8])
            self.complaints.append(f"thread {tid} ({context}):\n    " + "\n    ".join(list(differences)[2:18]))
            return
        for line, event in zip(wanted, seen):
            self._same_channel(tid, line, event)

    def _same_channel(self, tid, line, event):
        if line.channel in NAMELESS or event.channel == "-":
            if line.channel not in NAMELESS and line.kind in ("SEND", "RECEIVE"):
                self.complaints.append(f"thread {tid}: {line.kind} {line.bytes} over '{line.channel}' has no channel")
            return
        channel = self._channel_of.setdefault(line.channel, event.channel)
        name = self._name_of.setdefault(event.channel, line.channel)
        if channel != event.channel or name != line.channel:
            self.complaints.append(
                f"thread {tid}: {line.kind} {line.bytes} over '{line.channel}' is seen on channel {event.channel} "
                f"({self.trace.channel_name.get(event.channel)}), which is '{name}'; '{line.channel}' was {channel}")

    def _waits(self, tid):
        """A line WAITED n: at least n ms between the RECEIVE before it and its RECEIVECALL."""
        received = [event for event in self.seen.get(tid, []) if is_message(event)]
        position = 0
        for line in self.expected[tid]:
            position += line.kind in MESSAGES
            if line.kind != "WAITED" or position > len(received) or position < 2:
                continue
            waited_ms = (received[position - 1].time_ns - received[position - 2].time_ns) / 1e6
            if waited_ms < line.bytes:
                self.complaints.append(f"thread {tid}: a RECEIVE is stamped {waited_ms:.1f} ms after its RECEIVECALL, "
                                       f"which waited for {line.bytes} ms at least")

    def _life(self, tid):
        for line in self.expected[tid]:
            events = self.seen.get(tid, [])
            if line.kind == "BEGIN":
                parents = [self.trace.tid.get(event.peer) for event in events if event.type == "STARTPROCESS"]
                if line.bytes not in parents:
                    self.complaints.append(f"thread {tid} was begun by {line.bytes}; the trace says {parents}")
            elif line.kind == "END":
                codes = [event.code for event in events if event.type == "DESTROYPROCESS"]
                if codes != [line.bytes]:
                    self.complaints.append(f"thread {tid} ended with status {line.bytes}; the trace says {codes}")
            elif line.kind == "EXEC" and not any(event.type == "EXEC" for event in events):
                self.complaints.append(f"thread {tid}: its EXEC is not in the trace")

    def _paths(self, tid):
        wanted = self.expected[tid]
        if not any(line.kind == "PATHS" for line in wanted):
            return
        listed = collections.Counter(line.kind for line in wanted if line.kind in PATHS.values())
        seen = collections.Counter(PATHS[event.type] for event in self.seen.get(tid, [])
                                   if event.type in PATHS and not is_message(event))
        if listed != seen:
            self.complaints.append(f"thread {tid}: paths expected {dict(listed)}, seen {dict(seen)}")

    def _streams(self):
        """The operations on a stream follow each other without hole or overlap, in each direction."""
        for direction, code in (("SEND", 0), ("RECEIVE", 1)):
            ends = collections.defaultdict(list)
            for event in self.trace.events:
                if event.type == direction or (event.type == "GAP" and event.code == code):
                    if self.trace.channel_kind.get(event.channel) == "stream":
                        ends[event.channel].append((event.sequence, event.length))
            for channel, pieces in ends.items():
                self._without_holes(direction, channel, sorted(pieces))

    def _without_holes(self, direction, channel, pieces):
        position = pieces[0][0]
        for offset, length in pieces:
            if offset != position:
                self.complaints.append(f"{direction}s on '{self.trace.channel_name.get(channel)}': after byte {position} "
                                       f"comes {offset} (length {length})")
                return
            position += length
