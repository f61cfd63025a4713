#!/usr/bin/python3
"""The kernel source and programs whose processes, threads, numbers, namespaces and connections come and go (lives.py): all are in the
trace, with what they moved. And programs that want to harm the meter: what they cause is bounded and counted.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import events
import running
from kernel_objects import left_behind

LIVES = pathlib.Path(__file__).resolve().parent / "lives.py"
PYTHON = "/usr/bin/python3"


class Checks:
    def __init__(self, options: argparse.Namespace, workshop: running.Workshop) -> None:
        self.options, self.workshop, self.failures = options, workshop, 0

    def check(self, holds: object, what: str) -> None:
        if not holds:
            self.failures += 1
            print(f"  {what}")

    def meter(self, folder: pathlib.Path, scene: str, *words: str, prefix: Sequence[Any] = ()) -> list[Any]:
        return [self.options.dpm, "meter", "--source", "ebpf", "--wait", *words, "-o", str(folder / "metered"), "--", *prefix, PYTHON,
                str(LIVES), scene]

    def play(self, scene: str, *words: Any, prefix: Sequence[Any] = ()) -> Any:
        """What the program says that it did, and the trace; nothing may be lost."""
        folder = self.workshop.folder()
        done = subprocess.run(self.meter(folder, scene, *words, prefix=prefix), cwd=folder, capture_output=True, text=True, timeout=200)
        if done.returncode != 0:
            raise RuntimeError(f"{scene} fails: {done.stderr}")
        trace = events.Trace(self.options.list_events, folder / "metered/trace")
        self.check(trace.finished and not trace.losses and " 0 lost" in done.stderr, f"not whole: {trace.losses} {done.stderr}")
        said = json.loads(done.stdout)
        received = sum(event.length for event in trace.events if event.type == "RECEIVE")
        # Python itself reads a message of its start by vfork(), and the shell may.
        self.check(received >= said["received"], f"{received} bytes were received, not {said['received']}")
        return said, trace


def of_type(trace: events.Trace, kind: str) -> list[Any]:
    return [event for event in trace.events if event.type == kind]


def processes(trace: events.Trace) -> list[Any]:
    """The numbers in the trace of the first threads of processes."""
    return [number for number, pid in trace.pid.items() if trace.tid[number] == pid]


def lives(checks: Checks, trace: events.Trace, count: Any) -> None:
    """That many processes began and ended, each once, and were waited for."""
    checks.check(len(processes(trace)) == count, f"{len(processes(trace))} processes, not {count}")
    ended = collections.Counter(event.process for event in of_type(trace, "DESTROYPROCESS"))
    checks.check(all(ended[number] == 1 for number in processes(trace)), f"ends of processes: {ended.most_common(3)}, {len(ended)} of {count}")


def short(checks: Checks) -> None:
    said, trace = checks.play("short")
    lives(checks, trace, said["processes"])
    checks.check(len(of_type(trace, "WAIT")) == 5001, f"{len(of_type(trace, 'WAIT'))} waits for 5001 children")
    sent = collections.Counter(event.process for event in of_type(trace, "SEND") if event.length == 1)
    checks.check(len(sent) == 5000 and set(sent.values()) == {1}, f"{sum(sent.values())} bytes of {len(sent)} processes")


def connections(checks: Checks) -> None:
    said, trace = checks.play("connections")
    for kind in ("ACCEPT", "CONNECT"):
        checks.check(len(of_type(trace, kind)) == said["connections"], f"{len(of_type(trace, kind))} {kind} of {said['connections']}")
    tcp = {number for number, name in trace.channel_name.items() if name.startswith("tcp")}
    for kind in ("SEND", "RECEIVE"):
        moved: collections.Counter[str] = collections.Counter()
        for event in of_type(trace, kind):
            moved[event.channel] += event.length if event.channel in tcp else 0
        checks.check(sorted(set(moved[number] for number in tcp)) == [10] and len(tcp) == 2000, f"{kind}: {len(tcp)} channels")


def chains(checks: Checks) -> None:
    said, trace = checks.play("chains")
    own = [number for number, pid in trace.pid.items() if pid == said["child"]]
    programs = [event for event in of_type(trace, "EXEC") if event.process in own]
    checks.check(len(own) == 1 and len(programs) == said["programs"], f"{len(programs)} programs of {own}")


def families(checks: Checks) -> None:
    for scene in ("orphans", "vforks"):
        said, trace = checks.play(scene)
        lives(checks, trace, said["processes"])
    programs = collections.Counter(event.process for event in of_type(trace, "EXEC"))
    checks.check(sum(1 for number in programs if trace.name[number].startswith("printf")) == said["programs"], f"programs: {len(programs)}")


def threads(checks: Checks) -> None:
    said, trace = checks.play("threads")
    checks.check(len(trace.tid) == said["threads"] and len(processes(trace)) == 1, f"{len(trace.tid)} threads, not {said['threads']}")
    senders = {event.process for event in of_type(trace, "SEND")} - set(processes(trace))
    checks.check(len(senders) == 1000, f"{len(senders)} threads have sent")


def numbers(checks: Checks) -> None:
    said, trace = checks.play("numbers")
    same = [number for number, pid in trace.pid.items() if pid == said["number"]]
    sent = sorted(sum(event.length for event in of_type(trace, "SEND") if event.process == number) for number in same)
    checks.check(sent == [10, 20], f"the processes of one number sent {sent}")


def namespaces(checks: Checks) -> None:
    """Numbers of processes are those of the machine, also of waits; addresses are those inside."""
    if shutil.which("ip") is None:
        return
    said, trace = checks.play("namespace", prefix=["unshare", "--net", "--pid", "--fork"])
    checks.check(said["own_pid"] == 1, f"it has the number {said['own_pid']}")
    tcp = [name for name in trace.channel_name.values() if name.startswith("tcp")]
    checks.check(len(tcp) == 2 and all("127.0.0.1:7" in name for name in tcp), f"connections: {tcp}")
    checks.check(1 not in trace.pid.values(), "a process has the number that it has inside")
    moved = [event for event in of_type(trace, "RECEIVE") if trace.channel_name.get(event.channel, "").startswith("tcp")]
    checks.check(sum(event.length for event in moved) == 20, f"received {moved}")
    waited = {event.peer for event in of_type(trace, "WAIT")}
    checks.check({event.process for event in moved} & waited, f"no process waited for the one that served: {waited}")


def forger(checks: Checks) -> None:
    """No name reaches a terminal as it is, none takes the place of another, and all tables can be read."""
    folder = checks.workshop.folder()
    done = subprocess.run(checks.meter(folder, "forger"), cwd=folder, capture_output=True, timeout=200)
    checks.check(done.returncode == 0 and b"\x1b" not in done.stderr, f"{done.returncode} {done.stderr[:300]!r}")
    for words in (["statistics"], ["queues"], ["parallelism"], ["statistics", "--json"]):
        table = subprocess.run([checks.options.dpm, *words, "metered"], cwd=folder, capture_output=True, timeout=100)
        checks.check(table.returncode == 0 and b"\x1b" not in table.stdout + table.stderr, f"{words}: {table.stdout[:300]!r} {table.stderr[:300]!r}")
    names = [row["process"] for row in json.loads(table.stdout)["processes"]]
    checks.check(len(names) == len(set(names)), f"two processes have one name: {names}")


def memory_kb(pid: int) -> int:
    return int(re.findall(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[0])


def flood(checks: Checks) -> None:
    """A ring that is too small by far: the meter's memory stays as it is, and all that was refused is counted by process and kind."""
    folder = checks.workshop.folder()
    process = subprocess.Popen(checks.meter(folder, "flood", "--ring", "4096"), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    sizes = []
    while process.poll() is None:
        try:
            sizes += [memory_kb(meter) for meter in meters_of(folder)]
        except (OSError, AttributeError):
            pass  # it has just ended
        time.sleep(0.1)
    output, errors = process.communicate()
    checks.check(process.returncode == 0, f"it fails: {errors}")
    ledger = json.loads((folder / "metered/results.json").read_text())["ledger"]
    checks.check(ledger["lost"] > 0 and ledger["seen"] == ledger["kept"] + ledger["filtered"] + ledger["lost"], f"the ledger: {ledger}")
    operations = 2 * json.loads(output)["received"]
    kept = sum(1 for event in events.Trace(checks.options.list_events, folder / "metered/trace").events
               if event.type in ("SEND", "RECEIVE") and event.length == 1)
    refused = sum(int(count) for count in re.findall(r"(\d+) events?.*ring was full", "\n".join(map(str, ledger.get("losses", [])))) or [0])
    print(f"  {operations} operations: {kept} kept, {ledger['lost']} lost, memory {min(sizes, default=0)} to {max(sizes, default=0)} kB, {refused}")
    checks.check(kept + ledger["lost"] >= operations, f"{kept} operations are kept and {ledger['lost']} counted as lost, of {operations}")
    checks.check(sizes and max(sizes) < 100_000, f"the meter's memory: {sizes}")


def meters_of(folder: pathlib.Path) -> list[int]:
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "comm").read_text().strip() == "dpm-meter" and str(folder) in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def killed(checks: Checks) -> None:
    """kill -9 of the meter, also while it begins: the program goes on, and nothing stays."""
    before = left_behind()
    for delay_s in (0, .02, .05, .1, .2, .3, .5, .8):
        folder = checks.workshop.folder()
        process = subprocess.Popen([word for word in checks.meter(folder, "connections") if word != "--wait"], cwd=folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found: list[Any] = []
        while process.poll() is None and not found:
            found = meters_of(folder)
        time.sleep(delay_s)
        for meter in found:
            os.kill(meter, signal.SIGKILL)
        output, _ = process.communicate(timeout=120)
        # Killed before it lets the program begin, dpm says so and there is no program.
        holds = process.returncode == 0 and json.loads(output)["received"] == 20000 or process.returncode == 2 and not output
        checks.check(holds, f"after {delay_s} s: status {process.returncode}, {output!r}")
    end = time.monotonic() + 10
    while left_behind() - before and time.monotonic() < end:
        time.sleep(.2)
    checks.check(not left_behind() - before, f"programs stay: {left_behind() - before}")


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--list-events", required=True)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    running.need_source(options.dpm, "ebpf")
    if shutil.which("bpftool") is None:
        running.skip("bpftool is not installed")
    cases = {case.__name__: case for case in (short, connections, chains, families, threads, numbers, namespaces, forger, flood, killed)}
    failed = 0
    with running.Workshop() as workshop:
        for name in options.cases or cases:
            checks = Checks(options, workshop)
            cases[name](checks)
            print(f"{'FAILED' if checks.failures else 'good':7}{name}")
            failed += bool(checks.failures)
    if failed:
        print(f"{failed} failed; one alone: {' '.join(sys.argv)} CASE")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
