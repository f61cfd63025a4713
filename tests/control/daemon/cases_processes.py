"""The life of processes under control: figure 4.2 of the metering report, as far as a daemon knows it."""
import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

from control import Controller, Machine, Refused, wait_for


def refusal(ask: Callable[..., Any], *arguments: str | int | bytes | Controller, **fields: Any) -> str:
    try:
        ask(*arguments, **fields)
    except Refused as why:
        return str(why)
    raise AssertionError(f"not refused: {arguments} {fields}")


def status_of(pid: int) -> str:
    """The letter that ps shows, or '' if there is no such process."""
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def cgroup_of(pid: int) -> str:
    """The folder of a process's cgroup (version 2), or ''."""
    try:
        place = next(line[3:-1] for line in open(f"/proc/{pid}/cgroup") if line.startswith("0::"))
        mount = next(line for line in open("/proc/self/mountinfo") if " - cgroup2 " in line).split()[4]
    except (OSError, StopIteration):
        return ""
    return mount + place.rstrip("/")


def is_frozen(pid: int) -> bool:
    try:
        return "frozen 1\n" in open(cgroup_of(pid) + "/cgroup.events").readlines()
    except OSError:
        return False


def is_still(pid: int) -> bool:
    """Stopped, by a signal or with its cgroup."""
    return status_of(pid) == "T" or is_frozen(pid)


def case_created_suspended(machine: Machine) -> None:
    """A process that was created has not done anything; started, it does everything."""
    red = Controller(machine)
    made = machine.folder + "/made"
    pid = red.create("/bin/sh", "-c", f"echo $$ >{made}", name="maker")
    assert red.managed()[pid]["state"] == "new"
    assert red.managed()[pid]["name"] == "maker" and red.managed()[pid]["job"] == "job"
    assert not os.path.exists(made)
    red.on("start_process", pid)
    assert red.await_state(pid, "killed") == "normal"
    assert open(made).read() == f"{pid}\n"
    assert [state for state, _ in red.states(pid)] == ["running", "killed"]
    assert red.managed()[pid]["state"] == "killed"
    red.on("release", pid)
    assert red.managed() == {}
    red.close()


def case_reasons(machine: Machine) -> None:
    """Why a process has ended."""
    red = Controller(machine)
    assert red.run("/bin/true")[1] == "normal"
    assert red.run("/bin/sh", "-c", "exit 3")[1] == "exit status 3"
    assert red.run("/bin/sh", "-c", "kill -9 $$")[1] == "signal 9 (Killed)"
    assert red.run("/bin/sh", "-c", "kill -11 $$")[1] == "signal 11 (Segmentation fault)"
    red.close()


def case_not_created(machine: Machine) -> None:
    """What cannot be run is refused before anything is made."""
    red = Controller(machine)
    assert "no such program in PATH" in refusal(red.create, "no-such-program")
    assert "No such file" in refusal(red.create, "/no/such/program")
    assert "directory" in refusal(red.create, "/tmp")
    assert "not executable" in refusal(red.create, "/etc/passwd")
    assert "No such file" in refusal(red.create, "/bin/cat", stdin="/no/such/input")
    assert red.managed() == {}
    wait_for(lambda: not machine.processes("--supervise"), "the supervisors of nothing to end")
    red.close()


def case_environment(machine: Machine) -> None:
    """Arguments of any bytes, folder, path, session and standard descriptors of a process."""
    red = Controller(machine)
    pid = red.create("sh", "-c", 'printf "%s|" "$@"; pwd', "sh", "two words", "ü", "", directory="/usr")
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    assert red.output(pid) == "two words|ü||/usr\n".encode(), red.output(pid)
    pid = red.create("sh", "-c", "pwd", directory="/no/such/folder")
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    assert red.output(pid).decode() == machine.home + "\n"
    # A program that kills its process group kills no other process, and inherits nothing of ours.
    pid = red.create("sh", "-c", "ls -l /proc/self/fd | grep -c -e '->' ; kill -9 0")
    red.on("start_process", pid)
    assert red.await_state(pid, "killed") == "signal 9 (Killed)"
    # 0, 1, 2, that of the folder which is being listed, and the listener of the program.
    assert red.output(pid) == b"5\n", red.output(pid)
    red.close()


