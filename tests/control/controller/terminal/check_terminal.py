#!/usr/bin/env python3
"""check_terminal.py DPM PRETENDED_METERD: dpm control on a terminal (line editing, history, completion, reports while the
user types, control-C and control-D) and in pipes and scripts (output, exit status). Machines are pretended ones."""
import fcntl
import os
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

dpm, meterd = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
PATIENCE_S = 60
COLUMNS, ROWS = 120, 24
failures = []


def complain(what: str) -> None:
    failures.append(what)
    print("control on a terminal: " + what)


class Stuck(Exception):
    """The program under test does not go on; the rest of its session cannot be checked."""


class Screen:
    """What a terminal shows of a byte stream: enough of one for what line editing writes."""

    def __init__(self) -> None:
        self.lines, self.row, self.column, self.pending = [""], 0, 0, ""

    def feed(self, text: str) -> None:
        self.pending += text
        while self.pending:
            sequence = re.match(r"\x1b(\[[0-9;?]*[A-Za-z]|[^\[])", self.pending)
            if sequence:
                self.pending = self.pending[sequence.end():]
                self.control(sequence.group(1))
            elif self.pending.startswith("\x1b"):
                return  # the rest of it has not come
            else:
                self.character(self.pending[0])
                self.pending = self.pending[1:]

    def control(self, sequence: str) -> None:
        number = int(re.sub(r"\D", "", sequence) or "0")
        kind = sequence[-1]
        if kind == "A":
            self.row = max(0, self.row - (number or 1))
        elif kind == "C":
            self.column += number or 1
        elif kind == "D":
            self.column = max(0, self.column - (number or 1))
        elif kind == "G":
            self.column = max(0, number - 1)
        elif kind == "K" and number == 0:
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif kind == "J" and number == 0:
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]
        elif kind == "P":
            line = self.lines[self.row]
            self.lines[self.row] = line[:self.column] + line[self.column + (number or 1):]
        elif kind == "@":
            line = self.lines[self.row]
            self.lines[self.row] = line[:self.column] + " " * (number or 1) + line[self.column:]

    def character(self, c: str) -> None:
        if c == "\r":
            self.column = 0
        elif c == "\n":
            self.row += 1
            while len(self.lines) <= self.row:
                self.lines.append("")
        elif c == "\b":
            self.column = max(0, self.column - 1)
        elif c >= " ":
            if self.column >= COLUMNS:
                self.column = 0
                self.character("\n")
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + c + line[self.column + 1:]
            self.column += 1

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)


class Session:
    def __init__(self, home: Any) -> None:
        self.screen, self.raw = Screen(), ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(dpm, ["dpm", "control"], environment(home))
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.expect("<Control>")

    def read(self, seconds: float) -> bool:
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data.decode(errors="replace")
        self.screen.feed(data.decode(errors="replace"))
        return bool(data)

    def expect_raw(self, what: str, describe: str) -> None:
        """Until that has been written since the last such call, whatever else is."""
        until = time.monotonic() + PATIENCE_S
        while not (found := re.search(what, self.raw)):
            if time.monotonic() > until or not self.read_raw(max(0, until - time.monotonic())):
                complain(f"{describe}: {what!r} never came; the last of it: {self.raw[-300:]!r}")
                raise Stuck(describe)
        self.raw = self.raw[found.end():]

    def read_raw(self, seconds: float) -> bool:
        """Without the screen, which is too slow for much output."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data.decode(errors="replace")
        return bool(data)

    def drain(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.read_raw(left)

    def expect(self, what: str, describe: str = "") -> None:
        """Until the screen's text ends with `what` (a regular expression for its end)."""
        until = time.monotonic() + PATIENCE_S
        pattern = re.compile(what + r"\s*\Z")
        while not pattern.search(self.screen.text()):
            if time.monotonic() > until or not self.read(max(0, until - time.monotonic())):
                complain(f"{describe or 'expected'}: {what!r}; the screen ends with {self.screen.text()[-400:]!r}")
                self.give_up()

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def status(self) -> int:
        while self.read(PATIENCE_S):
            pass
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        complain(f"it does not end; the screen ends with {self.screen.text()[-400:]!r}")
        self.give_up()

    def give_up(self) -> NoReturn:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise Stuck


