"""A server that runs in one of the ways while clients load it."""

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
        raise RuntimeError(f"{' '.join(self._process.args)}: does not listen")

    def __exit__(self, *_):
        # To the whole group: perf trace ends without stopping the program it started.
        os.killpg(self._process.pid, signal.SIGINT)
        try:
            self._process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        with os.fdopen(self._errors, "rb") as errors:
            self.said = errors.read().decode(errors="replace")
