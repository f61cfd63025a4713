#!/usr/bin/python3
"""take_pictures.py DPM SCENARIO DOCS [--shiviz FOLDER] [--catapult FOLDER] [--only FORMAT...]

Exports a run of the scenario in each format, opens it in the tool that docs/export.md names, and writes what the tool shows:
DOCS/export-FORMAT.png, or .svg. Two tools are not in Debian: they are used from copies of their sources (ShiViz, and Catapult with
the trace viewer) where those are given, and their pictures stay as they are otherwise.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "view/page"))
import browser_suite
from selenium.webdriver.common.by import By

PATIENCE_S = 30
SCREEN = ":87"
HTTP_PORT, PROMETHEUS_PORT = 7191, 7192


def run(*words: Any, **more: Any) -> str:
    result: str = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **more).stdout
    return result


def until(what: str, holds: Callable[..., Any]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"take_pictures: not after {PATIENCE_S} s: {what}")
        time.sleep(.2)


def few_colours(png: Any, docs: Any, name: str) -> None:
    """Pictures stay small with few colours."""
    run("pngquant", "--force", "--output", docs / f"export-{name}.png", 128, png)
    print(f"wrote {docs / f'export-{name}.png'}")


class Screen:
    """A screen that only this program sees, for tools with windows."""

    def __init__(self, width: int, height: int) -> None:
        self.environment = {**os.environ, "DISPLAY": SCREEN, "QT_X11_NO_MITSHM": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
        self.server = subprocess.Popen(["Xvfb", SCREEN, "-screen", "0", f"{width}x{height}x24"], stderr=subprocess.DEVNULL)
        self.size = width, height

    def __enter__(self) -> Screen:
        until("Xvfb", lambda: os.path.exists(f"/tmp/.X11-unix/X{SCREEN[1:]}"))
        return self

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        self.server.wait()

    def tool(self, *words: str | int, **more: Any) -> str:
        result: str = subprocess.run([str(word) for word in words], env=self.environment, capture_output=True, text=True, check=False, **more).stdout
        return result

    def take(self, words: list[str], title: str, png: Any, home: Any, clicks: tuple[tuple[int, int], ...] = ()) -> None:
        """The window of a program when it shows nothing new any more; clicks come before. `home` has no settings of the user."""
        environment = {**self.environment, "HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
        program = subprocess.Popen([str(word) for word in words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until(title, lambda: self.tool("xdotool", "search", "--onlyvisible", "--name", title).split())
            window = self.tool("xdotool", "search", "--onlyvisible", "--name", title).split()[0]
            self.tool("xdotool", "windowmove", window, 0, 0, "windowsize", window, *self.size)
            self.when_still(window, png)
            for x, y in clicks:
                self.tool("xdotool", "mousemove", x, y, "click", 1)
                time.sleep(.5)
            self.when_still(window, png)
        finally:
            program.kill()
            program.wait()

    def when_still(self, window: str, png: Any) -> None:
        shown = []

        def is_still() -> bool:
            time.sleep(1)
            self.tool("import", "-window", window, png)
            shown.append(Path(png).read_bytes() if Path(png).exists() else b"")
            return len(shown) >= 3 and shown[-1] == shown[-2] == shown[-3] != b""
        until("a window that shows nothing new", is_still)


class Browser:
    def __init__(self, folder: Any, width: int, height: int) -> None:
        self.browser = browser_suite.start_browser(str(folder))
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def __enter__(self) -> Any:
        return self.browser

    def __exit__(self, *_: object) -> None:
        self.browser.quit()


# Seconds of the run that are shown: in the first of them the transactions are seen one by one.
SHOWN_S = "0.0:0.5"
WINDOWS = {
    "paje": (["vite", "-t", SHOWN_S, "trace.paje"], "ViTE", ()),
    "otf2": (["vite", "-t", SHOWN_S, "trace/traces.otf2"], "ViTE", ()),
    "sqlite": (["sqlitebrowser", "-t", "slowest_messages", "trace.db"], "DB Browser", ((1050, 72), (1050, 72))),  # closes two panes
    "csv": (["gnumeric", "--no-splash", "trace.csv"], "trace.csv", ()),
}
FILES = {"perfetto": "trace.json", "sqlite": "trace.db", "csv": "trace.csv", "dot": "graph.dot", "shiviz": "trace.log", "paje": "trace.paje",
         "otf2": "trace", "prometheus": "dpm.prom"}


def window(form: Any, folder: Any, docs: Any) -> None:
    words, title, clicks = WINDOWS[form]
    os.chdir(folder)
    with Screen(1060, 640) as screen:
        screen.take(words, title, folder / f"{form}.png", folder, clicks)
    few_colours(folder / f"{form}.png", docs, form)


def dot(folder: Any, docs: Any) -> None:
    run("dot", "-Tsvg", folder / "graph.dot", "-o", docs / "export-graph.svg")


def prometheus(folder: Any, docs: Any) -> None:
    """The file is what a target answers, which Prometheus asks each second."""
    handler = functools.partial(type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None}), directory=str(folder))
    target = http.server.ThreadingHTTPServer(("127.0.0.1", HTTP_PORT), handler)
    threading.Thread(target=target.serve_forever, daemon=True).start()
    (folder / "prometheus.yml").write_text(
        "scrape_configs:\n  - job_name: dpm\n    scrape_interval: 1s\n    metrics_path: /dpm.prom\n"
        f"    static_configs:\n      - targets: ['127.0.0.1:{HTTP_PORT}']\n")
    address = f"http://127.0.0.1:{PROMETHEUS_PORT}"
    server = subprocess.Popen(["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                               f"--web.listen-address=127.0.0.1:{PROMETHEUS_PORT}"], stderr=subprocess.DEVNULL)

    def has_samples() -> bool:
        try:
            with urllib.request.urlopen(f"{address}/api/v1/query?query=dpm_messages_total") as answer:
                return b'"value"' in answer.read()
        except OSError:
            return False
    try:
        until("Prometheus with the exported numbers", has_samples)
        with Browser(folder / "profile", 1100, 620) as browser:
            browser.get(f"{address}/graph?g0.expr=sum%20by%20(from%2C%20to)%20(dpm_messages_total)&g0.tab=1")
            until("a table of Prometheus", lambda: "coordinator" in browser.find_element(By.TAG_NAME, "body").text)
            browser.save_screenshot(str(folder / "prometheus.png"))
    finally:
        server.terminate()
        server.wait()
        target.shutdown()
    few_colours(folder / "prometheus.png", docs, "prometheus")


def shiviz(source: Any, folder: Any, docs: Any) -> None:
    with Browser(folder / "profile", 1100, 700) as browser:
        browser.get(f"file://{source}/index.html")
        browser.execute_script("$('.try').click()")
        browser.find_element(By.ID, "file").send_keys(str(folder / "trace.log"))
        until("events drawn by ShiViz", lambda: browser.execute_script("return $('#vizContainer circle').length") > 10)
        time.sleep(2)
        browser.save_screenshot(str(folder / "shiviz.png"))
    few_colours(folder / "shiviz.png", docs, "shiviz")


def trace_viewer(source: Any, folder: Any, docs: Any) -> None:
    """The viewer as a page: the first transactions, with messages as arrows. What is selected is explained below; nothing is."""
    run(sys.executable, source / "tracing/bin/trace2html", folder / "trace.json", "--output", folder / "viewer.html")
    with Browser(folder / "profile", 1100, 1300) as browser:
        browser.get(f"file://{folder}/viewer.html")
        until("the trace viewer", lambda: browser.execute_script("return !!(document.querySelector('tr-ui-timeline-view') || {}).trackView"))
        time.sleep(2)
        browser.execute_script("""
          const view = document.querySelector('tr-ui-timeline-view'), viewport = view.trackView.viewport;
          view.selectedFlowEvents.add('message');
          viewport.selectedFlowEvents = view.selectedFlowEvents;
          const shown = viewport.currentDisplayTransform.clone();
          shown.xSetWorldBounds(0, 140, 800);
          viewport.setDisplayTransformImmediately(shown);""")
        time.sleep(2)
        browser.save_screenshot(str(folder / "whole.png"))
    run("convert", folder / "whole.png", "-crop", "1100x610+0+0", folder / "viewer.png")
    few_colours(folder / "viewer.png", docs, "perfetto")


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("dpm", type=Path)
    parser.add_argument("scenario", type=Path)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--shiviz", type=Path)
    parser.add_argument("--catapult", type=Path)
    parser.add_argument("--only", nargs="+", choices=FILES, default=list(FILES))
    options = parser.parse_args()
    dpm, scenario, docs = options.dpm.resolve(), options.scenario.resolve(), options.docs.resolve()
    takers = {form: functools.partial(window, form) for form in WINDOWS} | {"dot": dot, "prometheus": prometheus}
    if options.shiviz:
        takers["shiviz"] = functools.partial(shiviz, options.shiviz.resolve())
    if options.catapult:
        takers["perfetto"] = functools.partial(trace_viewer, options.catapult.resolve())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        run(dpm, "run", scenario, "--base-only", "-o", folder / "out")
        for form in options.only:
            run(dpm, "export", folder / "out", "--to", form, "-o", folder / FILES[form])
            if form in takers:
                takers[form](folder, docs)


main()
