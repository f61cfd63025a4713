"""The cases of check_server. A case gets a running server; `options` are the server's, `beside = False`: without a viewer that
asks all the time."""
import base64
import hashlib
import json
import math
import os
import re
import ssl
import struct
import subprocess
import tempfile
import threading
import time

from viewer import (BINARY, CLOSE, PING, PONG, TEXT, Closed, Server, Viewer, parse_metrics, read_all, read_response, wait_until)

PROTECTION = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
              "cross-origin-resource-policy": "same-origin", "cache-control": "no-store"}


def served_with(*options, beside=True):
    def decorate(case):
        case.options, case.beside = list(options), beside
        return case
    return decorate


def refusal(server, reason, status, body=b"", **request):
    """The request is refused with the status, counted for the reason, and has the headers that protect the page."""
    before = server.refused(reason)
    response = server.get(**request)
    assert response.status == status, (request, response.status)
    assert response.body == body, response.body
    assert_protected(response)
    assert server.refused(reason) == before + 1, (request, reason, server.metrics())


def assert_protected(response):
    for name, value in PROTECTION.items():
        assert response.headers[name] == value, (name, response.headers)
    policy = response.headers["content-security-policy"]
    for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
        assert part in policy, policy
    assert "unsafe" not in policy, policy


def counted(server, reason, attack, times=1):
    before = server.refused(reason)
    attack()
    wait_until(lambda: server.refused(reason) >= before + times, f"{times} refusals for {reason} are counted")


# ---- what it is for

def case_page(server):
    """The page has its protection, and its scripts and styles may run because of their hashes."""
    response = server.get()
    assert response.status == 200 and response.headers["content-type"] == "text/html; charset=utf-8"
    assert_protected(response)
    # Header values were made lower case; hashes are compared the same way.
    for tag in ("script", "style"):
        text = re.search(f"<{tag}>(.*)</{tag}>", response.body.decode()).group(1)
        value = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode().lower()
        assert f"{tag}-src 'sha256-{value}';" in response.headers["content-security-policy"]
    assert f"connect-src 'self' ws://{server.host};" in response.headers["content-security-policy"]
    head = server.get(method="HEAD")
    assert head.status == 200 and int(head.headers["content-length"]) == len(response.body)
    assert server.get(target=server.path.rstrip("/")).headers["location"] == server.path


def case_answers(server):
    """The two forms of an answer are the same."""
    viewer = Viewer(server)
    assert viewer.response.status == 101
    assert_protected(viewer.response)
    message = viewer.answer("numbers", count=11)
    over_http = server.get("api/numbers?count=11")
    assert over_http.headers["content-type"] == "application/json"
    assert_protected(over_http)
    assert message["answer"] == {"count": 11}
    for name in ("f64", "f32", "u32", "u8"):
        values = [None if math.isnan(value) else value for value in message["arrays"][name]]
        assert values == over_http.json()[name], name
    assert viewer.answer("numbers", count=0)["arrays"]["f64"] == []
    assert viewer.answer("name")["answer"]["name"] == "a\ufffd\ufffd<script>"
    assert viewer.answer("echo", a=[1, {"b": None}])["answer"] == {"params": {"a": [1, {"b": None}]}}
    assert server.get("api/echo?a=1&b=x%20y&c=%5B2%5D").json() == {"params": {"a": 1, "b": "x y", "c": [2]}}
    assert server.get("api/numbers?count=11", method="HEAD").status == 200


def case_errors(server):
    """An error is a sentence, in both forms."""
    viewer = Viewer(server)
    before = server.metric("dpm_page_errors_total")
    for name, params, query in (("unknown", {}, ""), ("numbers", {"count": "many"}, "?count=many"), ("never", {}, "")):
        sentence = viewer.answer(name, **params)["error"]
        response = server.get(f"api/{name}{query}")
        assert response.status == 400 and response.json() == {"error": sentence}, (sentence, response.body)
    assert server.metric("dpm_page_errors_total") == before + 6


