"""Running a command bare or metered, and everything that can be observed of it from outside.

The command's standard output goes to a file opened for appending, so that it is not a channel between processes. Its standard
error is a pipe: the meter holds it as well, so that its end shows that the meter has written everything, after the
command's own end.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

NOBODY = 65534
Word = str | os.PathLike[str]  # of a command
FOR_EVERY_ACCOUNT = pathlib.Path(__file__).resolve().parents[2] / "support/for_every_account"


class Workshop:
    """A temporary folder that any account may use, removed at the end. Files that this process makes from now on can be read by all,
    and its programs print numbers and messages in English."""

    def __init__(self) -> None:
        os.umask(0o022)
        os.environ["LC_ALL"] = "C.UTF-8"  # what programs print is read
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="dpm-linux-"))
        self.path.chmod(0o777)
        self._folders = 0

    def __enter__(self) -> "Workshop":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def folder(self) -> pathlib.Path:
        self._folders += 1
        path = self.path / str(self._folders)
        path.mkdir()
        path.chmod(0o777)
        return path


def for_every_account(program: Word, folder: Word) -> str:
    """The program, or a copy in a new folder `programs` of that folder: a build folder may be in a user's home."""
    found = subprocess.run([FOR_EVERY_ACCOUNT, program, pathlib.Path(folder) / "programs"], stdout=subprocess.PIPE, text=True, check=True)
    return found.stdout.rstrip("\n")


def is_in_process_namespace() -> bool:
    """The kernel announces no process to a meter there. The number is that of the machine's first one."""
    return os.readlink("/proc/self/ns/pid") != "pid:[4026531836]"


def stat_fields(pid: int | str, tid: int | str | None = None) -> list[str]:
    """From the third field of /proc/PID/stat on, or of the thread's: its state, its parent, and so on."""
    path = f"/proc/{pid}/stat" if tid is None else f"/proc/{pid}/task/{tid}/stat"
    return pathlib.Path(path).read_text().rpartition(")")[2].split()


class Finished:
    """What a command did: exit status (negative: the signal), both outputs, and the trace if it was metered."""

    def __init__(self, status: int, output: str, errors: str, trace: pathlib.Path | None, pid: int) -> None:
        self.status, self.output, self.errors, self.trace, self.pid = status, output, errors, trace, pid


class Hung(Exception):
    """The command, or its meter, did not end in time."""


def run(command: Sequence[Word], folder: pathlib.Path, *, meter: Word | None = None, source: str = "auto", user: int | None = None,
        environment: Mapping[str, str] | None = None, limit_s: float = 90) -> Finished:
    """Runs `command`, under `meter` (the dpm program) if given, as another user if given."""
    metered = folder / "metered"
    chosen = [] if source == "auto" else ["--source", source]
    words = [meter, "meter", "-o", str(metered), *chosen, "--", *command] if meter else list(command)
    account: dict[str, Any] = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    with open(folder / "output", "ab+") as output:
        os.chmod(folder / "output", 0o666)
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, cwd=folder,
                                   env={**os.environ, **(environment or {})}, **account)
        try:
            _, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired as expired:
            process.kill()
            process.wait()
            said = expired.stderr or b""
            raise Hung(f"no end after {limit_s} s; standard error: {said.decode(errors='replace')}") from expired
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Finished(process.returncode, text, errors.decode(errors="replace"), metered / "trace" if meter else None,
                    process.pid)


def skip(reason: str) -> NoReturn:
    """Ends this test: not run, and why."""
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def need_source(dpm: Word, source: str) -> None:
    """Skips if this machine does not let us meter with that source."""
    tried = subprocess.run([dpm, "meter", "--source", source, "--summary", "--wait", "--", "true"], capture_output=True,
                           text=True, timeout=60)
    if tried.returncode != 0:
        skip(f"no metering by the source {source} here: {tried.stderr.strip()}")


def need_notification(probe: Word, user: int | None = None) -> None:
    """Skips if this machine does not let `user` supervise calls; `probe` is the program can_notify."""
    account: dict[str, Any] = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    try:
        tried = subprocess.run([probe], capture_output=True, text=True, timeout=60, **account)
    except PermissionError as error:
        skip(f"that user cannot be had: {error}")
    if tried.returncode != 0:
        skip(f"no metering here: {tried.stdout.strip()}")
