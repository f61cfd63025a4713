#!/usr/bin/python3
"""check_stacks.py DPM SOURCE COMPILER: dpm sample --stacks finds how a program divides its CPU time.

known_shares.c works in two processes of two threads each, and has its own count of its functions' times, the first witness; perf is the
second where it is there and may run. Skipped where the kernel refuses to sample call stacks.
"""

import collections
import ctypes
import errno
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from typing import Any

SKIPPED = 77
SECONDS = "1.5"  # of CPU time in each thread
NEAR = 0.1
THREADS = 4


def near(found: float, expected: float) -> bool:
    return abs(found - expected) <= NEAR * expected


def built(source: str, compiler: str, folder: str, name: str, *options: str) -> str:
    path = os.path.join(folder, name)
    subprocess.run([compiler, "-O1", "-g0", *options, "-pthread", source, "-o", path], check=True)
    return path


def folded(path: str) -> dict[tuple[str, ...], int]:
    stacks: dict[tuple[str, ...], int] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            frames, count = line.rsplit(" ", 1)
            stacks[tuple(frames.split(";"))] = int(count)
    return stacks


def totals(stacks: dict[tuple[str, ...], int]) -> collections.Counter[str]:
    sums: collections.Counter[str] = collections.Counter()
    for frames, count in stacks.items():
        for frame in set(frames):
            sums[frame] += count
    return sums


def complaints_about(what: str, stacks: dict[tuple[str, ...], int], truth: float) -> list[str]:
    """The stacks of a whole run."""
    sums = totals(stacks)
    wrong = []
    heavy, light = sums["heavy"], sums["light"]
    expected = THREADS * float(SECONDS) * 99
    if not near(heavy / max(1, heavy + light), truth):
        wrong.append(f"{what}: heavy {heavy}, light {light}, but {truth:.3f} expected by the program's own clock")
    if not near(heavy + light, expected):
        wrong.append(f"{what}: {heavy + light} stacks, {expected:.0f} expected")
    called = sum(count for frames, count in stacks.items()
                 if any(frames[i:i + 2] in (("work", "heavy"), ("work", "light")) for i in range(len(frames))))
    if not near(called, heavy + light):
        wrong.append(f"{what}: heavy and light are called by work: {stacks}")
    if not near(sum(count for frames, count in stacks.items() if "main" in frames), expected / 2):
        wrong.append(f"{what}: half of the threads began in main: {sums['main']}")
    return wrong


def share_by_program(text: str) -> float:
    heavy, light = map(int, text.split())
    return heavy / (heavy + light)