def case_unreadable_queries(server):
    """Queries that cannot be read are an error, and counted."""
    for query in ("echo?a=%zz", "echo?a=1&a=2", "echo?=1", "ECHO", "", "echo?id=1", "a" * 65, "echo?a=%ff"):
        response = None

        def attack():
            nonlocal response
            response = server.get("api/" + query)
        counted(server, "request", attack)
        assert response.status == 400 and response.json()["error"], query


def case_ticks(server):
    """What is new is announced, at most ten times a second, and the latest always."""
    viewer = Viewer(server)
    begin = time.monotonic()
    for _ in range(500):
        server.tick()
        time.sleep(0.001)
    late = Viewer(server)
    for some in (viewer, late):
        while not some.ticks or some.ticks[-1]["version"] < 500:
            some.receive_answer(some.ask("echo"))
    tenths = (time.monotonic() - begin) * 10
    assert 2 <= len(viewer.ticks) <= tenths + 2, (len(viewer.ticks), tenths)
    versions = [tick["version"] for tick in viewer.ticks]
    assert versions == sorted(set(versions)), versions


def case_metrics(server):
    """What an independent parser reads of /metrics: the server's numbers and the handler's, with hostile labels."""
    response = server.get("metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    metrics = server.metrics()
    name = 'quote" backslash\\ line\nend'
    assert metrics["numbers_names", (("name", name), ("other", '{a="b"} 1'))] == 1
    assert metrics["numbers_names", (("name", "?"),)] == 0.25
    viewers = [Viewer(server) for _ in range(3)]
    assert server.metric("dpm_page_viewers") == 4  # and the one beside
    for viewer in viewers:
        viewer.close()
    wait_until(lambda: server.metric("dpm_page_viewers") == 1, "viewers that close are not counted")


def case_slow_answers(server):
    """A slow answer delays other answers for its time only; one that comes later delays none."""
    slow, quick = Viewer(server), Viewer(server)
    for _ in range(8):
        slow.ask("slow", ms=100)
    later = [slow.ask("later", ms=300) for _ in range(2)]
    begin = time.monotonic()
    quick.answer("echo")
    first = time.monotonic() - begin
    slow.receive_answer(later[-1])
    # Not after the eight: each viewer has its turn.
    assert first < 0.5 * (time.monotonic() - begin), (first, time.monotonic() - begin)
    assert server.get("api/later?ms=20").json() == {"later": True}


@served_with("--short-limits")
def case_answer_that_does_not_come(server):
    """The HTTP form waits for a while only."""
    assert server.get("api/later?ms=4000").status == 504


@served_with(beside=False)
def case_end_while_asked(server):
    """The server ends while answers are awaited, which come after its end."""
    viewers = [Viewer(server) for _ in range(5)]
    for viewer in viewers:
        viewer.ask("later", ms=300)
        viewer.ask("slow", ms=100)
        viewer.ask("large", bytes=5_000_000)
    viewers[0].answer("echo")


# ---- who may ask

def case_wrong_token(server):
    """Without the token there is nothing, whatever is asked for and however."""
    token = server.path.strip("/")
    wrong = ("0" if token[0] != "0" else "1") + token[1:]
    for target in ("/", "/favicon.ico", "/" + wrong + "/", f"/{wrong}/metrics", "/" + token[:-1] + "/", f"//{token}/",
                   f"/{token}x/", "/" + token.upper().replace("0", "O") + "/", "/socket", "*"):
        refusal(server, "token", 404, target=target)
    refusal(server, "token", 404, target="/" + wrong + "/", method="DELETE")
    refusal(server, "token", 404, target=f"/{wrong}/socket", Upgrade="websocket", Connection="Upgrade",
            Origin=server.origin, Sec_WebSocket_Version="13", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==")


def case_other_hosts(server):
    """DNS rebinding: a page of another site cannot speak to the server under that site's name."""
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", "127.0.0.1:1", f"{server.host}.evil.example",
                 "", None):
        refusal(server, "host", 421, Host=host)
        refusal(server, "host", 421, target="/", Host=host)
    for host in (f"localhost:{server.port}", f"[::1]:{server.port}", f"LocalHost:{server.port}"):
        assert server.get(Host=host).status == 200, host
    twice = server.request().replace(b"\r\n\r\n", f"\r\nHost: {server.host}\r\n\r\n".encode())
    counted(server, "host", lambda: server.exchange(twice))


@served_with("--allow-host", "tunnel.example:9000", "--allow-host", "Box.example")
def case_allowed_hosts(server):
    """Names that were allowed are the server's."""
    for host in ("tunnel.example:9000", "box.example", f"box.example:{server.port}"):
        assert server.get(Host=host).status == 200, host
        assert Viewer(server, Host=host, Origin="http://" + host).response.status == 101
    refusal(server, "host", 421, Host="tunnel.example")
    refusal(server, "origin", 403, Host="box.example", Origin=server.origin)


def case_other_origins(server):
    """A page of another site cannot use the server, even if it knows the token."""
    before = server.refused("origin")
    wrong = ("http://evil.example", "null", f"https://{server.host}", "http://127.0.0.1", f"http://localhost:{server.port}")
    for origin in wrong:
        refusal(server, "origin", 403, name="api/echo", Origin=origin)
        response = Viewer(server, Origin=origin).response
        assert response.status == 403
        assert_protected(response)
    assert Viewer(server, Origin=None).response.status == 403
    assert server.refused("origin") == before + 2 * len(wrong) + 1
    assert server.get("api/echo", Origin=server.origin).status == 200


def case_methods(server):
    """Only GET and HEAD."""
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "BREW"):
        refusal(server, "method", 405, method=method)


