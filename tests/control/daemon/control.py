"""A controller for tests: speaks control messages (control/protocol/control_codec.hpp) with `dpm meterd --attach`."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import io
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

REQUEST, REPLY, REPORT = 1, 2, 3
HEADER = pathlib.Path(__file__).resolve().parents[3] / "control/protocol/control_message.hpp"
VERSION = int(re.search(r"kControlVersion = (\d+);", HEADER.read_text()).group(1))  # type: ignore[union-attr]
PATIENCE = 60  # seconds, for anything that must happen


def frame(kind: int, text: bytes, raw: bytes = b"", frame_version: int = 1) -> bytes:
    body = struct.pack("<I", len(text)) + text + raw
    return struct.pack("<IBBH", len(body), frame_version, kind, 0) + body


def request_frame(number: int, kind: str, fields: dict[str, Any], raw: bytes = b"") -> bytes:
    return frame(REQUEST, json.dumps({"type": kind, "number": number, **fields}).encode(), raw)


def for_scope(address: dict[str, Any], machine: str, job: str) -> dict[str, Any]:
    """A filter's address as meters of this machine and job get it: with their key instead of the filter's secret."""
    extracted = hmac.digest(bytes(32), bytes.fromhex(address["secret"]), hashlib.sha256)
    return address | {"secret": hmac.digest(extracted, f"dpm meter {machine}/{job}\x01".encode(), hashlib.sha256).hex()}


def wait_for(condition: Callable[..., Any], what: str, patience: float = PATIENCE) -> Any:
    """Waits on a condition; its value."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience} s in vain for {what}")
        time.sleep(0.01)


class Refused(Exception):
    pass


class Ended(Exception):
    pass


class Message(dict[str, Any]):
    raw = b""


