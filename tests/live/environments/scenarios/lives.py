#!/usr/bin/python3
"""Lives of processes: lives.py SCENARIO FILE. Writes to FILE what it did, as JSON (check_environments.py compares):

    execs       how often a program was executed in it, itself and its descendants
    births      processes that were made
    waits       ends of children that calls of the first process returned
    ends        exit statuses of the processes that were made, sorted
    cpu_us      CPU time of each child that was waited for, as wait4() said, sorted
    received    bytes that came through pipes
"""

import ctypes
import json
import os
import resource  # here, because os.wait4() would import it in a signal handler
import signal
import subprocess
import sys
import threading
import time

TRUE = "/bin/true"
PR_SET_CHILD_SUBREAPER = 36


class Told:
    def __init__(self) -> None:
        self.execs, self.births, self.waits, self.received = 1, 0, 0, 0
        self.ends: list[int] = []
        self.cpu_us: list[int] = []

    def child(self, status: int, used: resource.struct_rusage | None = None) -> None:
        """A wait has returned this."""
        self.waits += 1
        self.ends.append(status_of(status))
        if used is not None:
            self.cpu_us.append(int((used.ru_utime + used.ru_stime) * 1e6))


def status_of(status: int) -> int:
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def compute(milliseconds: float) -> None:
    until = time.process_time() + milliseconds / 1e3
    while time.process_time() < until:
        pass


def child_that(told: Told, milliseconds: float, status: int) -> int:
    pid = os.fork()
    if pid == 0:
        compute(milliseconds)
        os._exit(status)
    told.births += 1
    return pid


def forks(told: Told) -> None:
    """Children that make no call, one after the other and all at once."""
    for number in range(5):
        pid = child_that(told, 10, number)
        told.child(*os.wait4(pid, 0)[1:])
    for number in range(5):
        child_that(told, 20, number)
    for _ in range(5):
        told.child(*os.wait4(-1, 0)[1:])


def spawns(told: Told) -> None:
    """By vfork() and by posix_spawn()."""
    for number in range(10):
        done = subprocess.run(["/bin/sh", "-c", f"exit {number}"], check=False)
        told.child(done.returncode << 8)
    nothing: dict[str, str] = {}
    for _ in range(10):
        pid = os.posix_spawn(TRUE, ["true"], nothing)
        told.child(*os.wait4(pid, 0)[1:])
    told.births += 20
    told.execs += 20


def executes_itself(told: Told) -> None:
    """The same file again and again, without another process."""
    code = 'test "$0" = 0 || exec /bin/sh -c "$1" $(($0 - 1)) "$1"'
    pid = os.fork()
    if pid == 0:
        os.execv("/bin/sh", ["sh", "-c", code, "4", code])
    told.births += 1
    told.execs += 5
    told.child(*os.wait4(pid, 0)[1:])


def reads_then_executes(told: Told) -> None:
    """What execve() itself reads is not a message."""
    for _ in range(10):
        ours, its = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(its)
            while os.read(ours, 100):
                pass
            os.execv(TRUE, ["true"])
        os.close(ours)
        os.write(its, b"abc")
        os.close(its)
        told.births += 1
        told.execs += 1
        told.received += 3
        told.child(*os.wait4(pid, 0)[1:])


def threads(told: Told) -> None:
    """Children of several threads."""
    lock = threading.Lock()

    def work(status: int) -> None:
        done = subprocess.run(["/bin/sh", "-c", f"exit {status}"], check=False)
        with lock:
            told.births += 1
            told.execs += 1
            told.child(done.returncode << 8)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def daemon(told: Told) -> None:
    """A grandchild whose parent ends at once, and that this process inherits."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    ours, its = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.2)
            compute(20)
            os.write(its, b"done")
            os._exit(3)
        os._exit(2)
    os.close(its)
    told.births += 2
    told.child(*os.wait4(pid, 0)[1:])
    told.received += len(os.read(ours, 100))
    told.child(*os.wait4(-1, 0)[1:])


def unwaited(told: Told) -> None:
    """Children that end later than their parent, and before it."""
    child_that(told, 5, 4)
    time.sleep(0.1)
    told.ends.append(4)
    if os.fork() == 0:
        time.sleep(0.3)
        os._exit(5)
    time.sleep(0.1)
    told.births += 1
    is_first = os.getpid() == 1  # its end is that of its namespace, which the kernel empties
    told.ends.append(128 + signal.SIGKILL if is_first else 5)


def looks(told: Told) -> None:
    """Waits that do not wait."""
    for number in range(5):
        pid = child_that(told, 15, number)
        while True:
            got, status, used = os.wait4(pid, os.WNOHANG)
            if got != 0:
                break
            time.sleep(0.002)
        told.child(status, used)


def waitids(told: Told) -> None:
    """Each end is looked at, and then taken."""
    for number in range(5):
        pid = child_that(told, 10, number)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        told.child(*os.wait4(pid, 0)[1:])


def killed(told: Told) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
        told.births += 1
        time.sleep(0.05)
        os.kill(pid, number)
        told.child(*os.wait4(pid, 0)[1:])


def ignores(told: Told) -> None:
    """SIGCHLD is ignored: the ends of children are not kept, and a wait returns when all are gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in range(3):
        child_that(told, 30, number)
        told.ends.append(number)
    try:
        os.wait4(-1, 0)
    except ChildProcessError:
        told.waits += 1  # it returned because the last one had ended


def handles(told: Told) -> None:
    """A handler of SIGCHLD takes the children."""

    def take(*_: object) -> None:
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            told.child(status, used)

    signal.signal(signal.SIGCHLD, take)
    for number in range(5):
        child_that(told, 10, number)
        time.sleep(0.05)
    while told.waits < 5:
        time.sleep(0.01)


SCENARIOS = {function.__name__: function for function in (
    forks, spawns, executes_itself, reads_then_executes, threads, daemon, unwaited, looks, waitids, killed, ignores, handles)}


def main() -> None:
    told = Told()
    SCENARIOS[sys.argv[1]](told)
    told.ends.sort()
    told.cpu_us.sort()
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(vars(told), file)


if __name__ == "__main__":
    main()