def case_paths(server):
    """No address leads to a file."""
    for path in ("../", "../../../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd",
                 "%252e%252e%252fetc%252fpasswd", "..%5c..%5c", "..%c0%af", "./", "/", "index.html", "api", "api%2fecho",
                 "metrics/", "%00", "socket/..", "api/../metrics/"):
        response = server.get(path)
        assert response.status in (400, 404) and b"root:" not in response.body, (path, response.status)
    refusal(server, "path", 404, name="etc/passwd")
    assert server.get("api/../../../etc/passwd").status == 400


# ---- HTTP

def case_bodies(server):
    """Bodies are refused, chunked or not, before they are read."""
    refusal(server, "body", 413, Content_Length="5")
    refusal(server, "body", 413, Content_Length="99999999999")
    refusal(server, "body", 413, Transfer_Encoding="chunked")
    chunked = server.request(method="GET", Transfer_Encoding="chunked") + b"5\r\nhello\r\n0\r\n\r\n" + server.request("metrics")
    assert server.exchange(chunked).count(b"HTTP/1.1") == 1, "what follows a body is not a request"
    both = server.request(Transfer_Encoding="chunked", Content_Length="3") + b"abc"
    assert b" 200 " not in server.exchange(both)
    assert server.get(Content_Length="0").status == 200


def case_large_headers(server):
    """A header has at most 8 kB."""
    assert server.get(X="x" * 7000).status == 200
    refusal(server, "header", 431, X="x" * 8192)
    refusal(server, "header", 431, target="/" + "a" * 8192)
    refusal(server, "header", 431, **{f"X-{number}": "y" * 20 for number in range(400)})
    counted(server, "header", lambda: server.exchange(server.request(X="x" * 5_000_000)))
    counted(server, "header", lambda: server.exchange(b"x" * 5_000_000), 0)


def case_garbage(server):
    """What is not HTTP is refused, in every form."""
    for data in (b"\0" * 100, b"hello\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET  / HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01",
                 b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\0\r\n\r\n",
                 b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        answer = None

        def attack():
            nonlocal answer
            answer = server.exchange(data + b"\r\n\r\n")
        counted(server, "malformed", attack)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), (data, answer)
    for length in range(1, 400, 7):
        assert b" 200 " not in server.exchange(os.urandom(length) + b"\r\n\r\n")


def case_pipelining(server):
    """Requests that come at once are answered in their order; refused ones end the connection."""
    with server.connect() as connection:
        connection.sendall(b"".join(server.request(f"api/echo?n={number}") for number in range(100)))
        for number in range(100):
            assert read_response(connection).json() == {"params": {"n": number}}
        connection.sendall(server.request("api/echo?n=1") + server.request("x") + server.request("api/echo?n=2"))
        assert [read_response(connection).status for _ in range(2)] == [200, 404]
        assert read_all(connection) == b""


