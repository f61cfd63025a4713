"""Programs in cgroups of their own: all of a program is stopped and killed, and no cgroup stays."""
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

from control import Controller, Machine, wait_for
from cases_processes import cgroup_of, is_frozen, refusal, status_of


def with_cgroups(case: Any) -> Callable[..., Any]:
    def play(machine: Machine) -> Any:
        found = json.loads(subprocess.run([machine.dpm, "doctor", "--json"], capture_output=True).stdout)
        if found["program_cgroups"]:
            return case(machine)
        why = next(check["found"] for check in found["checks"] if check["check"] == "stop and kill")
        print(f"SKIPPED: {case.__name__}: {why}")
    play.__doc__, play.__name__ = case.__doc__, case.__name__
    return play


def is_gone(pid: int) -> bool:
    return status_of(pid) in ("", "Z")


def cpu_ticks(pid: int) -> int:
    return sum(map(int, open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[11:13]))


def is_idle(pid: int) -> bool:
    """Whether it uses no CPU time for half a second."""
    before = cpu_ticks(pid)
    time.sleep(0.5)
    return cpu_ticks(pid) == before


class Daemonizer:
    """A program whose grandchild counts in a session of its own, and whose child has ended."""

    def __init__(self, machine: Machine, red: Controller) -> None:
        self.count, self.left = machine.folder + "/count", machine.folder + "/left"
        counts = f"echo $$ >{self.left}; while :; do echo >>{self.count}; done"
        self.pid = red.create("/bin/sh", "-c", f"(setsid sh -c '{counts}' >/dev/null 2>&1 </dev/null &); exec sleep 1000")
        self.cgroup = cgroup_of(self.pid)
        pids = os.stat("/proc/self/ns/pid").st_ino
        assert self.cgroup.endswith(f"/dpm-{self.pid}-{pids}"), self.cgroup
        red.on("start_process", self.pid)
        self.goes_on()
        self.child = int(open(self.left).read())
        assert os.getsid(self.child) == self.child

    def size(self) -> int:
        return os.path.getsize(self.count) if os.path.exists(self.count) else 0

    def goes_on(self) -> None:
        size = self.size()
        wait_for(lambda: self.size() > size + 100, "the daemonised process to go on")

    def stands_still(self) -> None:
        wait_for(lambda: is_frozen(self.pid), "the cgroup to be frozen")
        size = self.size()
        time.sleep(0.2)
        assert self.size() == size
        # The signals that stop a process were not used.
        assert status_of(self.pid) != "T" and status_of(self.child) != "T"


@with_cgroups
def case_daemonised(machine: Machine) -> None:
    """What has left the program's session and lost its parent is stopped, continued and killed with it."""
    red = Controller(machine)
    program = Daemonizer(machine, red)
    for _ in range(3):
        red.on("stop_process", program.pid)
        assert red.managed()[program.pid]["state"] == "stopped"
        program.stands_still()
        assert "cannot be stopped" in refusal(red.on, "stop_process", program.pid)
        red.on("start_process", program.pid)
        program.goes_on()
    red.on("stop_process", program.pid)
    red.on("kill_process", program.pid)
    assert red.await_state(program.pid, "killed") == "signal 9 (Killed)"
    wait_for(lambda: is_gone(program.child), "the daemonised process to be gone")
    states = [state for state, _ in red.states(program.pid)]
    assert states == ["running"] + ["stopped", "running"] * 3 + ["stopped", "killed"], states
    wait_for(lambda: not os.path.exists(program.cgroup), "the cgroup to be removed")
    red.on("release", program.pid)
    red.close()


@with_cgroups
def case_daemon_killed(machine: Machine) -> None:
    """The next daemon finds a frozen program, thaws and kills it."""
    red = Controller(machine, "one")
    program = Daemonizer(machine, red)
    red.on("stop_process", program.pid)
    program.stands_still()
    os.kill(machine.daemon(), signal.SIGKILL)
    red.close()
    again = Controller(machine, "one")
    assert again.managed()[program.pid]["state"] == "stopped"
    program.stands_still()
    again.on("start_process", program.pid)
    program.goes_on()
    again.on("kill_process", program.pid)
    again.await_state(program.pid, "killed")
    wait_for(lambda: is_gone(program.child), "the daemonised process to be gone")
    again.on("release", program.pid)
    assert not os.path.exists(program.cgroup)
    again.close()


@with_cgroups
def case_supervisor_killed(machine: Machine) -> None:
    """Without daemon and supervisor only the cgroup shows what has lost its parent."""
    red = Controller(machine, "one")
    program = Daemonizer(machine, red)
    machine.kill("meterd", "--supervise")
    red.close()
    program.goes_on()
    again = Controller(machine, "one")
    for _ in range(2):
        again.on("stop_process", program.pid)
        program.stands_still()
        assert again.managed()[program.pid]["state"] == "stopped"
        again.on("start_process", program.pid)
        program.goes_on()
    again.on("stop_process", program.pid)
    os.kill(machine.daemon(), signal.SIGKILL)
    again.close()
    third = Controller(machine, "one")
    assert third.managed()[program.pid]["state"] == "stopped"
    # A frozen one can be metered again; let go, it is frozen no more.
    third.ask("acquire_process", job="job", pid=program.pid, flags="all", filter=machine.filter_address())
    assert third.managed()[program.pid]["state"] == "acquired"
    third.on("release", program.pid)
    program.goes_on()
    assert not os.path.exists(program.cgroup)
    for process in (program.pid, program.child):
        os.kill(process, signal.SIGKILL)
    third.close()


