"""Daemons, controllers and supervisors that are killed, and the next ones, which find what they leave."""
import fcntl
import os
import pathlib
import signal
import subprocess
import threading

from control import Controller, Ended, Machine, wait_for
from cases_processes import is_still, refusal, status_of

COUNT = "i=0; while :; do i=$((i+1)); echo $i; read x || exit 0; done"


def is_alive(pid: int) -> bool:
    return status_of(pid) not in ("", "Z")


def case_daemon_killed(machine: Machine) -> None:
    """The next daemon finds every process, in its state, with its output and its end."""
    red = Controller(machine, "one")
    running = red.create("/bin/sh", "-c", COUNT, name="running")
    red.on("start_process", running)
    fresh = red.create("/bin/sleep", "1000", name="fresh", flags="send")
    stopped = red.create("/bin/sleep", "1000", name="stopped")
    red.on("start_process", stopped)
    red.on("stop_process", stopped)
    ended = red.create("/bin/sh", "-c", "exit 7", name="ended")
    red.on("start_process", ended)
    red.await_state(ended, "killed")
    ends_later = red.create("/bin/sh", "-c", "read x; echo last words; exit 8")
    red.on("start_process", ends_later)
    program = subprocess.Popen(["/bin/sleep", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    red.ask("acquire_process", job="job", pid=program.pid, flags="all", filter=machine.filter_address())
    red.until(lambda: red.output(running) == b"1\n", "the first number")
    before = red.managed()

    os.kill(machine.daemon(), signal.SIGKILL)
    try:
        red.until(lambda: False, "the end of the connection")
    except Ended:
        pass
    wait_for(lambda: not machine.processes("meterd"), "the daemon to be gone")
    assert all(is_alive(pid) for pid in (running, fresh, stopped, ends_later, program.pid))

    again = Controller(machine, "one")
    assert {c["pid"]: c for c in again.welcome["managed"]} == before, (again.welcome, before)
    again.ask("input", b"\n", pid=running, end=False)
    again.until(lambda: again.output(running) == b"2\n", "the second number")
    again.ask("set_flags", pid=running, flags="send")
    again.on("start_process", fresh)
    again.on("start_process", stopped)
    again.ask("input", b"\n", pid=ends_later, end=True)
    assert again.await_state(ends_later, "killed") == "exit status 8"
    assert again.output(ends_later) == b"last words\n"
    for pid in (running, fresh, stopped):
        again.on("kill_process", pid)
    for pid in list(again.managed()):
        again.on("release", pid)
    assert again.managed() == {}
    assert is_alive(program.pid)
    program.kill()
    program.wait()
    wait_for(lambda: not machine.processes("--supervise"), "the supervisors to end")
    again.close()


def case_ended_meanwhile(machine: Machine) -> None:
    """What happened while there was neither daemon nor controller is told to the next one."""
    red = Controller(machine, "one")
    pid = red.create("/bin/sh", "-c", f"while ! test -e {machine.folder}/go; do sleep 0.01; done; echo done; exit 9")
    red.on("start_process", pid)
    red.kill()
    os.kill(machine.daemon(), signal.SIGKILL)
    open(machine.folder + "/go", "w").close()
    wait_for(lambda: not is_alive(pid), "the program to end")

    # One connection: the output goes to the first that comes, which may be before the end has been noticed.
    again = Controller(machine, "one")
    assert [managed["pid"] for managed in again.welcome["managed"]] == [pid]
    wait_for(lambda: again.managed()[pid]["state"] == "killed", "the end to be told")
    assert again.managed()[pid]["reason"] == "exit status 9"
    again.until(lambda: again.output(pid) == b"done\n", "the output that was kept")
    again.on("release", pid)
    again.close()


def case_controller_gone(machine: Machine) -> None:
    """Processes of a controller that is gone go on; it comes back and controls them, or another adopts them."""
    red = Controller(machine, "one")
    pid = red.create("/bin/sh", "-c", COUNT)
    red.on("start_process", pid)
    red.until(lambda: red.output(pid) == b"1\n", "the first number")
    other = Controller(machine, "other")
    found = other.managed()[pid]
    assert found["controller"] == "one" and found["attended"]
    assert "belongs to the controller one, which is connected" in refusal(other.on, "stop_process", pid)
    assert "which is connected" in refusal(other.on, "adopt", pid)
    red.kill()
    wait_for(lambda: not other.managed()[pid]["attended"], "the controller to be gone")
    assert "adopt it first" in refusal(other.on, "stop_process", pid)

    red = Controller(machine, "one")
    assert red.welcome["managed"][0]["pid"] == pid
    red.ask("input", b"\n", pid=pid, end=False)
    red.until(lambda: red.output(pid) == b"2\n", "the second number")
    red.kill()
    wait_for(lambda: not other.managed()[pid]["attended"], "the controller to be gone again")

    other.on("adopt", pid)
    assert other.managed()[pid]["controller"] == "other" and other.managed()[pid]["attended"]
    other.ask("input", b"\n", pid=pid, end=False)
    other.until(lambda: other.output(pid).endswith(b"3\n"), "the third number")
    red = Controller(machine, "one")
    assert "belongs to the controller other" in refusal(red.on, "kill_process", pid)
    other.on("kill_process", pid)
    other.await_state(pid, "killed")
    assert red.states(pid) == []
    other.on("release", pid)
    red.close()
    other.close()


def case_same_name_twice(machine: Machine) -> None:
    """A controller that connects once more replaces its older connection."""
    red = Controller(machine, "one")
    pid = red.create("/bin/sleep", "1000")
    again = Controller(machine, "one")
    try:
        red.until(lambda: False, "its end")
    except Ended:
        pass
    again.on("start_process", pid)
    again.on("kill_process", pid)
    again.on("release", pid)
    again.close()


def case_two_names(machine: Machine) -> None:
    """A controller that reaches the machine by another name keeps both connections; closing one loses nothing."""
    red = Controller(machine, "one", known_as="red")
    pid = red.create("/bin/sh", "-c", COUNT)
    other = Controller(machine, "one", known_as="red.lan")
    assert red.welcome["host"] == other.welcome["host"] != ""
    other.on("start_process", pid)
    red.until(lambda: red.output(pid) == b"1\n", "the first number")
    other.close()
    red.ask("input", b"\n", pid=pid, end=False)
    red.until(lambda: red.output(pid) == b"1\n2\n", "the second number")
    red.on("kill_process", pid)
    red.on("release", pid)
    red.close()


def case_identity(machine: Machine) -> None:
    """Other accounts, and other machines, cannot know what a machine is recognised by; the next daemon says the same."""
    red = Controller(machine)
    host = red.welcome["host"]
    number = pathlib.Path(machine.folder, f"run/dpm/identity@{machine.name}")
    assert number.read_text() == host.split(" ")[1] and len(number.read_text()) == 64, host
    assert number.stat().st_mode & 0o777 == 0o600
    os.kill(machine.daemon(), signal.SIGKILL)
    red = Controller(machine, "next")
    assert red.welcome["host"] == host
    red.close()


def case_descriptors_of_the_caller(machine: Machine) -> None:
    """What the caller of the launcher left open reaches neither the daemon nor a program."""
    lock = open(machine.folder + "/lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.set_inheritable(lock.fileno(), True)
    red = Controller(machine, inherited=[lock.fileno()])
    pid = red.create("/bin/sleep", "1000")
    red.on("start_process", pid)
    red.close()
    lock.close()
    with open(machine.folder + "/lock", "w") as again:
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nothing else holds it
    red = Controller(machine)
    red.on("kill_process", pid)
    red.on("release", pid)
    red.close()


def case_two_daemons_at_once(machine: Machine) -> None:
    """Ten launchers at the same time start one daemon."""
    found = []

    def connect(i: str) -> None:
        found.append(Controller(machine, f"controller-{i}"))
    threads = [threading.Thread(target=connect, args=(i,)) for i in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 10
    wait_for(lambda: len(machine.processes("meterd")) == 1, "the others to end")
    pid = found[0].create("/bin/sleep", "1000")
    assert all(pid in controller.managed() for controller in found)
    second = subprocess.run([machine.dpm, "meterd", "--machine", machine.name], env=machine.env, capture_output=True,
                            text=True, timeout=60)
    assert second.returncode == 2 and "a meterdaemon runs already" in second.stderr, second
    for controller in found:
        controller.close()


def case_supervisor_killed(machine: Machine) -> None:
    """The program goes on, its output is discarded, and that is reported."""
    red = Controller(machine)
    going_on = machine.folder + "/going-on"
    pid = red.create("/bin/sh", "-c", f"while :; do echo more than a pipe holds >&2; echo x; echo >>{going_on}; done")
    red.on("start_process", pid)
    red.until(lambda: len(red.output(pid)) > 100, "output")
    supervisor = machine.processes("--supervise")[0]
    os.kill(supervisor, signal.SIGKILL)
    red.until(lambda: any("supervisor was killed" in why for _, why in red.states(pid)), "the report")
    assert red.managed()[pid]["state"] == "running"
    size = os.path.getsize(going_on)
    wait_for(lambda: os.path.getsize(going_on) > size + 20000, "the program to go on")
    assert "has to be killed first" in refusal(red.on, "release", pid)
    assert "supervisor was killed" in refusal(red.on, "set_flags", pid, flags="send")
    child = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    red.on("stop_process", pid)
    wait_for(lambda: is_still(pid), "the program to be stopped")
    assert all(is_still(int(one)) for one in child), child
    red.on("start_process", pid)
    wait_for(lambda: not is_still(pid), "the program to go on")
    os.kill(pid, signal.SIGSTOP)
    red.until(lambda: red.states(pid)[-1][0] == "stopped", "the report that another stopped it")
    os.kill(pid, signal.SIGCONT)
    red.until(lambda: red.states(pid)[-1][0] == "running", "the report that it was continued")
    red.on("kill_process", pid)
    assert "for an unknown reason" in red.await_state(pid, "killed")
    red.on("release", pid)
    assert red.managed() == {}

    # Before it began, it ends.
    pid = red.create("/bin/sleep", "1000")
    os.kill(machine.processes("--supervise")[0], signal.SIGKILL)
    red.await_state(pid, "killed")
    red.on("release", pid)
    red.close()


def case_everything_killed(machine: Machine) -> None:
    """Controller, daemon and supervisor killed: the program goes on."""
    red = Controller(machine)
    going_on = machine.folder + "/going-on"
    pid = red.create("/bin/sh", "-c", f"while :; do echo some output; echo >>{going_on}; done")
    red.on("start_process", pid)
    red.until(lambda: len(red.output(pid)) > 100, "output")
    machine.kill("--attach", "meterd", "--supervise")
    red.close()
    size = os.path.getsize(going_on)
    wait_for(lambda: os.path.getsize(going_on) > size + 20000, "the program to go on")
    again = Controller(machine, "another")
    left, = again.welcome["managed"]
    assert (left["pid"], left["state"], left["unmetered"]) == (pid, "running", True), left
    assert "supervisor was killed" in left["reason"]
    again.on("adopt", pid)
    again.on("stop_process", pid)
    wait_for(lambda: is_still(pid), "the program to be stopped")
    again.on("start_process", pid)
    # It can be metered again.
    again.ask("acquire_process", job="job", pid=pid, flags="all", filter=machine.filter_address())
    assert again.managed()[pid]["state"] == "acquired" and not again.managed()[pid]["unmetered"]
    again.on("release", pid)
    assert again.managed() == {}
    again.close()
    os.kill(pid, signal.SIGKILL)


def case_daemon_and_supervisor_killed(machine: Machine) -> None:
    """The next daemon knows what goes on, and what has ended, without their supervisors."""
    red = Controller(machine, "one")
    goes_on, ends, stopped = (red.create("/bin/sleep", "1000", name=name) for name in ("goes_on", "ends", "stopped"))
    for pid in (goes_on, ends, stopped):
        red.on("start_process", pid)
    red.on("stop_process", stopped)
    program = subprocess.Popen(["/bin/sleep", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    red.ask("acquire_process", job="job", pid=program.pid, flags="all", filter=machine.filter_address())
    machine.kill("meterd", "--supervise")
    os.kill(ends, signal.SIGKILL)
    wait_for(lambda: not is_alive(ends), "one of them to end")
    red.close()
    again = Controller(machine, "one")
    found = {c["pid"]: (c["name"], c["state"], c["unmetered"]) for c in again.welcome["managed"]}
    assert found == {goes_on: ("goes_on", "running", True), ends: ("ends", "killed", False),
                     stopped: ("stopped", "stopped", True), program.pid: ("sleep", "acquired", True)}, found
    assert "for an unknown reason" in again.managed()[ends]["reason"]
    assert "neither started nor stopped" in refusal(again.on, "kill_process", program.pid)
    for pid in (goes_on, stopped):
        again.on("kill_process", pid)
    for pid in found:
        again.on("release", pid)
    assert again.managed() == {} and is_alive(program.pid)
    again.close()
    program.kill()
    program.wait()


def case_controller_never_returns(machine: Machine) -> None:
    """Ended processes are kept for a controller that is gone, for a limited time; running ones are never forgotten."""
    machine.keep, machine.idle = 1, 1
    red = Controller(machine, "gone")
    ended = red.create("/bin/sh", "-c", "exit 7")
    runs = red.create("/bin/sleep", "1000")
    for pid in (ended, runs):
        red.on("start_process", pid)
    red.await_state(ended, "killed")
    red.kill()
    wait_for(lambda: "its controller gone has not come back" in machine.log(), "the daemon to forget it")
    assert f"forgot sh ({ended}), ended: exit status 7" in machine.log()
    other = Controller(machine, "other")
    assert set(other.managed()) == {runs}
    other.on("adopt", runs)
    other.on("kill_process", runs)
    other.on("release", runs)
    other.close()
    wait_for(lambda: not machine.processes(), "everything to end")


def case_ends_by_itself(machine: Machine) -> None:
    """A daemon with nothing to do ends, one with something does not."""
    machine.idle = 1
    red = Controller(machine)
    pid = red.create("/bin/sleep", "1000")
    daemon = machine.daemon()
    red.close()
    red = Controller(machine)
    assert machine.daemon() == daemon
    red.on("stop_process", pid)
    red.on("kill_process", pid)
    red.on("release", pid)
    red.close()
    wait_for(lambda: not machine.processes(), "everything to end")
    assert os.listdir(machine.folder + "/run/dpm") == []
