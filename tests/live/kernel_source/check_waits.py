#!/usr/bin/python3
"""The time that processes wait for a processor, by the kernel source, against what they know of themselves.

SHARE: two processes on one core, each of which says at its end what the kernel counted for it (/proc/self/schedstat). CHAIN: a
client, three servers one behind the other, and a hog on the core of the second: its time run-queue wait is named first. ENDS: waits
that end because a time is over, or because another process sends a signal, for as long as the program itself counts. CROWD: more threads
than there is room for causes; what has none is told.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import running

SHARE = """
import os, socket, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def ready_ns():
    return int(open("/proc/self/schedstat").read().split()[1])
def told(name, since_ns):
    all_ns = ready_ns()
    with open(name, "w") as out: out.write(f"{all_ns - since_ns} {all_ns}")
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
began_ns = ready_ns()  # how much of this came before its first event, it cannot know
a, b = socket.socketpair()
child = os.fork()
for _ in range(60):
    burn(.005)
    if child == 0: a.send(b"x")
    else: b.recv(1)
told("child" if child == 0 else "parent", 0 if child == 0 else began_ns)
if child == 0: os._exit(0)
os.waitpid(child, 0)
"""

CHAIN = """
import os, signal, socket, time
cores = sorted(os.sched_getaffinity(0))
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def child(core, work):
    pid = os.fork()
    if pid == 0:
        os.sched_setaffinity(0, {core})
        work()
        os._exit(0)
    return pid
pairs = [socket.socketpair() for _ in range(3)]
def server(number, seconds):
    def work():
        while pairs[number][1].recv(1):
            burn(seconds)
            if number < 2:
                pairs[number + 1][0].send(b"x")
                pairs[number + 1][0].recv(1)
            pairs[number][1].send(b"x")
    return work
started = [child(cores[0], server(0, .001)), child(cores[-1], server(1, .03)), child(cores[0], server(2, .002))]
started.append(child(cores[-1], lambda: burn(1000)))
os.sched_setaffinity(0, {cores[0]})
time.sleep(.2)
for _ in range(30):
    pairs[0][0].send(b"x")
    pairs[0][0].recv(1)
for pid in started: os.kill(pid, signal.SIGKILL)
"""

ENDS = """
import ctypes, fcntl, os, select, signal, socket, struct, sys, time
libc = ctypes.CDLL(None)
to_sender, sender_end = socket.socketpair()
if os.fork() == 0:
    to_sender.close()
    while sender_end.recv(1):
        time.sleep(.15)
        os.kill(os.getppid(), signal.SIGUSR1)
    os._exit(0)
sender_end.close()
def ready_ns():
    return int(open("/proc/thread-self/schedstat").read().split()[1])
def idle_ns():
    while True:
        ready, idle = ready_ns(), time.monotonic_ns() - time.thread_time_ns()
        if ready_ns() == ready: return idle - ready  # else it was stopped between its looks at the clocks
class Interrupted(Exception): pass
def interrupt(*_): raise Interrupted
spent = {"timer": 0, "signal": 0, "lock": 0}
def waits(kind, call, *words):
    if kind == "signal": to_sender.send(b"x")
    before = idle_ns()
    try: call(*words)
    except (Interrupted, BlockingIOError): pass
    spent[kind] += idle_ns() - before
