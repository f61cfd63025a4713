"""dpm serve under measurement: its answers, and what it costs."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.parse
import urllib.request
from typing import Any

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Served:
    def __init__(self, dpm: Any, trace: Any) -> None:
        self.began = time.monotonic()
        self.process = subprocess.Popen([str(dpm), "serve", str(trace)], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        self.slowest_s: dict[str, Any] = {}

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def since_began(self) -> float:
        return time.monotonic() - self.began

    def ask(self, name: str, **parameters: Any) -> Any:
        query = urllib.parse.urlencode({key: json.dumps(value) for key, value in parameters.items()})
        asked = time.monotonic()
        with urllib.request.urlopen(f"{self.url}api/{name}?{query}", timeout=60) as answer:
            body = answer.read()
        took = time.monotonic() - asked
        self.slowest_s[name] = max(took, self.slowest_s.get(name, 0))
        return json.loads(body)

    def picture(self, **window: Any) -> Any:
        """What the page asks for: how long all of it takes, and the answers."""
        asked = time.monotonic()
        answers = {name: self.ask(name, **window) for name in ("describe", "overview", "traffic", "spacetime")}
        return time.monotonic() - asked, answers

    def cpu_s(self) -> float:
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    def resident_mb(self) -> float:
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1000
        return 0
