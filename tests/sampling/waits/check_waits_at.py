#!/usr/bin/python3
"""check_waits_at.py DPM: dpm sample --waits says at which descriptors a program waits, and which processes have the other ends.

Each program prints its descriptors itself. Its peer is a program of another name, so that a wrong peer is noticed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

PROGRAM = """
import os, select, signal, socket, sys, threading, time
how, number = sys.argv[1], int(sys.argv[2])
other = lambda: socket.socket(fileno=number)
def tells(*descriptors):
    print(*sorted(descriptors), flush=True)
if how == "pipe":
    tells(number); os.read(number, 1)
elif how == "unix":
    tells(number); other().recv(1)
elif how == "tcp":
    connection = socket.create_connection(("127.0.0.1", number))
    tells(connection.fileno()); connection.recv(1)
elif how == "listens":
    listener = socket.create_server(("127.0.0.1", 0))
    tells(listener.fileno()); listener.accept()
elif how in ("poll", "select", "epoll"):
    a, b = socket.socketpair()
    wanted = (a.fileno(), number)
    if how == "poll":
        poll = select.poll()
        for one in wanted: poll.register(one, select.POLLIN)
        tells(*wanted); poll.poll()
    elif how == "select":
        tells(*wanted); select.select(wanted, [], [])
    else:
        epoll = select.epoll()
        for one in wanted: epoll.register(one)
        epoll.modify(a.fileno(), select.EPOLLIN); epoll.modify(number, select.EPOLLIN)
        tells(*wanted); epoll.poll()
elif how == "peer":
    if number < 0:
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        kept, _ = listener.accept()
        listener.close()
    time.sleep(1000)
"""
# How it waits: the state, and which processes have the other ends.
EXPECTED = {
    "pipe": ("pipe_read", ["peer"]),
    "unix": ("unix_read", ["peer"]),
    "tcp": ("inet_read", ["peer"]),
    "listens": ("inet_read", ["new connections to"]),
    "poll": ("select", ["itself", "peer"]),
    "select": ("select", ["itself", "peer"]),
    "epoll": ("select", ["itself", "peer"]),
}


def start(folder: Any, name: str, how: str, number: int, *pass_fds: Any) -> subprocess.Popen[str]:
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        os.symlink(sys.executable, path)
    return subprocess.Popen([path, "-c", PROGRAM, how, str(number)], pass_fds=pass_fds, stdout=subprocess.PIPE, text=True)


def channel(how: Any) -> tuple[int, int] | None:
    """The waiter's end and the peer's; for TCP none, because the peer makes it."""
    import socket
    if how == "pipe":
        return os.pipe()
    if how in ("tcp", "listens"):
        return None
    ends = socket.socketpair()
    return ends[0].detach(), ends[1].detach()


def waiting(folder: str, how: Any) -> Any:
    ends = channel(how)
    peer = start(folder, "peer", "peer", ends[1] if ends else -1, *(ends[1:] if ends else ()))
    assert peer.stdout
    number = ends[0] if ends else int(peer.stdout.readline())
    waiter = start(folder, how, how, number, *(ends[:1] if ends else ()))
    assert waiter.stdout
    descriptors = ", ".join(waiter.stdout.readline().split())
    for end in ends or ():
        os.close(end)
    return peer, waiter, descriptors


def check(dpm: str, folder: str, how: str, source: Any) -> str | None:
    peer, waiter, descriptors = waiting(folder, how)
    try:
        time.sleep(0.2)
        done = subprocess.run([dpm, "sample", "--of", "pid", str(waiter.pid), "--waits", "-i", "0.02", "--for", "0.5", "--json", "--source", source],
                              capture_output=True, text=True, timeout=60)
    finally:
        for program in (waiter, peer):
            program.kill()
            program.wait()
    if done.returncode != 0:
        return None if source == "iterator" else f"dpm sample failed: {done.stderr}"
    first = json.loads(done.stdout)["waits"][0]
    state, others = EXPECTED[how]
    found = [" ".join(other.split()[:3]) if other.startswith("new ") else other for other in first["other_ends"]]
    if (first["process"], first["state"], first["descriptors"], found) != (how, state, descriptors, others):
        return f"expected {(how, state, descriptors, others)}, found {first}"
    return None


def main() -> None:
    dpm = os.path.realpath(sys.argv[1])
    wrong = []
    with tempfile.TemporaryDirectory(prefix="dpm-waits-") as folder:
        for source in ("proc", "iterator"):
            for how in EXPECTED:
                if complaint := check(dpm, folder, how, source):
                    wrong.append(f"{how}, from {source}: {complaint}")
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
