"""The ways to run a program that are compared: as it is, supervised in several ways, or traced by other tools."""

import contextlib
import os
import pathlib
import pwd
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

import table

# What a meter is notified of; strace and perf trace the same.
CALLS = ["read", "readv", "recvfrom", "recvmsg", "recvmmsg", "write", "writev", "sendto", "sendmsg", "sendmmsg", "accept",
         "accept4", "sendfile", "splice"]
UNMETERED, CONTINUE_ONLY, METERED, KERNEL = "unmetered", "CONTINUE only", "metered", "kernel source"
STRACE, PERF, BPFTRACE = "strace", "perf trace", "bpftrace"
# bpftrace only counts these calls, of all processes: what a program in the kernel costs that does next to nothing.
COUNTED = ",".join(f"tracepoint:syscalls:sys_{side}_{call}" for side in ("enter", "exit") for call in CALLS if call != "sendfile")


class Tools:
    """The programs needed, from a build folder, and a scratch folder for their output."""

    def __init__(self, build_folder: str) -> None:
        build = pathlib.Path(build_folder).resolve()
        self.dpm = build / "dpm"
        self.call_loop = build / "bench/meter/call_loop"
        self.idle_threads = build / "bench/meter/idle_threads"
        self.continue_only = build / "bench/meter/continue_only"
        self.recorder = build / "bench/meter/recorder"
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="dpm-bench-"))
        self.scratch.chmod(0o777)
        self._folders = 0

    def __enter__(self) -> "Tools":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)

    def folder(self) -> pathlib.Path:
        self._folders += 1
        folder = self.scratch / str(self._folders)
        folder.mkdir()
        folder.chmod(0o777)
        return folder

    def command(self, way: str, words: Sequence[object], folder: pathlib.Path) -> list[str]:
        """The words that run `command` that way; output goes to `folder`."""
        command = [str(word) for word in words]
        if way == UNMETERED:
            return command
        if way == CONTINUE_ONLY:
            return [str(self.continue_only), *command]
        if way == METERED:
            return [str(self.dpm), "meter", "--source", "notify", "-o", str(folder / "out"), "--", *command]
        if way == KERNEL:
            return [str(self.dpm), "meter", "--source", "ebpf", "-o", str(folder / "out"), "--", *command]
        if way == STRACE:
            return ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=" + ",".join(CALLS), "-o", str(folder / "strace"),
                    *command]
        if way == PERF:
            return ["perf", "trace", "-e", ",".join(CALLS), "-o", str(folder / "perf"), "--", *command]
        if way == BPFTRACE:
            script = folder / "command"  # bpftrace splits words at each space
            script.write_text(f"exec {shlex.join(command)}\n")
            return ["bpftrace", "-q", "-o", str(folder / "bpftrace"), "-e", COUNTED + " { @ = count(); }", "-c", f"/bin/sh {script}"]
        raise ValueError(way)

    @contextlib.contextmanager
    def acquired(self, pid: int, folder: pathlib.Path) -> Iterator[None]:
        """A block in which the kernel source meters a process that runs."""
        meter = subprocess.Popen([str(self.dpm), "acquire", "--source", "ebpf", "-o", str(folder / "acquired"), str(pid)],
                                 stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not (folder / "acquired/trace/trace.json").exists():
            if meter.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"dpm acquire {pid} does not meter it")
            time.sleep(0.05)
        try:
            yield
        finally:
            meter.send_signal(signal.SIGINT)
            meter.wait()

    def why_not(self, way: str) -> str | None:
        """Why this way is not available here, or None."""
        tool = {STRACE: "strace", PERF: "perf", BPFTRACE: "bpftrace", KERNEL: "dpm"}.get(way)
        if tool is None:
            return None
        if way != KERNEL and shutil.which(tool) is None:
            return f"{tool} is not installed"
        tried = subprocess.run(self.command(way, ["true"], self.folder()), capture_output=True, text=True, timeout=30)
        lines = (tried.stderr or tried.stdout).strip().splitlines()
        return None if tried.returncode == 0 else f"{tool} is not permitted here: {lines[-1] if lines else 'no reason given'}"

    def usable(self, way: str) -> bool:
        why_not = self.why_not(way)
        if why_not:
            table.note(f"{way} skipped: {why_not}")
        return not why_not


def ordinary_user() -> dict[str, Any]:
    """Keywords for Popen that make the child an ordinary user, for programs that refuse to be root."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("nobody")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
