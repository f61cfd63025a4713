"""A real distributed system on the hosts of a test cluster: started, loaded and stopped with every process metered.

A validation's run script hands play(system) to validate() of validation.py. Everything here runs at the cluster's home.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence

LIMIT_S = 120  # for what takes a moment on a quiet machine
LOOK_AGAIN_S = 0.05
UNPRIVILEGED_ID = 65534
SBIN = os.pathsep.join(["/usr/local/sbin", "/usr/sbin", "/sbin"])


class Failed(Exception):
    """The system itself did not work: its measurement means nothing."""


class Missing(Exception):
    """A program that is needed is not installed."""


def program(name: str) -> str:
    """The path of an installed program."""
    found = shutil.which(name, path=os.environ["PATH"] + os.pathsep + SBIN)
    if found is None:
        raise Missing(f"{name} is not installed")
    return found


class Part:
    """A metered program of the system that runs on one host."""

    def __init__(self, host: str, folder: pathlib.Path) -> None:
        self.host, self.folder = host, folder
        self.session: subprocess.Popen[bytes] | subprocess.Popen[str]  # by ssh, once it is started

    @property
    def pid_file(self) -> pathlib.Path:
        return self.folder.with_suffix(".pid")

    @property
    def log(self) -> pathlib.Path:
        return self.folder.with_suffix(".log")

    def running(self) -> bool:
        return self.session.poll() is None

    def wait(self, limit_s: float = LIMIT_S) -> int:
        """Its exit status, once it has ended and its trace is complete."""
        try:
            return self.session.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.folder.name} on {self.host} did not end in {limit_s} s") from None

    def words(self) -> str:
        """The end of its output."""
        return "\n".join(self.all_words().splitlines()[-20:])

    def all_words(self) -> str:
        return self.log.read_text(errors="replace")


class System:
    def __init__(self, dpm: str, folder: pathlib.Path, quick: bool) -> None:
        self.dpm, self.folder, self.quick = dpm, folder, quick
        self.hosts = os.environ["DPM_CLUSTER"].split()
        self.parts: list[Part] = []

    # ---- on the hosts

    def address(self, host: str) -> str:
        """Its IPv4 address, the same for all hosts."""
        result: str = self.on(host, ["getent", "ahostsv4", host]).stdout.split()[0]
        return result

    def on(self, host: str, command: Sequence[object] | str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a command on a host, unmetered; a string is a shell's."""
        done = subprocess.run([*self._ssh(host), _shell(command)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
        if check and done.returncode != 0:
            raise Failed(f"on {host}: {_shell(command)}: status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        return done

    def start(self, host: str, name: str, command: Sequence[object], as_nobody: bool = False) -> Part:
        """Starts a program on a host, metered; its trace is written to the folder NAME."""
        folder = self.folder / name
        part = Part(host, folder)
        if as_nobody:
            command = self.unprivileged(command)
        metered = [self.dpm, "meter", "--wait", "-o", folder, "--", *command]
        inner = f"echo $$ >{shlex.quote(str(part.pid_file))}; exec {_shell(metered)}"
        # The outer shell turns a death by signal into 128+n, because ssh does not pass the number.
        # Its output goes to a file: into a pipe it would be messages.
        script = f"{_shell(['sh', '-c', inner])} >{shlex.quote(str(part.log))} 2>&1; exit $?"
        part.log.touch()
        part.session = subprocess.Popen([*self._ssh(host), script], stdin=subprocess.DEVNULL)
        self.parts.append(part)
        return part

    def run(self, host: str, name: str, command: Sequence[object], as_nobody: bool = False) -> Part:
        """A metered program from beginning to end, which must succeed."""
        part = self.start(host, name, command, as_nobody)
        if (status := part.wait()) != 0:
            raise Failed(f"{name} on {host} ended with {status}:\n{part.words()}")
        return part

    def stop(self, part: Part, signal: str = "TERM", expected: Sequence[int] = (0,)) -> None:
        """Asks a program to end (`dpm meter --wait` passes signals on to it) and waits for its trace."""
        self.stop_all([part], signal, expected)

    def stop_all(self, parts: Sequence[Part], signal: str = "TERM", expected: Sequence[int] = (0,)) -> None:
        """Stops them at the same time: what one sends to another that is ending is not received."""
        for part in parts:
            self.on(part.host, ["kill", f"-{signal}", part.pid_file.read_text().strip()])
        for part in parts:
            if (status := part.wait()) not in expected:
                raise Failed(f"{part.folder.name} on {part.host} ended with {status} when it was stopped:\n{part.words()}")

    def wait_until(self, what: str, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + LIMIT_S
        while not holds():
            ended = [part for part in self.parts if part.running() is False and "Error" in part.words()]
            if time.monotonic() > end or ended:
                raise Failed(f"waited in vain until {what}" + "".join(f"\n{part.log.name}: {part.words()}" for part in self.parts))
            time.sleep(LOOK_AGAIN_S)

    def wait_for_port(self, from_host: str, host: str, port: int) -> None:
        probe = f"import socket; socket.create_connection(({host!r}, {port})).close()"
        self.wait_until(f"{host} listens to port {port}",
                        lambda: self.on(from_host, ["python3", "-c", probe], check=False).returncode == 0)

    def end(self) -> None:
        """Kills all parts after a failure; the end of the cluster would leave unfinished traces."""
        for part in self.parts:
            if part.running():
                self.on(part.host, f"kill -KILL $(cat {shlex.quote(str(part.pid_file))})", check=False)

    # ---- folders and accounts

    def unprivileged(self, command: Sequence[object]) -> list[object]:
        """The command for servers that refuse to run as root; unchanged if we are not root."""
        if os.geteuid() != 0:
            return list(command)
        return [program("setpriv"), f"--reuid={UNPRIVILEGED_ID}", f"--regid={UNPRIVILEGED_ID}", "--clear-groups", *command]

    def own_folder(self, host: str, name: str, for_nobody: bool = False) -> pathlib.Path:
        """A folder that only this host sees."""
        folder = pathlib.Path("/tmp") / name
        self.on(host, ["mkdir", "-p", folder])
        if for_nobody and os.geteuid() == 0:
            self.on(host, ["chown", f"{UNPRIVILEGED_ID}:{UNPRIVILEGED_ID}", folder])
        return folder

    def write(self, host: str, file: pathlib.Path, text: str) -> None:
        self.on(host, f"umask 022; printf %s {shlex.quote(text)} >{shlex.quote(str(file))}")

    def _ssh(self, host: str) -> list[str]:
        return [*shlex.split(os.environ["DPM_SSH"]), host]


def _shell(command: Sequence[object] | str) -> str:
    return command if isinstance(command, str) else shlex.join(map(str, command))