signal.signal(signal.SIGUSR1, interrupt)
signal.signal(signal.SIGALRM, interrupt)
quiet, other_end = socket.socketpair()
quiet.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 70000))
poll, epoll = select.poll(), select.epoll()
poll.register(quiet, select.POLLIN)
epoll.register(quiet, select.EPOLLIN)
waits("timer", time.sleep, .05)
waits("timer", poll.poll, 60)
waits("timer", epoll.poll, .08)
waits("timer", select.select, [quiet], [], [], .09)
waits("timer", quiet.recv, 1)
reads, writes = os.pipe()
os.write(writes, b"x")
waits("timer", lambda: (select.select([], [], [], .1), os.read(reads, 1)))  # of nothing; the message was there before
signal.setitimer(signal.ITIMER_REAL, .11)
waits("timer", signal.pause)
waits("signal", poll.poll)
waits("signal", epoll.poll)
waits("signal", signal.pause)
waits("signal", time.sleep, 10)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
waits("signal", signal.sigwait, [signal.SIGUSR1])
mask = ctypes.create_string_buffer(128)
libc.sigaddset(mask, int(signal.SIGUSR1))
signals = libc.signalfd(-1, mask, 0)
epoll.register(signals, select.EPOLLIN)
waits("signal", epoll.poll)
os.read(signals, 128)
waits("signal", os.read, signals, 128)
# A lock that another program holds, and signals that come meanwhile.
signal.signal(signal.SIGUSR1, lambda *_: None)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
if os.fork() == 0:
    with open("lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        other_end.send(b"x")
        for _ in range(6):
            time.sleep(.05)
            os.kill(os.getppid(), signal.SIGUSR1)
        os._exit(0)
quiet.recv(1)
with open("lock", "w") as file: waits("lock", fcntl.flock, file, fcntl.LOCK_EX)
open("spent", "w").write(f"{spent['timer']} {spent['signal']} {spent['lock']}")
"""

NO_CAUSE = "of waiting have no cause"

CROWD = """
import threading, time
for _ in range(17000):
    one = threading.Thread(target=time.sleep, args=[.00001])
    one.start()
    one.join()
"""


def meter(options: argparse.Namespace, folder: pathlib.Path, program: str) -> str:
    return subprocess.run([options.dpm, "meter", "--source", "ebpf", "--wait", "-o", "out", "--", sys.executable, "-c", program],
                   cwd=folder, check=True, timeout=120, capture_output=True, text=True).stderr


def answer(options: argparse.Namespace, folder: pathlib.Path, *words: str) -> Any:
    return json.loads(subprocess.run([options.dpm, *words, "--json"], cwd=folder, check=True, capture_output=True, text=True).stdout)


def share(options: argparse.Namespace, folder: pathlib.Path) -> list[str]:
    meter(options, folder, SHARE)
    names = [row["process"] for row in answer(options, folder, "statistics", "out")["processes"]]
    wrong = []
    for name, told in zip(names, ("parent", "child")):
        least_ns, most_ns = map(int, (folder / told).read_text().split())
        tree = answer(options, folder, "blame", "out", "--of", name)["tree"]
        print(f"       {told}: in the CPU's queue {tree['cpu_queue_s']:.4f} s, by the kernel {least_ns * 1e-9:.4f} to {most_ns * 1e-9:.4f} s")
        if not .97 * least_ns * 1e-9 - .005 <= tree["cpu_queue_s"] <= 1.03 * most_ns * 1e-9 + .005:
            wrong.append(f"{told} was ready for {least_ns} to {most_ns} ns, not {tree['cpu_queue_s']} s")
        parts = sum(tree[part] for part in tree if part.endswith("_s") and part != "total_s")
        parts += sum(wait["total_s"] for wait in tree["waits_for"])
        if abs(parts - tree["total_s"]) > 1e-6:
            wrong.append(f"the parts of {told} are {parts}, not {tree['total_s']}")
    return wrong


def chain(options: argparse.Namespace, folder: pathlib.Path) -> list[Any]:
    meter(options, folder, CHAIN)
    names = [row["process"] for row in answer(options, folder, "statistics", "out")["processes"]]
    request = answer(options, folder, "blame", "out", "--of", names[0], "--request", "5")
    first = request["longest"][0]
    print(f"       request 5: {first['process']} {first['part']} {first['time_s']:.4f} s")
    two = {(part["process"], part["part"]) for part in request["longest"][:2]}
    if (names[2], "cpu_queue_s") not in two or two - {(names[2], "cpu_queue_s"), (names[2], "cpu_s")}:
        return [f"named first: {request['longest'][:3]}"]
    return []


def ends(options: argparse.Namespace, folder: pathlib.Path) -> list[str]:
    told = meter(options, folder, ENDS)
    names = [row["process"] for row in answer(options, folder, "statistics", "out")["processes"]]
    tree = answer(options, folder, "blame", "out", "--of", names[0])["tree"]
    wrong = []
    for kind, spent_ns in zip(("timer_s", "signal_s", "lock_s"), map(int, (folder / "spent").read_text().split())):
        print(f"       {kind} {tree[kind]:.4f}, by the program {spent_ns * 1e-9:.4f}")
        if abs(tree[kind] - spent_ns * 1e-9) > .02 * spent_ns * 1e-9:
            wrong.append(f"{kind} is {tree[kind]}, by the program {spent_ns * 1e-9}")
    senders = {rival["program"]: rival["time_s"] for rival in tree["rivals"] if rival["part"] == "signal_s"}
    if set(senders) != {names[1]} or abs(senders[names[1]] - tree["signal_s"]) > 1e-6:
        wrong.append(f"{names[1]} sent all signals, and not {senders}")
    if NO_CAUSE in told:
        wrong.append(f"there was room for all causes, and yet: {told}")
    return wrong


def crowd(options: argparse.Namespace, folder: pathlib.Path) -> list[Any]:
    told = meter(options, folder, CROWD)
    print("      ", next((line.strip() for line in told.splitlines() if NO_CAUSE in line), "all waits have a cause"))
    return [] if NO_CAUSE in told else [f"told: {told}"]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    running.need_source(options.dpm, "ebpf")
    if len(os.sched_getaffinity(0)) < 2:
        running.skip("it needs two cores")
    failed = 0
    with running.Workshop() as workshop:
        for case in (share, chain, ends, crowd):
            if options.cases and case.__name__ not in options.cases:
                continue
            wrong = case(options, workshop.folder())
            print(f"{'FAILED' if wrong else 'good':7}{case.__name__}", *wrong, sep="\n       " if wrong else "")
            failed += bool(wrong)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
