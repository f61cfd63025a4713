"""nats_client.py PORT MESSAGES: four subscribers in threads, and as many messages to each; prints what each got."""

import hashlib
import io
import socket
import sys
import threading
from typing import Any

port, messages = map(int, sys.argv[1:])
SUBSCRIBERS = 4
received = {}


def connect() -> Any:
    server = socket.create_connection(("127.0.0.1", port))
    lines = server.makefile("rb")
    lines.readline()
    server.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\nPING\r\n')
    wait_for_pong(lines)
    return server, lines


def wait_for_pong(lines: io.BufferedReader) -> None:
    while lines.readline() != b"PONG\r\n":
        pass


def subscribe(number: Any, ready: Any) -> None:
    server, lines = connect()
    server.sendall(b"SUB subject.%d 1\r\nPING\r\n" % number)
    wait_for_pong(lines)
    ready.release()
    digest = hashlib.sha256()
    for _ in range(messages):
        line = lines.readline()
        while line == b"PING\r\n":
            server.sendall(b"PONG\r\n")
            line = lines.readline()
        digest.update(lines.read(int(line.split()[-1]) + 2))
    received[number] = digest.hexdigest()


ready = threading.Semaphore(0)
threads = [threading.Thread(target=subscribe, args=[number, ready]) for number in range(SUBSCRIBERS)]
for thread in threads:
    thread.start()
for thread in threads:
    ready.acquire()
server, lines = connect()
for turn in range(messages):
    for number in range(SUBSCRIBERS):
        text = b"x%d-%d " % (number, turn) * (1 + turn % 9)
        server.sendall(b"PUB subject.%d %d\r\n%s\r\n" % (number, len(text), text))
server.sendall(b"PING\r\n")
wait_for_pong(lines)
for thread in threads:
    thread.join()
print(sorted(received.items()))
