#!/usr/bin/python3
"""The console of events: `dpm control` over two daemons, and programs that use libdpm, started by them and beside them."""

import argparse
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 90


class Failed(Exception):
    pass


def expect(holds: Any, what: str) -> None:
    if not holds:
        raise Failed(what)


class Console:
    """A controller at the end of a pipe. Its output is read all the time."""

    def __init__(self, options: argparse.Namespace, folder: pathlib.Path, *more: str) -> None:
        self.folder = folder
        environment = {**os.environ, "DPM_MONITOR_FOLDER": str(folder / "shared"), "XDG_STATE_HOME": str(folder),
                       "XDG_RUNTIME_DIR": str(folder), "HOME": str(folder), "TMPDIR": str(folder)}
        self.environment = environment
        self.process = subprocess.Popen([options.dpm, "control", "--launcher", "local", *more], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd=folder)
        self.lines: list[tuple[float, str]] = []
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with self.changed:
                self.lines.append((time.monotonic(), line.rstrip("\n")))
                self.changed.notify_all()

    def type(self, line: str) -> int:
        since = len(self.lines)
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return since

    def wait_for(self, pattern: str, since: int = 0) -> Any:
        """The number behind the line, and its match."""
        end = time.monotonic() + PATIENCE_S
        with self.changed:
            at = since
            while True:
                for at in range(at, len(self.lines)):
                    if match := re.search(pattern, self.lines[at][1]):
                        return at + 1, match
                at = len(self.lines)
                self.changed.wait(max(0, end - time.monotonic()))
                if time.monotonic() >= end:
                    raise Failed(f"waited in vain for {pattern!r}; the last: {[text for _, text in self.lines[-8:]]}")

    def says(self, line: str, pattern: str) -> Any:
        return self.wait_for(pattern, self.type(line))

    def count(self, pattern: str, since: int = 0, until: Any | None = None) -> int:
        return sum(bool(re.search(pattern, text)) for _, text in self.lines[since:until])

    def end(self) -> None:
        self.type("die")
        self.type("die")
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(PATIENCE_S)


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--unmodified", required=True, type=pathlib.Path)
    options = parser.parse_args()
    failures = [in_new_console(check, options) for check in (check_library, check_unmodified)]
    return any([*failures, in_new_console(check_own_window, options, "--terminal", "window")])


def in_new_console(check: Callable[..., Any], options: argparse.Namespace, *more: str) -> bool:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = pathlib.Path(name)
        console = Console(options, folder, *more)
        try:
            check(console, options, folder)
            print(f"good   {check.__name__}")
            return False
        except Failed as why:
            print(f"FAILED {check.__name__}: {str(why)[:2000]}\n  again: {shlex.join(sys.argv)}")
            return True
        finally:
            for path in folder.glob("turns-*"):
                path.unlink()
            console.end()
            end_daemons(folder)


def end_daemons(folder: pathlib.Path) -> None:
    """Those that this test's controller has started; by themselves they would stay for minutes."""
    mark = f"XDG_STATE_HOME={folder}\0".encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(pid) != os.getpid() and mark in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass


def check_own_window(console: Any, options: argparse.Namespace, folder: Any) -> None:
    """Events are shown in their own window, what commands answer at the console (S3 appendix A.1)."""
    (folder / "turns-red").write_text("")
    console.says("filter f1 red", "filter 'f1' was created")
    console.type("newjob foo")
    console.says(f"addprocess foo red {shlex.quote(str(options.programs / 'subject'))} go_on {folder}/turns-red 1", "was created")
    console.says("define process p from subject", "process 'p' is defined")
    console.says("define event turn is integer_assign on turn at *.p.go_on", "event 'turn' is defined on red")
    console.says("startjob foo", "started")
    shown = "red turn: integer_assign on turn in go_on of subject[1]"
    end = time.monotonic() + PATIENCE_S
    while shown not in (folder / "window").read_text():
        expect(time.monotonic() < end, f"nothing is shown in the window; at the console: {console.lines[-8:]}")
        time.sleep(.05)
    console.says("show process", "process p from subject")
    expect(console.count("turn: integer_assign") == 0, "an event is shown at the console")


