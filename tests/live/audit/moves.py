#!/usr/bin/env python3
"""Programs that move bytes, one for each kind of object and call: `moves.py NAME` plays one."""

import array
import contextlib
import ctypes
import os
import select
import socket
import struct
import sys
import tempfile
import threading
from collections.abc import Callable

sys.dont_write_bytecode = True

import transfers  # noqa: F401 (its programs are in SEEN and HIDDEN)
from playing import C, HIDDEN, SEEN, hidden, in_child, seen, take_all, tcp_pair

PARTS = [1, 100, 4096, 70_000, 300_000]


def stream(sender: socket.socket, receiver: socket.socket) -> None:
    def play() -> None:
        sender.close()
        assert take_all(receiver) == sum(PARTS)
        receiver.sendall(b"done")
        receiver.close()

    child = in_child(play)
    receiver.close()
    for part in PARTS:
        sender.sendall(b"x" * part)
    sender.shutdown(socket.SHUT_WR)
    assert take_all(sender) == 4
    sender.close()
    assert os.waitpid(child, 0)[1] == 0


@seen
def tcp() -> None:
    stream(*tcp_pair())


@seen
def tcp6() -> None:
    stream(*tcp_pair(socket.AF_INET6, "::1"))


@seen
def many_connections() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)

        def serve() -> None:
            for _ in range(50):
                with listener.accept()[0] as connection:
                    connection.sendall(connection.recv(1000)[::-1])

        child = in_child(serve)
        for size in range(1, 51):
            with socket.create_connection(listener.getsockname()) as connection:
                connection.sendall(b"y" * size)
                assert take_all(connection) == size
        os.waitpid(child, 0)


@seen
def udp_in_segments() -> None:
    """The kernel divides messages into datagrams, by an option of the socket or of the message, and merges them again for a receiver."""
    udp_segment, udp_gro, segment_bytes = 103, 104, 100
    with socket.socket(type=socket.SOCK_DGRAM) as receiver, socket.socket(type=socket.SOCK_DGRAM) as sender:
        receiver.bind(("127.0.0.1", 0))
        sender.connect(receiver.getsockname())

        def take(number: int) -> None:
            assert sum(len(receiver.recv(2000)) for _ in range(number)) == 950

        sender.sendmsg([b"m" * 950], [(socket.IPPROTO_UDP, udp_segment, struct.pack("H", segment_bytes))])
        take(10)
        sender.setsockopt(socket.IPPROTO_UDP, udp_segment, segment_bytes)
        sender.send(b"s" * 950)
        take(10)
        receiver.setsockopt(socket.IPPROTO_UDP, udp_gro, 1)
        sender.send(b"g" * 950)
        data, control, _, _ = receiver.recvmsg(2000, socket.CMSG_SPACE(4))
        assert len(data) == 950 and control
        merged: list[Callable[[int], bytes]] = [receiver.recv, lambda room: receiver.recvfrom(room)[0],
                                                lambda room: os.read(receiver.fileno(), room)]
        for take_merged in merged:
            sender.send(b"h" * 950)
            assert len(take_merged(2000)) == 950


@seen
def unix_stream_that_is_full() -> None:
    """A sender that does not wait, of more than fits, beside a receiver; then one whose time limit ends."""
    one, other = socket.socketpair()

    def take() -> None:
        one.close()
        while other.recv(4096):
            pass

    one.setblocking(False)
    child = in_child(take)
    other.close()
    sent = 0
    for part in [50_000, 300_000, 100_000, 1000] * 20:
        select.select([], [one], [])
        sent += one.send(b"f" * part)
    one.close()
    assert os.waitpid(child, 0)[1] == 0
    one, other = socket.socketpair()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, 100_000))
    assert 0 < one.send(b"t" * 1_000_000) < 1_000_000
    other.recv(1000)


