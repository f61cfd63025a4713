"""A server that runs in one of the ways while clients load it."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from typing import Any

START_LIMIT_S, END_LIMIT_S = 30, 60


def free_port() -> Any:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]


def rates_in_turns(ways: list[str], turns: int, start: Callable[..., Any], rates_of: Callable[..., Any]) -> dict[str, Any]:
    """What rates_of() finds of a server, by way: a list for each of its figures. Each runs alone, because a meter also costs processes
    beside the metered one something."""
    rates: dict[str, Any] = {}
    for _ in range(turns):
        for way in ways:
            with start(way) as server:
                for figure, rate in rates_of(server).items():
                    rates.setdefault(figure, {}).setdefault(way, []).append(rate)
    return rates


class Server:
    """`with Server(words, port)`: listens on `port` inside the block; after it, it and its supervisor have ended."""

    def __init__(self, words: list[str], port: int, user: dict[str, Any] | None = None, folder: pathlib.Path | None = None) -> None:
        self.port = port
        # A supervisor outlives its program and holds this pipe as long.
        self._errors, write_end = os.pipe()
        self._words = words
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=write_end,
                                         cwd=folder, start_new_session=True, **(user or {}))
        os.close(write_end)

    def __enter__(self) -> Server:
        end = time.monotonic() + START_LIMIT_S
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.05)
        self.__exit__()
        raise RuntimeError(f"{' '.join(self._words)}: does not listen: {self.said.strip()}")

    def __exit__(self, *_: object) -> None:
        # To the whole group: perf trace ends without stopping the program it started.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGINT)
        try:
            self._process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        with os.fdopen(self._errors, "rb") as errors:
            self.said = errors.read().decode(errors="replace")
