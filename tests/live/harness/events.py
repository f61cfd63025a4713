"""A trace as Python values, by way of the program list_events."""

import collections
import os
import subprocess
from typing import NamedTuple


class Event(NamedTuple):
    """A line `event` of list_events. Processes and channels are named by their numbers, as text."""
    process: str
    type: str
    length: int
    sequence: int
    channel: str
    peer: str
    time_ns: int
    evidence: str
    code: int
    cpu_ns: int


class Trace:
    def __init__(self, list_events: str | os.PathLike[str], directory: str | os.PathLike[str]) -> None:
        # By process number.
        self.pid: dict[str, int] = {}
        self.tid: dict[str, int] = {}
        self.name: dict[str, str] = {}
        # By channel number.
        self.channel_kind: dict[str, str] = {}
        self.channel_name: dict[str, str] = {}
        self.events: list[Event] = []
        self.losses: list[str] = []
        self.finished = True
        done = subprocess.run([list_events, str(directory)], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise ValueError(f"the trace cannot be read: {done.stderr.strip()}")
        for line in done.stdout.splitlines():
            self._take(line)

    def _take(self, line: str) -> None:
        kind, _, rest = line.partition(" ")
        if kind == "event":
            process, type_, length, sequence, channel, peer, time_ns, evidence, code, cpu_ns = rest.split()
            self.events.append(Event(process, type_, int(length), int(sequence), channel, peer, int(time_ns), evidence, int(code),
                                     int(cpu_ns)))
        elif kind == "process":
            number, pid, tid, name = rest.split(" ", 3)
            self.pid[number], self.tid[number], self.name[number] = int(pid), int(tid), name
        elif kind == "channel":
            number, channel_kind, name = rest.split(" ", 2)
            self.channel_kind[number], self.channel_name[number] = channel_kind, name
        elif kind == "lost":
            self.losses.append(rest)
        elif kind == "unfinished":
            self.finished = False

    def name_of_tid(self, tid: int) -> str:
        return next((self.name[number] for number, its_tid in self.tid.items() if its_tid == tid), "unknown")

    def of_threads(self) -> dict[int, list[Event]]:
        """The events of each thread, by thread id, in the order it performed them."""
        threads: dict[int, list[Event]] = collections.defaultdict(list)
        for event in self.events:
            if event.process in self.tid:
                threads[self.tid[event.process]].append(event)
        return threads