def check_library(console: Any, options: argparse.Namespace, folder: Any) -> None:
    subject = shlex.quote(str(options.programs / "subject"))
    for machine in ("red", "green"):
        (folder / f"turns-{machine}").write_text("")
    console.says("filter f1 red", "filter 'f1' was created")
    console.type("newjob foo")
    for machine in ("red", "green"):
        console.says(f"addprocess foo {machine} {subject} go_on {folder}/turns-{machine} 1", "was created")
    console.says("startjob foo", "started")

    # A definition is in force in the programs that run when it is answered, and says on which machines.
    console.says("define process p from subject", "process 'p' is defined")
    at, _ = console.says("define event turn is integer_assign on turn at *.p.go_on", "event 'turn' is defined on red, green")
    for machine in ("red", "green"):
        console.wait_for(f"^[0-9:.]+ {machine} turn: integer_assign on turn in go_on of subject\\[1\\]", at - 1)
    console.says("show machine", r"^ *red +1 +\d+ +\d+ +\d+ +\d+")
    console.says("remote red process", r"process \d+: subject\[1\] records turn")

    # Suppressed at the source: nothing is recorded any more.
    console.says("undefine process p", "process 'p' is no longer defined, nor are the definitions that depend on it: event 'turn'")
    console.says("remote green process", r"process \d+: subject\[1\] records nothing")
    at, _ = console.says("show support", "no process is defined")
    time.sleep(.3)
    settled = len(console.lines)
    time.sleep(.5)
    expect(console.count(" turn: ", settled) == 0, "events of what is not defined")

    # Evaluated on the machine of its parts; only what is made of them is sent.
    console.type("log off")
    (folder / "both.events").write_text(
        "process p from subject\nevent r is integer_assign on turn at red.p.go_on\n"
        "event g is integer_assign on turn at green.p.go_on\n"
        "when red10 is r count 10 do report, off r\nwhen two is r and g\n")
    console.says(f"read {folder}/both.events", "5 definitions read")
    at, _ = console.wait_for("red red10: ")
    console.wait_for("event r is off", at - 2)
    console.wait_for(r"\* two: ")
    console.says("show event", "when red10 .*# evaluated on red")
    console.wait_for("when two .*# evaluated here")

    # Stops the job that the process is of, on both machines.
    console.says("undefine process p", "is no longer defined")
    console.type("define process p from subject")
    console.type("define event r is integer_assign on turn at red.p.go_on")
    at = console.type("define when halt is r count 3 do report, stop")
    console.wait_for("red halt: ", at)
    console.wait_for("'subject' stopped|stopped", at)
    console.says("stop", "events are no longer watched on red, green; the programs continue")
    console.type("startjob foo")


def why_not_looked_into(options: argparse.Namespace, folder: pathlib.Path) -> str:
    """What `dpm script` says of a program without libdpm; empty: it looks at its functions."""
    script = folder / "trial.events"
    script.write_text(f"process p from {options.unmodified.name}\nevent in is point_enter on it at *.p.served\n")
    tried = subprocess.run([options.dpm, "script", str(script), "--", str(options.unmodified), "10"], capture_output=True, text=True,
                           timeout=60, check=False, env={**os.environ, "DPM_MONITOR_FOLDER": str(folder / "trial")})
    return tried.stderr.splitlines()[0] if "does not use libdpm" in tried.stderr else ""


def check_unmodified(console: Any, options: argparse.Namespace, folder: Any) -> None:
    """Functions of a program that was not changed. What meters it, under its name, is not counted as a program."""
    if reason := why_not_looked_into(options, folder):
        print(f"SKIPPED: functions of unmodified programs cannot be looked at here: {reason}")
        return
    program = options.unmodified
    console.says("define process p from " + program.name, "process 'p' is defined on local")  # nothing else is named yet
    console.says("filter f1 red", "filter 'f1' was created")
    console.type("newjob foo")
    console.says(f"addprocess foo red {shlex.quote(str(program))} forever", "was created")
    console.says("startjob foo", "started")
    at, _ = console.says("define event in is point_enter on it at *.p.served", "event 'in' is defined on red$")
    console.wait_for(rf"^[0-9:.]+ red in: point_enter on it in served of {program.name}\[1\]", at - 1)
    console.says("show machine", r"^ *red +1 +1 +\d+ +\d+")
    console.says("remote red process", rf"process \d+: {program.name}\[1\] records in$")

    # Each definition is in force at once, in the process that runs already.
    console.says("undefine event in", "event 'in' is no longer defined")
    time.sleep(.3)
    settled = len(console.lines)
    time.sleep(.3)
    expect(console.count(" in: ", settled) == 0, "events of what is not defined")
    console.says("remote red process", rf"process \d+: {program.name}\[1\] records nothing$")
    at, _ = console.says("define event library is point_enter on it at *.p.in_library", "event 'library' is defined on red$")
    console.wait_for(" red library: point_enter on it in in_library of ", at - 1)
    console.says("define event none is point_enter on it at *.p.serve", "event 'none' is defined on red$")
    console.says("remote red process", rf"process \d+: {program.name}\[1\] records library$")


if __name__ == "__main__":
    sys.exit(main())
