"""Starting clusters in tests, and waiting for what they do."""

import dataclasses
import pathlib
import subprocess
import time
from collections.abc import Callable

LIMIT_S = 60


class Skip(Exception):
    """This machine cannot play the case; why not."""


@dataclasses.dataclass(frozen=True)
class Setting:
    program: pathlib.Path
    folder: pathlib.Path  # the case's own
    dpm: str | None
    list_events: str | None
    can_notify: str | None

    def run(self, words: str, script: str, before: tuple[str, ...] = (), environment: dict[str, str] | None = None) -> "Finished":
        """A cluster with the options `words` whose home runs a shell script; `before` are words before the program."""
        done = subprocess.run([*before, self.program, *words.split(), "--", "sh", "-c", script], capture_output=True, text=True,
                              timeout=4 * LIMIT_S, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, check=False)
        return Finished(done.returncode, done.stdout, done.stderr)

    def output(self, words: str, script: str) -> list[str]:
        """Lines, of a script that must succeed and say nothing else."""
        done = self.run(words, script)
        expect(done.status == 0 and done.errors == "", f"'{script}' ended with {done.status}: {done.output}{done.errors}")
        return done.output.splitlines()

    def start(self, words: str, script: str) -> "subprocess.Popen[str]":
        return subprocess.Popen([self.program, *words.split(), "--", "sh", "-c", script], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder)


@dataclasses.dataclass(frozen=True)
class Finished:
    status: int
    output: str
    errors: str


def expect(condition: bool, complaint: str) -> None:
    if not condition:
        raise AssertionError(complaint)


def expect_same(got: object, wanted: object) -> None:
    expect(got == wanted, f"got {got!r}, not {wanted!r}")


def wait_until(condition: Callable[[], bool], complaint: Callable[[], str]) -> None:
    end_s = time.monotonic() + LIMIT_S
    while not condition():
        expect(time.monotonic() < end_s, f"after {LIMIT_S} s still: {complaint()}")
        time.sleep(0.02)
