"""The same work, four times: bare, under strace, metered, and under strace and metered at once.

The first says what the program's results are. The second and third are compared class by class, which finds what is missing where strace
slows nothing down. In the fourth both witnesses see the very same calls, so that every one of them can be compared.
"""

import json
import pathlib
import random
import shutil
import socket
import subprocess
import sys
from typing import Any

import strace_account
import trace_account
from account import Account

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
LIMIT_S = 400
OURS = ("strace", "dpm")


class Broken(Exception):
    """A run failed, so that there is nothing to compare."""


class Performance:
    """What a run left: what its stage wrote down, and the accounts of the witnesses that watched it."""

    def __init__(self, said: dict[str, Any], ports: dict[str, int]) -> None:
        self.said, self.ports = said, ports
        self.strace: Account | None = None
        self.metered: Account | None = None
        self.trace: pathlib.Path | None = None


def free_ports(names: list[str]) -> dict[str, int]:
    """Below those that the kernel gives to clients."""
    ports: dict[str, int] = {}
    for name in names:
        while name not in ports:
            port = random.randrange(10000, 30000)
            with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
                try:
                    for tried in (tcp, udp):
                        tried.bind(("127.0.0.1", port))
                except OSError:
                    continue
            if port not in ports.values():
                ports[name] = port
    return ports


class Theatre:
    def __init__(self, dpm: pathlib.Path, folder: pathlib.Path, quick: Any, plant: Any = lambda records, names: records) -> None:
        self._dpm, self._folder, self._quick, self._plant = dpm, folder, quick, plant

    def perform(self, path: Any, program: Any, *, straced: bool, metered: bool) -> Performance:
        folder = self._folder / f"{path.stem}-{'strace-' * straced}{'metered' if metered else 'unmetered'}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o755)
        prepared = self._prepared(path, program)
        ports = free_ports(getattr(program, "PORTS", []))
        specification = folder / "specification.json"
        specification.write_text(json.dumps({"program": str(path), "folder": str(folder), "prepared": str(prepared), "ports": ports,
                                             "quick": self._quick}))
        log, output = folder / "strace", folder / "metered"
        words = [PYTHON, "-B", HERE / "stage.py", specification]
        if straced:
            # A filter of strace's would come after the meter's, and see nothing that is held there.
            quicker = [] if metered else ["--seccomp-bpf"]
            words = ["strace", "-f", *quicker, "-yy", "-s", "8", "-qq", "-o", log, *strace_account.OPTIONS, *words]
        if metered:
            words = [self._dpm, "meter", "--wait", *([] if straced else ["--whole-cpu"]), "-o", output, "--", *words]
        performance = Performance(self._run(words, folder), ports)
        if straced:
            performance.strace = strace_account.read(log).without(_is_ours)
        if metered:
            trace = performance.trace = output / "trace"
            performance.metered = trace_account.read(trace, self._plant).without(_is_ours)
        return performance

    def _prepared(self, path: Any, program: Any) -> pathlib.Path:
        """What all runs of a program share, such as a compiled server: made once, watched by none."""
        folder = self._folder / f"{path.stem}-prepared"
        if not folder.exists():
            folder.mkdir(mode=0o755)
            if hasattr(program, "prepare"):
                try:
                    program.prepare(folder, HERE / "parts")
                except (OSError, subprocess.CalledProcessError) as error:
                    raise Broken(f"it cannot be prepared: {error}") from error
        return folder

    def fates(self, performance: Any) -> Any:
        """How many messages dpm merge says became what."""
        merged = performance.trace.parent / "merged"
        words = [self._dpm, "merge", performance.trace.parent, "-o", merged, "--json"]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=LIMIT_S, check=False)
        shutil.rmtree(merged, ignore_errors=True)
        if done.returncode != 0:
            raise Broken(f"dpm merge: {done.stderr.strip()[-500:]}")
        return json.loads(done.stdout)["messages"]

    @staticmethod
    def _run(words: list[Any], folder: pathlib.Path) -> Any:
        with open(folder / "errors", "wb") as errors:
            try:
                done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, timeout=LIMIT_S,
                                      check=False)
            except subprocess.TimeoutExpired as expired:
                raise Broken(f"no end after {expired.timeout} s: {' '.join(map(str, words))}") from expired
        written = folder / "said.json"
        if done.returncode != 0 or not written.exists():
            raise Broken(f"{' '.join(map(str, words))}: status {done.returncode}: {(folder / 'errors').read_text()[-800:]}")
        said: dict[str, Any] = json.loads(written.read_text())
        if said["failure"]:
            raise Broken(said["failure"])
        return said


def _is_ours(task: Any) -> bool:
    return task.program in OURS


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
