"""A server under test, and what talks to it: raw sockets, HTTP, and a WebSocket written from RFC 6455. Standard library only."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import socket
import ssl
import struct
import subprocess
import time
import urllib.parse
from collections.abc import Callable
from typing import Any

PATIENCE_S = 30


class Address:
    """Of a page that something else serves."""

    def __init__(self, url: str) -> None:
        self.url = url
        parts = urllib.parse.urlsplit(self.url)
        self.tls, self.port, self.path = parts.scheme == "https", parts.port, parts.path
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"{parts.scheme}://{self.host}"

    def connect(self, receive_buffer: int | None = None) -> socket.socket:
        connection = socket.socket()
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(PATIENCE_S)
        connection.connect(("127.0.0.1", self.port))
        if self.tls:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            connection = context.wrap_socket(connection)
        return connection

    def request(self, name: str = "", method: str = "GET", target: Any | None = None, **headers: Any) -> bytes:
        """The bytes of a request; header=None leaves it out."""
        lines = {"Host": self.host, **{key.replace("_", "-"): value for key, value in headers.items()}}
        text = f"{method} {target if target is not None else self.path + name} HTTP/1.1\r\n"
        return (text + "".join(f"{key}: {value}\r\n" for key, value in lines.items() if value is not None) + "\r\n").encode()

    def get(self, name: str = "", **arguments: Any) -> Response:
        with self.connect() as connection:
            connection.sendall(self.request(name, **arguments))
            return read_response(connection, arguments.get("method") == "HEAD")

    def exchange(self, data: bytes) -> bytes:
        """What a raw request is answered with; b"" if the connection just ends."""
        with self.connect() as connection:
            try:
                connection.sendall(data)
                return read_all(connection)
            except ConnectionError:
                return b""

    def metrics(self) -> dict[tuple[str | Any, tuple[tuple[str | Any, str], ...]], float]:
        return parse_metrics(self.get("metrics").body.decode())

    def refused(self, reason: str) -> float:
        return self.metrics()["dpm_page_refused_total", (("reason", reason),)]

    def metric(self, name: str) -> float:
        return self.metrics()[name, ()]


class Server(Address):
    def __init__(self, program: str, *options: str) -> None:
        self.program = program
        self.process = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        super().__init__(self.process.stdout.readline().strip())

    def tick(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def resident_kb(self, field: str = "VmRSS") -> int:
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.findall(field + r":\s*(\d+) kB", status.read())[0])

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def end(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.stdout
        self.process.stdout.close()
        return self.process.wait(PATIENCE_S)


class Response:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    def json(self) -> Any:
        return json.loads(self.body)


def read_all(connection: socket.socket) -> bytes:
    data = b""
    while piece := connection.recv(65536):
        data += piece
    return data


def read_exactly(connection: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        piece = connection.recv(min(count - len(data), 1 << 20))
        if not piece:
            raise EOFError("the connection ended")
        data += piece
    return bytes(data)


def read_response(connection: socket.socket, is_head: bool = False) -> Response:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read_exactly(connection, 1)
    first, *lines = head.decode().strip().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    length = 0 if is_head else int(headers.get("content-length", 0))
    return Response(int(first.split()[1]), headers, read_exactly(connection, length))


class Closed(Exception):
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Viewer:
    """A WebSocket as the page has one."""

    def __init__(self, server: Address, **options: Any) -> None:
        self.connection = server.connect(options.pop("receive_buffer", None))
        key = base64.b64encode(os.urandom(16)).decode()
        headers = {"Origin": server.origin, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Key": key, **options}
        self.connection.sendall(server.request("socket", **headers))
        self.response = read_response(self.connection)
        if self.response.status == 101:
            proof = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            assert self.response.headers["sec-websocket-accept"] == base64.b64encode(proof).decode().lower()
        self.ticks: list[dict[str, Any]] = []
        self.last_id, self.fragments = 0, b""

    def frame(self, data: bytes, opcode: int = TEXT, first: int | None = None, masked: bool = True) -> bytes:
        first = 0x80 | opcode if first is None else first
        mark = 0x80 if masked else 0
        if len(data) < 126:
            head = struct.pack("!BB", first, mark | len(data))
        elif len(data) < 1 << 16:
            head = struct.pack("!BBH", first, mark | 126, len(data))
        else:
            head = struct.pack("!BBQ", first, mark | 127, len(data))
        if not masked:
            return head + data
        mask = os.urandom(4)
        pattern = int.from_bytes((mask * (len(data) // 4 + 1))[:len(data)], "big")
        return head + mask + (int.from_bytes(data, "big") ^ pattern).to_bytes(len(data), "big")

    def send(self, data: bytes, **how: Any) -> None:
        self.connection.sendall(self.frame(data, **how))

    def ask(self, name: str, **params: Any) -> int:
        self.last_id += 1
        self.send(json.dumps({"id": self.last_id, "request": name, **params}).encode())
        return self.last_id

    def receive(self) -> Any:
        """The next message: (is_binary, bytes)."""
        data, opcode = b"", None
        while True:
            first, second = read_exactly(self.connection, 2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack("!H", read_exactly(self.connection, 2))
            elif length == 127:
                length, = struct.unpack("!Q", read_exactly(self.connection, 8))
            assert not second & 0x80, "a server does not mask"
            payload = read_exactly(self.connection, length)
            kind = first & 0x0F
            if kind == CLOSE:
                raise Closed(struct.unpack("!H", payload[:2])[0] if payload else None, payload[2:].decode())
            if kind == PING:
                self.send(payload, opcode=PONG)
            elif kind != PONG:
                opcode = kind or opcode
                data += payload
                if first & 0x80:
                    return opcode == BINARY, data

    def receive_answer(self, request_id: int | None = None) -> Any:
        """The answer to a request, or the next one of any; ticks are collected."""
        while True:
            is_binary, data = self.receive()
            message = decode_binary(data) if is_binary else json.loads(data)
            if "tick" in message:
                self.ticks.append(message["tick"])
            elif request_id is None or message["id"] == request_id:
                return message

    def answer(self, name: str, **params: Any) -> Any:
        return self.receive_answer(self.ask(name, **params))

    def close(self) -> None:
        self.connection.close()


def decode_binary(data: Any) -> dict[str, Any]:
    """{"id", "answer", "arrays": {name: list}}, as docs/live-page.md describes it."""
    length, = struct.unpack_from("<I", data)
    message = json.loads(data[4:4 + length])
    at, arrays = -(-(4 + length) // 8) * 8, {}
    for array in message["arrays"]:
        letter = {"f64": "d", "f32": "f", "u32": "I", "u8": "B"}[array["type"]]
        layout = f"<{array['count']}{letter}"
        arrays[array["name"]] = list(struct.unpack_from(layout, data, at))
        at += -(-struct.calcsize(layout) // 8) * 8
    assert at == len(data), "bytes are left over"
    return {**message, "arrays": arrays}


LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[-+0-9.e]+)")


def parse_metrics(text: str) -> dict[tuple[str | Any, tuple[tuple[str | Any, str], ...]], float]:
    """{(name, labels): value} of a text in Prometheus's format 0.0.4; refuses what Prometheus refuses."""
    assert text.endswith("\n")
    samples, types, open_family = {}, {}, None
    for line in text[:-1].split("\n"):
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types and kind in ("counter", "gauge"), line
            types[name], open_family = kind, name
            continue
        if line.startswith("# HELP "):
            continue
        match = SAMPLE.fullmatch(line)
        assert match and match[1] == open_family, line
        labels, rest = [], match[2] or ""
        while rest:
            label = LABEL.match(rest)
            assert label, line
            value = re.sub(r"\\(.)", lambda escaped: "\n" if escaped[1] == "n" else escaped[1], label[2])
            labels.append((label[1], value))
            rest = rest[label.end():]
            assert rest == "" or rest.startswith(","), line
            rest = rest[1:]
        assert (match[1], tuple(labels)) not in samples, line
        samples[match[1], tuple(labels)] = float(match[3])
    return samples


def wait_until(condition: Callable[..., Any], what: str) -> None:
    """Polls: how long it takes is not asserted, only that it happens."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"in {PATIENCE_S} s it did not happen that {what}"
        time.sleep(0.02)