def case_stop_and_start(machine: Machine) -> None:
    """Stopped, nothing of the program runs, and it goes on where it was."""
    red = Controller(machine)
    counter = machine.folder + "/count"
    loop = f"while :; do echo >>{counter}; done"
    pid = red.create("/bin/sh", "-c", f"({loop}) & ({loop}) & {loop}")
    red.on("start_process", pid)
    wait_for(lambda: os.path.exists(counter) and os.path.getsize(counter) > 100, "the program to count")
    children = [int(child) for child in open(f"/proc/{pid}/task/{pid}/children").read().split()]
    assert len(children) == 2
    for _ in range(3):
        red.on("stop_process", pid)
        assert red.managed()[pid]["state"] == "stopped"
        for process in [pid, *children]:
            wait_for(lambda p=process: is_still(p), f"{process} to be stopped")
        size = os.path.getsize(counter)
        assert "cannot be stopped" in refusal(red.on, "stop_process", pid)
        assert os.path.getsize(counter) == size
        red.on("start_process", pid)
        assert "cannot be started" in refusal(red.on, "start_process", pid)
        wait_for(lambda s=size: os.path.getsize(counter) > s + 100, "the program to go on")
    red.on("stop_process", pid)
    red.on("kill_process", pid)
    assert red.await_state(pid, "killed") == "signal 9 (Killed)"
    for process in [pid, *children]:
        wait_for(lambda p=process: status_of(p) in ("", "Z"), f"{process} to be gone")
    red.on("release", pid)
    red.close()


def case_stopped_from_outside(machine: Machine) -> None:
    """A process that others stop and continue, or that stops itself, is reported; the user's commands do what they say."""
    red = Controller(machine)
    pid = red.create("/bin/sh", "-c", f"while ! test -e {machine.folder}/go; do sleep 0.01; done; kill -STOP $$; sleep 1000")
    red.on("start_process", pid)
    os.kill(pid, signal.SIGSTOP)
    assert red.await_state(pid, "stopped") == "signal 19 (Stopped (signal))"
    assert red.managed()[pid]["state"] == "stopped"
    os.kill(pid, signal.SIGCONT)
    red.until(lambda: red.states(pid)[-1][0] == "running", "the report that it goes on")
    os.kill(pid, signal.SIGSTOP)
    red.until(lambda: red.states(pid)[-1][0] == "stopped", "the second report")
    red.on("start_process", pid)
    wait_for(lambda: status_of(pid) != "T", "the program to go on")
    open(machine.folder + "/go", "w").close()
    red.until(lambda: red.states(pid)[-1] == ("stopped", "signal 19 (Stopped (signal))"), "the report that it stopped itself")
    for _ in range(20):  # whatever the kernel reports meanwhile
        red.on("start_process", pid)
        red.on("stop_process", pid)
    wait_for(lambda: is_still(pid), "it to be stopped")
    time.sleep(0.3)
    own = [state for state, _ in red.states(pid)][-40:]
    assert own == ["running", "stopped"] * 20, own
    red.on("kill_process", pid)
    red.on("release", pid)
    red.close()


def case_left_behind(machine: Machine) -> None:
    """What a program leaves behind goes on when it is released, and that is reported."""
    red = Controller(machine)
    pid = red.create("/bin/sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!")
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    child = int(red.output(pid))
    assert red.on("release", pid)["note"] == f"processes that it left behind continue unmetered: {child} (sleep)"
    assert status_of(child) not in ("", "Z")
    os.kill(child, signal.SIGKILL)
    pid = red.create("/bin/true")
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    assert red.on("release", pid)["note"] == ""
    red.close()