def environment(home: str, **more: Any) -> dict[str, Any]:
    kept = {name: value for name, value in os.environ.items() if name not in ("XDG_STATE_HOME", "NO_COLOR", "COLUMNS")}
    return {**kept, "HOME": home, "DPM_SSH": f"{home}/ssh", "TERM": "xterm", "LC_ALL": "C.UTF-8", **more}


def on_terminal(home: Any) -> None:
    session = Session(home)
    session.type("filter f1 blue\r")
    session.expect(r"filter 'f1' was created: identifier = \d+\n<Control>", "a command on a terminal")
    session.type("newjob foo\rsetflags foo send\radd foo red sh\r")
    session.expect(r"process 'sh' was created: identifier = \d+\n<Control>", "typing ahead")
    session.type("startjob foo\r")
    session.expect(r"'sh' started\.\n<Control>", "startjob")

    # What is typed is left as it was, whatever is reported meanwhile; the cursor as well.
    session.type("input foo sh print one\r")
    session.expect(r"sh: one\n<Control>", "output while nothing is typed")
    session.type("input foo sh write no newline\r")
    session.expect(r"sh: no newline\n<Control>", "output without newline")
    session.type("input foo sh flood 200\rhelp jbos\x1b[D\x1b[D\x1b[D\x1b[D")
    session.expect(r"sh: line 1\n<Control> help jbos", "a flood while a line is being typed")
    session.type("\x1b[3~\x1b[C\x1b[C\x1b[C\x7fobs\x01\x0b")
    session.expect(r"<Control>", "editing keys")
    session.type("help jbos\x7f\x7f\x7fobs\r")
    session.expect(r"<Control> help jobs\njobs .*\n.*\n<Control>", "deleting")

    # A line longer than the terminal is wide is taken away and drawn again as a whole.
    long_line = "add foo red sh " + "x" * 300
    session.type("input foo sh end normal\r" + long_line)
    session.expect(r"DONE: process sh in job 'foo' terminated: reason: normal\n<Control> add foo red sh (x\n?){300}",
                   "a report and a long line")
    session.type("\x03")
    session.expect(r"\^C\n<Control>", "control-C takes the line away")

    # Completion.
    session.type("startj\t")
    session.expect(r"<Control> startjob", "completion of a command")
    session.type("f\t\r")
    session.expect(r"'sh' cannot be started: it is killed\.\n<Control>", "completion of a job")
    session.type("st\t")
    session.expect(r"startjob  stop  stopjob\n<Control> st", "a list of what a word can become")
    session.type("\x15setflags foo -receivec\t\r")
    session.expect(r"new job flags = send\nProcess 'sh' : has ended\n<Control>", "completion of a flag")
    session.type("add foo b\t")
    session.expect(r"<Control> add foo blue", "completion of a machine")
    session.type("\x15")

    # History of what was typed just now; control-D asks, and asks once.
    session.type("\x1b[A\x1b[A\r")
    session.expect(r"'sh' cannot be started: it is killed\.\n<Control>", "history")
    session.type("add foo red sh\r")
    session.expect(r"created: identifier = \d+\n<Control>", "another process")
    session.type("\x04")
    session.expect(r"processes are still active: 'sh\.2' in job 'foo' \(new\); another 'die' leaves them as they are\n<Control>", "control-D warns")
    session.type("jobs\r")
    session.expect(r"1  foo  f1\n<Control>", "a command after the warning")
    session.type("\x04")
    session.expect(r"leaves them as they are\n<Control>", "control-D warns again")
    session.type("\x04")
    status = session.status()
    if status != 0:
        complain(f"control-D twice ended with status {status}")