def case_old_http(server):
    """HTTP/1.0 works, with a Host, and without being kept; older forms do not."""
    old = server.request("api/echo").replace(b"HTTP/1.1", b"HTTP/1.0")
    answer = server.exchange(old)
    assert answer.startswith(b"HTTP/1.0 200 OK\r\n") and answer.endswith(b'{"params":{}}'), answer
    counted(server, "host", lambda: server.exchange(f"GET {server.path} HTTP/1.0\r\n\r\n".encode()))
    counted(server, "malformed", lambda: server.exchange(f"GET {server.path}\r\n\r\n".encode()))
    closing = server.request("api/echo", Connection="close")
    assert b"Connection: close" in server.exchange(closing)


@served_with("--short-limits")
def case_slow_headers(server):
    """Slow-loris: headers that do not get finished cost their connections."""
    slow = [server.connect() for _ in range(20)]
    before = server.refused("slow")

    def trickle(connection):
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
def case_idle_connections(server):
    """A connection that was used and is idle is closed, and that is not a refusal."""
    before = server.refused("slow")
    with server.connect() as connection:
        connection.sendall(server.request("api/echo"))
        assert read_response(connection).status == 200
        assert read_all(connection) == b""
    assert server.refused("slow") == before


def case_many_connections(server):
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


def served(server, path=""):
    """The response, or None: the connection was turned away."""
    try:
        response = server.get(path)
    except (EOFError, ConnectionError):
        return None
    return response if response.status == 200 else None


def counts_refused(server):
    response = served(server, "metrics")
    return response and parse_metrics(response.body.decode())["dpm_page_refused_total", (("reason", "connections"),)] >= 1


@served_with(beside=False)
def case_many_viewers(server):
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


# ---- WebSocket

def closed_with(viewer):
    """The code with which the server closes; None if the connection just ends."""
    try:
        while True:
            viewer.receive()
    except Closed as closed:
        return closed.code
    except (EOFError, ConnectionError):
        return None


