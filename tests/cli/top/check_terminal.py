#!/usr/bin/python3
"""dpm top on a pseudo-terminal: check_terminal.py DPM SOURCE. Keys, sizes, signals; the terminal is as it was afterwards."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from typing import Any, NoReturn

try:
    import pyte
except ImportError:
    print("SKIPPED: python3-pyte, which understands terminals, is not installed")
    sys.exit(77)

DPM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
PROGRAM = """
import os, socket, time
a, b = socket.socketpair()
if os.fork() == 0:
    a.close()
    while b.recv(100): b.send(b"answer")
    os._exit(0)
b.close()
end = time.time() + float(os.sys.argv[1])
while time.time() < end:
    a.send(b"x" * 50); a.recv(100); time.sleep(0.005)
"""


class Session:
    """A process on a terminal of its own, and all that it wrote."""

    def __init__(self, *arguments: str, term: str = "xterm", size: tuple[int, int] = (24, 80)) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM=term, LC_ALL="C.UTF-8")
            os.execv(DPM, [DPM, *arguments])
        self._set_size(*size)
        self.modes = termios.tcgetattr(self.terminal)
        self.text = ""
        self.screen = pyte.Screen(size[1], size[0])
        self.stream = pyte.Stream(self.screen)

    def _set_size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows: int, columns: int) -> None:
        self._set_size(rows, columns)
        self.screen.resize(rows, columns)

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def read(self, seconds: float) -> str:
        """The output of the next `seconds`. The end of the program ends it early."""
        end, new = time.time() + seconds, ""
        while time.time() < end:
            if not select.select([self.terminal], [], [], 0.05)[0]:
                continue
            try:
                part = os.read(self.terminal, 65536).decode(errors="replace")
                self.stream.feed(part)
                new += part
            except OSError:  # its end
                break
        self.text += new
        return new

    def see(self, pattern: str, seconds: int = 10) -> str:
        """The screen, once it matches."""
        end = time.time() + seconds
        while time.time() < end:
            self.read(0.1)
            shown = "\n".join(line.rstrip() for line in self.screen.display)
            if re.search(pattern, shown):
                return shown
        fail(f"did not see {pattern!r} within {seconds} s, but\n{shown}")

    def end(self) -> int:
        """Its exit status, once it has ended."""
        for _ in range(100):
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.read(0.2)
                return status
            self.read(0.05)
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        fail("did not end")


def fail(why: str) -> NoReturn:
    sys.exit(f"check_terminal: {why}")


def check(what: str, holds: bool) -> None:
    if not holds:
        fail(what)


def modes_of(session: Session) -> list[Any] | None:
    try:
        return termios.tcgetattr(session.terminal)
    except termios.error:
        return None  # the other end is closed


def given_back(session: Session) -> None:
    check("the screen is left", "\x1b[?1049l" in session.text)
    check("the cursor is shown", "\x1b[?25h" in session.text or "\x1b[?12l\x1b[?25h" in session.text or "\x1b[34h" in session.text)
    modes = modes_of(session)
    check("the terminal's modes are as they were", modes is None or modes[3] == session.modes[3])


def await_results(folder: str) -> None:
    """The meter writes them last."""
    deadline = time.time() + 30
    while not pathlib.Path(folder, "report.html").exists() and time.time() < deadline:
        time.sleep(0.1)
    time.sleep(0.3)


def watches_a_command() -> None:
    session = Session("top", "-d", "0.3", "-o", "live", "--", sys.executable, "-c", PROGRAM, "6")
    session.see(r"messages [1-9]\d*/s")
    session.see("python")
    session.press("2")
    session.see("messages/s to")
    session.press("3")
    session.see("messages sent/s now")
    session.press("h")
    session.see("the mean number of busy CPUs")
    session.press("h1")
    session.resize(12, 50)
    session.see("q quit")
    session.press("/nothing-has-this-name\n")
    session.see("no process has such a name")
    session.press("\x1b")
    session.press("q")
    check("quits with status 0", session.end() == 0)
    given_back(session)
    check("says that the command runs on", "runs on" in session.text)
    check("the program was not ended", run("top", "live", "--json", "-d", "0.5")["sent_per_s"] > 20)
    await_results("live")


def run(*arguments: str) -> Any:
    return json.loads(subprocess.run([DPM, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def agrees_with_statistics() -> None:
    """Of a trace that has ended, the totals of both commands, process by process."""
    top, statistics = run("top", "live", "--json", "--threads"), run("statistics", "live", "--json", "--threads")
    check("top knows that it ended", top["is_over"])
    rows = {row["name"]: (row["sent"], row["sent_bytes"], row["received"], row["received_bytes"]) for row in top["processes"]}
    others = {row["process"]: (row["sent"], row["sent_bytes"], row["received"], row["received_bytes"]) for row in statistics["processes"]}
    check(f"totals differ: {rows} and {others}", rows == others)
    check("ledgers agree", top["ledger"]["seen"] == statistics["ledger"]["seen"])


def sees_the_last_message_of_a_silent_program() -> None:
    silent = "import socket, time; a, b = socket.socketpair(); a.send(b'x' * 7); b.recv(9); time.sleep(4)"
    program = subprocess.Popen([DPM, "meter", "--no-wait", "-o", "silent", "--", sys.executable, "-c", silent], stderr=subprocess.DEVNULL)
    end = time.time() + 3
    while time.time() < end:
        looked = subprocess.run([DPM, "top", "silent", "--json", "-d", "0.05"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if looked.returncode == 0 and any(row["received_bytes"] == 7 for row in json.loads(looked.stdout)["processes"]):
            break
        time.sleep(0.1)
    else:
        fail("a message is not on the disk while the program is silent")
    check("it is still running", program.poll() is None)
    program.wait()
    await_results("silent")


def shows_a_trace_that_ended() -> None:
    for term in ("xterm", "vt100", "linux", "screen-256color"):
        session = Session("top", "live", term=term)
        session.see("ended")
        session.see("python")
        session.press("\x03")
        check(f"Control-C quits on {term}", session.end() == 0)
    session = Session("top", "live", term="no-such-terminal")
    check("an unknown terminal is refused", os.waitstatus_to_exitcode(session.end()) == 2)
    check("with what to do instead", "--batch" in session.text)


def survives_signals() -> None:
    session = Session("top", "live")
    session.see("ended")
    os.kill(session.pid, signal.SIGTERM)
    session.end()
    given_back(session)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        watches_a_command()
        agrees_with_statistics()
        shows_a_trace_that_ended()
        survives_signals()
        sees_the_last_message_of_a_silent_program()


main()
