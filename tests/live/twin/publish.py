# A broker that sends what is published to all who have subscribed by then, and an answer to the publisher.
import os
import select
import socket
from collections.abc import Callable
from typing import Any

SUBSCRIBERS, MESSAGES, SIZE = 3, 60, 8
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
children = []


def subscriber() -> None:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"SUBSCRIB")
    connection.recv(1)
    received = 0
    while received < MESSAGES * SIZE:
        received += len(connection.recv(65536))


def publisher() -> None:
    connection = socket.create_connection(("127.0.0.1", port))
    for number in range(MESSAGES):
        connection.sendall(b"P%07d" % number)
        connection.recv(1)


def broker() -> None:
    subscribers: list[socket.socket] = []
    open_connections = [listener]
    while len(open_connections) > 1 or not subscribers:
        for ready in select.select(open_connections, [], [])[0]:
            if ready is listener:
                open_connections.append(listener.accept()[0])
                continue
            data = ready.recv(SIZE)
            if not data:
                open_connections.remove(ready)
            elif data == b"SUBSCRIB":
                subscribers.append(ready)
                ready.sendall(b"+")
                if len(subscribers) == SUBSCRIBERS:
                    start(publisher)
            else:
                for one in subscribers:
                    one.sendall(data)
                ready.sendall(b"+")


def start(role: Callable[..., Any]) -> None:
    child = os.fork()
    if child == 0:
        role()
        os._exit(0)
    children.append(child)


for _ in range(SUBSCRIBERS):
    start(subscriber)
broker()
for child in children:
    os.waitpid(child, 0)
