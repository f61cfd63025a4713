#!/usr/bin/python3
"""Runs one of programs/ from its start to its end: stage.py SPECIFICATION, a JSON file.

This is what is run bare, under strace and metered. It is the parent of everything that the program starts, and the process that inherits
orphans (PR_SET_CHILD_SUBREAPER), so that it reaps every process that is not reaped by a parent of its own, and writes down what wait4()
says of it: the CPU time that a trace must tell as well. Its own children get files as standard input, output and errors: the only
channels are those of the program.
"""

import ctypes
import importlib.util
import json
import os
import pathlib
import signal
import sys
import time
import types
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
LIMIT_S = 120
LOOK_AGAIN_S = 0.02
LISTENING = "0A"


class Failed(Exception):
    """The program did not do its work."""


class Stage:
    def __init__(self, folder: Any, prepared: Any, ports: Any, quick: Any) -> None:
        self.folder, self.prepared, self._ports, self.quick = pathlib.Path(folder), pathlib.Path(prepared), ports, quick
        self.parts = pathlib.Path(__file__).resolve().parent / "parts"
        self.notes: dict[str, object] = {}
        self.counters: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.reaped: list[Any] = []
        self._statuses: dict[Any, Any] = {}
        self._number = 0

    # ---- what a program's play() uses

    def port(self, name: str) -> Any:
        return self._ports[name]

    def start(self, words: Sequence[object], *, env: dict[str, str] | None = None, stdin: Any = os.devnull) -> int:
        """Starts a command; returns its number."""
        self._number += 1
        output = str(self.folder / f"output-{self._number}")
        files = [(os.POSIX_SPAWN_OPEN, 0, str(stdin), os.O_RDONLY, 0),
                 (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644),
                 (os.POSIX_SPAWN_OPEN, 2, output + ".errors", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)]
        command = [str(word) for word in words]
        pid = os.posix_spawnp(command[0], command, {**os.environ, **(env or {})}, file_actions=files)
        self._statuses[pid] = None
        (self.folder / f"pid-{pid}").write_text(output)
        return pid

    def wait(self, pid: int, limit_s: int = LIMIT_S) -> Any:
        """The exit status of what was started, and what it printed."""
        end = time.monotonic() + limit_s
        while self._statuses[pid] is None:
            if not self._reap(os.WNOHANG):
                if time.monotonic() > end:
                    raise Failed(f"{pid} does not end: {self._printed(pid)[1][-500:]}")
                time.sleep(LOOK_AGAIN_S / 4)
        return self._statuses[pid], self._printed(pid)[0]

    def run(self, words: Sequence[object], *, status: int = 0, **how: Any) -> Any:
        """Runs a command to its end; what it printed."""
        pid = self.start(words, **how)
        ended, printed = self.wait(pid)
        if ended != status:
            raise Failed(f"{' '.join(map(str, words))}: status {ended}: {self._printed(pid)[1][-500:]}")
        return printed

    def stop(self, pid: Any, number: signal.Signals = signal.SIGTERM, limit_s: int = 30) -> Any:
        if self._statuses[pid] is None:
            os.kill(pid, number)
        return self.wait(pid, limit_s)[0]

    def kill(self, pid: int, number: signal.Signals | int = signal.SIGTERM) -> None:
        """A process of the program, which its own parent or stop() waits for."""
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass

    @staticmethod
    def children_of(pid: int) -> list[Any]:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def printed_by(self, pid: Any) -> Any:
        return self._printed(pid)[0]

    def wait_for_port(self, name: str, protocol: str = "tcp", limit_s: int = 60) -> None:
        self.wait_until(f"port {name} is served", lambda: self._is_open(self.port(name), protocol), limit_s)

    @staticmethod
    def wait_until(what: str, is_so: Callable[..., Any], limit_s: int = 60) -> None:
        end = time.monotonic() + limit_s
        while not is_so():
            if time.monotonic() > end:
                raise Failed(f"not after {limit_s} s: {what}")
            time.sleep(LOOK_AGAIN_S)

    def note(self, name: str, value: int | str | list[tuple[Any, int, str]] | tuple[Any, Any]) -> None:
        """A result, which must be the same in every run."""
        self.notes[name] = value

    def counter(self, what: str, value: int, *, program: str, of: str, way: str = "", service: str = "") -> None:
        """What a program itself says of its `of`: messages, bytes, connections of one way and service, or accepts."""
        self.counters.append({"what": what, "value": value, "program": program, "of": of, "way": way, "service": service})

    def answer_varies(self, service: str, length: int, why: str) -> None:
        """A connection that brings nothing but one answer, whose length the client has counted; runs differ in it, because of `why`."""
        self.answers.append({"service": service, "bytes": length, "why": why})

    # ---- around it

    @staticmethod
    def _is_open(port: Any, protocol: str) -> bool:
        ending = f":{port:04X}"
        for table in (f"/proc/net/{protocol}", f"/proc/net/{protocol}6"):
            if os.path.exists(table):
                rows = [line.split() for line in pathlib.Path(table).read_text().splitlines()[1:]]
                if any(row[1].endswith(ending) and (protocol == "udp" or row[3] == LISTENING) for row in rows):
                    return True
        return False

    def _printed(self, pid: int) -> list[Any]:
        output = (self.folder / f"pid-{pid}").read_text()
        return [pathlib.Path(file).read_text(errors="replace") for file in (output, output + ".errors")]

    def _reap(self, how: int) -> bool:
        """False: nothing has ended."""
        try:
            pid, status, used = os.wait4(-1, how)
        except ChildProcessError:
            return False
        if pid == 0:
            return False
        self._statuses[pid] = os.waitstatus_to_exitcode(status)
        self.reaped.append({"pid": pid, "cpu_s": used.ru_utime + used.ru_stime})
        return True

    def end(self, limit_s: int = 10) -> None:
        """Reaps what is left, and ends what does not end by itself."""
        end = time.monotonic() + limit_s
        while self._has_children():
            if not self._reap(os.WNOHANG):
                if time.monotonic() > end:
                    for pid in self.children_of(os.getpid()):
                        self.kill(pid, signal.SIGKILL)
                time.sleep(LOOK_AGAIN_S)

    @staticmethod
    def _has_children() -> bool:
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
        return True


def load(path: pathlib.Path) -> types.ModuleType:
    """A program of programs/, as a module."""
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    specification = json.loads(pathlib.Path(sys.argv[1]).read_text())
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    stage = Stage(specification["folder"], specification["prepared"], specification["ports"], specification["quick"])
    os.chdir(stage.folder)
    failure = ""
    try:
        load(specification["program"]).play(stage)
    except (Failed, OSError, LookupError, ValueError) as error:
        failure = f"{type(error).__name__}: {error}"
    stage.end()
    (stage.folder / "said.json").write_text(json.dumps(
        {"notes": stage.notes, "counters": stage.counters, "answers": stage.answers, "reaped": stage.reaped, "failure": failure}))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
