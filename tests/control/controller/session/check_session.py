#!/usr/bin/env python3
"""check_session.py DPM: appendix B's session, typed as it is printed, with two programs that talk over TCP, to the parallelism
factor of the fetched log; and the same computation when its controller is killed and another one adopts it."""
import glob
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import Any

dpm = os.path.realpath(sys.argv[1])
PATIENCE_S = 60
ROUNDS = 20
failures = []

# B asks, A answers, and both say what they did. A waits for a line on its standard input first if it is told to.
SERVER = """#!PYTHON
import socket, sys
if sys.argv[2:] == ["wait"]:
    print("waiting", flush=True)
    print("read", sys.stdin.readline().strip(), flush=True)
listener = socket.create_server(("ADDRESS", int(sys.argv[1])))
connection, _ = listener.accept()
for i in range(ROUNDS):
    question = connection.recv(100)
    connection.sendall(b"answer to " + question)
print("answered ROUNDS")
"""
CLIENT = """#!PYTHON
import socket, sys, time
while True:
    try:
        connection = socket.create_connection(("ADDRESS", int(sys.argv[1])))
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
for i in range(ROUNDS):
    connection.sendall(b"question %d" % i)
    connection.recv(100)
print("asked ROUNDS")
"""


ADDRESS = "127.0.0.1"  # machines that are one host share it


def complain(what: str) -> None:
    failures.append(what)
    print("session: " + what)


def free_port() -> Any:
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return probe.getsockname()[1]


def environment(folder: str) -> dict[str, Any]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "DPM_"))}
    # Daemons of its own: they are known by their user, and where their sockets are.
    return {**kept, "HOME": folder, "XDG_RUNTIME_DIR": os.path.join(folder, "run"), "LC_ALL": "C.UTF-8"}


def prepare(folder: str) -> None:
    os.mkdir(os.path.join(folder, "run"), 0o700)
    for name, text in (("A", SERVER), ("B", CLIENT)):
        with open(os.path.join(folder, name), "w") as program:
            for word, meaning in (("PYTHON", sys.executable), ("ADDRESS", ADDRESS), ("ROUNDS", str(ROUNDS))):
                text = text.replace(word, meaning)
            program.write(text)
        os.chmod(os.path.join(folder, name), 0o755)


