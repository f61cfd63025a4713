"""A program that exchanges messages with itself when it is told to."""

from __future__ import annotations

import subprocess
from typing import Any

import events
from site_of_guest import Site, expect, moved

BYTES = 10
PROGRAM = f"""
import os, socket, sys
a, b = socket.socketpair()
print(os.getpid(), flush=True)
for line in sys.stdin:
    a.sendall(b"x" * {BYTES}); b.recv({BYTES})
    print("done", flush=True)
"""
COMMAND = ["/usr/bin/python3", "-c", PROGRAM]


class Talker:
    """`meter`: the words before the command."""

    def __init__(self, site: Site, meter: Any = ()) -> None:
        self.process = site.start([*meter, *COMMAND], stdin=subprocess.PIPE)
        assert self.process.stdin and self.process.stdout
        self._input, self._output = self.process.stdin, self.process.stdout
        line = self._output.readline()
        if not line:
            _, self.refusal = self.process.communicate()
            self.pid = 0
            return
        self.pid = int(line)

    def __enter__(self) -> Talker:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def talk(self, rounds: int) -> None:
        for _ in range(rounds):
            self._input.write("\n")
            self._input.flush()
            expect(self._output.readline() == "done\n", "the program does not go on")

    def end(self) -> str:
        """What it and its meter have printed on standard error."""
        self._input.close()
        self.process.stdin = None
        result: str = self.process.communicate()[1]
        return result


def messages_in(trace: events.Trace, kind: str) -> int:
    return sum(event.length == BYTES for event in moved(trace, kind))
