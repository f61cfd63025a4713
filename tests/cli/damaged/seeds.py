"""Sound traces of every kind: simulated, imported, of other systems, of live programs, compressed, with a window, merged, and
logs of filters that were killed."""

from __future__ import annotations

import json
import pathlib
import shutil
import struct
import subprocess
import sys
from typing import Any

# Of a filter that was killed while its disk was full, and of meters that did not reach it.
DELIVERED = {"format": "dpm-delivery", "version": 1, "state": "collecting",
             "filter": {"program": "dpm", "standard": True, "pid": 17, "ended": "", "problem": "No space left on device",
                        "unwritten": 900, "filtered": 3},
             "meters": [{"machine": "red", "pid": 4, "job": "foo", "name": "A", "connected": True, "ended": False,
                         "seen": 1000, "delivered": 990, "losses": [{"reason": "no room", "events": 10}]}],
             "refused_connections": {"not_authenticated": 0, "too_slow": 0, "too_many": 0, "broken_protocol": 0,
                                     "other_machine": 0}}
UNDELIVERED = {"format": "dpm-undelivered", "version": 1,
               "meters": [{"machine": "green", "pid": 5, "job": "foo", "name": "B", "problem": "no answer", "waiting": 12,
                           "lost": 2, "file": ""}]}
TALK = ("import os, socket\na, b = socket.socketpair()\nif os.fork() == 0:\n  for i in range(9):\n    b.recv(10)\n    b.send(b'yes')\n"
        "  os._exit(0)\nfor i in range(9):\n  a.send(b'question')\n  a.recv(10)\nos.wait()\n")


class Seeds:
    def __init__(self, dpm: str, source: pathlib.Path, folder: pathlib.Path) -> None:
        self.dpm, self.source, self.folder = dpm, source, folder
        self.left_out: list[str] = []

    def run(self, *words: Any, stdin: Any = subprocess.DEVNULL) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.dpm, *map(str, words)], stdin=stdin, capture_output=True, text=True, timeout=300, check=False)

    def made(self, *words: Any, stdin: Any = subprocess.DEVNULL) -> None:
        done = self.run(*words, stdin=stdin)
        assert done.returncode == 0, f"dpm {' '.join(map(str, words))}: {done.stderr}"

    def make(self) -> dict[str, pathlib.Path]:
        """Each in a folder of its own, in which commands find the trace."""
        here = self.folder
        for scenario in ("ping-pong", "two-phase-commit"):
            self.made("run", self.source / f"scenarios/{scenario}/scenario.json", "--base-only", "-o", here / scenario)
        self.made("run", self.source / "tests/cli/fixtures/desk.json", "--set", "requests=5", "--base-only", "-o", here / "desk")
        for name, case in (("strace", "strace/several-messages"), ("spans", "spans/batches.json"), ("chrome", "other/chrome.json"),
                           ("json", "other/dpm.json")):
            self.made("import", self.source / "tests/formats/import/cases" / case, "-o", here / name / "trace")
        self.made("compress", here / "ping-pong", "-o", here / "compressed/trace")
        self.made("merge", here / "strace", here / "spans", "-o", here / "merged/trace")
        self.add_streams()
        self.add_log()
        self.add_live()
        return {folder.name: folder for folder in sorted(here.iterdir()) if (folder / "trace/trace.json").exists()}

    def add_streams(self) -> None:
        """Of meters, through the filter: with names of their own, with a window, and of 4.2BSD."""
        corpus = self.source / "tests/fuzz/corpus/meter_stream"
        for stream in sorted(corpus.iterdir()):
            with open(stream, "rb") as file:
                done = self.run("filter", "-o", self.folder / f"stream-{stream.name}" / "trace", stdin=file)
            if done.returncode != 0:
                shutil.rmtree(self.folder / f"stream-{stream.name}", ignore_errors=True)
        # Two messages as filter/descriptions/unix.desc has them: size, machine, time, time of the process, SEND.
        messages = [struct.pack("<IHxxI4xII40x", 60, machine, 1000, 500, 1) for machine in (5, 6)]
        (self.folder / "one.stream").write_bytes(b"".join(messages))
        with open(self.folder / "one.stream", "rb") as file:
            self.made("filter", "--descriptions", self.source / "filter/descriptions/unix.desc", "-o", self.folder / "bsd/trace",
                      stdin=file)

    def add_log(self) -> None:
        """The simulated trace as the log of a filter that was killed."""
        shutil.copytree(self.folder / "desk", self.folder / "log")
        path = self.folder / "log/trace/trace.json"
        document = json.loads(path.read_text())
        document["state"] = "recording"
        path.write_text(json.dumps(document))
        (self.folder / "log/delivered.json").write_text(json.dumps(DELIVERED))
        (self.folder / "log/undelivered.json").write_text(json.dumps(UNDELIVERED))

    def add_live(self) -> None:
        done = self.run("meter", "-o", self.folder / "live", "--", sys.executable, "-S", "-c", TALK)
        if done.returncode != 0:
            self.left_out.append(f"live: {done.stderr.strip()}")
            return
        done = self.run("meter", "--window", "60s", "-o", self.folder / "window", "--", sys.executable, "-S", "-c", TALK)
        if done.returncode != 0:
            self.left_out.append(f"window: {done.stderr.strip()}")
