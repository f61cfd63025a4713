"""What a running supervisor shows from outside, and what it prints at its end."""

import os
import pathlib
import re
import subprocess
import time
from typing import Any


def find(folder: Any) -> int | None:
    """The process id of the supervisor that records into `folder`."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text() == "dpm-meter\n" and os.fsencode(folder) in (process / "cmdline").read_bytes():
                return int(process.name)
        except OSError:
            continue  # it has ended meanwhile
    return None


def resident_kb(pid: int) -> int | None:
    """Its anonymous memory in use, without mapped files; None when it has ended."""
    try:
        found = re.search(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return None
    return int(found.group(1)) if found else None


def watch_memory(process: subprocess.Popen[str], folder: Any, pause_s: float, limit_s: float = float("inf")) -> list[Any]:
    """The memory of the supervisor that records into `folder`, again and again until `process` ends or `limit_s` has passed."""
    memory_kb, pid, end = [], None, time.monotonic() + limit_s
    while process.poll() is None and time.monotonic() < end:
        time.sleep(pause_s)
        pid = pid or find(folder)
        if pid is not None and (size := resident_kb(pid)) is not None:
            memory_kb.append(size)
    return memory_kb


def growth_kb(memory_kb: Any) -> Any:
    """From the end of the first tenth, when every buffer has been used."""
    return max(memory_kb) - max(memory_kb[: max(1, len(memory_kb) // 10)])


class Ledger:
    """The numbers that a meter prints at its end."""

    def __init__(self, said: str) -> None:
        numbers = re.search(r"(\d+) seen = (\d+) kept \+ (\d+) filtered \+ (\d+) lost", said)
        if numbers is None:
            raise RuntimeError(f"no ledger in: {said}")
        self.seen, self.kept, self.filtered, self.lost = map(int, numbers.groups())

    def is_balanced(self) -> bool:
        return self.seen == self.kept + self.filtered + self.lost

    def is_exact(self) -> bool:
        return self.is_balanced() and self.lost == 0

    def __str__(self) -> str:
        return f"{self.seen} seen = {self.kept} kept + {self.filtered} filtered + {self.lost} lost"
