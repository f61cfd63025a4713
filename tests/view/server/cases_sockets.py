"""WebSockets: handshakes, sizes, protocol errors, viewers that do not read."""
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from asking import counted, served_with
from viewer import BINARY, CLOSE, Closed, PING, PONG, Server, TEXT, Viewer, wait_until


def closed_with(viewer: Viewer) -> int | None:
    """The code with which the server closes; None if the connection just ends."""
    try:
        while True:
            viewer.receive()
    except Closed as closed:
        return closed.code
    except (EOFError, ConnectionError):
        return None


def case_socket_handshakes(server: Server) -> None:
    """What is not a right handshake is refused."""
    wrong: list[dict[str, str | None]] = [{"Upgrade": "h2c"}, {"Sec-WebSocket-Version": "8"}, {"Sec-WebSocket-Key": None}, {"Upgrade": None},
                                          {"Connection": "close"}]
    for headers in wrong:
        counted(server, "malformed", lambda: Viewer(server, **headers).close())
        assert Viewer(server, **headers).response.status in (400, 426), headers
    early = server.request("socket", Origin=server.origin, Upgrade="websocket", Connection="Upgrade",
                           Sec_WebSocket_Version="13", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==") + b"\x81\x80abcd"
    counted(server, "malformed", lambda: server.exchange(early))


def case_no_compression(server: Server) -> None:
    """Compression is not agreed on: its memory would be the viewer's choice."""
    viewer = Viewer(server, **{"Sec-WebSocket-Extensions": "permessage-deflate"})
    assert viewer.response.status == 101 and "sec-websocket-extensions" not in viewer.response.headers


def case_large_messages(server: Server) -> None:
    """A viewer's message has at most 64 kB, in one frame or in many."""
    assert Viewer(server).answer("echo", text="x" * 60_000)["answer"]["params"]["text"] == "x" * 60_000
    one = Viewer(server)
    counted(server, "message", lambda: one.send(b"x" * 70_000))
    assert closed_with(one) in (1009, None)
    announced = Viewer(server)
    counted(server, "message", lambda: announced.connection.sendall(struct.pack("!BBQ", 0x81, 0xFF, 1 << 40) + b"mask"))
    many = Viewer(server)

    def fragments() -> None:
        many.send(b"x" * 1000, first=TEXT)
        try:
            for _ in range(200):
                many.send(b"x" * 1000, first=0)
        except OSError:
            return
    counted(server, "message", fragments)


def case_socket_protocol(server: Server) -> None:
    """Errors of the protocol end the WebSocket, and are counted."""
    def broken(data: Callable[..., Any]) -> None:
        viewer = Viewer(server)
        counted(server, "malformed", lambda: viewer.connection.sendall(data(viewer)))
        assert closed_with(viewer) in (1002, 1007, None), data

    broken(lambda viewer: viewer.frame(b"{}", masked=False))
    broken(lambda viewer: viewer.frame(b"{}", first=0xC1))  # a reserved bit
    broken(lambda viewer: viewer.frame(b"{}", first=0x83))  # a reserved opcode
    broken(lambda viewer: viewer.frame(b"{}", first=0x80))  # goes on with nothing
    broken(lambda viewer: viewer.frame(b"{", first=TEXT) + viewer.frame(b"}", first=0x81))  # begins within another
    broken(lambda viewer: viewer.frame(b"x" * 126, opcode=PING))  # too long
    broken(lambda viewer: viewer.frame(b"", first=PING))  # in fragments
    broken(lambda viewer: viewer.frame(b"\xff\xfe"))  # not UTF-8
    broken(lambda viewer: viewer.frame(b"\x03", opcode=CLOSE))  # half a code
    broken(lambda _: b"GET / HTTP/1.1\r\n\r\n")


def case_messages_that_are_not_requests(server: Server) -> None:
    """What cannot be read has no id to be answered with: the WebSocket is closed with a reason."""
    for data in (b"", b"hello", b"[]", b"{}", b'{"id":1}', b'{"id":-1,"request":"echo"}', b'{"id":1,"request":"\\u0000"}',
                 b"[" * 60_000, b'{"id":1,"request":"echo"'):
        viewer = Viewer(server)
        if data:
            counted(server, "request", lambda: viewer.send(data))
        else:
            counted(server, "request", lambda: viewer.send(b"{}", opcode=BINARY))
        try:
            viewer.receive()
            raise AssertionError(f"{data!r} was answered")
        except Closed as closed:
            assert closed.code == 1008 and closed.reason, (data, closed)


def case_pings(server: Server) -> None:
    """Pings are answered, also many of them, and between fragments."""
    viewer = Viewer(server)
    viewer.send(b'{"id":1,', first=TEXT)
    viewer.send(b"are you there", opcode=PING)
    viewer.send(b'"request":"echo"}', first=0x80)
    assert viewer.receive_answer()["id"] == 1
    flood = viewer.frame(b"x" * 125, opcode=PING) * 2000
    thread = threading.Thread(target=viewer.connection.sendall, args=(flood,))
    thread.start()
    assert viewer.answer("echo")["answer"] == {"params": {}}
    thread.join()


def case_too_many_requests(server: Server) -> None:
    """Of a viewer 64 requests may be open; each further one gets an error, and each gets one answer."""
    viewer = Viewer(server)
    before = server.refused("open_requests")
    ids = [viewer.ask("slow", ms=20)] + [viewer.ask("later", ms=200) for _ in range(99)]
    answers = [viewer.receive_answer() for _ in ids]
    assert sorted(answer["id"] for answer in answers) == ids
    errors = [answer["error"] for answer in answers if "error" in answer]
    assert 0 < len(errors) <= 100 - 64 and "are open" in errors[0], errors
    assert server.refused("open_requests") == before + len(errors)
    assert viewer.answer("echo")["answer"] == {"params": {}}


@served_with("--short-limits")
def case_viewer_that_never_reads(server: Server) -> None:
    """It costs bounded memory, gets no ticks, and is dropped."""
    viewers = [Viewer(server, receive_buffer=4096) for _ in range(20)]
    before, skipped = server.refused("unread"), server.metric("dpm_page_ticks_skipped_total")
    resident = server.resident_kb()

    def flood(viewer: Any) -> None:
        try:
            for _ in range(5000):
                viewer.ask("large", bytes=1_000_000)
        except OSError:
            return
    threads = [threading.Thread(target=flood, args=(viewer,)) for viewer in viewers]
    for thread in threads:
        thread.start()
    for _ in range(10):
        server.tick()
        time.sleep(0.02)
    # Dropped, unless its requests are still being answered.
    wait_until(lambda: server.refused("unread") >= before + 20, "20 viewers that read nothing are dropped")
    for thread in threads:
        thread.join()
    grown = server.resident_kb("VmHWM") - resident
    # 20 viewers, each with 1 MB unsent, 8 answers under way, and its requests.
    print(f"  the server grew by {grown / 1024:.0f} MB at most")
    assert grown < 20 * 12 * 1024, grown
    wait_until(lambda: server.resident_kb() - resident < grown / 3, "the kernel has most of the memory back")
    assert server.metric("dpm_page_ticks_skipped_total") > skipped


@served_with("--short-limits")
def case_slow_reader(server: Server) -> None:
    """A viewer that reads slowly but goes on reading gets the whole of a large answer."""
    viewer = Viewer(server, receive_buffer=65536)
    viewer.ask("large", bytes=3_000_000)
    received = 0
    while received < 3_000_000:
        piece = viewer.connection.recv(16384)
        assert piece, f"it was dropped after {received} bytes"
        received += len(piece)
        time.sleep(0.02)


@served_with("--short-limits")
def case_half_open(server: Server) -> None:
    """A viewer that has gone without a word is noticed: it does not answer pings."""
    silent = Viewer(server)
    before = server.refused("unread")
    wait_until(lambda: server.refused("unread") >= before + 1, "the silent viewer is dropped")
    try:
        while silent.connection.recv(4096):
            pass
    except ConnectionError:
        pass
    answering = Viewer(server)
    end = time.monotonic() + 5
    answering.connection.settimeout(0.1)
    pongs = 0
    while time.monotonic() < end:
        try:
            first, length = answering.connection.recv(2)
        except TimeoutError:
            continue
        assert first == 0x80 | PING and length == 0
        answering.send(b"", opcode=PONG)
        pongs += 1
    answering.connection.settimeout(30)
    assert pongs > 0 and answering.answer("echo")["answer"] == {"params": {}}


def case_resets(server: Server) -> None:
    """Connections that end at every point leave nothing behind."""
    before = server.descriptors()
    whole = server.request("socket", Origin=server.origin, Upgrade="websocket", Connection="Upgrade",
                           Sec_WebSocket_Version="13", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==")
    for length in range(0, len(whole) + 1, 5):
        for linger in (struct.pack("ii", 1, 0), struct.pack("ii", 0, 0)):
            connection = server.connect()
            connection.setsockopt(1, 13, linger)  # SOL_SOCKET, SO_LINGER: with a reset, and without
            connection.sendall(whole[:length])
            connection.close()
    for _ in range(50):
        viewer = Viewer(server)
        viewer.ask("large", bytes=1_000_000)
        viewer.ask("later", ms=10)
        viewer.close()
    wait_until(lambda: server.metric("dpm_page_connections") == 2, "all connections have ended")
    assert server.descriptors() <= before + 1
