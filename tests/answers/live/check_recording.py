#!/usr/bin/python3
"""check_recording.py DPM SOURCE: the page that --serve of meter, acquire and run starts: its address is printed once, it answers while the program
runs and afterwards, and it ends by itself a minute after the last of both. And a server that is ended and started again."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from typing import Any

DPM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
PATIENCE_S = 60
failures, skipped = [], []

# Messages until a file is there.
TALK = """
import os, socket, sys, time
a, b = socket.socketpair()
if os.fork() == 0:
    a.close()
    while b.recv(100): b.send(b"answer")
    os._exit(0)
b.close()
while not os.path.exists(sys.argv[1]):
    a.send(b"question"); a.recv(100); time.sleep(0.005)
a.close()
os.wait()
"""


def check(what: str, is_so: object, seen: object = "") -> None:
    if not is_so:
        failures.append(f"{what}: {seen}" if seen != "" else what)


def wait_until(what: str, condition: Callable[..., Any], patience_s: int = PATIENCE_S) -> None:
    end = time.monotonic() + patience_s
    while not (seen := condition()):
        if time.monotonic() > end:
            failures.append(f"in {patience_s} s it did not happen that {what}")
            return None
        time.sleep(0.1)
    result: None = seen
    return result


def ask(url: str, name: str) -> Any:
    with urllib.request.urlopen(f"{url}api/{name}", timeout=PATIENCE_S) as answer:
        return json.load(answer)


def page_of(out: Any) -> int | None:
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"--while-watched" in words and os.fsencode(out) in words:
                return int(folder.name)
    return None


def is_there(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    return False


class Recording:
    """A command that records and serves, with what it prints on standard error."""

    def __init__(self, command: list[Any], out: Any) -> None:
        self.out = out
        self.lines: list[str] = []
        self.process = subprocess.Popen([DPM, *map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        assert self.process.stderr
        self.reader = threading.Thread(target=self.lines.extend, args=[self.process.stderr])
        self.reader.start()

    def urls(self) -> list[Any]:
        return re.findall(r"http://\S+", "".join(self.lines))

    def await_url(self) -> Any:
        wait_until(f"{self.out.name} prints an address", lambda: self.urls() or self.process.poll() is not None)
        if self.process.poll() is not None:  # what it printed may still be on its way
            self.reader.join(PATIENCE_S)
        return self.urls()[0] if self.urls() else None

    def await_end(self) -> None:
        """Of the command; its page holds none of its pipes."""
        self.process.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        check(f"{self.out.name}: the page lets go of standard error", not self.reader.is_alive())
        check(f"{self.out.name}: one address", len(self.urls()) == 1, self.lines)


def ends_by_itself(name: str, out: Any, url: Any) -> None:
    """After the recording: it answers for a while, and then is gone."""
    wait_until(f"{name} has ended", lambda: ask(url, "describe")["state"] == "ended")
    check(f"{name}: all is read", ask(url, "overview")["ledger"]["lost"] == 0)
    page = page_of(out)
    check(f"{name}: its page is a process", page is not None)
    if page:
        pid = page
        wait_until(f"the page of {name} ends by itself", lambda: not is_there(pid), 2 * PATIENCE_S)


def watch(name: str, recording: Recording, out: Any, stop_file: Any) -> None:
    """It is seen to go on; then it ends."""
    url = recording.await_url()
    if url is None:
        recording.await_end()
        return
    before = ask(url, "overview")["messages"]
    wait_until(f"messages of {name} become more", lambda: ask(url, "overview")["messages"] > before + 20)
    check(f"{name} is being recorded", ask(url, "describe")["state"] == "recording")
    stop_file.touch()
    recording.await_end()
    ends_by_itself(name, out, url)


def meter(folder: Any) -> None:
    out, stop = folder / "meter", folder / "stop-metered"
    watch("dpm meter", Recording(["meter", "--serve", "-o", out, "--", "python3", "-c", TALK, stop], out), out, stop)


def acquire(folder: Any) -> None:
    out, stop = folder / "acquire", folder / "stop-acquired"
    with subprocess.Popen(["python3", "-c", TALK, stop]) as program:
        time.sleep(0.5)
        recording = Recording(["acquire", "--serve", "-o", out, program.pid], out)
        if recording.await_url() is None and recording.process.wait(PATIENCE_S) != 0:
            skipped.append("dpm acquire: " + "".join(recording.lines).strip())
            recording.reader.join()
        else:
            watch("dpm acquire", recording, out, stop)
        stop.touch()


def run(folder: pathlib.Path) -> None:
    out = folder / "run"
    recording = Recording(["run", "--serve", "--base-only", "-o", out, SOURCE / "scenarios/file-system/scenario.json"], out)
    url = recording.await_url()
    recording.await_end()
    check("dpm run serves", url is not None, recording.lines)
    if url:
        ends_by_itself("dpm run", out, url)


def serve_again(folder: Any) -> None:
    """A server that is ended leaves nothing behind: the next one has its address, and gives the same answers."""
    out, token = folder / "again", folder / "token"
    subprocess.run([DPM, "run", "--base-only", "-o", out, SOURCE / "scenarios/file-system/scenario.json"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    answers: list[Any] = []
    urls: list[str] = []
    for _ in range(2):
        words = [DPM, "serve", out, "--token-file", token]
        if urls:
            words += ["--port", re.findall(r":(\d+)/", urls[0])[0]]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            url = server.stdout.readline().strip()
            urls.append(url)
            wait_until("the trace is read", lambda: ask(url, "describe")["state"] == "ended")
            wait_until("it is analysed", lambda: "computing" not in ask(url, "statistics"))
            answers.append({name: ask(url, name) for name in ("statistics", "traffic", "levels", "queues")})
            server.send_signal(signal.SIGTERM)
            check("exit status of a server", server.wait(PATIENCE_S) == 0, server.returncode)
    check("the address stays", urls[0] == urls[1], urls)
    token.chmod(0o644)
    refused = subprocess.run([DPM, "serve", out, "--token-file", token], capture_output=True, text=True, timeout=PATIENCE_S)
    check("a token that others may read is refused", refused.returncode == 2 and "others have rights" in refused.stderr, refused)
    for name in answers[0]:
        if name != "levels":  # its best P over time goes on being sampled
            check(f"{name} is the same from the next server", answers[0][name] == answers[1][name])


with tempfile.TemporaryDirectory() as name:
    parts = [run, serve_again]
    tried = subprocess.run([DPM, "meter", "-o", pathlib.Path(name) / "tried", "--", "true"], capture_output=True, text=True)
    if tried.returncode == 0:
        parts += [meter, acquire]
    else:
        skipped.append("programs cannot be metered here")

    def guarded(part: Any) -> None:
        try:
            part(pathlib.Path(name))
        except Exception as error:  # in a thread it would only be printed
            failures.append(f"{part.__name__}: {error!r}")

    threads = [threading.Thread(target=guarded, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

for why in skipped:
    print("SKIPPED: in part:", why)
for failure in failures:
    print("FAILED", failure)
sys.exit(1 if failures else 0)