def case_transitions(machine: Machine) -> None:
    """What is not in the picture of states is refused, and nothing has changed."""
    red = Controller(machine)
    pid = red.create("/bin/sleep", "1000")
    assert "has to be killed first" in refusal(red.on, "release", pid)
    red.on("stop_process", pid)  # before its first instruction
    assert red.managed()[pid]["state"] == "stopped"
    assert "has to be killed first" in refusal(red.on, "release", pid)
    red.on("start_process", pid)
    wait_for(lambda: "sleep" in open(f"/proc/{pid}/comm").read(), "the program to begin")
    assert "has to be killed first" in refusal(red.on, "release", pid)
    red.on("stop_process", pid)
    red.on("kill_process", pid)
    for request in ("start_process", "stop_process", "kill_process"):
        assert refusal(red.on, request, pid)
    red.on("release", pid)
    for request in ("start_process", "stop_process", "kill_process", "release", "adopt"):
        assert "not managed by this daemon" in refusal(red.on, request, pid)
    # Killed although it never began.
    pid = red.create("/bin/sleep", "1000")
    red.on("stop_process", pid)
    red.on("kill_process", pid)
    assert red.await_state(pid, "killed") == "signal 9 (Killed)"
    red.on("release", pid)
    red.close()


def case_orphans(machine: Machine) -> None:
    """What a program leaves behind is its own: it goes on, it is stopped and killed with it."""
    red = Controller(machine)
    left = machine.folder + "/left"
    daemonize = f"setsid sh -c 'echo $$ >{left}; exec sleep 1000' & while ! test -s {left}; do :; done; exit 0"
    pid = red.create("/bin/sh", "-c", daemonize)
    red.on("start_process", pid)
    assert red.await_state(pid, "killed") == "normal"
    orphan = int(open(left).read())
    wait_for(lambda: "sleep" in open(f"/proc/{orphan}/comm").read(), "the orphan to begin")
    red.on("release", pid)
    wait_for(lambda: not machine.processes("--supervise"), "the supervisor to end")
    assert status_of(orphan) == "S"
    os.kill(orphan, signal.SIGKILL)

    os.remove(left)
    pid = red.create("/bin/sh", "-c", daemonize.replace("exit 0", "exec sleep 1000"))
    red.on("start_process", pid)
    orphan = int(wait_for(lambda: os.path.exists(left) and open(left).read(), "the second orphan"))
    red.on("stop_process", pid)
    wait_for(lambda: is_still(orphan), "the orphan to be stopped")
    red.on("kill_process", pid)
    wait_for(lambda: status_of(orphan) in ("", "Z"), "the orphan to be killed")
    red.close()


def case_flags(machine: Machine) -> None:
    """Flags change while it runs, and are told."""
    red = Controller(machine)
    pid = red.create("/bin/sleep", "1000", flags="send,receive")
    assert red.managed()[pid]["flags"] == "send,receive"
    red.ask("set_flags", pid=pid, flags="send")
    red.on("start_process", pid)
    red.ask("set_flags", pid=pid, flags="send,accept,immediate")
    assert red.managed()[pid]["flags"] == "send,accept,immediate"
    red.ask("set_flags", pid=pid, flags="")
    assert red.managed()[pid]["flags"] == ""
    red.on("kill_process", pid)
    red.close()


