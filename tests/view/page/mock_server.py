#!/usr/bin/env python3
"""Serves the live page with the data of a made-up program, through the protocol of docs/live-page.md. Prints the page's address.

usage: mock_server.py PAGE [--processes N] [--rate MESSAGES/S] [--ended SECONDS] [--hostile] [--grow] [--slow MS] [--port PORT] [--token HEX]"""
import argparse
import asyncio
import base64
import hashlib
import json
import math
import os
import re
import struct
import sys
import time
from array import array
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.legacy.server import WebSocketServerProtocol
from websockets.legacy.server import serve as start_server

import synthetic_events as events
from request_types import check_answer
from synthetic import World

TYPES = {"f64": "d", "f32": "f", "u32": "I", "u8": "B"}
TICK_S = 0.1
ANALYSED_S = 5  # while it runs, the whole trace is analysed that often
OF_LEVELS = {"describe", "overview", "traffic", "series", "spacetime", "message", "event_at", "levels"}


def frame(id: Any, answer: Any, arrays: Any) -> bytes:
    """A binary frame: the size of the text, the text, the arrays, each at a multiple of eight bytes."""
    described = [{"name": name, "type": type, "count": len(values)} for name, (type, values) in arrays.items()]
    text = json.dumps({"id": id, "answer": answer, "arrays": described}).encode()
    data = bytearray(struct.pack("<I", len(text)) + text)
    for type, values in arrays.values():
        data += b"\0" * (-len(data) % 8)
        data += array(TYPES[type], values).tobytes()
    return bytes(data) + b"\0" * (-len(data) % 8)


def policy(page: str) -> str:
    def hashed(pattern: str) -> str:
        return "'sha256-" + base64.b64encode(hashlib.sha256(re.findall(pattern, page, re.S)[0].encode()).digest()).decode() + "'"
    return (f"default-src 'none'; script-src {hashed('<script>(.*?)</script>')}; style-src {hashed('<style>(.*?)</style>')}; "
            "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'")


class Mock:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.page = Path(options.page).read_text(encoding="utf-8")
        self.policy = policy(self.page)
        self.world = World(options.processes, options.rate, options.hostile, clocks=not options.no_clocks)
        self.placements = events.Placements(self.world)
        self.began = time.monotonic() - options.before

    def now_s(self) -> Any:
        return self.options.ended if self.options.ended else time.monotonic() - self.began

    def state(self) -> str:
        return "ended" if self.options.ended else "recording"

    def version(self) -> int:
        return 1 if self.options.ended else int(self.now_s() / TICK_S)

    def as_of(self, name: str) -> dict[str, Any]:
        """The version of the trace that an answer is of."""
        ended = bool(self.options.ended)
        to_s = self.now_s() if ended or name in OF_LEVELS else self.now_s() // ANALYSED_S * ANALYSED_S
        return {"events": int(to_s * 1000), "to_s": to_s, "state": self.state(), "is_final": ended}

    def known(self) -> int:
        count = len(self.world.processes)
        return min(count, 5 + int(self.now_s() * 4)) if self.options.grow else count

    def answer(self, name: Any, p: Any) -> Any:
        world, now_s = self.world, self.now_s()
        from_s, to_s = p.get("from_s", 0) or 0, min(p.get("to_s") or now_s, now_s)
        width = p.get("width", 512)
        if name == "describe":
            return world.describe(now_s, self.state(), self.version(), self.known()), {}
        if name == "overview":
            answer, arrays = world.overview(from_s, to_s, width, now_s)
            return answer | {"P_best_as_of": self.as_of("parallelism")}, arrays
        if name == "traffic":
            return world.traffic(from_s, to_s, self.known())
        if name == "series":
            return world.series(from_s, to_s, width, p["of"])
        if name == "spacetime":
            return events.spacetime(world, from_s, to_s, p.get("rows"), p.get("rows_max", 64), now_s, width)
        if name == "message":
            return events.message(world, p["arc"], now_s), {}
        if name == "queues":
            return events.queues(world), {}
        if name == "statistics":
            return events.statistics(world, from_s, to_s), {}
        if name == "blame":
            return events.blame(world, p.get("of", -1), from_s, to_s), {}
        if name == "states":
            return events.states(), {}
        if name == "paths":
            return events.paths(world, p.get("most", 40)), {}
        if name == "request":
            return events.request(world, p.get("number", 0)), {}
        if name == "placement":
            if self.placements.best:
                self.placements.best["as_of"] = self.as_of("placement")
            return self.placements.answer(), {}
        if name == "predict":
            return self.placements.predict(p), {}
        if name == "search":
            return self.placements.search(), {}
        if name == "placement_file":
            return {"text": json.dumps(p.get("machine_of", {}), indent=2) + "\n"}, {}
        if name == "event_at":
            step = 0.013
            at = math.floor(p["at_s"] / step + (1.5 if p.get("direction") == "after" else -0.5)) * step
            return {"at_s": min(now_s, max(0, at)), "type": "SEND", "index": int(at / step)}, {}
        raise KeyError(name)

    async def handle(self, socket: WebSocketServerProtocol, path: str) -> None:
        ticks = asyncio.ensure_future(self.tick(socket))
        try:
            async for text in socket:
                p = json.loads(text)
                if self.options.slow:
                    await asyncio.sleep(self.options.slow / 1000)
                try:
                    answer, arrays = self.answer(p["request"], p)
                    check_answer(p["request"], answer, arrays)
                    answer = answer | {"as_of": self.as_of(p["request"])}
                except (AssertionError, KeyError) as wrong:
                    print(f"mock_server: {p}: {wrong!r}", file=sys.stderr, flush=True)
                    os._exit(1)
                await socket.send(frame(p["id"], answer, arrays) if arrays else json.dumps({"id": p["id"], "answer": answer}))
        except ConnectionClosed:
            pass
        finally:
            ticks.cancel()

    async def tick(self, socket: WebSocketServerProtocol) -> None:
        while True:
            await socket.send(json.dumps({"tick": {"now_s": self.now_s(), "state": self.state(), "version": self.version()}}))
            await asyncio.sleep(TICK_S if not self.options.ended else 1)

    async def http(self, path: str, headers: Headers) -> tuple[HTTPStatus, list[tuple[str, str]], bytes] | None:
        prefix = f"/{self.options.token}/"
        if path == prefix + "socket":
            return None
        if path == prefix:
            return HTTPStatus.OK, [("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", self.policy),
                                   ("Cache-Control", "no-store")], self.page.encode()
        return HTTPStatus.NOT_FOUND, [], b""


async def serve(options: argparse.Namespace) -> None:
    mock = Mock(options)
    async with start_server(mock.handle, "127.0.0.1", options.port, process_request=mock.http, max_size=2 ** 24, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"http://127.0.0.1:{port}/{options.token}/", flush=True)
        await asyncio.Future()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--processes", type=int, default=30)
    parser.add_argument("--rate", type=float, default=2000)
    parser.add_argument("--ended", type=float, default=0)
    parser.add_argument("--before", type=float, default=30, help="seconds that the program has run already")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--grow", action="store_true")
    parser.add_argument("--no-clocks", action="store_true")
    parser.add_argument("--slow", type=float, default=0)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--token", default="0123456789abcdef0123456789abcdef")
    try:
        asyncio.run(serve(parser.parse_args()))
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
