#!/usr/bin/python3
"""dpm acquire --cgroup and --everything: who is metered, when it ends, what is refused, and that nothing stays behind.

A talker sends 100 bytes over a pair of its own for each line that it reads. The cgroups are made for the test.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import events
import running

TALKER = """
import os, socket, sys
print("ready", flush=True)
for line in sys.stdin:
    if line == "child\\n":
        if pid := os.fork():
            os.waitpid(pid, 0)
            print("done", flush=True)
            continue
    a, b = socket.socketpair()
    for _ in range(10):
        a.sendall(b"x" * 10)
        b.recv(10)
    if line == "child\\n": os._exit(0)
    print("done", flush=True)
"""


class Talker:
    def __init__(self, cgroup: pathlib.Path | None = None) -> None:
        inside = (lambda: (cgroup / "cgroup.procs").write_text(str(os.getpid()))) if cgroup else None
        self.process = subprocess.Popen(["/usr/bin/python3", "-c", TALKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=inside)
        assert self.process.stdout
        assert self.process.stdout.readline() == "ready\n"
        self.pid = self.process.pid

    def talk(self, word: str = "talk") -> None:
        assert self.process.stdin
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        assert self.process.stdout
        assert self.process.stdout.readline() == "done\n"

    def enter(self, cgroup: pathlib.Path) -> None:
        (cgroup / "cgroup.procs").write_text(str(self.pid))

    def end(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode


class Checks:
    def __init__(self, options: argparse.Namespace, workshop: running.Workshop, root: pathlib.Path) -> None:
        self.options, self.workshop, self.failures = options, workshop, 0
        self.cgroup = root / f"dpm-test-{os.getpid()}"

    def check(self, holds: object, what: str) -> None:
        if not holds:
            self.failures += 1
            print(f"  {what}")

    def acquire(self, folder: pathlib.Path, *words: str | pathlib.Path) -> subprocess.Popen[str]:
        """Returns when the meter is at work."""
        meter = subprocess.Popen([self.options.dpm, "acquire", *map(str, words), "-o", str(folder / "metered")],
                                 stderr=subprocess.PIPE, text=True, env={**os.environ, "DPM_SOURCE": "auto"})
        while meter.poll() is None and not (folder / "metered/trace/trace.json").exists():
            time.sleep(0.02)
        time.sleep(0.3)
        return meter

    def ends(self, meter: subprocess.Popen[str], *said: str) -> None:
        _, errors = meter.communicate(timeout=60)
        self.check(meter.returncode == 0 and all(word in errors for word in said), f"the meter ends with {meter.returncode}: {errors}")

    def sent(self, folder: pathlib.Path, may_lose: Sequence[Any] = ()) -> dict[int, int]:
        """What each process sent over UNIX streams, by pid. `may_lose`: words of losses that are not failures."""
        trace = events.Trace(self.options.list_events, folder / "metered/trace")
        losses = [loss for loss in trace.losses if not any(word in loss for word in may_lose)]
        self.check(trace.finished and not losses, f"not whole: {trace.losses}")
        total = dict.fromkeys(trace.pid.values(), 0)
        for event in trace.events:
            if event.type == "SEND" and trace.channel_name.get(event.channel, "").startswith("unix"):
                total[trace.pid[event.process]] += event.length
        return total


def cgroup(checks: Checks) -> None:
    """Those inside, those that enter, their children, and those below; not those beside. It ends when the cgroup is removed."""
    below = checks.cgroup / "below"
    below.mkdir(parents=True)
    inside, beside, later, deep = Talker(checks.cgroup), Talker(), Talker(), Talker(below)
    folder = checks.workshop.folder()
    meter = checks.acquire(folder, "--cgroup", f"/{checks.cgroup.name}")
    for talker in (inside, beside, later, deep):
        talker.talk()  # `later` is not inside yet
    later.enter(below)
    for talker in (inside, beside, later, deep):
        talker.talk()
    inside.talk("child")
    created = Talker(checks.cgroup)
    created.talk()
    for talker in (inside, beside, later, deep, created):
        checks.check(talker.end() == 0, "a talker fails")
    below.rmdir()
    checks.cgroup.rmdir()
    checks.ends(meter, "source: ebpf")
    sent = checks.sent(folder)
    wanted = {inside.pid: 200, later.pid: 100, deep.pid: 200, created.pid: 100}
    checks.check({pid: sent.get(pid) for pid in wanted} == wanted, f"sent {sent}, wanted {wanted}")
    others = {pid: length for pid, length in sent.items() if pid not in wanted}
    checks.check(beside.pid not in sent and list(others.values()) == [100], f"others: {others}")


def ends_in_time(checks: Checks) -> None:
    """--for ends it, and control-C; the programs go on, and the kernel has nothing of ours."""
    checks.cgroup.mkdir()
    talker = Talker(checks.cgroup)
    ways: list[tuple[list[str], int | None]] = [(["--for", "1s"], None), ([], signal.SIGINT)]
    for words, stop in ways:
        folder = checks.workshop.folder()
        meter = checks.acquire(folder, "--cgroup", checks.cgroup, *words)
        talker.talk()
        if stop:
            meter.send_signal(stop)
        checks.ends(meter, "metering was stopped")
        checks.check(checks.sent(folder) == {talker.pid: 100}, f"sent {checks.sent(folder)}")
    talker.talk()
    checks.check(talker.end() == 0, "the talker fails")
    checks.cgroup.rmdir()


def everything(checks: Checks) -> None:
    """Programs that run and that begin; not the meter itself."""
    before = Talker()
    folder = checks.workshop.folder()
    meter = checks.acquire(folder, "--everything")
    before.talk()
    after = Talker()
    after.talk()
    checks.check(before.end() == 0 and after.end() == 0, "a talker fails")
    meter.send_signal(signal.SIGINT)
    checks.ends(meter)
    sent = checks.sent(folder, may_lose=["description was lost"])  # of processes that ended while they were being listed
    checks.check(sent.get(before.pid) == 100 and sent.get(after.pid) == 100, f"sent {sent.get(before.pid)}, {sent.get(after.pid)}")
    checks.check(meter.pid not in sent and os.getpid() in sent, "the meter is metered, or this test is not")


def ends_while_it_comes(checks: Checks) -> None:
    """A program that ends before the meter is at work, and is not waited for: it is refused, or metered to its end."""
    for life_s in (0, .2, .5, .8, 1.1, 1.4, 1.7, 2):
        program = subprocess.Popen(["sleep", str(life_s)])
        done = subprocess.run([checks.options.dpm, "acquire", str(program.pid), "--source", "ebpf", "-o", "out"], capture_output=True, text=True,
                              timeout=60, cwd=checks.workshop.folder())
        is_refused = done.returncode == 2 and "has ended already" in done.stderr
        checks.check(is_refused or (done.returncode == 0 and " 0 lost" in done.stderr), f"{life_s} s: {done.returncode} {done.stderr!r}")
        program.wait()


def refusals(checks: Checks) -> None:
    def refused(words: list[Any], said: str, **how: Any) -> None:
        done = subprocess.run([checks.options.dpm, "acquire", *words, "-o", "out"], capture_output=True, text=True, timeout=60,
                              cwd=checks.workshop.folder(), env={**os.environ, "DPM_SOURCE": "auto"}, **how)
        checks.check(done.returncode == 2 and said in done.stderr, f"{words}: {done.returncode} {done.stderr!r}")
    refused(["--cgroup", "/no/such"], "cgroup '/no/such' does not exist")
    refused(["--cgroup", "/proc"], "is not a cgroup")
    refused(["--cgroup", "/", "--source", "notify"], "single processes only")
    refused(["--cgroup", "/", "--everything"], "excludes")
    refused(["--cgroup", "/", "1"], "excludes")
    refused([], "--everything is required")
    refused(["--everything", "--for", "soon"], "is not a time")
    old = checks.workshop.folder()
    if subprocess.run(["mount", "-t", "cgroup", "-o", "none,name=dpm-test", "none", old], capture_output=True).returncode == 0:
        refused(["--cgroup", str(old)], "is a cgroup of version 1; one of version 2 is needed")
        subprocess.run(["umount", old], check=True)
    user = {"user": running.NOBODY, "group": running.NOBODY, "extra_groups": []}
    program, checks.options.dpm = checks.options.dpm, running.for_every_account(checks.options.dpm, checks.workshop.path)
    refused(["--everything"], "CAP_BPF", **user)
    # With the two capabilities, and nothing else: its own programs, not those of others.
    words = ["setpriv", "--reuid", str(running.NOBODY), "--clear-groups", "--inh-caps=+cap_38,+cap_39", "--ambient-caps=+cap_38,+cap_39"]
    folder = checks.workshop.folder()

    def as_capable(*command: str) -> subprocess.CompletedProcess[Any]:
        return subprocess.run([*words, checks.options.dpm, *command], capture_output=True, text=True, timeout=60, cwd=folder,
                              env={**os.environ, "DPM_SOURCE": "auto"})
    own = as_capable("meter", "--source", "ebpf", "--wait", "--summary", "--", "true")
    checks.check(own.returncode == 0 and "source: ebpf" in own.stderr, f"its own program: {own}")
    for command, said in ((["acquire", str(os.getpid())], "another account"), (["acquire", "--everything"], "CAP_SYS_PTRACE")):
        done = as_capable(*command, "--source", "ebpf")
        checks.check(done.returncode == 2 and said in done.stderr, f"{command}: {done}")
    checks.options.dpm = program


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--list-events", required=True)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    options.dpm = os.path.realpath(options.dpm)
    running.need_source(options.dpm, "ebpf")
    roots = [line.split()[4] for line in open("/proc/self/mountinfo") if " - cgroup2 " in line]
    if not roots or not os.access(roots[0], os.W_OK):
        running.skip("no cgroups of version 2 can be made here")
    cases = {case.__name__: case for case in (cgroup, ends_in_time, ends_while_it_comes, everything, refusals)}
    failed = 0
    with running.Workshop() as workshop:
        for name in options.cases or cases:
            checks = Checks(options, workshop, pathlib.Path(roots[0]))
            cases[name](checks)
            print(f"{'FAILED' if checks.failures else 'good':7}{name}")
            failed += bool(checks.failures)
    if failed:
        print(f"{failed} failed; one alone: {' '.join(sys.argv)} CASE")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
