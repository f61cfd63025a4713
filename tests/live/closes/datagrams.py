#!/usr/bin/env python3
"""A process that sends datagrams to another, over UDP on this machine.

    datagrams.py answered COUNT    each is answered before the next is sent
    datagrams.py flood COUNT       all are sent before one is read, into a buffer that is too small for them
    datagrams.py unseen COUNT      the first three are received by asynchronous I/O, which the meter does not record
"""

import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from asynchronous_io import AsynchronousIo

UNSEEN = 3
SMALL_BUFFER_BYTES = 4096


def in_child(work: Callable[..., Any]) -> int:
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return child


def answered(count: Any) -> Any:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))

    def answer() -> None:
        for _ in range(count):
            data, client = server.recvfrom(1000)
            server.sendto(data, client)

    child = in_child(answer)
    name = server.getsockname()
    server.close()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        for _ in range(count):
            client.sendto(b"x" * 100, name)
            client.recv(1000)
    os.waitpid(child, 0)
    return count


def receive_all(receiver: socket.socket, unseen: int) -> int:
    """Reads what is there; the number of datagrams."""
    received = 0
    try:
        while True:
            if received < unseen:
                AsynchronousIo().read(receiver.fileno(), 1000)
            else:
                receiver.recv(1000)
            received += 1
    except BlockingIOError:
        return received


def at_once(count: Any, buffer_bytes: int | None = None, unseen: int = 0) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        if buffer_bytes:
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        receive_all(receiver, 0)  # it is there

        def send() -> None:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                for _ in range(count):
                    sender.sendto(b"x" * 100, receiver.getsockname())

        os.waitpid(in_child(send), 0)
        return receive_all(receiver, unseen)


def main() -> None:
    count = int(sys.argv[2])
    ways: dict[str, Callable[[int], object]] = {
        "answered": answered,
        "flood": lambda count: at_once(count, buffer_bytes=SMALL_BUFFER_BYTES),
        "unseen": lambda count: at_once(count, unseen=UNSEEN),
    }
    print(ways[sys.argv[1]](count))


if __name__ == "__main__":
    main()
