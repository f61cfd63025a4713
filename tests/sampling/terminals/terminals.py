"""Programs that have terminals of their own, and what is typed there and shown."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

DEADLINE_S = 60


class Terminal:
    """A user's side, and the side that programs have."""

    def __init__(self) -> None:
        self.user_side, self.side_of_programs = pty.openpty()
        fcntl.ioctl(self.user_side, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 120, 0, 0))
        self.name = os.ttyname(self.side_of_programs).removeprefix("/dev/")


class Program:
    """A program in a terminal, as its session's controlling one."""

    def __init__(self, command: list[str], terminal: Terminal | None = None, folder: str | None = None) -> None:
        terminal = terminal or Terminal()
        self.name, self.user_side = terminal.name, terminal.user_side
        # No colours, and a shell that reads no one's settings.
        environment = os.environ | {"TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PS1": "ready> ", "HISTFILE": ""}
        side = terminal.side_of_programs
        self.process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=environment, cwd=folder, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(terminal.side_of_programs)
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self.user_side, text.encode())

    def read(self) -> bool:
        """Takes what has been shown; False at the end."""
        if not select.select([self.user_side], [], [], 0.05)[0]:
            return True
        try:
            part = os.read(self.user_side, 65536)
        except OSError:
            return False
        self.shown += part.decode(errors="replace")
        return bool(part)

    def await_text(self, pattern: str, since: int = 0) -> None:
        """`since`: how much had been shown before."""
        end = time.monotonic() + DEADLINE_S
        while not re.search(pattern, self.shown[since:], re.DOTALL):
            if not self.read() or time.monotonic() > end:
                sys.exit(f"'{pattern}' was not shown:\n{self.shown[-3000:]}")

    def do(self, command: str) -> None:
        """At the prompt of a shell, until it has its prompt again."""
        since = len(self.shown)
        self.type(command + "\n")
        self.await_text("\n.*ready> $", since)

    def end(self) -> None:
        """Reads until the program has ended, so that it can write to the end."""
        while self.read():
            pass
        self.process.wait()
        os.close(self.user_side)
