"""A client and three servers, each of which asks the next, with one planted cause of waiting.

hog: a program called `backup`, which is not metered, competes with `middle` for its CPU. disk: `storage` writes until the disk has
it. lock: `middle` needs a lock that `holder` keeps most of the time. none: each server only computes a little.

What waits for the disk or the lock writes down how long it waited, by its own clocks, in the file `witness`.
"""

import fcntl
import mmap
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

WAIT_S = 0.04  # of the planted cause, for each request


def compute(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def blocks_of(folder: Any) -> Any:
    """A file that is there as a whole, so that writing it again changes nothing else on the disk."""
    path = os.path.join(folder, "blocks")
    block = mmap.mmap(-1, 1 << 22)  # O_DIRECT wants its beginning at a page
    with open(path, "wb") as file:
        file.write(bytes(len(block)))
        os.fsync(file.fileno())
    return os.open(path, os.O_WRONLY | os.O_DIRECT), block


def write_to_disk(blocks: Any) -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        os.pwritev(blocks[0], [blocks[1]], 0)


def take_lock(lock: Any) -> None:
    fcntl.flock(lock, fcntl.LOCK_EX)


def idle_s(call: Callable[..., Any], *words: Any) -> tuple[Any, float]:
    """What the call returns, and how long it neither ran nor was in the queue of a CPU."""
    def used() -> int:
        with open("/proc/thread-self/schedstat") as counters:
            queued_ns = int(counters.read().split()[1])
        return time.monotonic_ns() - time.thread_time_ns() - queued_ns
    before = used()
    result = call(*words)
    return result, (used() - before) * 1e-9


def serve(role: str, cause: str, folder: str, ready: int, above: socket.socket, below: socket.socket | None) -> None:
    lock = os.open(os.path.join(folder, "lock"), os.O_RDWR)
    blocks, idle = idle_s(blocks_of, folder) if role == "storage" and cause == "disk" else (None, 0.0)
    if cause == "hog" and role == "middle":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.write(ready, b"r")
    while above.recv(100):
        compute(0.01 if cause == "hog" and role == "middle" else 0.001)
        if cause == "lock" and role == "middle":
            idle += idle_s(take_lock, lock)[1]
            fcntl.flock(lock, fcntl.LOCK_UN)
        if blocks is not None:
            idle += idle_s(write_to_disk, blocks)[1]
        if below is not None:
            below.sendall(b"ask")
            below.recv(100)
        above.sendall(b"answer")
    if idle:
        with open(os.path.join(folder, "witness"), "w") as witness:
            witness.write(str(idle))


def hold(folder: str, ready: int, above: socket.socket) -> None:
    os.write(ready, b"r")
    lock = os.open(os.path.join(folder, "lock"), os.O_RDWR)
    above.setblocking(False)
    while True:
        try:
            if not above.recv(1):
                return
        except BlockingIOError:
            pass
        fcntl.flock(lock, fcntl.LOCK_EX)
        time.sleep(WAIT_S)
        fcntl.flock(lock, fcntl.LOCK_UN)
        time.sleep(0.002)


def ask(requests: int, below: socket.socket) -> None:
    for _ in range(requests):
        below.sendall(b"ask")
        below.recv(100)


def start(folder: str, role: str, cause: str, ready: int, *sockets: socket.socket) -> subprocess.Popen[bytes]:
    """A program of this name."""
    path = os.path.join(folder, role)
    if not os.path.exists(path):
        os.symlink(sys.executable, path)
    fds = [ready, *(end.fileno() for end in sockets)]
    return subprocess.Popen([path, __file__, role, cause, folder, *map(str, fds)], pass_fds=fds)


def main() -> None:
    cause, folder, requests = sys.argv[2], sys.argv[3], int(sys.argv[4])
    open(os.path.join(folder, "lock"), "w").close()
    to_front, front = socket.socketpair()
    to_middle, middle = socket.socketpair()
    to_storage, storage = socket.socketpair()
    to_holder, holder = socket.socketpair()
    is_ready, ready = os.pipe()
    children = [start(folder, "storage", cause, ready, storage), start(folder, "middle", cause, ready, middle, to_storage),
                start(folder, "front", cause, ready, front, to_middle)]
    if cause == "lock":
        children.append(start(folder, "holder", cause, ready, holder))
    for end in (front, to_middle, middle, to_storage, storage, holder):
        end.close()
    for _ in children:
        os.read(is_ready, 1)
    # The client has no beginning of an interpreter in its life.
    client = os.fork()
    if client == 0:
        ask(requests, to_front)
        os._exit(0)
    to_front.close()
    os.waitpid(client, 0)
    to_holder.close()
    for child in children:
        child.wait()


if __name__ == "__main__":
    if sys.argv[1] == "main":
        main()
    else:
        role, cause, folder, ready = sys.argv[1:5]
        ends = [socket.socket(fileno=int(number)) for number in sys.argv[5:]]
        if role == "holder":
            hold(folder, int(ready), ends[0])
        else:
            serve(role, cause, folder, int(ready), ends[0], ends[1] if len(ends) > 1 else None)
