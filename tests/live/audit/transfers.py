"""Programs that move bytes from one descriptor to another, or between a pipe and their memory: splice(), tee(), vmsplice(), sendfile()."""

import ctypes
import os
import socket
import tempfile
from collections.abc import Callable

from playing import C, hidden, in_child, seen, take_all, tcp_pair


@seen
def tcp_by_splice() -> None:
    """A proxy that passes on what comes while it does so."""
    (client, front), (back, server) = tcp_pair(), tcp_pair()

    def speak() -> None:
        for _ in range(40):
            client.sendall(b"p" * 1000)
        client.close()

    def take() -> None:
        back.close()
        assert take_all(server) == 40_000

    def take_alone() -> None:
        front.close()
        client.close()
        take()

    children = [in_child(speak), in_child(take_alone)]
    client.close()
    server.close()
    reading, writing = os.pipe()
    while passed := os.splice(front.fileno(), writing, 65536):  # type: ignore[attr-defined]
        while passed:
            passed -= os.splice(reading, back.fileno(), passed)  # type: ignore[attr-defined]
    back.close()
    for child in children:
        assert os.waitpid(child, 0)[1] == 0


@seen
def sendfile() -> None:
    one, other = tcp_pair()
    with tempfile.TemporaryFile() as file:
        file.write(b"f" * 100_000)
        file.flush()

        def take() -> None:
            one.close()
            take_all(other)

        child = in_child(take)
        other.close()
        place = 0
        while place < 100_000:
            place += os.sendfile(one.fileno(), file.fileno(), place, 40_000)
    one.close()
    os.waitpid(child, 0)


def file_of(size: int) -> int:
    file = os.open(tempfile.gettempdir(), os.O_TMPFILE | os.O_RDWR)
    assert os.pwrite(file, b"u" * size, 0) == size
    return file


def pipe_to_child(play: Callable[[int], None]) -> tuple[int, int]:
    """The end that is written, and the child that plays with the other."""
    from_end, to_end = os.pipe()

    def play_alone() -> None:
        os.close(to_end)
        play(from_end)

    child = in_child(play_alone)
    os.close(from_end)
    return to_end, child


def read_all(from_end: int, room: int = 40_000) -> int:
    taken = 0
    while part := os.read(from_end, room):
        taken += len(part)
    return taken


def splice_all(source: int, to: int, room: int) -> int:
    moved = 0
    while part := os.splice(source, to, room):  # type: ignore[attr-defined]
        moved += part
    return moved


@seen
def splice_asks_for_more() -> None:
    """Than is left in a file, or fits into the pipe."""

    def take(from_end: int) -> None:
        assert read_all(from_end) == 300_000

    to_end, child = pipe_to_child(take)
    assert splice_all(file_of(300_000), to_end, 1 << 20) == 300_000
    os.close(to_end)
    os.waitpid(child, 0)


@seen
def splice_into_a_full_pipe() -> None:
    from_end, to_end = os.pipe()
    os.set_blocking(from_end, False)
    os.set_blocking(to_end, False)
    file = file_of(300_000)
    for room in (5000, 30_000, 1 << 20):
        try:
            while os.splice(file, to_end, 50_000):  # type: ignore[attr-defined]
                pass
        except BlockingIOError:
            os.read(from_end, room)


@seen
def splice_from_a_busy_pipe() -> None:
    """From one that is written meanwhile into one that is read meanwhile."""
    first, second = os.pipe(), os.pipe()

    def speak() -> None:
        for end in (first[0], *second):
            os.close(end)
        for _ in range(200):
            os.write(first[1], b"v" * 3000)

    def take() -> None:
        for end in (*first, second[1]):
            os.close(end)
        assert read_all(second[0], 5000) == 600_000

    children = [in_child(speak), in_child(take)]
    os.close(first[1])
    os.close(second[0])
    assert splice_all(first[0], second[1], 65_536) == 600_000
    os.close(second[1])
    for child in children:
        os.waitpid(child, 0)


@seen
def splice_into_a_file() -> None:
    first, second = os.pipe()

    def speak() -> None:
        os.close(first)
        for _ in range(100):
            os.write(second, b"w" * 5000)

    child = in_child(speak)
    os.close(second)
    assert splice_all(first, file_of(1), 65_536) == 500_000
    os.waitpid(child, 0)


@seen
def splice_between_pipes_and_unix_streams() -> None:
    one, other = socket.socketpair()
    from_end, to_end = os.pipe()
    one.setblocking(False)
    other.setblocking(False)
    os.set_blocking(from_end, False)
    os.write(to_end, b"x" * 60_000)
    moved = splice_once(from_end, one.fileno(), 300_000)
    assert moved == 60_000
    moved = 0
    while moved < 60_000:
        part = splice_once(other.fileno(), to_end, 200_000)
        moved += part
        while part:
            part -= len(os.read(from_end, part))


def splice_once(source: int, to: int, room: int) -> int:
    return int(os.splice(source, to, room))  # type: ignore[attr-defined]


class Part(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


@seen
def vmsplice_of_more_than_fits() -> None:
    room = ctypes.create_string_buffer(b"y" * 300_000, 300_000)

    def take(from_end: int) -> None:
        assert read_all(from_end) == 300_000

    to_end, child = pipe_to_child(take)
    moved = 0
    while moved < 300_000:
        part = Part(ctypes.addressof(room) + moved, 300_000 - moved)
        moved += C.vmsplice(to_end, ctypes.byref(part), ctypes.c_ulong(1), 0)
    os.close(to_end)
    os.waitpid(child, 0)


@seen
def tee_into_a_full_pipe() -> None:
    first, second = os.pipe(), os.pipe()
    os.set_blocking(second[0], False)
    os.write(first[1], b"z" * 50_000)
    copied = 0
    for _ in range(3):
        copied += max(0, C.tee(first[0], second[1], ctypes.c_size_t(50_000), 2))
    assert copied < 150_000
    while copied:
        copied -= len(os.read(second[0], 20_000))


@seen
def splice() -> None:
    one, other = tcp_pair()
    from_end, to_end = os.pipe()
    one.sendall(b"n" * 10_000)
    moved = 0
    while moved < 10_000:
        part = os.splice(other.fileno(), to_end, 10_000)  # type: ignore[attr-defined]
        back = 0
        while back < part:
            back += os.splice(from_end, other.fileno(), part - back)  # type: ignore[attr-defined]
        moved += part
    other.shutdown(socket.SHUT_WR)
    assert take_all(one) == 10_000


@hidden
def vmsplice() -> None:
    from_end, to_end = os.pipe()
    room = ctypes.create_string_buffer(b"r" * 5000, 5000)
    part = Part(ctypes.addressof(room), 5000)
    assert C.vmsplice(to_end, ctypes.byref(part), ctypes.c_ulong(1), 0) == 5000
    assert len(os.read(from_end, 10_000)) == 5000


@hidden
def tee() -> None:
    first, second = os.pipe(), os.pipe()
    os.write(first[1], b"s" * 3000)
    assert C.tee(first[0], second[1], ctypes.c_size_t(10_000), 0) == 3000
    assert len(os.read(second[0], 10_000)) == len(os.read(first[0], 10_000)) == 3000
