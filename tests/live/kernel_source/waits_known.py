"""Two programs on one core that know what they wait for, and write it down as bounds.

    waits_known.py CORE FOLDER               starts both, waits for their ends, and reads what the kernel counted for each until then
    waits_known.py NAME FOLDER FD BEGAN_NS   one of them

Around each wait a program reads the clock, its CPU time, and how long the kernel says that it was ready and did not run. If it also was
never taken from the core against its will meanwhile, all that time belongs to the wait; if it was, that time may belong to what is
before or behind. So each sum has a lower and an upper bound. Neither program makes another wake-up take the core at once
(SCHED_BATCH), so that the woken one waits while the other computes.
"""

import json
import mmap
import os
import pathlib
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 25
BURN_S = {"first": (.001, .001), "second": (.004, .006)}  # before a message is sent, and behind that
SLEEP_S = .002


class Reading:
    """Clock, CPU time, time in the queue of the core (ns), and how often the core was taken away."""

    def __init__(self) -> None:
        self.taken_away_before = times_taken_away()
        self.time_ns = time.monotonic_ns()
        self.cpu_ns = time.process_time_ns()
        self.queue_ns = queue_ns("self")
        self.taken_away = times_taken_away()


def times_taken_away() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def queue_ns(pid: int | str) -> int:
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[1])


class Bounds:
    """Of the waits of one kind: in the core's queue, and idle."""

    def __init__(self) -> None:
        self.queue_ns, self.idle_ns = [0, 0], [0, 0]

    def add(self, since: Reading, before: Reading, after: Reading) -> None:
        """A wait between two readings; the reading since is of before the event that precedes it."""
        queue = after.queue_ns - before.queue_ns
        idle = after.time_ns - before.time_ns - queue - (after.cpu_ns - before.cpu_ns)
        self.queue_ns[1] += after.queue_ns - since.queue_ns
        if after.taken_away == before.taken_away_before:
            self.queue_ns[0] += queue
            self.idle_ns = [bound + idle for bound in self.idle_ns]
        else:
            self.idle_ns = [self.idle_ns[0], self.idle_ns[1] + max(idle, 0) + queue]


def waits(bounds: Bounds, call: Callable[..., Any], *arguments: float, since: Reading | None = None) -> Reading:
    """Calls what waits; returns the reading behind it."""
    before = Reading()
    call(*arguments)
    after = Reading()
    bounds.add(since or before, before, after)
    return after


def burn(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def opened_blocks(path: pathlib.Path) -> Callable[..., Any] | None:
    """A file to be read past the cache, which waits for nothing but the disk; None where the file system cannot."""
    block = mmap.mmap(-1, 1 << 22)  # some milliseconds, also of a fast disk
    path.write_bytes(bytes(len(block)))
    try:
        file = os.open(path, os.O_RDWR | os.O_DIRECT)
        os.fsync(file)
        os.pwritev(file, [block], 0)
    except OSError:
        return None
    return lambda: os.preadv(file, [block], 0)


def take_part(name: str, folder: pathlib.Path, partner: socket.socket) -> None:
    read = opened_blocks(folder / f"blocks-{name}")
    messages, timers, disk = Bounds(), Bounds(), Bounds()
    ready = Reading()
    partner.send(b"ready")
    waits(messages, partner.recv, 5, since=ready)
    for _ in range(ROUNDS):
        burn(BURN_S[name][0])
        waits(timers, time.sleep, SLEEP_S)
        if read:
            waits(disk, read)
        partner.send(b"1")
        burn(BURN_S[name][1])
        busy = Reading()
        partner.send(b"2")  # what is before it is not a wait in poll()
        received = waits(messages, partner.recv, 1, since=busy)
        waits(messages, partner.recv, 1, since=received)
    known: dict[str, Any] = {kind: {"queue_ns": bounds.queue_ns, "idle_ns": bounds.idle_ns}
             for kind, bounds in (("messages", messages), ("timers", timers), ("disk", disk))}
    known["has_disk"] = read is not None
    known["idle_before_ns"] = ready.time_ns - ready.cpu_ns - ready.queue_ns - int(sys.argv[4])
    (folder / name).write_text(json.dumps(known))
    os._exit(0)  # an interpreter takes some time to end


def main(core: int, folder: pathlib.Path) -> None:
    os.sched_setaffinity(0, {core})
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    ends = dict(zip(BURN_S, socket.socketpair()))
    started = {}
    for name, end in ends.items():
        program = folder / f"program-{name}"
        program.symlink_to(sys.executable)
        started[name] = subprocess.Popen([program, __file__, name, folder, str(end.fileno()), str(time.monotonic_ns())],
                                         pass_fds=[end.fileno()])
    for end in ends.values():
        end.close()
    for name, process in started.items():
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        known = json.loads((folder / name).read_text())
        known["all_queue_ns"] = queue_ns(process.pid)
        (folder / name).write_text(json.dumps(known))
        if process.wait() != 0:
            sys.exit(1)


if __name__ == "__main__":
    if sys.argv[1] in BURN_S:
        take_part(sys.argv[1], pathlib.Path(sys.argv[2]), socket.socket(fileno=int(sys.argv[3])))
    else:
        main(int(sys.argv[1]), pathlib.Path(sys.argv[2]))
