#!/usr/bin/python3
"""What waits for children change: nothing for shells and other programs, not even when the supervisor is killed while it
holds one; and CPU time, which is that of wait4's rusage, collected by a parent of ours.
"""

import argparse
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import events
import running

JOBS = r"""
trap 'echo chld' CHLD
sleep 0.2 & sleep 0.1; wait; (exit 7); echo $?; false || echo f
x=$(awk 'BEGIN{for(i=0;i<200000;i++)s+=i;print s}'); echo $x; seq 3 | tac | cat; wait
"""
MONITOR = "set -m; (kill -STOP $BASHPID; exit 4) & sleep 0.3; jobs | grep -c Stopped; fg >/dev/null; echo $?"

MAKEFILE = "all: a b c\n\t@echo all\na b c:\n\t@sleep 0.05; test $@ != c || awk 'BEGIN{exit 0}'"

# Each child tells what rusage said of it.
PARENT = r"""
import os, sys
for i in range(8):
    child = os.fork()
    if child == 0:
        if i % 2:
            os.execv("/bin/sh", ["sh", "-c", "i=0; while [ $i -lt %d ]; do i=$((i+1)); done" % (20000 * i)])
        x = 0
        for j in range(300000 * i): x += j
        os._exit(0)
    _, _, used = os.wait4(child, 0)
    print(child, used.ru_utime + used.ru_stime, file=sys.stderr)
"""
# It asks without waiting, again and again: some children end between the meter's look and the kernel's.
POLLER = r"""
import os, sys
for i in range(60):
    child = os.fork()
    if child == 0:
        for _ in range(150000): pass
        os._exit(0)
    pid = 0
    while pid == 0:
        pid, _, used = os.wait4(-1, os.WNOHANG)
    print(child, used.ru_utime + used.ru_stime, file=sys.stderr)
"""
# The kernel frees the memory of both after their last instruction.
LARGE = r"""
import os, sys, time
def end():
    block = b"x" * (150 << 20)
    print(os.getpid(), time.process_time(), file=sys.stderr, flush=True)
    os._exit(len(block) & 1)
child = os.fork()
if child == 0:
    end()
used = os.wait4(child, 0)[2]
print(child, used.ru_utime + used.ru_stime, file=sys.stderr, flush=True)
end()
"""
WAITER = "import os,time\nc=os.fork()\nif not c: time.sleep(1.5); os._exit(5)\nprint(os.waitpid(c,0)[1])"


