#!/usr/bin/env python3
"""Processes that change their own metering, or that of others, while they run (metering report 4.1 and appendix C)."""

import argparse
import errno
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
sys.dont_write_bytecode = True

import events
import running

PATIENCE_S = 60
# Messages of 2000 bytes, then of 2001 and so on: one more each time that a line comes.
TICKS = """
import os, socket, sys
ends = socket.socketpair()
for number, line in enumerate(sys.stdin, 2000):
    ends[0].sendall(bytes(number))
    ends[1].recv(4096)
    print(number, flush=True)
"""
OWN = """
import errno, socket, dpm_monitor
from dpm_monitor import MeterFlags, SELF, setmeter
ends = socket.socketpair()
def exchange(length):
    ends[0].sendall(bytes(length))
    ends[1].recv(4096)
setmeter(SELF, MeterFlags.ALL & ~MeterFlags.SEND)
exchange(3000)
setmeter(flags=MeterFlags.SEND)
exchange(3001)
try:
    setmeter(4194305)
except ProcessLookupError:
    print("no process")
"""


def wait_until(holds: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"FAILED: waited in vain for {what}")
        time.sleep(.05)


class Check:
    def __init__(self, asked: argparse.Namespace, folder: pathlib.Path) -> None:
        self.asked, self.folder = asked, folder
        self.failures = 0

    def expect(self, what: str, seen: object, wanted: object) -> None:
        print(f"{'ok' if seen == wanted else 'FAILED'}: {what}{'' if seen == wanted else f': {seen}, not {wanted}'}")
        self.failures += seen != wanted

    def messages(self, trace: pathlib.Path) -> list[tuple[str, int]]:
        """The messages of the program itself: those of setmeter's own connection are shorter."""
        return [(event.type, event.length) for event in events.Trace(self.asked.list_events, trace).events
                if event.type in ("SEND", "RECEIVE") and event.length >= 1000]

    def own_meter(self) -> None:
        """A C program; the test is the other end of its meter connection."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            other = self.folder / "other"
            filtered: list[subprocess.CompletedProcess[str]] = []

            def read() -> None:
                connection, _ = server.accept()
                connection.setblocking(True)
                filtered.append(subprocess.run([self.asked.dpm, "filter", "-o", str(other)], stdin=connection.fileno(), capture_output=True,
                                               text=True))

            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            done = running.run([self.asked.subject, str(server.getsockname()[1])], self.folder, meter=self.asked.dpm,
                               source=os.environ.get("DPM_SOURCE", "auto"))
            reader.join(PATIENCE_S)
        of_init = "No such process" if os.geteuid() == 0 else "Operation not permitted"
        self.expect("what setmeter returns", done.output.splitlines(),
                    ["only sends: 0", "nothing: 0", "all but sends: 0", "another filter: 0", "descriptors: 0", "no filter: 0",
                     "no process: No such process", "no socket: No such process", "no stream: Invalid argument",
                     "no flag: Invalid argument", "not metered: No such process", f"of another account: {of_init}"])
        assert done.trace
        self.expect("the meter's trace", self.messages(done.trace), [("SEND", 1000), ("RECEIVE", 1000), ("SEND", 1001), ("RECEIVE", 1003)])
        self.expect("the other filter ends well", [result.returncode for result in filtered], [0])
        self.expect("its trace", self.messages(other), [("SEND", 1004), ("RECEIVE", 1004), ("SEND", 1005), ("RECEIVE", 1005)])
        for name, trace in (("the meter", done.trace), ("the other filter", other)):
            self.expect(f"{name} has lost nothing", events.Trace(self.asked.list_events, trace).losses, [])
        joined = self.folder / "joined"
        merged = subprocess.run([self.asked.dpm, "merge", str(done.trace), str(other), "-o", str(joined)], capture_output=True, text=True)
        self.expect("both traces are one again", merged.returncode, 0)

    def setflags(self, pid: int, *words: str, status: int = 0) -> str:
        # Into a file: the filter of --to keeps standard error open.
        with open(self.folder / "errors", "w+") as errors:
            done = subprocess.run([self.asked.dpm, "setflags", str(pid), *words], stdout=subprocess.PIPE, stderr=errors, text=True,
                                  timeout=PATIENCE_S)
            errors.seek(0)
            said = errors.read()
        self.expect(f"setflags {' '.join(words)} ends with", (done.returncode, said if done.returncode != status else ""), (status, ""))
        return done.stdout + said

    def from_outside(self) -> None:
        """dpm setflags --only and --to, of a process that another one has started."""
        out, other = self.folder / "out", self.folder / "to"
        program = subprocess.Popen([self.asked.dpm, "meter", "-o", str(out), "--", "sh", "-c", f"{sys.executable} -u -c '{TICKS}'; true"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        assert program.stdin and program.stdout

        def tick() -> None:
            assert program.stdin and program.stdout
            program.stdin.write("\n")
            program.stdout.readline()
            time.sleep(.5)

        tick()  # 2000
        found = subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True).stdout.split()
        pid = int(found[0]) if found else program.pid
        self.expect("--only names all flags", self.setflags(pid, "--only", "send"), "send\n")
        tick()  # 2001
        self.expect("--to alone prints nothing", self.setflags(pid, "--to", f"{self.asked.dpm} filter -o {other}"), "")
        self.setflags(pid, "--only", "all")
        tick()  # 2002
        self.setflags(pid, "--to", "none")
        tick()  # 2003
        self.setflags(pid, "--to", "trace")
        tick()  # 2004
        self.expect("no such flag", "did you mean 'send'" in self.setflags(pid, "sned", "--only", status=2), True)
        self.expect("no such process", "no process 4194305" in self.setflags(4194305, "--to", "none", status=2), True)
        program.stdin.close()
        program.wait(PATIENCE_S)
        wait_until(lambda: (out / "report.html").exists(), "the report")
        wait_until(lambda: '"finished"' in (other / "trace.json").read_text() if (other / "trace.json").exists() else False, "the other filter")
        self.expect("the meter's trace", self.messages(out), [("SEND", 2000), ("RECEIVE", 2000), ("SEND", 2001), ("SEND", 2004), ("RECEIVE", 2004)])
        self.expect("the other's trace", self.messages(other), [("SEND", 2002), ("RECEIVE", 2002)])

    def in_python(self) -> None:
        environment = {"DPM_LIBRARY": self.asked.library, "PYTHONPATH": self.asked.python}
        folder = self.folder / "python"
        folder.mkdir()
        done = running.run([sys.executable, "-c", OWN], folder, meter=self.asked.dpm, environment=environment)
        self.expect("a Python program", (done.status, done.output), (0, "no process\n"))
        assert done.trace
        self.expect("its trace", self.messages(done.trace), [("RECEIVE", 3000), ("SEND", 3001)])
        bare = subprocess.run([sys.executable, "-c", "import dpm_monitor\ntry:\n dpm_monitor.setmeter()\nexcept OSError as e:\n print(e.errno)"],
                              env={**os.environ, **environment}, capture_output=True, text=True)
        self.expect("without a meter", bare.stdout, f"{errno.ESRCH}\n")


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("dpm", "list-events", "can-notify", "subject", "library", "python"):
        parser.add_argument(f"--{name}", required=True)
    asked = parser.parse_args()
    running.need_notification(asked.can_notify)
    with running.Workshop() as workshop:
        check = Check(asked, workshop.folder())
        check.own_meter()
        check.from_outside()
        check.in_python()
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
