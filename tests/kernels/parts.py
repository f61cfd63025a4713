"""The folders features/, environments/ and promises/: each file is a part, found by being there."""

import importlib.util
import pathlib
import types
from collections.abc import Callable
from typing import Any, Protocol

from outcome import ABSENT, Failed, Less, outcome_of
from site_of_guest import Site

HERE = pathlib.Path(__file__).resolve().parent


class Promise(Protocol):
    """A file of promises/."""
    CHECK: str

    @property
    def play(self) -> Callable[[Any], None]: ...


def load(folder: str) -> dict[str, types.ModuleType]:
    """By name, as words: features/kill_meter.py is "kill meter"."""
    found = {}
    for path in sorted((HERE / folder).glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"{folder}_{path.stem}", path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found[path.stem.replace("_", " ")] = module
    return found


def keep_promise(promise: "Promise", site: Site | None, said: dict[str, Any]) -> None:
    """What dpm doctor says of the promise's check against what happens: "good" must work, "missing" must not, and raises Less; what is less than
    good may work here. Raises Failed where they differ."""
    check = next((check for check in said["checks"] if check["check"] == promise.CHECK), None)
    if check is None:
        raise Failed(f"dpm doctor has no check '{promise.CHECK}'")
    verdict, reason = outcome_of(lambda: promise.play(site))
    works = verdict == "works"
    if (check["verdict"] == "good" and not works) or (check["verdict"] == "missing" and works):
        raise Failed(f"dpm doctor: {check['verdict']} ({check['found']}); in truth: {verdict}" + (f" ({reason})" if reason else ""))
    if check["verdict"] != "good":
        raise Less(f"{check['verdict']}: {check['found']}" if verdict != ABSENT else f"{check['verdict']}: {reason}")