@with_cgroups
def case_killed_unattended(machine: Machine) -> None:
    """Without its supervisor a frozen program is killed as a whole."""
    red = Controller(machine, "one")
    program = Daemonizer(machine, red)
    red.on("stop_process", program.pid)
    machine.kill("meterd", "--supervise")
    red.close()
    third = Controller(machine, "one")
    assert third.managed()[program.pid]["state"] == "stopped"
    third.on("kill_process", program.pid)
    third.await_state(program.pid, "killed")
    wait_for(lambda: is_gone(program.child), "the daemonised process to be gone")
    wait_for(lambda: not os.path.exists(program.cgroup), "the cgroup to be removed")
    third.on("release", program.pid)
    third.close()


@with_cgroups
def case_unnoticed(machine: Machine) -> None:
    """A program that is stopped and started gets no signal, and its children do not seem stopped to it."""
    red = Controller(machine)
    program = """
import os, signal, sys, time
signals = []
signal.signal(signal.SIGCONT, lambda number, frame: signals.append(number))
signal.signal(signal.SIGCHLD, lambda number, frame: signals.append(number))
child = os.fork()
if child == 0:
    while True: signal.pause()
print("ready", flush=True)
while not os.path.exists(sys.argv[1]): time.sleep(0.01)
print(os.waitpid(child, os.WNOHANG | os.WUNTRACED | os.WCONTINUED), signals, flush=True)
os.kill(child, 9)
"""
    go = machine.folder + "/go"
    pid = red.create("/usr/bin/python3", "-c", program, go)
    red.on("start_process", pid)
    red.until(lambda: red.output(pid) == b"ready\n", "the program to begin")
    for _ in range(3):
        red.on("stop_process", pid)
        wait_for(lambda: is_frozen(pid), "the program to be frozen")
        red.on("start_process", pid)
    open(go, "w").close()
    assert red.await_state(pid, "killed") == "normal"
    assert red.output(pid) == b"ready\n(0, 0) []\n", red.output(pid)
    red.on("release", pid)
    red.close()


@with_cgroups
def case_frozen_from_outside(machine: Machine) -> None:
    """A cgroup that others freeze and thaw is reported."""
    red = Controller(machine)
    pid = red.create("/bin/sleep", "1000")
    order = cgroup_of(pid) + "/cgroup.freeze"
    red.on("start_process", pid)

    def tell(value: str) -> None:
        with open(order, "w") as file:
            file.write(value)

    tell("1")
    red.until(lambda: red.states(pid)[-1] == ("stopped", "its cgroup was frozen"), "the report that it is frozen")
    tell("0")
    red.until(lambda: red.states(pid)[-1] == ("running", ""), "the report that it goes on")
    tell("1")
    red.until(lambda: red.states(pid)[-1][0] == "stopped", "the second report")
    red.on("start_process", pid)
    wait_for(lambda: not is_frozen(pid), "it to be thawed")
    red.on("stop_process", pid)
    wait_for(lambda: is_frozen(pid), "it to be frozen")
    tell("0")
    red.until(lambda: red.states(pid)[-1][0] == "running", "the report that others thawed it")
    # A signal is not lost while it is frozen.
    red.on("stop_process", pid)
    wait_for(lambda: is_frozen(pid), "it to be frozen again")
    os.kill(pid, signal.SIGSTOP)
    red.on("start_process", pid)
    red.until(lambda: red.states(pid)[-1] == ("stopped", "signal 19 (Stopped (signal))"), "the report of the signal")
    red.on("start_process", pid)
    wait_for(lambda: status_of(pid) == "S", "it to go on")
    red.on("kill_process", pid)
    red.on("release", pid)
    red.close()


@with_cgroups
def case_nothing_stays(machine: Machine) -> None:
    """No cgroup stays: not of what ended, was left behind, was refused, never began, or lost everything of ours."""
    red = Controller(machine, "one")
    pid = red.create("/bin/true")
    cgroup = cgroup_of(pid)
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    wait_for(lambda: not os.path.exists(cgroup), "the cgroup of what ended to be removed")
    supervisor, = machine.processes("--supervise")
    wait_for(lambda: is_idle(supervisor), "its supervisor to be idle")
    red.on("release", pid)

    pid = red.create("/bin/sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!")
    cgroup = cgroup_of(pid)
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    left = int(red.output(pid))
    assert cgroup_of(left) == cgroup
    red.on("release", pid)
    assert status_of(left) == "S" and cgroup_of(left) == os.path.dirname(cgroup)
    assert not os.path.exists(cgroup)
    os.kill(left, signal.SIGKILL)

    pid = red.create("/bin/sleep", "1000")
    cgroup = cgroup_of(pid)
    os.kill(machine.processes("--supervise")[0], signal.SIGKILL)
    red.await_state(pid, "killed")
    wait_for(lambda: not os.path.exists(cgroup), "the cgroup of what never began to be removed")
    red.on("release", pid)

    pid = red.create("/bin/sleep", "1000")
    cgroup = cgroup_of(pid)
    red.on("start_process", pid)
    machine.kill("meterd", "--supervise")
    red.close()
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: is_gone(pid), "the program to end")
    again = Controller(machine, "one")
    assert again.managed()[pid]["state"] == "killed"
    assert not os.path.exists(cgroup)
    again.on("release", pid)
    again.close()