def case_acquire(machine: Machine) -> None:
    """An acquired process is metered, and neither started, stopped nor killed; released, it goes on."""
    red = Controller(machine)
    program = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        address = machine.filter_address()
        created = red.ask("acquire_process", job="job", pid=program.pid, flags="all", filter=address)
        assert created["pid"] == program.pid and created["name"] == "cat"
        assert red.managed()[program.pid]["state"] == "acquired"
        for request in ("start_process", "stop_process", "kill_process"):
            assert refusal(red.on, request, program.pid)
        assert refusal(red.ask, "input", pid=program.pid, end=True)
        assert "metered" in refusal(red.ask, "acquire_process", job="job", pid=program.pid, flags="", filter=address)
        red.ask("set_flags", pid=program.pid, flags="send")
        assert program.stdin
        program.stdin.write(b"still here\n")
        program.stdin.flush()
        assert program.stdout
        assert program.stdout.readline() == b"still here\n"
        red.on("release", program.pid)
        program.stdin.write(b"and now\n")
        program.stdin.flush()
        assert program.stdout.readline() == b"and now\n"
        wait_for(lambda: not machine.processes("--supervise"), "the supervisor to end")
        # It can be acquired once more, and its end is told.
        red.ask("acquire_process", job="job", pid=program.pid, flags="all", filter=address)
        program.stdin.close()
        program.wait(60)
        assert red.await_state(program.pid, "killed") == "ended"
        red.on("release", program.pid)
    finally:
        program.kill()
        program.wait()
        assert program.stdout
        program.stdout.close()
    assert "no such process" in refusal(red.ask, "acquire_process", job="j", pid=program.pid, flags="", filter=address)
    red.close()


def kb_of(path: str, name: str) -> int:
    """A line of a file in /proc."""
    return next(int(line.split()[1]) for line in open(path) if line.startswith(name + ":"))


def room_for_supervisors(machine: Machine, red: Controller) -> int:
    """In half of the memory that is free. One of a sanitizer's build takes twenty times as much as it does otherwise."""
    pid = red.create("/bin/sleep", "1000")
    while len(supervisors := machine.processes("--supervise")) != 1:  # one of the case before may still be ending
        time.sleep(0.05)
    [supervisor] = supervisors
    room = kb_of("/proc/meminfo", "MemAvailable") // 2 // kb_of(f"/proc/{supervisor}/status", "VmRSS")
    for request in ("kill_process", "release"):
        red.on(request, pid)
    return room


def case_many(machine: Machine) -> None:
    """Two hundred processes on one machine, or as many as its memory holds; and what that took."""
    red = Controller(machine)
    count = min(200, room_for_supervisors(machine, red))
    begin = time.monotonic()
    numbers = [red.send("create_process", job="job", name=f"p{i}", file="/bin/sleep", arguments=["1000"], directory="",
                        input="", flags="all", filter=machine.filter_address()) for i in range(count)]
    pids = [red.answer(number)["pid"] for number in numbers]
    created = time.monotonic()
    numbers = [red.send("start_process", pid=pid) for pid in pids]
    for number in numbers:
        red.answer(number)
    started = time.monotonic()
    assert len(red.managed()) == count == len(set(pids))
    for request in ("kill_process", "release"):
        numbers = [red.send(request, pid=pid) for pid in pids]
        for number in numbers:
            red.answer(number)
    ended = time.monotonic()
    assert red.managed() == {}
    print(f"{count} processes: created in {created - begin:.2f} s, started in {started - created:.2f} s, "
          f"killed and released in {ended - started:.2f} s")
    wait_for(lambda: not machine.processes("--supervise"), "the supervisors to end")
    red.close()


def case_churn(machine: Machine) -> None:
    """The daemon needs no more memory for the hundredth process than for the first ones."""
    red = Controller(machine)

    def resident_kb() -> int:
        return kb_of(f"/proc/{machine.daemon()}/status", "VmRSS")

    def some(count: int) -> None:
        for _ in range(count):
            red.run("/bin/echo", "x" * 10000)
        red.reports.clear()

    some(30)
    before = resident_kb()
    some(100)
    after = resident_kb()
    descriptors = len(os.listdir(f"/proc/{machine.daemon()}/fd"))
    print(f"the daemon's memory after 30 processes {before} kB, after 130 {after} kB; {descriptors} descriptors")
    if os.environ.get("DPM_SANITIZER"):
        print("REDUCED: a sanitizer keeps memory that was freed")
    else:
        assert after < before + 512, (before, after)
    assert descriptors < 20
    red.close()
