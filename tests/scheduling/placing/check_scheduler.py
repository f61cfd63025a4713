#!/usr/bin/env python3
"""check_scheduler.py --dpm DPM: real processes are bound to cores by `dpm schedule` and `dpm meter --schedule`, and free again whatever happens.

The source is that of $DPM_SOURCE, or notify.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "live/harness"))
import running

SKIPPED = 77
# Two processes that exchange lines, and threads and children that come and go. The first line is its pid; it goes on at a line of
# input, and ends at the end of the input.
TARGET = r"""
import os, select, sys, threading, time
print(os.getpid(), flush=True)
sys.stdin.readline()
there_r, there_w = os.pipe()
back_r, back_w = os.pipe()
child = os.fork()
if child == 0:
    while os.read(there_r, 1): os.write(back_w, b"x")
    os._exit(0)
print(child, flush=True)
def goes_on(): return not select.select([0], [], [], 0)[0]
def brief():
    while goes_on(): time.sleep(.01)
threading.Thread(target=brief, daemon=True).start()
n = 0
while n % 100 != 0 or goes_on():
    os.write(there_w, b"x")
    os.read(back_r, 1)
    n += 1
    if n % 2000 == 0:
        if os.fork() == 0: time.sleep(.05); os._exit(0)
        try: os.waitpid(-1, os.WNOHANG)
        except ChildProcessError: pass
