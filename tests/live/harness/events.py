"""A trace as Python values, by way of the program list_events."""

import collections
import subprocess

Event = collections.namedtuple("Event", "process type length sequence channel peer time_ns evidence code cpu_ns")


class Trace:
    def __init__(self, list_events, directory):
        self.pid, self.tid, self.name = {}, {}, {}  # by process number
        self.channel_kind, self.channel_name = {}, {}
        self.events = []
        self.losses = []
        self.finished = True
        done = subprocess.run([list_events, str(directory)], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise ValueError(f"the trace cannot be read: {done.stderr.strip()}")
        for line in done.stdout.splitlines():
            self._take(line)

    def _take(self, line):
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

    def name_of_tid(self, tid):
        return next((self.name[number] for number, its_tid in self.tid.items() if its_tid == tid), "unknown")

    def of_threads(self):
        """The events of each thread, by thread id, in the order it performed them."""
        threads = collections.defaultdict(list)
        for event in self.events:
            if event.process in self.tid:
                threads[self.tid[event.process]].append(event)
        return threads