@seen
def tcp_by_calls_of_files() -> None:
    one, other = tcp_pair()
    for part in PARTS:
        sent = threading.Thread(target=lambda: other.sendall(b"z" * part))
        sent.start()
        taken = 0
        while taken < part:
            taken += len(os.read(one.fileno(), 30_000))
        sent.join()
    os.writev(one.fileno(), [b"a" * 10, b"b" * 20])
    assert len(other.recv(30, socket.MSG_WAITALL)) == 30
    one.sendmsg([b"c" * 100, b"d" * 3])
    assert other.recv(50, socket.MSG_PEEK) == b"c" * 50
    room = [bytearray(60), bytearray(43)]
    assert other.recvmsg_into(room)[0] == 103


@seen
def tcp_left_unread() -> None:
    one, other = tcp_pair()
    one.sendall(b"e" * 5000)
    assert len(other.recv(2000)) == 2000
    other.close()
    one.close()


@seen
def unix_stream() -> None:
    stream(*socket.socketpair())


@seen
def unix_by_calls_of_files() -> None:
    one, other = socket.socketpair()
    for size in (1, 1000, 30_000):
        os.write(one.fileno(), b"g" * size)
        taken = 0
        while taken < size:
            taken += len(os.read(other.fileno(), 7000))


@seen
def passed_descriptors() -> None:
    one, other = socket.socketpair()
    from_end, to_end = os.pipe()
    socket.send_fds(one, [b"hhh"], [to_end])
    data, passed, _, _ = socket.recv_fds(other, 10, 1)
    assert data == b"hhh"
    os.write(passed[0], b"through it")
    assert os.read(from_end, 100) == b"through it"


@seen
def unix_datagrams() -> None:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for size in (0, 1, 1000, 20_000):
        one.send(b"i" * size)
        assert len(other.recv(30_000)) == size


@seen
def unix_packets() -> None:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for size in (1, 1000, 20_000):
        one.send(b"j" * size)
        assert len(other.recv(30_000)) == size


@seen
def udp() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as one, socket.socket(type=socket.SOCK_DGRAM) as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        for size in (0, 1, 1000, 20_000):
            one.sendto(b"k" * size, other.getsockname())
            data, sender = other.recvfrom(30_000)
            assert len(data) == size
            other.sendto(data[:5], sender)
            one.recv(100)


@seen
def pipes() -> None:
    from_end, to_end = os.pipe()

    def play() -> None:
        os.close(to_end)
        while os.read(from_end, 9000):
            pass

    child = in_child(play)
    os.close(from_end)
    for part in PARTS:
        os.write(to_end, b"l" * part)
    os.close(to_end)
    os.waitpid(child, 0)


@seen
def pipes_that_do_not_wait() -> None:
    from_end, to_end = os.pipe()
    os.set_blocking(to_end, False)
    os.set_blocking(from_end, False)
    for _ in range(3):
        written = 0
        while True:
            try:
                written += os.write(to_end, b"m" * 50_000)
            except BlockingIOError:
                break
        while written:
            written -= len(os.read(from_end, 8192))
    try:
        os.read(from_end, 1)
    except BlockingIOError:
        pass


@seen
def fifo() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/fifo"
        os.mkfifo(path)

        def play() -> None:
            with open(path, "wb") as to:
                to.write(b"o" * 100_000)

        child = in_child(play)
        with open(path, "rb") as come:
            assert len(come.read()) == 100_000
        os.waitpid(child, 0)


@seen
def eventfd() -> None:
    counter = os.eventfd(0)  # type: ignore[attr-defined]
    os.eventfd_write(counter, 7)  # type: ignore[attr-defined]
    os.eventfd_write(counter, 30)  # type: ignore[attr-defined]
    assert os.eventfd_read(counter) == 37  # type: ignore[attr-defined]


