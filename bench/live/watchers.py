"""Viewers of a page: one that looks all the time, ten, one that takes nothing, and one with a slow connection."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any

from viewer import Server, Viewer

VIEWS = ["describe", "overview", "traffic", "spacetime"]
BYTES_PER_S = 125_000  # 1 Mbit/s
KINDS = ["no viewer", "a viewer that takes nothing", "ten viewers", "a viewer at 1 Mbit/s"]


class Page(Server):
    """A page that is served already."""

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        self.tls, self.port, self.path = False, parts.port, parts.path
        self.host, self.origin = f"127.0.0.1:{parts.port}", f"http://127.0.0.1:{parts.port}"


class Watcher:
    """Asks for its views after each tick, when the answers before have come, as the page does."""

    def __init__(self, url: str, names: list[str], bytes_per_s: int | None = None) -> None:
        self.viewer = Viewer(Page(url), **({"receive_buffer": 4096} if bytes_per_s else {}))
        self.names, self.bytes_per_s, self.pictures, self.over = names, bytes_per_s, 0, False
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self) -> None:
        with contextlib.suppress(OSError, EOFError):
            while not self.over:
                self.message()
                for name in self.names:
                    self.viewer.ask(name, width=800)
                for _ in self.names:
                    while not self.message():
                        pass
                self.pictures += 1

    def message(self) -> bool:
        """The next one; true if it is an answer. It is taken no faster than the connection may."""
        is_binary, data = self.viewer.receive()
        if self.bytes_per_s:
            time.sleep(len(data) / self.bytes_per_s)
        return is_binary or "tick" not in json.loads(data)

    def end(self) -> None:
        self.over = True
        with contextlib.suppress(OSError):
            self.viewer.connection.shutdown(2)
        self.thread.join()
        self.viewer.close()


@contextlib.contextmanager
def watching(url: str, names: list[str]) -> Iterator[Watcher | None]:
    watcher = Watcher(url, names) if names else None
    try:
        yield watcher
    finally:
        if watcher:
            watcher.end()


def begin(kind: str, url: str) -> list[Any]:
    """What is to be ended with it."""
    if kind == "a viewer that takes nothing":
        stalled = Viewer(Page(url), receive_buffer=4096)
        for _ in range(50):
            stalled.ask("describe")
        return [stalled.close]
    if kind == "ten viewers":
        return [Watcher(url, VIEWS).end for _ in range(10)]
    if kind == "a viewer at 1 Mbit/s":
        return [Watcher(url, VIEWS, BYTES_PER_S).end]
    return []


def page_of(out: Any) -> int | None:
    """The process of the page of this output directory, which would stay for a minute."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"\0--while-watched\0" + os.fsencode(out) + b"\0" in (folder / "cmdline").read_bytes():
                return int(folder.name)
    return None


def peak_mb(pid: int) -> float:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1000
    return 0


def metered(dpm: Any, command: list[Any], out: Any, kind: str) -> Any:
    """The time that the program itself prints first, of one call or of the run; and the most memory that the page's server had."""
    serve = [] if kind == "without" else ["--serve"]
    meter = subprocess.Popen([str(dpm), "meter", *serve, "-o", str(out), "--", *map(str, command)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    ends: list[Callable[[], None]] = []
    page_mb = 0.0
    if serve:
        assert meter.stderr
        for line in meter.stderr:
            if url := re.search(r"http://\S+", line):
                ends = begin(kind, url[0])
                break
    assert meter.stdout
    printed = meter.stdout.read()
    meter.wait()
    page = page_of(out) if serve else None
    if page:
        page_mb = peak_mb(page)
    for end in ends:
        end()
    if page:
        os.kill(page, signal.SIGTERM)
    return float(re.findall(r"[0-9.]+", printed)[0]), page_mb
