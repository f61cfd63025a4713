#!/usr/bin/env python3
"""check_terminals.py DPM: dpm sample runs in one terminal while work is done in another.

A shell with job control has the second terminal: it reads a line (input), runs a job in the foreground and one in the
background, and stops a job. The live table in the first terminal shows both parts separately, and dpm sample report draws
the figures of MON for the file.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from terminals import Program


def components(dpm: str, file: str, *options: str) -> dict[str, float]:
    """The share of each component, of all levels together."""
    printed = subprocess.run([dpm, "sample", "report", file, "--json", *options], check=True, capture_output=True)
    return {part["component"]: part["share"] for part in json.loads(printed.stdout)["components"]}


def work(shell: Program) -> None:
    """What a user does: a job in the background, one in the foreground, a pause at the prompt."""
    shell.await_text("ready> $")
    shell.type("sh -c 'while :; do :; done' &\n")
    shell.type("setsid -w sleep 3 &\n")  # its child has a session of its own, without this terminal
    shell.type("sleep 1; echo slept it\n")
    shell.await_text("slept it\r\n.*slept it\r\n.*ready> $")
    time.sleep(1)  # at the prompt: the user thinks
    shell.type("cat\n")
    time.sleep(1)  # cat waits for the terminal
    shell.type("\x1a")  # and is stopped
    shell.await_text("Stopped")
    shell.type("kill %1 %2 %3; kill -CONT %3; wait; exit\n")


def complaints(dpm: str, file: str, live: str) -> list[str]:
    wrong = []

    def expect(true: bool, what: str) -> None:
        if not true:
            wrong.append(what)

    expect("foreground" in live and "background" in live, "the live table has no foreground and background")
    front, back = (components(dpm, file, "--of", scope) for scope in ("foreground", "background"))
    # The foreground is the shell at its prompt, sleep, and cat: it reads the terminal or sleeps. The CPU is the background's.
    expect(front.get("terminal input", 0) > 0.4, f"the foreground does not wait for its user: {front}")
    expect(front.get("timed sleep", 0) > 0.05, f"the foreground does not sleep: {front}")
    expect(back.get("CPU run", 0) + back.get("CPU queue", 0) > 0.15, f"the background does not compute: {back}")
    expect(back.get("timed sleep", 0) > 0.05, f"the background lacks a descendant with a session of its own: {back}")
    expect(back.get("terminal input", 0) < 0.05, f"the background reads the terminal: {back}")
    expect(back.get("child process", 0) > 0.05, f"the shell does not wait for its job: {back}")
    expect(front.get("unrecognised", 0) + back.get("unrecognised", 0) < 0.01, f"not recognised: {front} {back}")
    groups = ["--group", "CPU=cpu_run,cpu_queue", "--group", "I/O=page_wait,swap,disk_io", "--group", "Input=terminal_input"]
    for scope in ("foreground", "background"):
        sum_of_groups = sum(components(dpm, file, "--of", scope, *groups).values())
        expect(abs(sum_of_groups - 1) < 1e-9, f"the components of {scope} sum to {sum_of_groups}")
    drawn = subprocess.run([dpm, "sample", "report", file, "--figures", "--of", "foreground"], check=True, capture_output=True)
    figure = drawn.stdout.decode().split("Figure 6.4")[-1]
    expect(re.search(r"^1 .*[CI]*>{5,}", figure, re.MULTILINE) is not None, f"figure 6.4 is not drawn:\n{figure}")
    return wrong


def main() -> int:
    dpm = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="dpm-terminals-") as scratch:
        file = f"{scratch}/two.counts"
        shell = Program(["bash", "--norc", "--noprofile", "-i"])
        shell.await_text("ready> $")
        monitor = Program([dpm, "sample", "--of", "terminals", shell.name, "-i", "0.011", "-o", file])
        monitor.await_text("terminal input")  # the table is there before the work begins
        # All terminals of the machine: others may have any state, but these two are found.
        every = [dpm, "sample", "--of", "terminals", "--for", "1", "-i", "0.05", "--json"]
        with subprocess.Popen(every, stdout=subprocess.PIPE) as everything:
            work(shell)
            assert everything.stdout
            found = json.load(everything.stdout)
        monitor.await_text("foreground.*background")
        shell.end()
        monitor.type("q")
        monitor.end()
        wrong = complaints(dpm, file, monitor.shown)
        if found["threads_mean"] < 1 or "users" != found["workload"] or found["levels"][-1]["level"] < 1:
            wrong.append(f"--of terminals does not find the shell's terminal: {found}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