def add_and_take(counter: int, by_threads: bool, take: Callable[[], int]) -> None:
    """Several add, and one takes meanwhile what is there."""
    writers, writes = 4, 150

    def add() -> None:
        for at in range(writes):
            os.eventfd_write(counter, 1 + at % 3)  # type: ignore[attr-defined]

    adding = [threading.Thread(target=add) for _ in range(writers)] if by_threads else []
    children = [] if by_threads else [in_child(add) for _ in range(writers)]
    for one in adding:
        one.start()
    taken = 0
    while taken < writers * 2 * writes:
        taken += take()
    assert taken == writers * 2 * writes
    os.set_blocking(counter, False)
    with contextlib.suppress(BlockingIOError):
        os.eventfd_read(counter)  # type: ignore[attr-defined] # what the last read took shows by the next look
    for one in adding:
        one.join()
    for child in children:
        os.waitpid(child, 0)


@seen
def eventfd_of_several() -> None:
    for by_threads in (True, False):
        counter = os.eventfd(0)  # type: ignore[attr-defined]
        add_and_take(counter, by_threads, lambda: int(os.eventfd_read(counter)))  # type: ignore[attr-defined]


@seen
def eventfd_that_does_not_wait() -> None:
    counter = os.eventfd(0, os.EFD_NONBLOCK)  # type: ignore[attr-defined]

    def take() -> int:
        try:
            return int(os.eventfd_read(counter))  # type: ignore[attr-defined]
        except BlockingIOError:
            return 0

    add_and_take(counter, True, take)


@seen
def eventfd_that_is_polled() -> None:
    counter = os.eventfd(0, os.EFD_NONBLOCK)  # type: ignore[attr-defined]
    waiting = select.poll()
    waiting.register(counter, select.POLLIN)

    def take() -> int:
        waiting.poll()
        return int(os.eventfd_read(counter))  # type: ignore[attr-defined]

    add_and_take(counter, False, take)


@seen
def threads() -> None:
    pairs = [socket.socketpair() for _ in range(8)]

    def echo(end: socket.socket) -> None:
        for _ in range(50):
            end.sendall(end.recv(200))

    serving = [threading.Thread(target=echo, args=(pair[1],)) for pair in pairs]
    for one in serving:
        one.start()
    for _ in range(50):
        for pair in pairs:
            pair[0].sendall(b"p" * 64)
        for pair in pairs:
            assert len(pair[0].recv(200)) == 64
    for one in serving:
        one.join()


@seen
def programs() -> None:
    assert os.system("seq 20000 | sort -rn | head -n 15000 | wc -c > /dev/null") == 0


@hidden
def poll() -> None:
    one, other = socket.socketpair()
    one.setblocking(False)
    waiting = select.poll()
    waiting.register(one, select.POLLIN)

    def send() -> None:
        for _ in range(20):
            other.sendall(b"q" * 10)

    child = in_child(send)
    taken = 0
    while taken < 200:
        waiting.poll()
        taken += len(one.recv(1000))
    os.waitpid(child, 0)


@hidden
def asynchronous_writes() -> None:
    setup, submit, events = 206, 209, 208
    from_end, to_end = os.pipe()
    context = ctypes.c_ulong(0)
    assert C.syscall(setup, 8, ctypes.byref(context)) == 0
    room = ctypes.create_string_buffer(b"t" * 2000, 2000)
    # struct iocb: a pwrite of the bytes at `room`
    operation = array.array("B", struct.pack("QIiHhIQQqQII", 0, 0, 0, 1, 0, to_end, ctypes.addressof(room), 2000, 0, 0, 0, 0))
    place = ctypes.c_void_p(operation.buffer_info()[0])
    for _ in range(10):
        assert C.syscall(submit, context, ctypes.c_long(1), ctypes.byref(place)) == 1
        done = ctypes.create_string_buffer(32)
        assert C.syscall(events, context, ctypes.c_long(1), ctypes.c_long(1), done, None) == 1
        assert len(os.read(from_end, 10_000)) == 2000


if __name__ == "__main__":
    {**SEEN, **HIDDEN}[sys.argv[1]]()
    if len(sys.argv) > 2:
        sys.exit(int(sys.argv[2]))
