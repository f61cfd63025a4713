"""`dpm control`, typed at through a pipe, and the places where its machines are."""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import threading
import time
from typing import Any
from collections.abc import Callable, Sequence

PATIENCE_S = 60  # for anything that must happen
MARK = "endinput <jobname> <process>"  # what `help endinput` begins with


class Skip(Exception):
    """This machine cannot play the case; why not."""


def over_cluster(words: str) -> Callable[["Case"], "Case"]:
    """A case that is played at the home of a cluster made with these words."""
    def mark(case: "Case") -> "Case":
        setattr(case, "cluster", words)  # check_faults reads it
        return case
    return mark


def expect(condition: object, complaint: object) -> None:
    if not condition:
        raise AssertionError(complaint)


def wait_until(holds: Callable[[], Any], what: str, patience_s: float = PATIENCE_S) -> Any:
    """What it returned at last."""
    end_s = time.monotonic() + patience_s
    while not (value := holds()):
        expect(time.monotonic() < end_s, f"waited {patience_s:.0f} s in vain for {what}")
        time.sleep(0.02)
    return value


class Site:
    """Where a computation runs: this machine under several names (the local launcher), or the hosts of a cluster.

    Everything it leaves on a disk is in its folder, which all machines share: state-HOST, home-HOST.
    """

    def __init__(self, dpm: str, folder: pathlib.Path) -> None:
        self.dpm, self.folder = dpm, folder
        self.hosts = os.environ.get("DPM_CLUSTER", "").split()  # empty: the local launcher
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_STATE")}
        self.env |= {"HOME": str(folder / "home-home"), "XDG_STATE_HOME": str(folder / "state-home"), "LC_ALL": "C.UTF-8"}
        for name in ("home-home", "run"):
            (folder / name).mkdir(mode=0o700)
        if self.hosts:
            # A machine that has vanished is noticed sooner than by default.
            quick = "-o ServerAliveInterval=1 -o ServerAliveCountMax=4 -o ConnectTimeout=3"
            self.env["DPM_SSH"] = f"{os.environ['DPM_SSH']} {quick}"
        else:
            self.env["XDG_RUNTIME_DIR"] = str(folder / "run")
        self.write_dpm("dpm")

    def write_dpm(self, name: str, before: str = "") -> pathlib.Path:
        """The program dpm as hosts start it: with folders of their own. `before` it a shell's commands."""
        return self.write_program(name, f"""#!/bin/sh
folder={shlex.quote(str(self.folder))}
export HOME="$folder/home-$(uname -n)" XDG_STATE_HOME="$folder/state-$(uname -n)"
mkdir -p "$HOME"
{before}
exec {shlex.quote(self.dpm)} "$@"
""")

    def write_program(self, name: str, text: str) -> pathlib.Path:
        program = self.folder / name
        program.write_text(text)
        program.chmod(0o755)
        return program

    def control_command(self, program: str = "dpm") -> list[str]:
        if not self.hosts:
            return [self.dpm, "control", "--launcher", "local"]
        return [self.dpm, "control", "--dpm", str(self.folder / program)]

    def run(self, *command: object, check: bool = True, given: pathlib.Path = pathlib.Path("/dev/null"),
            patience_s: float = PATIENCE_S) -> str:
        """What a command here printed."""
        with given.open("rb") as standard_input:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=patience_s,
                                  cwd=self.folder, env=self.env, stdin=standard_input, check=False)
        expect(not check or done.returncode == 0, f"{command}: status {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def on(self, host: str, command: str, check: bool = True) -> str:
        """The same of a shell's command on a host."""
        if not self.hosts:
            return self.run("sh", "-c", command, check=check)
        return self.run(*shlex.split(self.env["DPM_SSH"]), host, command, check=check)

    def daemon_log(self, host: str) -> str:
        return (self.folder / f"state-{host}/dpm/meterd.log").read_text(errors="replace")

    def kill(self, host: str, pids: Sequence[int | str]) -> None:
        expect(bool(pids), f"no process to be killed on {host}")
        self.on(host, "kill -9 " + " ".join(map(str, pids)), check=False)

    def ledger(self, trace: str | pathlib.Path) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(self.run(self.dpm, "statistics", "--json", trace))["ledger"]
        return result

    def warnings(self, trace: str) -> str:
        """The messages about a trace that is not complete."""
        return self.run("sh", "-c", '"$0" statistics "$1" 2>&1 >statistics.out', self.dpm, trace)

    def messages(self, trace: str) -> dict[tuple[str, str], int]:
        """How many messages went from whom to whom, by the names of programs."""
        counts: dict[tuple[str, str], int] = {}
        for line in json.loads(self.run(self.dpm, "statistics", "--json", trace))["messages"]:
            sender, receiver = (re.sub(r"\W*\d.*", "", line[end].split("/")[-1]) for end in ("from", "to"))
            ends = sender, receiver
            counts[ends] = counts.get(ends, 0) + line["count"]
        return counts


Case = Callable[[Site], None]


class Session:
    """One controller."""

    def __init__(self, site: Site, program: str = "dpm") -> None:
        self.site = site
        self.process = subprocess.Popen(site.control_command(program), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, cwd=site.folder, env=site.env)
        self.said = ""
        self.changed = threading.Condition()
        self.has_ended = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with self.changed:
                self.said += line
                self.changed.notify_all()
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def type(self, *commands: str) -> None:
        assert self.process.stdin
        self.process.stdin.write("".join(command + "\n" for command in commands))
        self.process.stdin.flush()

    def until(self, pattern: str, begin: int = 0, patience_s: float = PATIENCE_S) -> re.Match[str]:
        """The first place where it has said that, once it has."""
        with self.changed:
            self.changed.wait_for(lambda: re.search(pattern, self.said[begin:]) or self.has_ended, patience_s)
            found = re.search(pattern, self.said[begin:])
            if found is None:
                raise AssertionError(f"it never said {pattern!r}:\n{self.said[begin:]}")
            return found

    def do(self, *commands: str, patience_s: float = PATIENCE_S) -> str:
        """The output while these commands were performed."""
        begin = len(self.said)
        self.type(*commands, "help endinput")
        self.until(re.escape(MARK), begin, patience_s)
        return self.said[begin:self.said.index(MARK, begin)]

    def do_until(self, command: str, text: str) -> None:
        """Again and again, until it says that."""
        end_s = time.monotonic() + PATIENCE_S
        while text not in (said := self.do(command)):
            expect(time.monotonic() < end_s, f"'{command}' does not come to say \"{text}\", but: {said}")
            time.sleep(0.02)

    def pid_of(self, name: str) -> int:
        return int(self.until(rf"(?:process|filter) '{re.escape(name)}' was (?:created|acquired).*: identifier = (\d+)")[1])

    def take(self) -> str:
        """What it has said so far. It is forgotten: an hour of it would be much."""
        with self.changed:
            said, self.said = self.said, ""
        return said

    def leave(self, *commands: str) -> int:
        """Its exit status, after these commands."""
        self.type(*commands)
        assert self.process.stdin
        self.process.stdin.close()
        status = self.process.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        return status

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join(PATIENCE_S)
