"""What the programs that move bytes have in common."""

import ctypes
import os
import socket
from collections.abc import Callable

C = ctypes.CDLL(None, use_errno=True)

SEEN: dict[str, Callable[[], None]] = {}
# A source may not see these; then it has to say so, or the audit finds it.
HIDDEN: dict[str, Callable[[], None]] = {}


def seen(play: Callable[[], None]) -> Callable[[], None]:
    SEEN[play.__name__] = play
    return play


def hidden(play: Callable[[], None]) -> Callable[[], None]:
    HIDDEN[play.__name__] = play
    return play


def in_child(play: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        play()
        os._exit(0)
    return pid


def take_all(taken_from: socket.socket) -> int:
    taken = 0
    while part := taken_from.recv(50_000):
        taken += len(part)
    return taken


def tcp_pair(family: int = socket.AF_INET, host: str = "127.0.0.1") -> tuple[socket.socket, socket.socket]:
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.bind((host, 0))
        listener.listen()
        client = socket.socket(family, socket.SOCK_STREAM)
        client.connect(listener.getsockname())
        return client, listener.accept()[0]
