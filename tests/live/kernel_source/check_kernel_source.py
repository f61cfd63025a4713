#!/usr/bin/python3
"""The eBPF source as a user meets it: two meters at once, a meter that is killed, and rings that are too small.

The program sends and receives a known number of messages over a pair of sockets and says at the end how many bytes it moved.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import events
import running
from kernel_objects import existing, left_behind, programs_of

TALK = """
import os, socket, sys
rounds, pause = int(sys.argv[1]), sys.argv[2:]
a, b = socket.socketpair()
child = os.fork()
if child == 0:
    a.close()
    while part := b.recv(100): b.sendall(part)
    os._exit(0)
b.close()
moved = 0
for number in range(rounds):
    a.sendall(b"x" * 10)
    moved += len(a.recv(10, socket.MSG_WAITALL))
    if pause and number == 10:
        open("working", "w").close()
        while not os.path.exists("go on"): os.stat(".")
a.close()
os.waitpid(child, 0)
print(moved)
"""
# Two threads that talk when they are told to; the first also starts a child that talks.
THREADS = """
import os, socket, sys, threading
a, b = socket.socketpair()
def echo():
    while part := b.recv(10): b.sendall(part)
threading.Thread(target=echo, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        c, d = socket.socketpair()
        c.sendall(b"x" * 20)
        d.recv(20)
        os._exit(0)
    os.waitpid(child, 0)
    moved = 0
    for _ in range(2):
        a.sendall(b"x" * 10)
        moved += 10 + len(a.recv(10))
    print("done", moved, flush=True)
"""
# Prints more than a pipe holds, when it is told to.
PRINTER = """
import os, sys, time
open("working", "w").close()
while not os.path.exists("go on"): time.sleep(0.01)
sys.stdout.write("x" * 1000000)
sys.stdout.flush()
open("printed", "w").close()
"""
# Sends ten bytes for each line.
STEPS = """
import socket, sys
a, b = socket.socketpair()
for line in sys.stdin: a.sendall(b"x" * 10); b.recv(10); print("done", flush=True)
"""
# A child accepts at a listener that it has by fork, and closes both. The parent's socket is used through a duplicate only.
INHERITED = """
import fcntl, os, socket
listener = socket.create_server(("127.0.0.1", 0))
child = os.fork()
if child == 0:
    connection = listener.accept()[0]
    connection.recv(10)
    connection.close()
    listener.close()
    os._exit(0)
client = socket.create_connection(listener.getsockname())
for command in (fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC):
    copy = fcntl.fcntl(client, command, 50)
    os.write(copy, b"x" * 5)
    os.close(copy)
os.waitpid(child, 0)
client.close()
"""
PYTHON = "/usr/bin/python3"


class Checks:
    def __init__(self, options: argparse.Namespace, workshop: running.Workshop) -> None:
        self.options, self.workshop, self.failures = options, workshop, 0

    def check(self, holds: object, what: str) -> None:
        if not holds:
            self.failures += 1
            print(f"  {what}")

    def start(self, folder: pathlib.Path, rounds: int, *words: str, pause: bool = False) -> subprocess.Popen[str]:
        command = [self.options.dpm, "meter", "--source", "ebpf", *words, "-o", str(folder / "metered"), "--", PYTHON, "-c", TALK,
                   str(rounds), *(["pause"] if pause else [])]
        return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def trace(self, folder: pathlib.Path) -> events.Trace:
        return events.Trace(self.options.list_events, folder / "metered/trace")

    def moves_all(self, process: subprocess.Popen[str], rounds: int) -> str:
        output, errors = process.communicate(timeout=120)
        self.check(process.returncode == 0 and output.strip() == str(10 * rounds), f"the program fails: {output!r} {errors!r}")
        return errors


def bytes_of(trace: events.Trace, kind: str, gap_code: int) -> Any:
    """On UNIX streams: what events of this kind moved, and what GAPs stand for."""
    streams = {number for number, name in trace.channel_name.items() if name.startswith("unix")}
    moved = sum(event.length for event in trace.events if event.type == kind and event.channel in streams)
    missing = sum(event.length for event in trace.events
                  if event.type == "GAP" and event.code == gap_code and event.channel in streams)
    return moved, missing


def two_at_once(checks: Checks) -> None:
    rounds = 2000
    folders = [checks.workshop.folder() for _ in range(2)]
    started = [checks.start(folder, rounds) for folder in folders]
    for process, folder in zip(started, folders):
        checks.moves_all(process, rounds)
        trace = checks.trace(folder)
        checks.check(trace.finished and not trace.losses, f"not whole: {trace.losses}")
        checks.check(bytes_of(trace, "SEND", 0) == (20 * rounds, 0), f"sent {bytes_of(trace, 'SEND', 0)}")
        checks.check(bytes_of(trace, "RECEIVE", 1) == (20 * rounds, 0), f"received {bytes_of(trace, 'RECEIVE', 1)}")
        checks.check(len(trace.pid) == 2, f"processes {trace.name}")


def descriptors(checks: Checks) -> None:
    """The path ends with the last descriptor of a process, however it got them."""
    folder = checks.workshop.folder()
    subprocess.run([checks.options.dpm, "meter", "--wait", "--source", "ebpf", "-o", folder / "metered", "--", PYTHON, "-c", INHERITED],
                   check=True, capture_output=True, timeout=60)
    trace = checks.trace(folder)
    parent, child = sorted({event.process for event in trace.events})
    for process, wanted in ((parent, {"DUP": 2, "DESTROYPATH": 2}), (child, {"DUP": 0, "DESTROYPATH": 2})):
        for kind, number in wanted.items():
            seen = sum(event.type == kind and event.process == process for event in trace.events)
            checks.check(seen == number, f"{trace.name[process]} has {seen} {kind}, not {number}")


def have_gone(objects: set[str]) -> bool:
    """The kernel frees what a process had a moment after its end."""
    for _ in range(200):
        if not objects & existing():
            return True
        time.sleep(0.05)
    return False


def meter_killed(checks: Checks) -> None:
    """The program does not notice; nothing stays in the kernel, and the trace can be read."""
    folder = checks.workshop.folder()
    process = checks.start(folder, 500, pause=True)
    while not (folder / "working").exists():
        time.sleep(0.01)
    time.sleep(0.5)  # what is recorded reaches the disk within 0.2 s
    meters = [int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit() and belongs(entry, folder)]
    checks.check(len(meters) == 1, f"meters: {meters}")
    programs = programs_of(meters[0])
    checks.check(len(programs) == 13 and programs <= existing(), f"programs in the kernel: {programs}")
    os.kill(meters[0], signal.SIGKILL)
    (folder / "go on").touch()
    output, _ = process.communicate(timeout=120)
    checks.check(process.returncode == 0 and output.strip() == "5000", f"the program fails: {output!r}")
    checks.check(have_gone(programs), f"programs stay: {programs & existing()}")
    trace = checks.trace(folder)
    checks.check(not trace.finished, "the trace counts as finished")
    checks.check(bytes_of(trace, "SEND", 0)[0] >= 200, "what was sent before is not in the trace")


def belongs(entry: pathlib.Path, folder: pathlib.Path) -> bool:
    try:
        return (entry / "comm").read_text().strip() == "dpm-meter" and str(folder) in (entry / "cmdline").read_text()
    except OSError:
        return False


def acquired(checks: Checks) -> None:
    """Threads that run already, and the processes that they start later, are seen until the meter lets go."""
    folder = checks.workshop.folder()
    program = subprocess.Popen([PYTHON, "-c", THREADS], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdout
    program.stdout.readline()
    meter = subprocess.Popen([checks.options.dpm, "acquire", str(program.pid), "--source", "ebpf", "-o", str(folder / "metered")],
                             stderr=subprocess.PIPE, text=True)
    while not (folder / "metered/trace").exists() or not programs_of(meter.pid):
        time.sleep(0.05)
    time.sleep(0.3)
    for _ in range(3):
        assert program.stdin
        program.stdin.write("go\n")
        program.stdin.flush()
        assert program.stdout
        checks.check(program.stdout.readline() == "done 40\n", "the program fails")
    programs = programs_of(meter.pid)
    meter.send_signal(signal.SIGINT)
    _, errors = meter.communicate(timeout=60)
    checks.check(meter.returncode == 0, f"the meter fails: {errors}")
    checks.check(have_gone(programs), f"programs stay: {programs & existing()}")
    output, _ = program.communicate("go\n", timeout=60)
    checks.check(program.returncode == 0 and output == "done 40\n", f"the program fails afterwards: {output!r}")
    trace = checks.trace(folder)
    checks.check(trace.finished and not trace.losses, f"not whole: {trace.losses}")
    # Each round: two threads send 20 bytes each and receive as many, and so does a child over its own pair.
    checks.check(bytes_of(trace, "SEND", 0) == (3 * 60, 0), f"sent {bytes_of(trace, 'SEND', 0)}")
    checks.check(bytes_of(trace, "RECEIVE", 1) == (3 * 60, 0), f"received {bytes_of(trace, 'RECEIVE', 1)}")
    checks.check(len(set(trace.pid.values())) == 4, f"processes: {trace.pid}")


def controlled(checks: Checks) -> None:
    """It has no keeper, and is found, told and stopped like others."""
    folder = checks.workshop.folder()
    process = checks.start(folder, 500, pause=True)
    while not (folder / "working").exists():
        time.sleep(0.01)

    def dpm(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([checks.options.dpm, *map(str, words)], capture_output=True, text=True, timeout=60)
    listed = [program for program in json.loads(dpm("list", "--json").stdout)["programs"] if program["pid"] == process.pid]
    checks.check(len(listed) == 1 and listed[0]["keeper_pid"] == 0, f"listed: {listed}")
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for pid in [process.pid, *children]:
        flags = dpm("setflags", pid, "send")
        checks.check(flags.returncode == 0 and "send" in flags.stdout, f"setflags {pid}: {flags}")
    stopped = dpm("stop", process.pid)
    checks.check(stopped.returncode == 0 and "has ended" in stopped.stdout, f"stop: {stopped}")
    (folder / "go on").touch()
    checks.moves_all(process, 500)
    checks.check(checks.trace(folder).finished, "the trace is not finished")


def choice(checks: Checks) -> None:
    """Root's programs are metered by this source unless another is asked for, and the summary says why."""
    def source(*words: str, **how: Any) -> str:
        done = subprocess.run([checks.options.dpm, "meter", "--wait", "--summary", *words, "--", "true"], capture_output=True, text=True,
                              cwd=checks.workshop.folder(), timeout=60, env={**os.environ, "DPM_SOURCE": "auto"}, **how)
        found = re.search("source: ([^;\n]*)", done.stderr)
        return found.group(1) if found else f"none in {done.stderr}"
    chosen = "notify (auto: not ebpf: dpm is in a pid namespace" if running.is_in_process_namespace() else "ebpf (auto: this account may use it)"
    checks.check(source().startswith(chosen), source())
    checks.check(source("--where") == "notify (auto: not ebpf: for --where)", source("--where"))
    checks.check(source("--source", "notify").startswith("none"), source("--source", "notify"))
    folder = checks.workshop.folder()
    subprocess.run([checks.options.dpm, "meter", "--wait", "-o", "out", "--", "true"], cwd=folder, check=True, capture_output=True, timeout=60,
                   env={**os.environ, "DPM_SOURCE": "auto"})
    recorded = json.loads((folder / "out/trace/trace.json").read_text())["source"]
    checks.check(chosen in recorded, f"the trace says: {recorded}")
    program = running.for_every_account(checks.options.dpm, checks.workshop.path)
    checks.options.dpm, before = program, checks.options.dpm
    user = {"user": running.NOBODY, "group": running.NOBODY, "extra_groups": []}
    checks.check(source(**user).startswith("notify (auto: not ebpf: this account may not"), source(**user))
    checks.options.dpm = before


def without_notification(checks: Checks) -> None:
    """Where no call may wait for a meter, this source meters all the same."""
    def metered(*words: str) -> subprocess.CompletedProcess[Any]:
        return subprocess.run([checks.options.confine, "forbid", checks.options.dpm, "meter", "--wait", "--summary", *words, "--", "true"],
                              capture_output=True, text=True, cwd=checks.workshop.folder(), timeout=60)
    done = metered("--source", "ebpf")
    checks.check(done.returncode == 0 and "source: ebpf" in done.stderr, f"with ebpf: {done}")
    done = metered("--source", "notify")
    checks.check(done.returncode == 2 and "cannot be metered here" in done.stderr, f"with notify: {done}")


def uses_no_time_before_it_begins(checks: Checks) -> None:
    """Loading programs into the kernel takes seconds of CPU time on a slow machine: limits on CPU time count what a process had used."""
    def used_s(source: str) -> float:
        done = subprocess.run([checks.options.dpm, "meter", "--wait", "--summary", "--source", source, "--", PYTHON, "-c",
                               "import time; print(time.process_time())"], capture_output=True, text=True, timeout=60, check=True)
        return float(done.stdout)
    notify_s, ebpf_s = min(used_s("notify") for _ in range(3)), min(used_s("ebpf") for _ in range(3))
    checks.check(ebpf_s < 2 * notify_s + 0.01, f"a program finds {ebpf_s} s of CPU time used when it begins; with notify {notify_s} s")


def await_file(checks: Checks, path: pathlib.Path) -> None:
    for _ in range(1000):
        if path.exists():
            return
        time.sleep(0.02)
    checks.check(False, f"{path.name} does not appear")


def jobs(checks: Checks) -> None:
    """A job's processes are metered with this source; one whose supervisor is killed goes on."""
    folder = checks.workshop.folder()
    mark = f"DPM_TEST_RUN={folder}"
    name, _, value = mark.partition("=")
    control = subprocess.Popen([checks.options.dpm, "control", "--launcher", "local"], cwd=folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, env={**os.environ, "HOME": str(folder), "TMPDIR": str(folder),
                                                                       "XDG_RUNTIME_DIR": str(folder), name: value})
    said = []

    def told(line: str, answer: str) -> re.Match[str]:
        assert control.stdin
        control.stdin.write(line + "\n")
        control.stdin.flush()
        assert control.stdout
        while line := control.stdout.readline():
            said.append(line)
            if found := re.search(answer, line):
                return found
        raise AssertionError(f"no answer '{answer}': {''.join(said)}")
    (folder / "printer").write_text(PRINTER)
    (folder / "steps").write_text(STEPS)
    told("filter f1 here", "was created")
    assert control.stdin
    control.stdin.write("newjob a --source ebpf\n")
    told("setflags a send", "new job flags")
    steps = int(told(f"addprocess a here {PYTHON} {folder}/steps", "identifier = ([0-9]+)").group(1))
    printer = int(told(f"addprocess a here {PYTHON} {folder}/printer", "identifier = ([0-9]+)").group(1))
    told("jobs a", r"metered with ebpf \(--source ebpf\): python3, python3.2")
    told("startjob a", "'python3.2' started")
    told("input a python3 go", "done")
    told("endinput a python3", "python3 in job .* terminated: reason: normal")
    os.kill(int(running.stat_fields(printer)[1]), signal.SIGKILL)
    (folder / "go on").touch()
    await_file(checks, folder / "printed")
    told("jobs a", "unmetered|killed")
    told("getlog f1 log", "f1")
    assert control.stdin
    control.stdin.close()
    control.wait(timeout=60)
    trace = events.Trace(checks.options.list_events, folder / "log/trace")
    sent = sum(event.length for event in trace.events if event.type == "SEND" and trace.pid.get(event.process) == steps
               and trace.channel_name.get(event.channel, "").startswith("unix"))
    checks.check(sent == 10, f"the step of 10 bytes is recorded with {sent}")
    for entry in pathlib.Path("/proc").iterdir():  # the daemon and its agents
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            pass


def ring_too_small(checks: Checks) -> None:
    """What a full ring refuses is in the ledger, and in the streams a GAP; the program does not wait."""
    rounds = 20000
    folder = checks.workshop.folder()
    errors = checks.moves_all(checks.start(folder, rounds, "--ring", "4096", "--wait"), rounds)
    ledger = json.loads((folder / "metered/results.json").read_text())["ledger"]
    checks.check(ledger["lost"] > 0, f"nothing is lost: {errors}")
    checks.check(ledger["seen"] == ledger["kept"] + ledger["filtered"] + ledger["lost"], f"not balanced: {ledger}")
    checks.check("the kernel's ring was full" in errors, f"the summary does not say why: {errors}")
    trace = checks.trace(folder)
    for kind, code in (("SEND", 0), ("RECEIVE", 1)):
        moved, missing = bytes_of(trace, kind, code)
        # What is refused after the last recorded operation of a stream is in the ledger only.
        checks.check(0 < missing <= 20 * rounds - moved, f"{kind}: {moved} + {missing} of {20 * rounds} bytes")
    # Each message is a SEND, a RECEIVECALL and a RECEIVE; the child asks once more. Other losses: births, sockets, ends.
    messages = 2 * rounds
    known = ledger["lost"] + sum(event.type in ("SEND", "RECEIVECALL", "RECEIVE") for event in trace.events)
    others_max = 100
    checks.check(3 * messages <= known <= 3 * messages + others_max, f"{known} of {3 * messages} events are recorded or lost")


def refusals(checks: Checks) -> None:
    for words, said in ((["--ring", "5000"], "power of two"), (["--ring", "x"], "--ring"), (["--where"], "--source notify")):
        process = subprocess.run([checks.options.dpm, "meter", "--source", "ebpf", *words, "--", "true"], capture_output=True,
                                 text=True, timeout=60)
        checks.check(process.returncode == 2 and said in process.stderr, f"{words}: {process.returncode} {process.stderr!r}")
    folder = checks.workshop.folder()
    program = running.for_every_account(checks.options.dpm, checks.workshop.path)
    process = subprocess.run([program, "meter", "--source", "ebpf", "--", "true"], capture_output=True, text=True, cwd=folder,
                             timeout=60, user=running.NOBODY, group=running.NOBODY, extra_groups=[])
    checks.check(process.returncode == 2 and "CAP_BPF" in process.stderr, f"as nobody: {process.returncode} {process.stderr!r}")


# In a mount namespace of its own, where the test may put another file in the place of the kernel's.
MISSING = {
    "no type information": ("mount -t tmpfs none /sys/kernel/btf", "CONFIG_DEBUG_INFO_BTF"),
    "locked down": ("mount -t tmpfs none /sys/kernel/security && echo 'none [confidentiality]' >/sys/kernel/security/lockdown",
                    "lockdown=integrity"),
}


def machines_that_lack_it(checks: Checks) -> None:
    """Each case says what is missing and what helps, ends with status 2, begins nothing, and leaves nothing in the kernel."""
    # In a user namespace, root has the rights of its own account only.
    dpm = running.for_every_account(checks.options.dpm, checks.workshop.path)

    def refused(what: str, remedy: str, *command: str) -> None:
        folder = checks.workshop.folder()
        before = left_behind()
        done = subprocess.run([*command, dpm, "meter", "--source", "ebpf", "-o", "out", "--", "touch", "began"],
                              capture_output=True, text=True, timeout=60, cwd=folder)
        checks.check(done.returncode == 2 and what in done.stderr and remedy in done.stderr and "--source notify" in done.stderr,
                     f"{what}: {done}")
        checks.check(not any(folder.iterdir()), f"{what}: {list(folder.iterdir())} is there")
        checks.check(have_gone(left_behind() - before), f"{what}: programs are left")
    refused("user namespace", "run dpm as root of the machine itself", "unshare", "--user", "--map-root-user")
    refused("may not load programs into the kernel", "CAP_BPF", "setpriv", "--bounding-set=-bpf,-perfmon,-sys_admin")
    for what, (script, remedy) in MISSING.items():
        refused(what, remedy, "unshare", "--mount", "sh", "-c", f'{script} && exec "$@"', "sh")


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--list-events", required=True)
    parser.add_argument("--confine", required=True)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    running.need_source(options.dpm, "ebpf")
    if shutil.which("bpftool") is None:
        running.skip("bpftool is not installed")
    cases = {case.__name__: case for case in (two_at_once, descriptors, meter_killed, acquired, controlled, choice, without_notification,
                                             uses_no_time_before_it_begins, jobs, ring_too_small, refusals, machines_that_lack_it)}
    failed = 0
    with running.Workshop() as workshop:
        for name in options.cases or cases:
            checks = Checks(options, workshop)
            cases[name](checks)
            print(f"{'FAILED' if checks.failures else 'good':7}{name}")
            failed += bool(checks.failures)
    if failed:
        print(f"{failed} failed; one alone: {' '.join(sys.argv)} CASE")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