class Connection:
    """Frames over the standard input and output of a command. Reports and replies are taken by a thread."""

    def __init__(self, command: list[str], env: dict[str, str] | None = None, inherited: Sequence[int] = ()) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=env, start_new_session=True, pass_fds=inherited)
        self.reports: list[Message] = []
        self.changed = threading.Condition()
        self.replies: dict[int, Message] = {}
        self.ended = False
        self.number = 0
        self.reading = threading.Event()
        self.reading.set()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read_exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            self.reading.wait()
            assert isinstance(self.process.stdout, io.BufferedReader)
            part = self.process.stdout.read1(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def _read(self) -> None:
        try:
            while True:
                length, version, kind, zero = struct.unpack("<IBBH", self._read_exactly(8))
                assert version == 1 and zero == 0, (version, zero)
                body = self._read_exactly(length)
                size = struct.unpack_from("<I", body)[0]
                message = Message(json.loads(body[4:4 + size]))
                message.raw = body[4 + size:]
                message["at"] = time.monotonic()
                with self.changed:
                    if kind == REPLY:
                        self.replies[message["number"]] = message
                    else:
                        self.reports.append(message)
                    self.changed.notify_all()
        except (EOFError, ValueError, OSError):
            pass
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def write(self, data: bytes) -> None:
        try:
            assert self.process.stdin
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def until(self, condition: Callable[..., Any], what: str) -> Any:
        with self.changed:
            if not self.changed.wait_for(lambda: condition() or self.ended, PATIENCE):
                raise AssertionError(f"waited {PATIENCE} s in vain for {what}")
            if not condition():
                raise Ended(f"the connection ended before {what}")
            return condition()

    def send(self, kind: str, raw: bytes = b"", /, **fields: Any) -> int:
        self.number += 1
        self.write(request_frame(self.number, kind, fields, raw))
        return self.number

    def answer(self, number: int) -> Any:
        reply = self.until(lambda: self.replies.get(number), f"a reply to {number}")
        if reply["type"] == "refused":
            raise Refused(reply["why"])
        return reply

    def ask(self, kind: str, raw: bytes = b"", /, **fields: Any) -> Any:
        return self.answer(self.send(kind, raw, **fields))

    def close(self) -> None:
        self.reading.set()
        try:
            assert self.process.stdin
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait(PATIENCE)
        self.thread.join(PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()
        assert self.process.stderr
        self.process.stderr.close()

    def kill(self) -> None:
        self.process.kill()
        self.close()


class Controller(Connection):
    def __init__(self, machine: Machine, name: str = "controller-1", hello: bool = True, known_as: str = "red",
                 inherited: Sequence[int] = ()) -> None:
        super().__init__(machine.attach_command(), machine.env, inherited)
        self.machine = machine
        if hello:
            self.welcome = self.ask("hello", version=VERSION, controller=name, machine=known_as)

    def send(self, kind: str, raw: bytes = b"", /, **fields: Any) -> int:
        if kind in ("create_process", "acquire_process"):
            fields["filter"] = for_scope(fields["filter"], self.machine.name, fields["job"])
        return super().send(kind, raw, **fields)

    def create(self, *command: str, job: str = "job", name: str | None = None, flags: str = "all", directory: str = "",
               stdin: str = "") -> Any:
        return self.ask("create_process", job=job, name=name or os.path.basename(command[0]), file=command[0],
                        arguments=list(command[1:]), directory=directory, input=stdin, flags=flags,
                        filter=self.machine.filter_address())["pid"]

    def on(self, kind: str, pid: int, /, **fields: Any) -> Any:
        return self.ask(kind, pid=pid, **fields)

    def states(self, pid: int) -> list[Any]:
        return [(r["state"], r["reason"]) for r in self.reports if r["type"] == "state_changed" and r["pid"] == pid]

    def await_state(self, pid: int, state: str) -> Any:
        return self.until(lambda: next(((s, why) for s, why in self.states(pid) if s == state), None),
                          f"process {pid} {state}")[1]

    def output(self, pid: int, is_error: bool = False) -> bytes:
        return b"".join(r.raw for r in self.reports
                        if r["type"] == "output" and r["pid"] == pid and r["is_error"] == is_error)

    def dropped(self, pid: int) -> int:
        return sum(r["dropped_bytes"] for r in self.reports if r["type"] == "output" and r["pid"] == pid)

    def managed(self) -> dict[int, dict[str, Any]]:
        return {c["pid"]: c for c in self.ask("list_managed")["managed"]}

    def run(self, *command: str, **options: Any) -> Any:
        """From creation to release: pid, reason."""
        pid = self.create(*command, **options)
        self.on("start_process", pid)
        reason = self.await_state(pid, "killed")
        self.on("release", pid)
        return pid, reason


class Machine:
    """A daemon of its own on this machine, in a scratch folder; every process it has left behind is ended."""

    def __init__(self, dpm: str, folder: str, name: str = "red", idle: Any | None = None, address: dict[str, Any] | None = None) -> None:
        self.dpm, self.name, self.idle, self.address = dpm, name, idle, address
        self.keep: int | None = None
        self.as_account: list[str] = []  # the words of a command that becomes another account
        self.signals = False  # no cgroups
        self.folder, self.home = folder, folder + "/home"
        os.makedirs(folder + "/run", mode=0o700, exist_ok=True)
        os.makedirs(self.home, mode=0o700, exist_ok=True)
        self.env = {**os.environ, "XDG_RUNTIME_DIR": folder + "/run", "HOME": self.home,
                    "XDG_STATE_HOME": folder + "/state"}

    def attach_command(self) -> list[Any]:
        command = [*self.as_account, self.dpm, "meterd", "--attach", "--machine", self.name]
        command += ["--idle", str(self.idle)] if self.idle else []
        command += ["--signals"] if self.signals else []
        return command + (["--keep", str(self.keep)] if self.keep else [])

    def filter_address(self) -> dict[str, Any] | None:
        return self.address

    def swallowing_filter(self) -> Any:
        """The address of a filter that takes what comes and keeps nothing."""
        program = self.home + "/swallow"
        with open(program, "w") as file:
            file.write("#!/bin/sh\nexec cat >/dev/null\n")
        os.chmod(program, 0o755)
        controller = Controller(self, "swallower")
        created = controller.ask("create_filter", name="swallow", program=program, descriptions="", templates="",
                                 loopback_only=True, port_first=0, port_last=0, through_controller=False)
        controller.close()
        return created["address"]

    def kill(self, *roles: str) -> None:
        """Kills our processes of these roles. One that ends because another was killed first is not missed."""
        for pid in [pid for role in roles for pid in self.processes(role)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def processes(self, role: str | None = None) -> list[Any]:
        """Ours, by /proc: [(pid, command line)]. They are known by their environment."""
        found = []
        mark = f"XDG_RUNTIME_DIR={self.folder}/run".encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                environment = open(f"/proc/{pid}/environ", "rb").read().split(b"\0")
                command = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
            except OSError:
                continue
            if mark in environment and (role is None or self._role(command) == role):
                found.append(int(pid))
        # A program that has not begun looks like the supervisor that it was forked from.
        return [pid for pid in found if role is None or self._parent(pid) not in found]

    def _parent(self, pid: int) -> int:
        try:
            return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
        except OSError:
            return 0

    def _role(self, command: list[bytes]) -> str:
        words = [word.decode(errors="replace") for word in command]
        if "meterd" not in words:
            return "program"
        return next((role for role in ("--attach", "--supervise", "--collect") if role in words), "meterd")

    def daemon(self) -> Any:
        return wait_for(lambda: self.processes("meterd"), "a meterdaemon")[0]

    def log(self) -> str:
        try:
            return open(f"{self.folder}/state/dpm/meterd-{self.name}.log", errors="replace").read()
        except OSError:
            return ""

    def end(self) -> None:
        for pid in self.processes():
            try:
                os.kill(pid, 9)
            except OSError:
                pass
