"""zeromq_parts.py FRONT BACK REQUESTS: a broker (ROUTER and DEALER), three workers and a client."""

import hashlib
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import zmq

front, back, requests = map(int, sys.argv[1:])
WORKERS, END = 3, b"end"


def work() -> None:
    socket = zmq.Context().socket(zmq.REP)
    socket.connect(f"tcp://127.0.0.1:{back}")
    while (request := socket.recv()) != END:
        for _ in range(50):
            request = hashlib.sha256(request).digest()
        socket.send(request)
    socket.send(b"bye")
    socket.close(linger=1000)
    socket.context.term()


def broke() -> None:
    context = zmq.Context()
    sockets = [context.socket(zmq.ROUTER), context.socket(zmq.DEALER)]
    for socket, port in zip(sockets, (front, back)):
        socket.bind(f"tcp://127.0.0.1:{port}")
    zmq.proxy(*sockets)


def child(part: Callable[..., Any]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            part()
        finally:
            os._exit(0)
    return pid


workers = [child(work) for _ in range(WORKERS)]
broker = child(broke)
socket = zmq.Context().socket(zmq.REQ)
socket.connect(f"tcp://127.0.0.1:{front}")
answers = hashlib.sha256()
for number in range(requests):
    socket.send(b"request %d" % number)
    answers.update(socket.recv())
for _ in workers:
    socket.send(END)
    socket.recv()
for pid in workers:
    os.waitpid(pid, 0)
os.kill(broker, signal.SIGTERM)
os.waitpid(broker, 0)
print(answers.hexdigest())
os._exit(0)