os.kill(child, 9)
"""

failures = 0


def complain(text: str) -> None:
    global failures
    failures += 1
    print("FAILED:", text, flush=True)


def await_true(what: str, condition: Callable[..., Any], limit_s: float = 60) -> bool:
    end = time.time() + limit_s
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.02)
    complain(f"waited in vain: {what}")
    return False


def has_ended(pid: int, tid: str) -> bool:
    """It waits to be reaped: nothing runs there, and what it might use does not change any more."""
    return running.stat_fields(pid, tid)[0] in "ZX"


def affinities(pid: int) -> list[set[int]]:
    """Of the threads that have not ended."""
    found = []
    try:
        for tid in os.listdir(f"/proc/{pid}/task"):
            try:
                if not has_ended(pid, tid):
                    found.append(os.sched_getaffinity(int(tid)))
            except OSError:
                pass
    except OSError:
        pass
    return found


def bound(pids: list[int], cpus: set[int]) -> bool:
    return all(a <= cpus for pid in pids for a in affinities(pid)) and all(affinities(pid) for pid in pids)


def members(pid: int) -> list[int]:
    """The process and all below it."""
    found, todo = [], [pid]
    while todo:
        at = todo.pop()
        found.append(at)
        try:
            for task in os.listdir(f"/proc/{at}/task"):
                todo += map(int, pathlib.Path(f"/proc/{at}/task/{task}/children").read_text().split())
        except OSError:
            pass
    return found


def all_free(pid: int, cpus: set[int]) -> bool:
    return all(a == cpus for at in members(pid) for a in affinities(at))


class Target:
    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", TARGET], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.pid = int(self.process.stdout.readline())

    def go(self) -> int:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout
        self.child = int(self.process.stdout.readline())
        return self.child

    def end_by_itself(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def end(self) -> None:
        for pid in reversed(members(self.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.process.wait()


class Check:
    def __init__(self, dpm: str, folder: pathlib.Path) -> None:
        self.dpm, self.folder = dpm, folder
        self.cpus = os.sched_getaffinity(0)
        ordered = sorted(self.cpus)
        self.cores = [f"core{cpu}" for cpu in ordered]
        self.placement = folder / "placement.json"

    def place(self, names: dict[str, str]) -> None:
        self.placement.write_text(json.dumps({"name": "wanted", "processes": names}))

    def start(self, *words: object, **options: Any) -> subprocess.Popen[str]:
        result: subprocess.Popen[str] = subprocess.Popen([self.dpm, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                                         text=True, **options)
        return result

    def scheduled(self, target: Target, *more: object) -> subprocess.Popen[str]:
        """`dpm schedule` on the target, which binds its processes to the first core, and has begun."""
        name = pathlib.Path(f"/proc/{target.pid}/comm").read_text().strip()
        self.place({name: self.cores[0]})
        scheduler = self.start("schedule", target.pid, "--policy", "fixed", "--placement", self.placement, "--decision-window",
                               "0.3s", *more)
        time.sleep(0.5)
        return scheduler

    # ---- what a user does

    def interrupted(self) -> None:
        target = Target()
        scheduler = self.scheduled(target, "--json")
        target.go()
        # It is where the file has it; another process may be held where it was.
        await_true("the target is bound", lambda: bound([target.pid], {min(self.cpus)}))
        scheduler.send_signal(signal.SIGINT)
        out, err = scheduler.communicate(timeout=60)
        if scheduler.returncode != 0:
            complain(f"interrupted: status {scheduler.returncode}: {err}")
        elif not json.loads(out)["journal"]:
            complain(f"interrupted: no journal in {out}")
        if not all_free(target.pid, self.cpus):
            complain(f"interrupted: bound afterwards: {[affinities(p) for p in members(target.pid)]}")
        target.end()

    def ends(self) -> None:
        target = Target()
        scheduler = self.scheduled(target)
        target.go()
        await_true("the target is bound", lambda: bound([target.pid], {min(self.cpus)}))
        target.end_by_itself()
        out, err = scheduler.communicate(timeout=90)
        if scheduler.returncode != 0 or "policy fixed" not in out:
            complain(f"target ends: {scheduler.returncode}, {out}, {err}")
        target.end()

    def killed(self, turns: int) -> None:
        for turn in range(turns):
            target = Target()
            scheduler = self.scheduled(target)
            target.go()
            delay_s = random.uniform(0, 1.5)
            time.sleep(delay_s)
            scheduler.kill()
            scheduler.wait()
            await_true(f"free after kill -9 at {delay_s:.3f} s (turn {turn})", lambda: all_free(target.pid, self.cpus), 10)
            if target.process.poll() is not None:
                complain("the target has ended with its scheduler")
            target.end()

    def killed_while_bound(self) -> None:
        target = Target()
        scheduler = self.scheduled(target)
        target.go()
        if await_true("the target is bound", lambda: bound([target.pid], {min(self.cpus)})):
            scheduler.kill()
            scheduler.wait()
            await_true("free after kill -9 while bound", lambda: all_free(target.pid, self.cpus), 10)
        scheduler.kill()
        target.end()

    def guard_killed(self) -> None:
        target = Target()
        scheduler = self.scheduled(target)
        target.go()
        await_true("the target is bound", lambda: bound([target.pid], {min(self.cpus)}))
        for guard in self.guards_of(scheduler.pid):
            os.kill(guard, signal.SIGKILL)
        scheduler.send_signal(signal.SIGTERM)
        _, err = scheduler.communicate(timeout=60)
        if scheduler.returncode != 1 or "has ended" not in err:
            complain(f"guard killed: {scheduler.returncode}: {err}")
        await_true("free without a guard", lambda: all_free(target.pid, self.cpus), 10)
        target.end()

    @staticmethod
    def guards_of(pid: int) -> list[int]:
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().rstrip(b"\0").decode()
            except OSError:
                continue
            if line == f"dpm-affinity of {pid}":
                found.append(int(entry))
        return found

    def dry_run(self) -> None:
        target = Target()
        scheduler = self.scheduled(target, "--dry-run", "--for", "3s", "--json")
        target.go()
        never_bound = True
        while scheduler.poll() is None:
            never_bound = never_bound and all_free(target.pid, self.cpus)
            time.sleep(0.02)
        out, err = scheduler.communicate()
        outcomes = {entry["outcome"] for entry in json.loads(out)["journal"]} if scheduler.returncode == 0 else {err}
        if not never_bound or not outcomes <= {"proposed", "nothing"}:
            complain(f"dry run: {never_bound}, {outcomes}")
        target.end()

    def metered(self) -> None:
        folder = self.folder / "out"
        self.place({"cat": self.cores[0], "yes": self.cores[0]})
        run = self.start("meter", "--schedule", "fixed", "--placement", self.placement, "--decision-window", "0.3s", "-o", folder,
                         "--wait", "--", "sh", "-c", "timeout 300 yes | cat >/dev/null")
        await_true("cat is bound", lambda: any(bound([p], {min(self.cpus)}) for p in self.named(run.pid, "cat")))
        for pid in self.named(run.pid, "yes"):
            os.kill(pid, signal.SIGTERM)
        _, err = run.communicate(timeout=60)
        if run.returncode != 0:
            complain(f"metered: {run.returncode}: {err}")
        elif json.loads((folder / "schedule.json").read_text())["policy"] != "fixed":
            complain("metered: schedule.json")
        if "policy fixed" not in err:
            complain(f"metered: no journal: {err}")

    def front_killed(self, *more: str) -> None:
        """The process that the user started is killed: nothing stays bound, and metering goes on."""
        folder = self.folder / f"front{len(more)}"
        self.place({"cat": self.cores[0], "yes": self.cores[0]})
        run = self.start("meter", "--schedule", "fixed", "--placement", self.placement, "--decision-window", "0.3s", "-o", folder,
                         *more, "--", "sh", "-c", "timeout 300 yes | cat >/dev/null; true")
        # cat has not begun yet: it is not bound.
        await_true("cat is bound", lambda: any(bound([p], {min(self.cpus)}) for p in self.named(run.pid, "cat")))
        program = self.named(run.pid, "cat", "yes")
        run.kill()
        run.wait()
        await_true(f"free after its front was killed {more}", lambda: all(all_free(p, self.cpus) for p in program), 10)
        time.sleep(1)
        if not all(affinities(p) and all_free(p, self.cpus) for p in program):
            complain(f"front killed {more}: the program has ended, or was bound again: {[affinities(p) for p in program]}")
        for p in program:
            os.kill(p, signal.SIGKILL)
        await_true("the recording is completed", lambda: (folder / "results.json").exists())
        _, err = run.communicate(timeout=60)  # until the supervisor has ended
        schedule = json.loads((folder / "schedule.json").read_text())
        if "command_ended_s" not in schedule or "the command had ended" not in err:
            complain(f"front killed {more}: {schedule} {err}")

    @staticmethod
    def named(pid: int, *names: str) -> list[int]:
        """Of the process and all below it."""
        found = []
        for at in members(pid):
            try:
                if pathlib.Path(f"/proc/{at}/comm").read_text().strip() in names:
                    found.append(at)
            except OSError:
                pass
        return found

    def other_account(self) -> None:
        if os.getuid() != 0:
            print("SKIPPED: becoming another account needs root")
            return
        target = Target()
        with running.Workshop() as workshop:
            dpm = running.for_every_account(self.dpm, workshop.path)
            asked = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", dpm, "schedule", str(target.pid)],
                                   capture_output=True, text=True, env={**os.environ, "DPM_SOURCE": "notify"}, cwd=workshop.path)
        if asked.returncode != 2 or "may not set the CPU affinity" not in asked.stderr:
            complain(f"another account: {asked.returncode}: {asked.stderr}")
        target.end()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dpm", required=True)
    arguments = parser.parse_args()
    dpm = str(pathlib.Path(arguments.dpm).resolve())
    os.environ.setdefault("DPM_SOURCE", "notify")
    if len(os.sched_getaffinity(0)) < 2:
        print("SKIPPED: there is only one core")
        return SKIPPED
    probe = subprocess.run([dpm, "meter", "--summary", "--", "true"], capture_output=True, text=True)
    if probe.returncode != 0:
        print(f"SKIPPED: programs cannot be metered here with this source: {probe.stderr}")
        return SKIPPED
    seed = random.randrange(1 << 32)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        check = Check(dpm, pathlib.Path(folder))
        steps: list[Callable[[], object]] = [
            check.interrupted, check.ends, lambda: check.killed(6), check.killed_while_bound, check.guard_killed,
            check.dry_run, check.metered, check.front_killed, lambda: check.front_killed("--wait"), check.other_account]
        for step in steps:
            before = failures
            step()
            if failures > before:
                print(f"  in {getattr(step, '__name__', step)}")
    if failures:
        print(f"seed {seed}")
    return 1 if failures else 0


sys.exit(main())