def case_socket_handshakes(server):
    """What is not a right handshake is refused."""
    for headers in ({"Upgrade": "h2c"}, {"Sec-WebSocket-Version": "8"}, {"Sec-WebSocket-Key": None}, {"Upgrade": None},
                    {"Connection": "close"}):
        counted(server, "malformed", lambda: Viewer(server, **headers).close())
        assert Viewer(server, **headers).response.status in (400, 426), headers
    early = server.request("socket", Origin=server.origin, Upgrade="websocket", Connection="Upgrade",
                           Sec_WebSocket_Version="13", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==") + b"\x81\x80abcd"
    counted(server, "malformed", lambda: server.exchange(early))


def case_no_compression(server):
    """Compression is not agreed on: its memory would be the viewer's choice."""
    viewer = Viewer(server, **{"Sec-WebSocket-Extensions": "permessage-deflate"})
    assert viewer.response.status == 101 and "sec-websocket-extensions" not in viewer.response.headers


def case_large_messages(server):
    """A viewer's message has at most 64 kB, in one frame or in many."""
    assert Viewer(server).answer("echo", text="x" * 60_000)["answer"]["params"]["text"] == "x" * 60_000
    one = Viewer(server)
    counted(server, "message", lambda: one.send(b"x" * 70_000))
    assert closed_with(one) in (1009, None)
    announced = Viewer(server)
    counted(server, "message", lambda: announced.connection.sendall(struct.pack("!BBQ", 0x81, 0xFF, 1 << 40) + b"mask"))
    many = Viewer(server)

    def fragments():
        many.send(b"x" * 1000, first=TEXT)
        try:
            for _ in range(200):
                many.send(b"x" * 1000, first=0)
        except OSError:
            return
    counted(server, "message", fragments)


def case_socket_protocol(server):
    """Errors of the protocol end the WebSocket, and are counted."""
    def broken(data):
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


def case_messages_that_are_not_requests(server):
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
            raise AssertionError(f"{data} was answered")
        except Closed as closed:
            assert closed.code == 1008 and closed.reason, (data, closed)


def case_pings(server):
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


def case_too_many_requests(server):
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
def case_viewer_that_never_reads(server):
    """It costs bounded memory, gets no ticks, and is dropped."""
    viewers = [Viewer(server, receive_buffer=4096) for _ in range(20)]
    before, skipped = server.refused("unread"), server.metric("dpm_page_ticks_skipped_total")
    resident = server.resident_kb()

    def flood(viewer):
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
def case_slow_reader(server):
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
def case_half_open(server):
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


def case_resets(server):
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


# ---- TLS

def certificate(folder):
    files = [os.path.join(folder, name) for name in ("certificate.pem", "key.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                    "-subj", "/CN=localhost", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


def with_tls(program, check, *options):
    with tempfile.TemporaryDirectory(prefix="dpm-") as folder:
        certificate_file, key_file = certificate(folder)
        server = Server(program, "--certificate", certificate_file, "--key", key_file, *options)
        try:
            check(server)
        finally:
            assert server.end() == 0


def case_tls(server):
    """Everything as without TLS, and only TLS 1.2 and later."""
    def check(secure):
        assert secure.url.startswith("https://127.0.0.1:")
        response = secure.get()
        assert response.status == 200
        assert f"connect-src 'self' wss://{secure.host};" in response.headers["content-security-policy"]
        viewer = Viewer(secure)
        assert viewer.answer("numbers", count=3)["arrays"]["u32"] == [0, 1000, 2000]
        viewer.ask("large", bytes=3_000_000)
        assert len(viewer.receive()[1]) > 3_000_000
        assert Viewer(secure, Origin=f"http://{secure.host}").response.status == 403
        secure.tls = False
        plain = secure.exchange(secure.request())
        assert b"200" not in plain, plain
        assert secure.exchange(os.urandom(500)) is not None
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        try:
            old.wrap_socket(secure.connect())
            raise AssertionError("TLS 1.1 was accepted")
        except (ssl.SSLError, ConnectionError):
            pass
        secure.tls = True
        assert secure.refused("malformed") >= 3
        assert viewer.answer("echo")["answer"] == {"params": {}}
    with_tls(server.process.args[0], check)


def case_tls_handshake_in_time(server):
    """A handshake that does not go on costs its connection."""
    def check(secure):
        secure.tls = False
        stuck = [secure.connect() for _ in range(5)]
        for connection in stuck:
            assert read_all(connection) == b""
        secure.tls = True
        assert secure.refused("slow") == 5
    with_tls(server.process.args[0], check, "--short-limits")


def case_certificates_that_do_not_fit(server):
    """A certificate without its key is refused at the start, with a reason."""
    with tempfile.TemporaryDirectory(prefix="dpm-") as folder, tempfile.TemporaryDirectory(prefix="dpm-") as other:
        certificate_file, _ = certificate(folder)
        _, other_key = certificate(other)
        for files in ((certificate_file, other_key), (other_key, other_key), (certificate_file, certificate_file)):
            run = subprocess.run([server.process.args[0], "--certificate", files[0], "--key", files[1]], text=True,
                                 capture_output=True, stdin=subprocess.DEVNULL)
            assert run.returncode == 2 and "a PEM file" in run.stderr, run


# ---- other addresses

def case_other_addresses(server):
    """Every address is served if it was asked for: the names of this machine are the server's."""
    program = server.process.args[0]
    refused = subprocess.run([program, "--address", "0.0.0.0"], text=True, capture_output=True, stdin=subprocess.DEVNULL)
    assert refused.returncode == 2 and "--insecure" in refused.stderr, refused
    everywhere = Server(program, "--address", "0.0.0.0", "--insecure")
    try:
        assert everywhere.get().status == 200
        assert everywhere.get(Host="evil.example").status == 421
        shown = everywhere.url.split("/")[2]
        assert everywhere.get(Host=shown).status == 200, shown
    finally:
        assert everywhere.end() == 0
