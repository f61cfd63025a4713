"""Where one case runs: its folder, its environment, its programs and the monitors that watch them."""

import argparse
import json
import os
import pathlib
import subprocess
from collections.abc import Sequence
from typing import Any

from expecting import PATIENCE_S, expect


class Site:
    """A folder in which programs and their monitor meet, and no others."""

    def __init__(self, options: argparse.Namespace, folder: pathlib.Path) -> None:
        self.options, self.folder = options, folder
        self.shared = folder / "shared"
        self.environment = {**os.environ, "DPM_MONITOR_FOLDER": str(self.shared), "DPM_LIBRARY": str(options.library),
                            "PYTHONPATH": str(options.python.resolve())}

    def program(self, name: str, *words: object) -> list[str]:
        return [*self.options.wrapper, str(self.options.programs / name), *map(str, words)]

    def script(self, text: str) -> pathlib.Path:
        path = self.folder / "script.events"
        path.write_text(text)
        return path

    def start(self, words: list[Any], **more: Any) -> subprocess.Popen[Any]:
        return subprocess.Popen(words, env=self.environment, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def run(self, words: list[Any], status: int = 0, **more: Any) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(words, env=self.environment, cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE_S, **more)
        expect(done.returncode == status, f"{words}: exit status {done.returncode}: {done.stderr}")
        return done

    def watch(self, script: pathlib.Path, *words: str, status: int = 0, options: Sequence[str] = (), under: Sequence[str] = ()) -> Any:
        """The events, the summary, and what else the command printed."""
        path = self.folder / "events"
        path.unlink(missing_ok=True)
        done = self.run([*under, self.options.dpm, "script", "--json", "-o", str(path), *options, str(script), "--", *words], status)
        return [json.loads(line) for line in path.read_text().splitlines()], json.loads(done.stdout.splitlines()[-1]), done

    def files(self) -> list[Any]:
        return sorted(name for name in os.listdir(self.shared) if name != "watcher") if self.shared.exists() else []
