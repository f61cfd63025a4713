"""The live page in headless Chromium under measurement: what the browser costs, and how many pictures it draws."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import tempfile
import time
from typing import Any

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/view/page"))
sys.dont_write_bytecode = True

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# A pointer that moves, without leaving the present: the page is used.
MOVE = """window.moving = setInterval(() => document.querySelector('main').dispatchEvent(new PointerEvent('pointermove', { bubbles: true })), 50);"""


def stat_of(pid: str) -> tuple[int, float]:
    """Parent and CPU seconds of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def descendants(root: int) -> dict[int, float]:
    """The CPU seconds of all processes that a process has started, and they, without itself."""
    children: dict[int, list[int]] = {}
    spent_s: dict[int, float] = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent, spent_s[int(folder.name)] = stat_of(folder.name)
            children.setdefault(parent, []).append(int(folder.name))
    found, left = {}, list(children.get(root, []))
    while left:
        pid = left.pop()
        found[pid] = spent_s[pid]
        left += children.get(pid, [])
    return found


class Shown:
    """Chromium with the page. Use as a context."""

    def __enter__(self) -> Shown:
        import browser_suite
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.browser = browser_suite.start_browser(self.scratch.name + "/profile")
        return self

    def __exit__(self, *_: object) -> None:
        self.browser.quit()
        self.scratch.cleanup()

    def open(self, url: str) -> None:
        self.browser.get("about:blank")
        self.browser.get(url)

    def script(self, code: str) -> Any:
        return self.browser.execute_script(code)

    def cpu_s(self) -> float:
        """Of the browser, without the driver that starts it."""
        return sum(descendants(self.browser.service.process.pid).values())

    def pictures_while_used(self, seconds: Any) -> Any:
        """A second, while the pointer moves."""
        self.script(MOVE)
        time.sleep(0.5)
        began, before = time.monotonic(), self.script("return window.dpmFrames")
        time.sleep(seconds)
        drawn = (self.script("return window.dpmFrames") - before) / (time.monotonic() - began)
        self.script("clearInterval(window.moving)")
        return drawn

    def messages(self) -> int | None:
        """The count that the Overview shows; None: none yet."""
        digits = self.script("return document.querySelectorAll('.number-card')[3]?.querySelector('.value').title.split(',')[0].replace(/\\D/g, '')")
        return int(digits) if digits else None
