"""What check_lives.py meters: programs whose processes, threads and connections come and go. Each prints what it did as JSON.

    lives.py SCENE
"""

import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)


def in_child(work: Callable[..., Any]) -> int:
    """Forks; the child does `work` and ends."""
    if child := os.fork():
        return child
    work()
    os._exit(0)


def short() -> dict[str, Any]:
    """5,000 processes, one after the other, that write a byte and end."""
    loop = "i=0; while [ $i -lt 5000 ]; do (printf x); i=$((i + 1)); done"
    return {"received": len(subprocess.run(["sh", "-c", loop], stdout=subprocess.PIPE, check=True).stdout), "processes": 5002}


def connections() -> dict[str, Any]:
    """1,000 connections, one after the other, of 10 bytes there and 10 back."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        def serve() -> None:
            for _ in range(1000):
                accepted, _ = listener.accept()
                with accepted:
                    accepted.sendall(accepted.recv(10, socket.MSG_WAITALL))
        child, got = in_child(serve), 0
        for _ in range(1000):
            with socket.create_connection(listener.getsockname()) as own:
                own.sendall(b"x" * 10)
                got += len(own.recv(10, socket.MSG_WAITALL))
        os.waitpid(child, 0)
    return {"received": 2 * got, "connections": 1000}


def chains() -> Any:
    """A program that becomes another twenty times, and then writes a byte."""
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    step = 'n=$1; [ "$n" = 0 ] && { printf x >&$2; exit; }; exec sh -c "$0" "$0" $((n - 1)) $2'
    child = in_child(lambda: os.execvp("sh", ["sh", "-c", step, step, "19", str(writer)]))
    os.close(writer)
    got = len(os.read(reader, 10))
    os.waitpid(child, 0)
    return {"received": got, "programs": 20, "child": child}


def orphans() -> dict[str, Any]:
    """100 times a child that ends when it has a child: that one writes a byte, when no process waits for it."""
    reader, writer = os.pipe()
    for _ in range(100):
        os.waitpid(in_child(lambda: in_child(lambda: os.write(writer, b"x"))), 0)
    os.close(writer)
    got = 0
    while part := os.read(reader, 1000):
        got += len(part)
    return {"received": got, "processes": 201}


def vforks() -> dict[str, Any]:
    """Python starts a program by vfork() where it can."""
    got = 0
    for _ in range(100):
        got += len(subprocess.run(["printf", "x"], stdout=subprocess.PIPE, check=True, close_fds=False).stdout)
    return {"received": got, "processes": 101, "programs": 100}


def threads() -> dict[str, Any]:
    """1,000 threads, ten at a time, that write a byte to one that stays."""
    reader, writer = os.pipe()
    for _ in range(100):
        some = [threading.Thread(target=os.write, args=(writer, b"x")) for _ in range(10)]
        for thread in some:
            thread.start()
        for thread in some:
            thread.join()
    return {"received": len(os.read(reader, 2000)), "threads": 1001}


class CloneArguments(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("flags", "pidfd", "child_tid", "parent_tid", "exit_signal", "stack", "stack_size",
                                                     "tls", "set_tid", "set_tid_size", "cgroup")]


def fork_as(pid: int, work: Callable[..., Any]) -> Any:
    """clone3() with a number that was free a moment ago; 0: another process has it."""
    number = ctypes.c_int32(pid)
    arguments = CloneArguments(exit_signal=17, set_tid=ctypes.addressof(number), set_tid_size=1)
    child = libc.syscall(435, ctypes.byref(arguments), ctypes.sizeof(arguments))
    if child == 0:
        work()
        os._exit(0)
    return max(child, 0)


def numbers() -> dict[str, Any]:
    """Two processes of one number, one after the other, that write 10 and 20 bytes."""
    reader, writer = os.pipe()
    for _ in range(100):
        first = in_child(lambda: os.write(writer, b"x" * 10))
        os.waitpid(first, 0)
        if second := fork_as(first, lambda: os.write(writer, b"x" * 20)):
            os.waitpid(second, 0)
            os.close(writer)
            got = 0
            while part := os.read(reader, 1000):
                got += len(part)
            return {"received": got, "number": first}
    raise RuntimeError("no number could be had twice")


def namespace() -> dict[str, Any]:
    """What runs in a network namespace of its own, as process 1 of a pid namespace (check_lives.py starts it so)."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with socket.create_server(("127.0.0.1", 7)) as listener:
        def serve() -> None:
            accepted, _ = listener.accept()
            accepted.sendall(accepted.recv(10, socket.MSG_WAITALL))
        child = in_child(serve)
        with socket.create_connection(("127.0.0.1", 7)) as own:
            own.sendall(b"x" * 10)
            got = len(own.recv(10, socket.MSG_WAITALL))
        os.waitpid(child, 0)
    return {"received": 2 * got, "own_pid": os.getpid(), "child": child}


def forger() -> dict[str, Any]:
    """Names that are those of others, or would do something to a terminal; and 3,000 names of sockets."""
    for name in (b"postgres#2", b"\x1b[2Jwiped", b"\x1b]0;title\x07"):
        def work() -> None:
            libc.prctl(15, name, 0, 0, 0)  # PR_SET_NAME
            in_child(lambda: os.write(writer, b"x"))
            os.wait()
        reader, writer = os.pipe()
        os.waitpid(in_child(work), 0)
        os.read(reader, 1)
    for number in range(3000):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
            one.bind(b"\0\x1b[2J\xff" + str(number).encode())
            other.sendto(b"x", one.getsockname())
            one.recv(1)
    return {}


def flood() -> dict[str, Any]:
    """As many records as it can make: each thread sends to itself for a while."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    sent = 0
    for _ in range(300_000):
        sent += ends[0].send(b"x")
        ends[1].recv(1)
    return {"received": sent}


if __name__ == "__main__":
    # Without a line's end, which would be a SEND of one byte.
    sys.stdout.write(json.dumps({scene.__name__: scene for scene in (short, connections, chains, orphans, vforks, threads, numbers, namespace,
                                                                     forger, flood)}[sys.argv[1]]()))
