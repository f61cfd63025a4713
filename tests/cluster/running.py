"""Starting clusters in tests, and waiting for what they do."""

import ctypes
import dataclasses
import pathlib
import signal
import subprocess
import time
from collections.abc import Callable

LIMIT_S = 60

_SET_PARENT_DEATH_SIGNAL = 1


def _end_with_test() -> None:
    """A test that is killed, for it took too long, leaves no cluster behind."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, ctypes.c_ulong(signal.SIGTERM), 0, 0, 0)


class Skip(Exception):
    """This machine cannot play the case; why not."""


@dataclasses.dataclass(frozen=True)
class Setting:
    program: pathlib.Path
    folder: pathlib.Path  # the case's own
    dpm: str | None
    list_events: str | None
    can_notify: str | None

    def run(
        self, words: str, script: str, before: tuple[str, ...] = (), environment: dict[str, str] | None = None
    ) -> "Finished":
        """A cluster with the options `words` whose home runs a shell script; `before` are words before the program."""
        command = [*before, str(self.program), *words.split(), "--", "sh", "-c", script]
        done = subprocess.run(command, capture_output=True, text=True, timeout=4 * LIMIT_S, cwd=self.folder,
                              env=environment, stdin=subprocess.DEVNULL, check=False, preexec_fn=_end_with_test)
        return Finished(done.returncode, done.stdout, done.stderr)

    def output(self, words: str, script: str) -> list[str]:
        """Lines, of a script that must succeed. What the user's profile says on standard error is not ours."""
        done = self.run(words, script)
        expect(done.status == 0, f"'{script}' ended with {done.status}: {done.output}{done.errors}")
        return done.output.splitlines()

    def start(self, words: str, script: str) -> "subprocess.Popen[str]":
        return subprocess.Popen([self.program, *words.split(), "--", "sh", "-c", script], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder,
                                preexec_fn=_end_with_test)


@dataclasses.dataclass(frozen=True)
class Finished:
    status: int
    output: str
    errors: str


def expect(condition: object, complaint: object) -> None:
    if not condition:
        raise AssertionError(complaint)


def expect_same(got: object, wanted: object) -> None:
    expect(got == wanted, f"got {got!r}, not {wanted!r}")


def wait_until(condition: Callable[[], bool], complaint: Callable[[], str]) -> None:
    end_s = time.monotonic() + LIMIT_S
    while not condition():
        expect(time.monotonic() < end_s, f"after {LIMIT_S} s still: {complaint()}")
        time.sleep(0.02)
