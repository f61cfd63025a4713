#!/usr/bin/python3
"""Frames a second of the live page while it is used, each view live, in headless Chromium: page_frames.py [PAGE] [--processes 200] [--rate 50000]
[--seconds 5].

The data are made up by tests/view/page/mock_server.py (200 processes, 50,000 messages a second), which runs on the same processors. A frame is a
picture that the page has drawn (window.dpmFrames) while the pointer moves; a page that is only looked at draws fewer. Headless Chromium draws
without a graphics card and at most 60 a second."""
import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/view/page"), str(ROOT / "bench/live")]
sys.dont_write_bytecode = True
from browser_page import Page, VIEWS
from browser_suite import start_browser
from shown import MOVE

LONGEST = """window.longest = 0; let last = performance.now();
const look = (now) => { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(look); };
requestAnimationFrame(look);"""


def measure(page: Page, seconds: Any) -> Any:
    page.script(MOVE + LONGEST)
    began, frames = time.monotonic(), page.script("return window.dpmFrames")
    time.sleep(seconds)
    drawn = page.script("return window.dpmFrames") - frames
    return drawn / (time.monotonic() - began), page.script("return window.longest")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("page", nargs="?", default=str(ROOT / "build/release/view/page/page.html"))
    parser.add_argument("--processes", default="200")
    parser.add_argument("--rate", default="50000")
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        server = subprocess.Popen([sys.executable, str(ROOT / "tests/view/page/mock_server.py"), options.page, "--processes", options.processes,
                                   "--rate", options.rate], stdout=subprocess.PIPE, text=True)
        browser = start_browser(scratch + "/profile")
        try:
            page = Page(browser, options.page, ROOT / "tests/view/page", Path(scratch))
            assert server.stdout
            address = server.stdout.readline().strip()
            print("| view | frames/s | longest pause, ms |\n|---|---:|---:|")
            for view in VIEWS:
                page.open(address + f"#view={view}&last=10")
                time.sleep(2)
                rate, longest = measure(page, options.seconds)
                print(f"| {view} | {rate:.0f} | {longest:.0f} |", flush=True)
        finally:
            browser.quit()
            server.terminate()
            server.wait()


main()
