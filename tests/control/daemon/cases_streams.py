"""Standard input, output and error of processes under control: metering report 3.5.2."""
import os
import time

from control import Controller, Machine, Refused, wait_for
from cases_processes import refusal

KEPT = 4 * 1024 * 1024


def case_output(machine: Machine) -> None:
    """Both outputs arrive whole and in order, before the end is told."""
    red = Controller(machine)
    pid = red.create("/bin/sh", "-c", "seq 1 100000; seq 1 1000 >&2; printf 'no newline'")
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    assert red.reports[-1]["type"] == "state_changed"
    expected = "".join(f"{i}\n" for i in range(1, 100001))
    assert red.output(pid).decode() == expected + "no newline"
    assert red.output(pid, True).decode() == expected[:len("".join(f"{i}\n" for i in range(1, 1001)))]
    assert red.dropped(pid) == 0
    red.close()


def case_any_bytes(machine: Machine) -> None:
    """Input and output are bytes, not text."""
    red = Controller(machine)
    data = bytes(range(256)) * 1000
    pid = red.create("/bin/cat")
    red.on("start_process", pid)
    for i in range(0, len(data), 100_000):
        red.ask("input", data[i:i + 100_000], pid=pid, end=i + 100_000 >= len(data))
    assert red.await_state(pid, "killed") == "normal"
    assert red.output(pid) == data
    red.close()


def case_input(machine: Machine) -> None:
    """Input comes while it runs, or before it began; it ends on request; too much unread input is refused."""
    red = Controller(machine)
    pid = red.create("/bin/cat")
    red.ask("input", b"early\n", pid=pid, end=False)
    red.on("start_process", pid)
    red.until(lambda: red.output(pid) == b"early\n", "the early input")
    red.ask("input", b"late\n", pid=pid, end=False)
    red.until(lambda: red.output(pid) == b"early\nlate\n", "the late input")
    red.ask("input", b"", pid=pid, end=True)
    assert red.await_state(pid, "killed") == "normal"
    assert refusal(red.ask, "input", b"x", pid=pid, end=False)

    pid = red.create("/bin/sleep", "1000")
    chunk = b"x" * (256 * 1024)
    sent = 0
    try:
        while sent < 3 * KEPT:
            red.ask("input", chunk, pid=pid, end=False)
            sent += len(chunk)
        raise AssertionError("never refused")
    except Refused as why:
        assert "has not read" in str(why)
    assert sent >= KEPT - len(chunk)
    red.on("start_process", pid)
    red.on("kill_process", pid)
    red.close()


def case_input_file(machine: Machine) -> None:
    """Standard input from a file."""
    red = Controller(machine)
    with open(machine.home + "/in", "w") as file:
        file.write("from a file\n")
    for path in (machine.home + "/in", "~/in"):
        pid = red.create("/bin/cat", stdin=path)
        assert "is a file" in refusal(red.ask, "input", b"x", pid=pid, end=False)
        red.on("start_process", pid)
        red.await_state(pid, "killed")
        assert red.output(pid) == b"from a file\n"
    red.close()


def case_nobody_listens(machine: Machine) -> None:
    """A program whose controller is gone never waits; what is kept and what was dropped add up."""
    red = Controller(machine)
    done = machine.folder + "/done"
    total = 3 * KEPT
    go = machine.folder + "/go"
    until_go = f"while ! test -e {go}; do sleep 0.01; done"
    pid = red.create("/bin/sh", "-c", f"{until_go}; head -c {total} /dev/zero; touch {done}; read x; echo end")
    red.on("start_process", pid)
    red.kill()
    wait_for(lambda: not machine.processes("--attach"), "the controller to be gone")
    other = Controller(machine, "other")
    wait_for(lambda: not other.managed()[pid]["attended"], "the daemon to notice")
    other.close()
    open(go, "w").close()
    wait_for(lambda: os.path.exists(done), "the program to have printed all")
    red = Controller(machine)
    red.ask("input", b"\n", pid=pid, end=False)
    red.await_state(pid, "killed")
    out = red.output(pid)
    assert out.endswith(b"end\n")
    print(f"{total} bytes printed: {len(out) - 4} came, {red.dropped(pid)} were dropped and counted")
    assert len(out) - 4 + red.dropped(pid) == total
    assert len(out) - 4 >= KEPT
    red.close()


def case_slow_listener(machine: Machine) -> None:
    """A listener who is slow makes the program wait, loses nothing, and others do not feel it."""
    red = Controller(machine, "slow")
    done = machine.folder + "/done"
    total = 64 * 1024 * 1024  # more than was read before it stopped reading, and than fits on the way
    pid = red.create("/bin/sh", "-c", f"head -c {total} /dev/zero; touch {done}")
    red.on("start_process", pid)
    red.until(lambda: len(red.output(pid)) > 0, "the first output")
    red.reading.clear()
    begin = time.monotonic()

    other = Controller(machine, "other")
    for _ in range(3):
        assert other.run("/bin/echo", "quick")[1] == "normal"
    other.close()
    is_done = os.path.exists(done)
    took = time.monotonic() - begin
    red.reading.set()
    assert red.await_state(pid, "killed") == "normal"
    assert len(red.output(pid)) + red.dropped(pid) == total
    # On a machine where that took half a minute, the program has waited long enough.
    assert took > 25 or (not is_done and red.dropped(pid) == 0)
    red.close()


def case_dead_listener(machine: Machine) -> None:
    """A listener that takes nothing for half a minute does not count: the program goes on."""
    red = Controller(machine, "dead")
    done = machine.folder + "/done"
    pid = red.create("/bin/sh", "-c", f"head -c {40 * 1024 * 1024} /dev/zero; touch {done}")
    red.on("start_process", pid)
    red.until(lambda: len(red.output(pid)) > 0, "the first output")
    red.reading.clear()
    begin = time.monotonic()
    wait_for(lambda: os.path.exists(done), "the program to go on")
    print(f"waited {time.monotonic() - begin:.0f} s for a listener that takes nothing")
    red.reading.set()
    red.await_state(pid, "killed")
    # Without a listener, the report of its end does not wait for its output, which may come after it.
    red.until(lambda: len(red.output(pid)) + red.dropped(pid) == 40 * 1024 * 1024, "the account of all that was printed")
    assert red.dropped(pid) > 0
    red.close()
