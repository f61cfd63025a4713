"""A real program played three times: bare, metered, and metered by a meter that is killed during the work.

A script of real_programs/ hands play(session) to main(). What play() notes must be the same each time; what is left over
at the end (a meter that does not end, a trace that cannot be read, an event lost) is a failure.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

import events
import running


LIMIT_S = 90  # for what takes a moment on a quiet machine
LOOK_AGAIN_S = 0.005


class Failed(Exception):
    """The program did not even get as far as its results."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(what: str, holds: Callable[[], object], limit_s: float = LIMIT_S) -> None:
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            raise Failed(f"waited {limit_s} s in vain until {what}")
        time.sleep(LOOK_AGAIN_S)


class Session:
    def __init__(self, options: argparse.Namespace, mode: str, folder: pathlib.Path) -> None:
        self.options, self.mode, self.folder = options, mode, folder
        self.progress, self.struck = folder / "progress", folder / "struck"
        self.mark = f"DPM_TEST_RUN={uuid.uuid4()}"
        self.notes: dict[str, object] = {}
        self.traces: list[pathlib.Path] = []
        self._started: list[tuple[subprocess.Popen[bytes], IO[bytes]]] = []
        self._complaints: list[str] = []
        self.killed = 0

    # ---- what play() uses

    counted_of: str | None = None  # what this program does past the meter is counted, and no complaint

    def lost(self, trace: events.Trace) -> list[str]:
        return [loss for loss in trace.losses if self.counted_of is None or f"of {self.counted_of} (" not in loss]

    def note(self, name: str, value: object) -> None:
        """A result that must not depend on being metered."""
        self.notes[name] = value

    def words(self, command: Sequence[running.Word]) -> list[running.Word]:
        """The command as this session starts it."""
        if self.mode == "bare":
            return list(command)
        metered = self.folder / f"metered-{len(self.traces)}"
        self.traces.append(metered / "trace")
        source = [] if self.options.source == "auto" else ["--source", self.options.source]
        return [self.options.dpm, "meter", "-o", str(metered), *source, "--", *command]

    def start(self, command: Sequence[running.Word], *, metered: bool = True, **how: Any) -> subprocess.Popen[bytes]:
        """Starts a server; ended by the end of the session at the latest."""
        log = open(self.folder / f"log-{len(self._started)}", "ab+")
        process: subprocess.Popen[bytes] = subprocess.Popen(self.words(command) if metered else command, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=subprocess.STDOUT, **self._surroundings(how))
        self._started.append((process, log))
        return process

    def run(self, command: Sequence[running.Word], *, metered: bool = False, limit_s: float = LIMIT_S, input: bytes | None = None,
            **how: Any) -> subprocess.CompletedProcess[Any]:
        """Runs a command to its end; its output and errors are files, as a user's redirections would be."""
        number = len(list(self.folder.glob("out-*")))
        with open(self.folder / f"out-{number}", "wb+") as output, open(self.folder / f"err-{number}", "wb+") as errors:
            given: dict[str, Any] = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
            done: subprocess.CompletedProcess[Any] = subprocess.run(self.words(command) if metered else command, stdout=output, stderr=errors,
                                  timeout=limit_s, **given, **self._surroundings(how))
            output.seek(0)
            errors.seek(0)
            done.stdout, done.stderr = output.read().decode(errors="replace"), errors.read().decode(errors="replace")
        return done

    def wait_for_port(self, port: int) -> None:
        def connects() -> bool:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                return True
            return False
        wait_until(f"port {port} is served (logs: {self.logs()})", connects)

    def stop(self, process: subprocess.Popen[bytes], signal_number: int = signal.SIGTERM, limit_s: float = LIMIT_S) -> int:
        """Ends a server; returns its exit status."""
        if process.poll() is None:
            process.send_signal(signal_number)
        try:
            return process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            raise Failed(f"{process.args!r} does not end: {self.logs()}") from None

    @contextlib.contextmanager
    def meter_killed(self) -> Iterator[None]:
        """A block in which every meter is killed during the work, in the session for that.

        Time does not matter: the work in the block makes the file `progress` when it is under way, goes on until there is
        a file `struck`, and then does some more. It does so in every session, so that all do the same.
        """
        for path in (self.progress, self.struck):
            path.unlink(missing_ok=True)
        over = threading.Event()
        killed_before = self.killed
        striker = threading.Thread(target=self._strike, args=[over])
        striker.start()
        try:
            yield
        finally:
            over.set()
            striker.join()
        if not self.struck.exists():
            raise Failed("the program ended without having announced that it was working")
        if self.mode == "killed" and self.killed == killed_before:
            raise Failed("no meter was killed: there was none while the program worked")

    def rounds(self) -> Iterator[int]:
        """Rounds of work that a test does with a metered server: until the meter is killed in one of them, and one more."""
        with self.meter_killed():
            number, is_last = 0, False
            while not is_last:
                is_last = self.struck.exists()
                yield number
                self.progress.touch()
                number += 1

    def logs(self) -> str:
        text = ""
        for path in sorted(self.folder.glob("log-*")):
            text += path.read_text(errors="replace")[-1500:]
        return text

    def complain(self, complaint: str) -> None:
        """What play() itself finds wrong."""
        self._complaints.append(complaint)

    def wait(self, process: subprocess.Popen[bytes], limit_s: float = LIMIT_S) -> int:
        """Waits for a server that ends by itself."""
        return self.stop(process, signal_number=0, limit_s=limit_s)

    def wait_for_meters(self) -> None:
        wait_until("the meters have ended", lambda: not self.of_dpm())

    # ---- around it

    def _surroundings(self, how: dict[str, Any]) -> dict[str, Any]:
        name, _, value = self.mark.partition("=")
        surroundings = dict(how)
        surroundings["env"] = {**os.environ, name: value, **(how.get("env") or {})}
        surroundings.setdefault("cwd", self.folder)
        return surroundings

    def _ours(self) -> list[tuple[int, str, str]]:
        """Every process of this session, as (pid, name, program): they carry its mark in their environment."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and self.mark.encode() in (entry / "environ").read_bytes():
                    found.append((int(entry.name), (entry / "comm").read_text().strip(), os.readlink(entry / "exe")))
        return found

    def of_dpm(self) -> list[tuple[int, str]]:
        """The meters and keepers of this session, as (pid, name)."""
        dpm = os.path.realpath(self.options.dpm)
        return [(pid, name) for pid, name, program in self._ours() if program == dpm]

    def _strike(self, over: threading.Event) -> None:
        while not self.progress.exists():
            if over.wait(LOOK_AGAIN_S):
                return
        if self.mode == "killed":
            self._kill_meters()
        self.struck.touch()

    def _kill_meters(self) -> None:
        meters = [pid for pid, name in self.of_dpm() if name == "dpm-meter"]
        for pid in meters:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.killed += 1
        wait_until("the meters are dead", lambda: not any(pid in meters for pid, _ in self.of_dpm()))

    def close(self) -> None:
        for process, log in self._started:
            if process.poll() is None:
                process.kill()
                process.wait()
            log.close()
        for pid, name, _ in self._ours():
            if name not in ("dpm-meter", "dpm-keeper"):  # children that a server left behind
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def complaints(self) -> list[str]:
        """What is wrong when everything has ended."""
        complaints = list(self._complaints)
        try:
            self.wait_for_meters()
        except Failed:
            complaints.append(f"still there when the program had ended: {self.of_dpm()}")
            for pid, _ in self.of_dpm():
                os.kill(pid, signal.SIGKILL)
        for path in self.traces:
            try:
                trace = events.Trace(self.options.list_events, path)
            except ValueError as error:
                complaints.append(f"{path.parent.name}: {error}")
                continue
            self.check_trace(complaints, trace, path)
        return complaints

    def check_trace(self, complaints: list[str], trace: events.Trace, path: pathlib.Path) -> None:
        if self.mode != "metered":
            return
        if not trace.finished:
            complaints.append(f"{path.parent.name}: not finished")
        if lost := self.lost(trace):
            complaints.append(f"{path.parent.name}: {lost}")
        if not any(event.type == "SEND" for event in trace.events):
            complaints.append(f"{path.parent.name}: no message in it")


def main(play: Callable[[Session], object], needs: Sequence[str | pathlib.Path] = (), modes: Sequence[str] = ("bare", "metered", "killed")) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--list-events", required=True)
    parser.add_argument("--can-notify", required=True)
    parser.add_argument("--source", default="auto", help="the source that meters")
    parser.add_argument("--build-folder", required=True, help="where a script may keep what it compiles")
    parser.add_argument("--mode", action="append", help="only this one (may be repeated)")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    for program in needs:
        if shutil.which(program) is None and not os.access(program, os.X_OK):
            running.skip(f"{program} is not installed")
    if options.source == "ebpf":
        running.need_source(options.dpm, options.source)
    else:
        running.need_notification(options.can_notify)
    failures = 0
    notes: dict[str, dict[str, object]] = {}
    with running.Workshop() as workshop:
        if os.geteuid() == 0:  # some servers refuse to be root, and are metered as another user
            options.dpm = running.for_every_account(options.dpm, workshop.path)
        for mode in options.mode or modes:
            began = time.monotonic()
            session = Session(options, mode, workshop.folder())
            complaints: list[str] = []
            try:
                play(session)
            except (Failed, subprocess.TimeoutExpired, OSError) as error:
                complaints.append(f"{type(error).__name__}: {error}")
            finally:
                session.close()
            complaints += session.complaints()
            notes[mode] = session.notes
            for name, value in notes.get("bare", {}).items():
                if session.notes.get(name) != value:
                    complaints.append(f"{name}: bare {value!r}, {mode} {session.notes.get(name)!r}")
            print(f"{'FAILED' if complaints else 'good':7}{mode} ({time.monotonic() - began:.1f} s)")
            for complaint in complaints:
                print(f"  {complaint}"[:1500])
            if complaints:
                print(f"  {session.logs()}"[:3000])
            failures += bool(complaints)
        if options.keep:
            shutil.copytree(workshop.path, f"{workshop.path}-kept", symlinks=True, ignore_dangling_symlinks=True)
            print(f"kept in {workshop.path}-kept")
    sys.exit(failures > 0)
