"""HTTP from hostile clients: bodies, headers, garbage, slow and many connections."""
import os
import threading
import time
from typing import Any

from asking import counted, refusal, served_with
from viewer import Response, Server, Viewer, parse_metrics, read_all, read_response, wait_until


def case_bodies(server: Server) -> None:
    """Bodies are refused, chunked or not, before they are read."""
    refusal(server, "body", 413, Content_Length="5")
    refusal(server, "body", 413, Content_Length="99999999999")
    refusal(server, "body", 413, Transfer_Encoding="chunked")
    chunked = server.request(method="GET", Transfer_Encoding="chunked") + b"5\r\nhello\r\n0\r\n\r\n" + server.request("metrics")
    assert server.exchange(chunked).count(b"HTTP/1.1") == 1, "what follows a body is not a request"
    both = server.request(Transfer_Encoding="chunked", Content_Length="3") + b"abc"
    assert b" 200 " not in server.exchange(both)
    assert server.get(Content_Length="0").status == 200


def case_large_headers(server: Server) -> None:
    """A header has at most 8 kB."""
    assert server.get(X="x" * 7000).status == 200
    refusal(server, "header", 431, X="x" * 8192)
    refusal(server, "header", 431, target="/" + "a" * 8192)
    refusal(server, "header", 431, b"", **{f"X-{number}": "y" * 20 for number in range(400)})
    counted(server, "header", lambda: server.exchange(server.request(X="x" * 5_000_000)))
    counted(server, "header", lambda: server.exchange(b"x" * 5_000_000), 0)


def case_garbage(server: Server) -> None:
    """What is not HTTP is refused, in every form."""
    for data in (b"\0" * 100, b"hello\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET  / HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01",
                 b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\0\r\n\r\n",
                 b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        answer = b"nothing yet"

        def attack() -> None:
            nonlocal answer
            answer = server.exchange(data + b"\r\n\r\n")
        counted(server, "malformed", attack)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), (data, answer)
    for length in range(1, 400, 7):
        assert b" 200 " not in server.exchange(os.urandom(length) + b"\r\n\r\n")


def case_pipelining(server: Server) -> None:
    """Requests that come at once are answered in their order; refused ones end the connection."""
    with server.connect() as connection:
        connection.sendall(b"".join(server.request(f"api/echo?n={number}") for number in range(100)))
        for number in range(100):
            assert read_response(connection).json() == {"params": {"n": number}}
        connection.sendall(server.request("api/echo?n=1") + server.request("x") + server.request("api/echo?n=2"))
        assert [read_response(connection).status for _ in range(2)] == [200, 404]
        assert read_all(connection) == b""


def case_old_http(server: Server) -> None:
    """HTTP/1.0 works, with a Host, and without being kept; older forms do not."""
    old = server.request("api/echo").replace(b"HTTP/1.1", b"HTTP/1.0")
    answer = server.exchange(old)
    assert answer.startswith(b"HTTP/1.0 200 OK\r\n") and answer.endswith(b'{"params":{}}'), answer
    counted(server, "host", lambda: server.exchange(f"GET {server.path} HTTP/1.0\r\n\r\n".encode()))
    counted(server, "malformed", lambda: server.exchange(f"GET {server.path}\r\n\r\n".encode()))
    closing = server.request("api/echo", Connection="close")
    assert b"Connection: close" in server.exchange(closing)


@served_with("--short-limits")
def case_slow_headers(server: Server) -> None:
    """Slow-loris: headers that do not get finished cost their connections."""
    slow = [server.connect() for _ in range(20)]
    before = server.refused("slow")

    def trickle(connection: Any) -> None:
        try:
            for byte in server.request(X="x" * 1000):
                connection.sendall(bytes([byte]))
                time.sleep(0.05)
        except OSError:
            return
    threads = [threading.Thread(target=trickle, args=(connection,)) for connection in slow[:10]]
    for thread in threads:
        thread.start()
    # The other ten send nothing at all.
    wait_until(lambda: server.refused("slow") >= before + 20, "20 slow connections are dropped")
    for thread in threads:
        thread.join()


@served_with("--short-limits")
def case_idle_connections(server: Server) -> None:
    """A connection that was used and is idle is closed, and that is not a refusal."""
    before = server.refused("slow")
    with server.connect() as connection:
        connection.sendall(server.request("api/echo"))
        assert read_response(connection).status == 200
        assert read_all(connection) == b""
    assert server.refused("slow") == before


def case_many_connections(server: Server) -> None:
    """200 strangers displace each other, not the viewers."""
    viewers = [Viewer(server) for _ in range(5)]
    before = server.refused("connections")
    strangers = [server.connect() for _ in range(200)]
    wait_until(lambda: server.refused("connections") >= before + 200 - 64, "connections are displaced")
    assert server.get("api/echo").status == 200
    assert server.metric("dpm_page_connections") <= 64
    for viewer in viewers:
        assert viewer.answer("echo")["answer"] == {"params": {}}
    assert server.descriptors() < 64 + 20
    for connection in strangers:
        connection.close()


def served(server: Server, path: str = "") -> Response | None:
    """The response, or None: the connection was turned away."""
    try:
        response = server.get(path)
    except (EOFError, ConnectionError):
        return None
    return response if response.status == 200 else None


def counts_refused(server: Server) -> bool:
    response = served(server, "metrics")
    return response is not None and parse_metrics(response.body.decode())["dpm_page_refused_total", (("reason", "connections"),)] >= 1


@served_with(beside=False)
def case_many_viewers(server: Server) -> None:
    """Where all places are taken by viewers, the next one is turned away, and those there stay."""
    viewers = [Viewer(server) for _ in range(64)]
    with server.connect() as connection:
        assert read_response(connection).status == 503
    for viewer in viewers:
        assert viewer.answer("echo")["answer"] == {"params": {}}
    viewers.pop().close()
    wait_until(lambda: served(server), "a place is free again")
    # The connection that was served may still have the only place: the question may be turned away itself.
    wait_until(lambda: counts_refused(server), "that is counted")
