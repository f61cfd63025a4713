#!/usr/bin/env python3
"""A server and a client with many connections, each of which ends right after its last operation.

    brief_connections.py COUNT UNSEEN

The client sends 100 bytes and closes when it has 101; the server is told so by the end of the stream. The first UNSEEN
connections also send 50 bytes last by asynchronous I/O, which the meter does not record.
"""

import os
import socket
import sys

from asynchronous_io import AsynchronousIo

REQUEST_BYTES, UNSEEN_BYTES = 100, 50


def answer(connection: socket.socket) -> None:
    try:
        while request := connection.recv(1000):
            connection.send(request + b"!")
    except OSError:
        pass  # the client does not wait for the answer to what it sent last


def main() -> None:
    count, unseen = int(sys.argv[1]), int(sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        for _ in range(count):
            connection, _ = listener.accept()
            with connection:
                answer(connection)
        os._exit(0)
    writer = AsynchronousIo() if unseen > 0 else None
    for number in range(count):
        with socket.create_connection(listener.getsockname()) as connection:
            connection.send(b"x" * REQUEST_BYTES)
            connection.recv(1000)
            if writer is not None and number < unseen:
                writer.write(connection.fileno(), b"u" * UNSEEN_BYTES)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
