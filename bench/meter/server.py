"""A server that runs in one of the ways while clients load it."""

import contextlib
import os
import signal
import socket
import subprocess
import time

START_LIMIT_S, END_LIMIT_S = 30, 60


def free_port():
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]


def rates_in_turns(ways, turns, start, rates_of):
    """What rates_of() finds of a server, by way: a list for each of its figures. Each runs alone, because a meter also costs processes
    beside the metered one something."""
    rates = {}
    for _ in range(turns):
        for way in ways:
            with start(way) as server:
                for figure, rate in rates_of(server).items():
                    rates.setdefault(figure, {}).setdefault(way, []).append(rate)
    return rates


class Server:
    """`with Server(words, port)`: listens on `port` inside the block; after it, it and its supervisor have ended."""

    def __init__(self, words, port, user=None, folder=None):
        self.port = port
        # A supervisor outlives its program and holds this pipe as long.
        self._errors, write_end = os.pipe()
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=write_end,
                                         cwd=folder, start_new_session=True, **(user or {}))
        os.close(write_end)

    def __enter__(self):
        end = time.monotonic() + START_LIMIT_S
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.05)
        self.__exit__()
        raise RuntimeError(f"{' '.join(map(str, self._process.args))}: does not listen: {self.said.strip()}")

    def __exit__(self, *_):
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