def check_command(dpm: str, program: str, folder: str) -> list[str]:
    path = os.path.join(folder, "command.folded")
    done = subprocess.run([dpm, "sample", "--json", "--stacks", path, "--", program, SECONDS], capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        return [f"a command: status {done.returncode}: {done.stderr}"]
    start = done.stdout.index("{")
    truth, result = share_by_program(done.stdout[:start]), json.loads(done.stdout[start:])["stacks"]
    stacks = folded(path)
    wrong = complaints_about("a command", stacks, truth)
    if sum(stacks.values()) != result["stacks"] or result["lost_records"] or result["processes_left_out"]:
        wrong.append(f"the file has {sum(stacks.values())} stacks, the result: {result}")
    if not near(result["sampled_s"], result["cpu_time_s"]):
        wrong.append(f"stacks are {result['sampled_s']} s of {result['cpu_time_s']} s")
    sums = totals(stacks)
    times = {function["function"]: function for function in result["functions"]}
    for name in ("heavy", "light", "spin", "work"):
        if times[name]["total"]["stacks"] != sums[name]:
            wrong.append(f"{name}: the table has {times[name]['total']}, the file {sums[name]}")
    if result["functions"][0]["function"] != "spin":
        wrong.append(f"spin is the first: {result['functions'][0]}")
    return wrong


def check_running(dpm: str, program: str, folder: str) -> list[str]:
    """A process that is chosen while it runs, with one of its threads; what it starts later belongs to it."""
    path = os.path.join(folder, "running.json")
    starter = [sys.executable, "-c", "import subprocess, sys, threading, time\n"
               "threading.Thread(target=time.sleep, args=(3,)).start()\n"
               "time.sleep(1)\nsubprocess.run(sys.argv[1:])", program, SECONDS]
    with subprocess.Popen(starter, stdout=subprocess.PIPE, text=True) as running:
        time.sleep(0.3)
        with subprocess.Popen([dpm, "sample", "--of", "pid", str(running.pid), "--stacks", path],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as sampler:
            assert running.stdout and sampler.stderr
            truth = share_by_program(running.stdout.read())
            running.wait()
            messages = sampler.stderr.read()
    if sampler.returncode != 0:
        return [f"a running process: status {sampler.returncode}: {messages}"]
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    names = [frame["name"] for frame in found["shared"]["frames"]]
    profiles = {profile["name"]: profile for profile in found["profiles"]}
    own = profiles[os.path.basename(program)]
    stacks: dict[tuple[str, ...], int] = {}
    for sample, weight in zip(own["samples"], own["weights"]):
        stacks[tuple(names[frame] for frame in sample)] = round(weight * 99 / 1e9)
    return complaints_about("a running process", stacks, truth)


def check_all_threads(dpm: str, program: str, folder: str) -> list[str]:
    """Threads and a child that were there before."""
    path = os.path.join(folder, "threads.folded")
    with subprocess.Popen([program, "8"], stdout=subprocess.DEVNULL) as running:
        time.sleep(0.3)
        with open(f"/proc/{running.pid}/task/{running.pid}/children", encoding="utf-8") as file:
            pids = [str(running.pid), *file.read().split()]
        done = subprocess.run([dpm, "sample", "--of", "pid", ",".join(pids), "--for", "3", "--json", "--stacks", path],
                              capture_output=True, text=True, timeout=100)
        for pid in pids:
            os.kill(int(pid), signal.SIGKILL)
    if done.returncode != 0:
        return [f"threads that were there: status {done.returncode}: {done.stderr}"]
    result, sums = json.loads(done.stdout)["stacks"], totals(folded(path))
    wrong = []
    if not near(result["sampled_s"], result["cpu_time_s"]):
        wrong.append(f"threads that were there: stacks are {result['sampled_s']} s of {result['cpu_time_s']} s")
    if not near(sums["work"], result["stacks"]) or len(pids) != 2:
        wrong.append(f"threads that were there: {sums} of {result['stacks']}, processes {pids}")
    return wrong


def check_without_frame_pointers(dpm: str, source: str, compiler: str, folder: str) -> list[str]:
    program = built(source, compiler, folder, "without", "-O2", "-fomit-frame-pointer")
    done = subprocess.run([dpm, "sample", "--stacks", os.path.join(folder, "without.txt"), "--", program, "0.3"], capture_output=True, text=True,
                          timeout=100)
    if "without: " not in done.stderr or "-fno-omit-frame-pointer" not in done.stderr:
        return [f"a program without frame pointers: {done.stderr}"]
    return []


def refuse_perf_event_open() -> None:
    """As a container's seccomp profile does: this process and what it starts get EACCES."""
    set_no_new_privs, set_seccomp, mode_filter, perf_event_open = 38, 22, 2, 298
    load_number, equal_or_skip, answer = 0x20, 0x15, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000 | errno.EACCES
    steps = [(load_number, 0, 0, 0), (equal_or_skip, 0, 1, perf_event_open), (answer, 0, 0, refuse), (answer, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)
    libc.prctl(set_no_new_privs, 1, 0, 0, 0)
    libc.prctl(set_seccomp, mode_filter, program, 0, 0)


def check_refused(dpm: str, folder: str) -> list[str]:
    """A clear message and status 2; the command does not start, and no file is left."""
    path, started = os.path.join(folder, "refused.txt"), os.path.join(folder, "started")
    done = subprocess.run([dpm, "sample", "--source", "proc", "--stacks", path, "--", "touch", started], capture_output=True, text=True, timeout=60,
                          preexec_fn=refuse_perf_event_open)
    is_clear = done.returncode == 2 and "kernel.perf_event_paranoid is" in done.stderr
    good = is_clear and not os.path.exists(path) and not os.path.exists(started)
    return [] if good else [f"where the kernel refuses: status {done.returncode}: {done.stderr}"]


def check_perf(program: str, folder: str) -> list[str]:
    perf = shutil.which("perf")
    path = os.path.join(folder, "perf.data")
    recorded: Any = perf and subprocess.run(
        [perf, "record", "-q", "-e", "task-clock:u", "-F", "99", "-g", "-o", path, "--", program, SECONDS],
        capture_output=True, text=True, timeout=100)
    if not perf or recorded.returncode != 0 or not recorded.stdout.strip():
        print("no second witness: perf is not there, or may not run")
        return []
    script = subprocess.run([perf, "script", "-i", path, "-F", "ip,sym"], capture_output=True, text=True, timeout=100)
    stacks: collections.Counter[tuple[str, ...]] = collections.Counter()
    for sample in script.stdout.split("\n\n"):
        frames = [line.split(None, 1)[1] for line in sample.splitlines() if len(line.split(None, 1)) == 2]
        stacks[tuple(reversed(frames))] += 1
    return complaints_about("perf", stacks, share_by_program(recorded.stdout.splitlines()[0]))


def main() -> None:
    dpm, source, compiler = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3]
    with tempfile.TemporaryDirectory(prefix="dpm-stacks-") as folder:
        trial = [dpm, "sample", "--stacks", os.path.join(folder, "trial.txt"), "--", "true"]
        tried = subprocess.run(trial, capture_output=True, text=True, timeout=60)
        if tried.returncode == 2 and "perf_event_open" in tried.stderr:
            print(tried.stderr)
            sys.exit(SKIPPED)
        program = built(source, compiler, folder, "known_shares", "-fno-omit-frame-pointer")
        wrong = check_command(dpm, program, folder)
        wrong += check_running(dpm, program, folder)
        wrong += check_all_threads(dpm, program, folder)
        wrong += check_without_frame_pointers(dpm, source, compiler, folder)
        wrong += check_refused(dpm, folder)
        wrong += check_perf(program, folder)
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
