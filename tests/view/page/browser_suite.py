"""Runs the cases of a module in one Chromium, driven by python3-selenium, and reports them. Exits with 77 where a tool is missing."""
import inspect
import shutil
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).resolve().parent


def skip(reason: str) -> NoReturn:
    print(f"SKIPPED: {reason}")
    sys.exit(77)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError as missing:
    skip(f"{missing} (apt-get install python3-selenium)")
if not (shutil.which("chromium") and shutil.which("chromedriver")):
    skip("chromium or chromium-driver is missing")


def start_browser(profile: str) -> Any:
    options = Options()
    options.binary_location = shutil.which("chromium")
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}", "--window-size=1400,900"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def line_of(entry: tuple[str, types.FunctionType]) -> int:
    return entry[1].__code__.co_firstlineno


def cases_of(module: types.ModuleType, wanted: list[str]) -> list[Any]:
    cases = [(name, case) for name, case in inspect.getmembers(module, inspect.isfunction) if name.startswith("case_")]
    cases.sort(key=line_of)
    return [(name, case) for name, case in cases if not wanted or any(word in name for word in wanted)]


def run(module: types.ModuleType, wanted: list[str], again: str, page_of: Callable[..., Any], help_of: Callable[..., Any]) -> int:
    """Each case gets page_of(browser, scratch) and help_of(scratch), which has end() to be called after the case."""
    failures = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        browser = start_browser(scratch + "/profile")
        help = help_of(Path(scratch))
        try:
            for name, case in cases_of(module, wanted):
                began = time.monotonic()
                page = page_of(browser, Path(scratch))
                try:
                    case(page, help)
                    page.check_log()
                    print(f"ok {name} ({time.monotonic() - began:.1f} s)", flush=True)
                except Exception:
                    failures += 1
                    print(f"FAILED {name}: {case.__doc__}", flush=True)
                    traceback.print_exc()
                    print(f"again: {again} {name}", file=sys.stderr)
                finally:
                    help.end()
        finally:
            browser.quit()
    return 1 if failures else 0