def run(folder: str, arguments: list[str], text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([dpm, *arguments], input=text, capture_output=True, text=True, timeout=PATIENCE_S, cwd=folder,
                          env=environment(folder), check=False)


def own_processes(folder: str) -> list[int]:
    """Daemons and what they look after: everything that has this folder for its home."""
    pids = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            if f"HOME={folder}".encode() in open(path, "rb").read().split(b"\0"):
                pids.append(int(path.split("/")[2]))
        except OSError:
            pass
    return pids


def is_attached(pid: int) -> bool:
    """A process that carries bytes between a controller and a daemon."""
    try:
        return b"--attach" in open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
    except OSError:
        return False


def end_daemons(folder: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while (pids := own_processes(folder)) and time.monotonic() < until:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.05)


def check_trace(folder: str, trace: str) -> None:
    """Every message of the computation is in the trace, and it has a parallelism factor."""
    statistics = run(folder, ["statistics", "--json", trace])
    if statistics.returncode != 0:
        complain(f"dpm statistics {trace}: {statistics.stderr}")
        return
    counts: dict[Any, Any] = {}
    for message in json.loads(statistics.stdout)["messages"]:
        ends = tuple(re.sub(r"\W*\d.*", "", end.split("/")[-1]) for end in (message["from"], message["to"]))
        counts[ends] = counts.get(ends, 0) + message["count"]
    for ends in (("A", "B"), ("B", "A")):
        if counts.get(ends) != ROUNDS:
            complain(f"{trace}: {counts.get(ends)} messages from {ends[0]} to {ends[1]}, not {ROUNDS}: {counts}")
    parallelism = run(folder, ["parallelism", trace])
    if parallelism.returncode != 0 or "no delays" not in parallelism.stdout:
        complain(f"dpm parallelism {trace}: {parallelism.stdout}{parallelism.stderr}")
    merged = run(folder, ["merge", trace, "-o", trace + "-merged"])
    if merged.returncode != 0:
        complain(f"dpm merge {trace}: {merged.stderr}")


def appendix_b(folder: str) -> None:
    port = free_port()
    typed = f"""filter f1 blue                                (* create a filter process on machine blue *)
newjob foo                                     (* create a job; name it foo *)
addprocess foo red A {port}                      (* add process A to the job foo *)
addprocess foo green B {port}                    (* add process B to the job foo *)
setflags foo send receive fork accept connect  (* set the metering flags on the job *)
startjob foo                                    (* start the execution of the job *)
wait foo
rmjob foo                                       (* cleanup *)
getlog f1 trace                                (* get the trace file for filter f1 *)
bye
"""
    printed = r"""filter 'f1' was created: identifier = \d+
process 'A' was created: identifier = \d+
process 'B' was created: identifier = \d+
new job flags = send receive fork accept connect
Process 'A' : Flags set
Process 'B' : Flags set
'A' started\.
'B' started\.
"""
    ended = r"""'A' removed
'B' removed
"""
    result = run(folder, ["control", "--launcher", "local"], typed)
    if result.returncode != 0 or not re.fullmatch(printed + "(?s:.*)" + ended, result.stdout):
        complain(f"appendix B: status {result.returncode}, printed {result.stdout!r}, {result.stderr!r}")
    for line in ("  DONE: process A in job 'foo' terminated: reason: normal\n", f"A: answered {ROUNDS}\n",
                 "  DONE: process B in job 'foo' terminated: reason: normal\n", f"B: asked {ROUNDS}\n"):
        if result.stdout.count(line) != 1:
            complain(f"appendix B: {line!r} is not there once: {result.stdout!r}")
    check_trace(folder, "trace")


def adopted(folder: str) -> None:
    port = free_port()
    first = subprocess.Popen([dpm, "control", "--launcher", "local"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True, cwd=folder, env=environment(folder))
    assert first.stdin
    first.stdin.write(f"filter f2 blue\nnewjob bar f2\nadd bar red A {port} wait\nadd bar green B {port}\n"
                      "setflags bar send receive accept connect\nstartjob bar\n")
    first.stdin.flush()
    assert first.stdout
    for line in first.stdout:
        if line == "A: waiting\n":
            break
    else:
        complain("the first controller ended before its process ran")
    first.kill()
    first.wait()
    # Daemons see its end when its connections close.
    until = time.monotonic() + PATIENCE_S
    while any(is_attached(pid) for pid in own_processes(folder)) and time.monotonic() < until:
        time.sleep(0.02)
    second = run(folder, ["control", "--launcher", "local"],
                 "adopt\njobs\njobs bar\ninput bar A go on\nwait bar\nrmjob bar\ngetlog f2 trace2\nbye\n")
    for part in (r"filter 'f2' was adopted: identifier = \d+\n", r"process 'A' was adopted into job 'bar': identifier = \d+, running\n",
                 r"     1  bar  f2\n", r"\d+  running  A        red      send receive accept connect\n", r"A: read go on\n",
                 rf"A: answered {ROUNDS}\n", r"DONE: process B in job 'bar' terminated: reason: normal\n", r"'A' removed\n'B' removed\n\Z"):
        if not re.search(part, second.stdout):
            complain(f"adopted: no {part!r} in {second.stdout!r}, {second.stderr!r}")
    if second.returncode != 0:
        complain(f"adopted: status {second.returncode}")
    check_trace(folder, "trace2")


# Where no program can be metered, none can be controlled.
doctor = subprocess.run([dpm, "doctor", "--json"], capture_output=True, text=True, check=False)
with tempfile.TemporaryDirectory() as home:
    prepare(home)
    if doctor.returncode != 0:
        print("SKIPPED: programs cannot be metered here: see dpm doctor")
        sys.exit(0)
    try:
        appendix_b(home)
        adopted(home)
    finally:
        end_daemons(home)
if not failures:
    print("appendix B, and what a killed controller has left, to the end")
sys.exit(1 if failures else 0)