def metered(options: argparse.Namespace, command: list[str], folder: pathlib.Path, tag: str | None = None,
            counters: bool = True) -> subprocess.Popen[str]:
    if not counters:
        return subprocess.Popen([options.recorder, "--no-counters", str(folder / "trace"), *command], text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    environment = {**os.environ, **({"DPM_TEST_TAG": tag} if tag else {})}
    return subprocess.Popen([options.dpm, "meter", "-o", str(folder / "metered"), "--", *command], text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def shells_say_the_same(options: argparse.Namespace, workshop: running.Workshop) -> Iterator[str]:
    commands = (["dash", "-c", JOBS], ["bash", "-c", JOBS], ["bash", "-c", MONITOR], ["make", "-s", "-j2", "--eval", MAKEFILE, "all"])
    for command, counters in itertools.product(commands, (True, False)):
        bare = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        process = metered(options, command, workshop.folder(), counters=counters)
        output, errors = process.communicate(timeout=60)
        if (bare.stdout, bare.returncode) != (output, process.returncode):
            yield f"{command[0]}: bare {bare.stdout!r} {bare.returncode}, metered {output!r} {process.returncode}: {errors}"


# A shell's children, as the shell itself sees them.
SHELL = "for i in 1 2 3 4 5 6; do awk 'BEGIN{for(i=0;i<300000;i++)s+=i}'; done; times"


def shell_children_are_known(options: argparse.Namespace, workshop: running.Workshop) -> Iterator[str]:
    for shell, counters in itertools.product(("dash", "bash"), (True, False)):
        folder = workshop.folder()
        output, errors = metered(options, [shell, "-c", SHELL], folder, counters=counters).communicate(timeout=60)
        children_s = sum(int(minutes) * 60 + float(seconds) for minutes, seconds in
                         (word.rstrip("s").split("m") for word in output.splitlines()[-1].split()))
        trace = events.Trace(options.list_events, folder / ("metered/trace" if counters else "trace"))
        seen_s = sum(event.cpu_ns for event in trace.events if event.type == "DESTROYPROCESS" and event.process != "0") / 1e9
        if abs(seen_s - children_s) > max(0.02 * children_s, 0.025):
            yield f"{shell} {'with' if counters else 'without'} counters: children used {children_s} s, the trace says {seen_s}: {errors}"


def cpu_is_that_of_rusage(options: argparse.Namespace, workshop: running.Workshop) -> Iterator[str]:
    folder = workshop.folder()
    process = metered(options, [sys.executable, "-c", PARENT], folder)
    _, errors = process.communicate(timeout=120)
    used = dict((int(line.split()[0]), float(line.split()[1])) for line in errors.splitlines()
                if len(line.split()) == 2 and line.split()[0].isdigit())
    trace = events.Trace(options.list_events, folder / "metered" / "trace")
    ends = {trace.pid[event.process]: event.cpu_ns / 1e9 for event in trace.events if event.type == "DESTROYPROCESS"}
    if len(used) != 8:
        yield f"the program failed: {errors}"
    for child, seconds in used.items():
        if abs(ends.get(child, -1) - seconds) > max(0.01 * seconds, 0.002):
            yield f"process {child} used {seconds:.6f} s; the trace says {ends.get(child)}"


def polled_children_are_known(options: argparse.Namespace, workshop: running.Workshop) -> Iterator[str]:
    """A parent's sum of its children would tell single ones to 10 ms only. A counter also tells time that the host took from us, in
    one run but not in the next: what the meter misses is missing in both."""
    for _ in range(2):
        folder = workshop.folder()
        _, errors = metered(options, [sys.executable, "-c", POLLER], folder).communicate(timeout=120)
        used = dict((int(line.split()[0]), float(line.split()[1])) for line in errors.splitlines()
                    if len(line.split()) == 2 and line.split()[0].isdigit())
        trace = events.Trace(options.list_events, folder / "metered" / "trace")
        ends = {trace.pid[event.process]: event.cpu_ns / 1e9 for event in trace.events if event.type == "DESTROYPROCESS"}
        off = sorted(((ends.get(child, 0) - seconds) * 1e3 for child, seconds in used.items()), key=abs)
        print("  off by ms:", *(f"{each:.2f}" for each in off[-8:]))
        if len(used) != 60:
            yield f"the program failed: {errors}"
            return
        if min(off) >= -2:
            return
    yield f"CPU time is missing, in ms: {off[-8:]}"


def first_process_has_its_own(options: argparse.Namespace, workshop: running.Workshop) -> Iterator[str]:
    """The process that becomes the program was dpm before: most of what it has used when the program begins is dpm's."""
    shares = []
    for _ in range(5):
        folder = workshop.folder()
        output, errors = metered(options, [options.cpu_at_start], folder).communicate(timeout=60)
        trace = events.Trace(options.list_events, folder / "metered" / "trace")
        ends = [event.cpu_ns for event in trace.events if event.type == "DESTROYPROCESS"]
        shares.append(ends[0] / int(output))
    if min(shares) > 0.5:
        yield f"the trace has {[round(share, 2) for share in shares]} of what its process had used when the program began: {errors}"


def first_process_is_known_to_its_end(options: argparse.Namespace, workshop: running.Workshop) -> Iterator[str]:
    """`dpm meter --wait` is its parent. Its last instruction is as far from its end as that of its child, whose end has a witness."""
    folder = workshop.folder()
    done = subprocess.run([options.dpm, "meter", "--wait", "-o", folder / "metered", "--", sys.executable, "-c", LARGE],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
    said = [(int(words[0]), float(words[1])) for words in map(str.split, done.stderr.splitlines())
            if len(words) == 2 and words[0].isdigit()]
    if len(said) != 3:
        yield f"the program failed: {done.stderr}"
        return
    freeing_s = said[1][1] - said[0][1]
    trace = events.Trace(options.list_events, folder / "metered" / "trace")
    end_s = max((event.cpu_ns / 1e9 for event in trace.events
                 if event.type == "DESTROYPROCESS" and trace.pid[event.process] == said[2][0]), default=0)
    print(f"  after the last instruction: child {freeing_s * 1e3:.1f} ms, first process {(end_s - said[2][1]) * 1e3:.1f} ms")
    if end_s - said[2][1] < 0.5 * freeing_s - 0.002:
        yield f"the first process used {said[2][1]:.4f} s before its end, which took a process like it {freeing_s:.4f} s; the trace says {end_s:.4f}"


def supervisor_of(tag: str) -> int | None:
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_text() == "dpm-meter\n" and f"DPM_TEST_TAG={tag}".encode() in (folder / "environ").read_bytes():
                return int(folder.name)
        except OSError:
            continue
    return None


def killed_while_it_holds(options: argparse.Namespace, workshop: running.Workshop) -> Iterator[str]:
    folder = workshop.folder()
    process = metered(options, [sys.executable, "-c", WAITER], folder, tag=str(folder))
    time.sleep(0.8)
    supervisor = supervisor_of(str(folder))
    if supervisor is None:
        yield "no supervisor is found"
    else:
        os.kill(supervisor, signal.SIGKILL)
    output, _ = process.communicate(timeout=60)
    if output != "1280\n" or process.returncode != 0:
        yield f"with its supervisor killed the program says {output!r} and ends with {process.returncode}"


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--recorder", required=True)
    parser.add_argument("--list-events", required=True)
    parser.add_argument("--can-notify", required=True)
    parser.add_argument("--cpu-at-start", required=True)
    options = parser.parse_args()
    running.need_notification(options.can_notify)
    failed = 0
    with running.Workshop() as workshop:
        for check in (shells_say_the_same, shell_children_are_known, cpu_is_that_of_rusage, polled_children_are_known,
                      first_process_has_its_own, first_process_is_known_to_its_end, killed_while_it_holds):
            complaints = list(check(options, workshop))
            print(f"{'FAILED' if complaints else 'good':7}{check.__name__}")
            for complaint in complaints:
                print(f"  {complaint}")
            failed += bool(complaints)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