def interruptions(home: Any) -> None:
    session = Session(home)
    session.type("filter f1 blue\rnewjob foo\rsetflags foo send\radd foo red sh\rstartjob foo\r")
    session.expect(r"'sh' started\.\n<Control>", "a running process")
    session.type("wait foo\r")
    session.expect(r"<Control> wait foo\n", "a wait")
    session.type("\x03")
    session.expect(r"interrupted; still running: 'sh' in job 'foo'\n<Control>", "control-C ends a wait")
    session.type("input foo sh hang\rjobs foo\rstopjob foo\r")
    session.expect(r"<Control> stopjob foo\n", "a machine that hangs")
    session.type("\x03")
    session.expect(r"interrupted before it answered\n<Control>", "control-C ends a question")
    session.type("filter f2 blue\r")
    session.expect(r"filter 'f2' was created: identifier = \d+\n<Control>", "other machines answer")
    session.type("die\rdie\r")
    if session.status() != 0:
        complain("die did not leave")


def flooded(home: Any) -> None:
    """A process that prints without end; the terminal takes what it can."""
    session = Session(home)
    session.type("filter f1 red\rnewjob foo\rsetflags foo send\radd foo red sh\rstartjob foo\r")
    session.expect(r"'sh' started\.\n<Control>", "a running process")
    flags = re.findall(r"flags:\s*(\d+)", open(f"/proc/{session.pid}/fdinfo/1").read())[0]
    if int(flags, 8) & os.O_NONBLOCK:
        complain("the terminal is non-blocking: lines that it does not take at once are lost")
    session.type("input foo sh flood 100000000\r")
    session.expect_raw(r"sh: line \d+", "output")
    session.type("jobs\r")
    session.expect_raw(r"1  foo  f1\s", "a command while a process prints")
    session.type("newjob not-this\x03")
    session.expect_raw(r"\^C", "control-C while a process prints")
    session.expect_raw(r"CUT: \d+ bytes that process sh in job 'foo' printed, \d+ lines, are not shown", "what is cut is counted")
    session.type("jobs\r")
    session.expect_raw(r"1  foo  f1\s", "a command after control-C")
    session.type("getlog f1 trace-of-flood\r")  # the pretended machine does not answer before it has printed everything
    session.expect_raw(r"getlog f1 trace-of-flood\s*\n", "a log is asked for")
    session.drain(0.5)
    session.type("\x03")
    session.expect_raw(r"getlog: interrupted: nothing of the log is kept here", "control-C ends getlog")
    session.type("die\r")
    session.expect_raw(r"another 'die' leaves them as they are", "a warning")
    session.type("die\r")
    session.drain(1)
    session.type("\x03")  # the filter cannot be released: its machine is busy
    if session.status() != 0:
        complain("die did not leave")
    if any("trace-of-flood" in name for name in os.listdir(home)):
        complain(f"getlog has left something: {os.listdir(home)}")


def history_file(home: Any) -> None:
    path = os.path.join(home, ".local/state/dpm/control-history")
    if os.stat(path).st_mode & 0o777 != 0o600:
        complain(f"the history has mode {os.stat(path).st_mode & 0o777:o}")
    if "filter f1 blue" not in open(path).read():
        complain("the history does not hold what was typed")
    session = Session(home)
    session.type("\x12newjob fo")  # control-R looks for it
    session.expect(r"<Control> newjob foo\nbck:newjob fo", "searching backwards")
    session.type("\x1b")
    session.expect(r"<Control> newjob foo", "found")
    session.type("\x15\x0bhelp die\r")
    session.expect(r"help die\ndie\n.*\n<Control>", "a command after a search")
    session.type("\x04")
    session.status()


