"""What features and promises work with, inside the guest: dpm, an account, a folder, and the traces that come out."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "live/harness"))
import events
from outcome import Absent, Failed

ACCOUNTS = {"root": 0, "user": 65534}
PATIENCE_S = 240  # emulated processors are slow
REFUSAL_STATUS = 2  # of dpm, when it cannot do what it was asked for


class Site:
    def __init__(self, build: pathlib.Path, source: str, account: str, variables: dict[str, str] | None = None) -> None:
        self.build, self.source, self.account, self.variables = build, source, account, variables or {}
        self.user = ACCOUNTS[account]
        self.dpm = build / "dpm"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dpm-kernels-"))
        self.folder.chmod(0o777)
        os.chown(self.folder, self.user, self.user)

    def as_root(self) -> "Site":
        return Site(self.build, self.source, "root")

    def tool(self, path: str) -> pathlib.Path:
        """A program of the build."""
        return self.build / path

    def need(self, *programs: str) -> None:
        for name in programs:
            if not shutil.which(name):
                raise Failed(f"{name} is not installed on the machine of the guest")

    def start(self, words: list[Any], **more: Any) -> subprocess.Popen[str]:
        environment = {**os.environ, "HOME": str(self.folder), "DPM_SOURCE": self.source or "auto", **self.variables}
        return subprocess.Popen([str(word) for word in words], user=self.user, group=self.user, extra_groups=[], cwd=self.folder, env=environment,
                                stdin=more.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def run(self, words: list[Any], limit_s: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
        process = self.start(words)
        try:
            output, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            raise Failed(f"no end after {limit_s:.0f} s: {' '.join(map(str, words[:4]))}: {last_line(errors)}") from None
        return subprocess.CompletedProcess(words, process.returncode, output, errors)

    def dpm_run(self, *words: str | os.PathLike[str], limit_s: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
        """Absent, with dpm's own words, where dpm refuses."""
        done = self.run([self.dpm, *words], limit_s)
        if done.returncode == REFUSAL_STATUS:
            raise Absent(refusal_in(done.stderr))
        return done

    def meter(self, *command: Any, options: Any = ()) -> "events.Trace":
        """The trace of a command, which must have ended well."""
        trace = self.folder / f"trace-{time.monotonic_ns()}"
        done = self.dpm_run("meter", *options, "-o", trace, "--", *command)
        if done.returncode != 0:
            raise Failed(f"{command[0]} ends with {done.returncode} when it is metered: {last_line(done.stderr)}")
        return self.trace(trace)

    def trace(self, path: pathlib.Path) -> "events.Trace":
        found = events.Trace(self.tool("tests/live/tools/list_events"), path / "trace" if (path / "trace").exists() else path)
        expect(not found.losses, f"events were lost: {found.losses}")
        return found

    def ask_doctor(self) -> dict[str, Any]:
        done = self.run([self.dpm, "doctor", "--json"])
        try:
            result: dict[str, Any] = json.loads(done.stdout)
            return result
        except ValueError:
            raise Failed(f"dpm doctor: {last_line(done.stderr)}") from None

    def stop(self, process: subprocess.Popen[str], signal_number: int = signal.SIGINT, limit_s: float = PATIENCE_S) -> tuple[int, str, str]:
        process.send_signal(signal_number)
        try:
            output, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"it does not end within {limit_s:.0f} s") from None
        return process.returncode, output, errors


def expect(holds: object, what: object) -> None:
    if not holds:
        raise Failed(what)


def await_true(what: str, condition: Any, limit_s: float = PATIENCE_S) -> Any:
    end = time.monotonic() + limit_s
    while not (value := condition()):
        expect(time.monotonic() < end, f"waited in vain: {what}")
        time.sleep(0.1)
    return value


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def refusal_in(errors: str) -> str:
    """The reason in the first line of dpm's refusal, without the command and what it advises."""
    lines = [line for line in errors.splitlines() if line.strip()]
    reason = re.sub(r"^dpm( \w+)?: (--source \w+: )?", "", lines[0]) if lines else "it is refused without a word"
    return re.split(r": run dpm|; ", reason)[0].strip()


def moved(trace: events.Trace, kind: str) -> list[Any]:
    """The events of a kind that have a length."""
    return [event for event in trace.events if event.type == kind and event.length > 0]


def source_of_samples(site: Site) -> str:
    """Where the states of a short sample came from, in which dpm sample must find what a program waits for."""
    counts = site.folder / "counts"
    done = site.dpm_run("sample", "-i", "0.05", "-o", counts, "--", "sh", "-c", "sleep 2 | cat")
    expect(done.returncode == 0, f"dpm sample ends with {done.returncode}")
    lines = counts.read_text().splitlines()
    counts.unlink()
    expect("pipe" in done.stderr, "the wait of cat for its pipe was not found")
    return next((line.split()[1] for line in lines if line.startswith("source ")), "")