def run(home: str, arguments: list[str], text: str = "", **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([dpm, "control", *arguments], input=text, capture_output=True, text=True, timeout=PATIENCE_S,
                          cwd=home, env=environment(home, **more), check=False)


def expect_run(what: str, result: subprocess.CompletedProcess[Any], status: int, out: str, err: str = "") -> None:
    if result.returncode != status or not re.fullmatch(out, result.stdout) or not re.fullmatch(err, result.stderr):
        complain(f"{what}: status {result.returncode}, printed {result.stdout!r}, {result.stderr!r}")


def in_pipes(home: Any) -> None:
    good = "filter f1 blue\nnewjob foo\nsetflags foo send\nadd foo red sh\nstartjob foo\ninput foo sh write the last words\n" \
           "input foo sh end normal\nwait foo\nrmjob foo\ngetlog f1 {}\nbye\n"
    printed = r"""filter 'f1' was created: identifier = \d+
new job flags = send
process 'sh' was created: identifier = \d+
'sh' started\.
sh: the last words
  DONE: process sh in job 'foo' terminated: reason: normal
'sh' removed
the log of filter 'f1' was fetched before the filter ended: the part written since is on blue in logs/here
"""
    expect_run("a pipe", run(home, [], good.format("trace1")), 0, printed)
    with open(os.path.join(home, "script"), "w") as script:
        script.write(good.format("trace2"))
    expect_run("a script", run(home, ["script"]), 0, printed)
    for trace in ("trace1", "trace2"):
        if not os.path.isdir(os.path.join(home, trace)):
            complain(f"getlog made no {trace}")
    expect_run("a failure", run(home, [], "newjbo\njobs\n"), 1,
               r"standard input:1: no command 'newjbo' \(did you mean 'newjob'\?\)\nno jobs; .*\n", "dpm control: 1 command failed\n")
    expect_run("no script", run(home, ["nowhere"]), 2, "", r"dpm control: read nowhere: No such file or directory\n")
    expect_run("no launcher", run(home, ["--launcher", "shh"]), 2, "", r"dpm control: no launcher 'shh' \(did you mean 'ssh'\?\).*\n")
    expect_run("no newline at the end", run(home, [], "jobs"), 0, "no jobs; .*\n")
    expect_run("nothing", run(home, [], ""), 0, "")
    expect_run("active at the end", run(home, [], "filter f blue\nnewjob j\nadd j red sh\n"), 1,
               r"(?s).*standard input ends while processes are active: 'sh' in job 'j' \(new\); they are left as they are\n.*",
               "dpm control: 1 command failed\n")
    expect_run("a machine that is lost", run(home, [], "filter f blue\nnewjob j\nadd j red sh\nstartjob j\ninput j sh break\nwait j 60\ndie\ndie\n"),
               1,
               r"(?s).*LOST: machine red: the connection to red has ended.*: sh\n.*wait: not waiting for unreachable processes: 'sh' in job 'j'\n.*",
               "dpm control: 1 command failed\n")
    expect_run("a missing ssh", run(home, [], "filter f blue\n", DPM_SSH="no-such-ssh -v"), 1,
               r"standard input:1: filter 'f' was not created: start 'no-such-ssh': No such file or directory\n", "dpm control: 1 command failed\n")


for program in (dpm, meterd):
    if not os.access(program, os.X_OK):
        sys.exit(f"control on a terminal: {program} is missing: build it first")
with tempfile.TemporaryDirectory() as folder:
    os.symlink(meterd, f"{folder}/ssh")  # the path of a build folder may have spaces, which divide DPM_SSH into words
    for part in (on_terminal, interruptions, flooded, history_file, in_pipes):
        try:
            part(folder)
        except (Stuck, subprocess.TimeoutExpired) as stuck:
            complain(f"{part.__name__} was given up: {stuck}")
            break
if not failures:
    print("typed, piped and scripted commands do what they should")
sys.exit(1 if failures else 0)
