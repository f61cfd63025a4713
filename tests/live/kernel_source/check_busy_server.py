#!/usr/bin/python3
"""dpm acquire of a PostgreSQL that serves pgbench: by its cgroup all backends are metered, those that ran before too; by its process,
those that it starts from then on. pgbench's log of its transactions is the witness. Nothing is left behind, and the server goes on.

A transaction of `pgbench -S` is one message to a backend and one back. What the meter saw lies between the transactions that ended while
it was certainly at work and those that ended while it may have been.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import events
import real_program
import running
from kernel_objects import left_behind

CLIENTS = 4
NOBODY: dict[str, Any] = {"user": running.NOBODY, "group": running.NOBODY, "extra_groups": []}


class Server:
    def __init__(self, folder: pathlib.Path, cgroup: pathlib.Path) -> None:
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not programs:
            running.skip("postgresql is not installed")
        self.programs, self.folder, self.port = programs[-1].parent, folder, str(real_program.free_port())
        self.own = ["-h", "127.0.0.1", "-p", self.port, "-U", "tester"]
        self.run("initdb", "-D", folder / "data", "-U", "tester", "--auth=trust", "--no-sync", "--no-locale", "-E", "UTF8")
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", folder / "data", "-p", self.port, "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c",
             "fsync=off"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: self.enter(cgroup))
        real_program.wait_until("the server is ready", lambda: self.run("pg_isready", *self.own, check=False).returncode == 0)
        self.run("pgbench", *self.own, "-i", "-s", "1", "-q", "postgres")

    @staticmethod
    def enter(cgroup: pathlib.Path) -> None:
        (cgroup / "cgroup.procs").write_text(str(os.getpid()))
        os.setgroups([])
        os.setgid(running.NOBODY)
        os.setuid(running.NOBODY)

    def run(self, program: str, *words: str | pathlib.Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.programs / program, *words], capture_output=True, text=True, timeout=90, check=check, **NOBODY)

    # pgbench writes all of its log only if it ends by itself.
    def load(self, name: str, *length: str) -> subprocess.Popen[str]:
        return subprocess.Popen([self.programs / "pgbench", *self.own, "-S", "-n", "-c", str(CLIENTS), *length, "-l", "--log-prefix",
                                 str(self.folder / name), "postgres"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **NOBODY)

    def transactions(self, name: str) -> list[float]:
        """When each ended, in seconds since 1970."""
        ends = []
        for path in self.folder.glob(f"{name}.*"):
            for line in path.read_text().splitlines():
                _, _, _, _, seconds, microseconds, *_ = line.split()
                ends.append(int(seconds) + int(microseconds) / 1e6)
        return ends

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)


class Checks:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.failures = options, 0

    def check(self, holds: object, what: str) -> None:
        if not holds:
            self.failures += 1
            print(f"  {what}")

    def check_nothing_is_left(self, before: set[str]) -> None:
        end = time.monotonic() + 10
        while (left := left_behind() - before) and time.monotonic() < end:
            time.sleep(.2)
        self.check(not left, f"left behind: {left}")

    def acquire(self, folder: pathlib.Path, name: str, words: list[Any]) -> subprocess.Popen[str]:
        """Returns when the meter is at work."""
        meter = subprocess.Popen([self.options.dpm, "acquire", *words, "--source", "ebpf", "-o", str(folder / name)],
                                 stderr=subprocess.PIPE, text=True)
        real_program.wait_until("the meter is at work", lambda: (folder / name / "trace/trace.json").exists())
        time.sleep(.5)
        return meter

    def end(self, meter: subprocess.Popen[str], name: str) -> None:
        meter.send_signal(signal.SIGINT)
        _, said = meter.communicate(timeout=60)
        self.check(meter.returncode == 0 and " 0 lost" in said, f"{name}: the meter ends with {meter.returncode}: {said}")

    def compare(self, folder: pathlib.Path, name: str, at_least: int, at_most: int) -> None:
        trace = events.Trace(self.options.list_events, folder / name / "trace")
        tcp = [event for event in trace.events if trace.channel_name.get(event.channel, "").startswith("tcp")
               and trace.name[event.process].startswith("postgres")]
        received = sum(1 for event in tcp if event.type == "RECEIVE" and event.length > 30)  # "SELECT abalance FROM ..."
        sent = sum(1 for event in tcp if event.type == "SEND")
        backends = {event.process for event in tcp if event.type == "SEND"}
        print(f"  {name}: {at_least} to {at_most} transactions, {len(backends)} backends received {received} and sent {sent}")
        # Beginnings and ends of connections are messages too: some for each client.
        for count in (received, sent):
            self.check(at_least > 100 and at_least <= count <= at_most + 5 * CLIENTS, f"{name}: {count}")
        self.check(len(backends) >= CLIENTS, f"{name}: {len(backends)} backends were seen")

    def busy(self, folder: pathlib.Path, server: Server, slice_: pathlib.Path) -> None:
        """The backends run already when the meter comes, and go on when it goes. How long it takes to come depends on the machine."""
        for length_s in (6, 15, 40):
            if self.is_busy_for(length_s, folder, server, slice_):
                return
        self.check(False, "pgbench was not at work all the time")

    def is_busy_for(self, length_s: int, folder: pathlib.Path, server: Server, slice_: pathlib.Path) -> bool:
        name = f"slice{length_s}"
        load = server.load(name, "-T", str(length_s))
        real_program.wait_until("pgbench is at work", lambda: any(server.folder.glob(f"{name}.*")))
        time.sleep(.5)
        before, started = left_behind(), time.time()
        meter = self.acquire(folder, name, ["--cgroup", f"/{slice_.name}"])
        surely_from = time.time()
        time.sleep(1.5)
        surely_until = time.time()
        self.end(meter, name)
        ended = time.time()
        was_at_work = load.poll() is None
        self.check_nothing_is_left(before)
        _, errors = load.communicate(timeout=60)
        self.check(load.returncode == 0, f"pgbench fails: {errors}")
        if was_at_work:
            ends = server.transactions(name)
            self.compare(folder, name, sum(1 for end in ends if surely_from <= end <= surely_until),
                         sum(1 for end in ends if started <= end <= ended) + CLIENTS)
        return was_at_work

    def from_now_on(self, folder: pathlib.Path, server: Server) -> None:
        """The backends are started under the meter, and end under it: their transactions are known exactly."""
        before = left_behind()
        meter = self.acquire(folder, "process", [str(server.process.pid)])
        load = server.load("process", "-t", "2000")
        _, errors = load.communicate(timeout=60)
        self.check(load.returncode == 0, f"pgbench fails: {errors}")
        self.end(meter, "process")
        self.check_nothing_is_left(before)
        transactions = len(server.transactions("process"))
        self.check(transactions == 2000 * CLIENTS, f"pgbench wrote down {transactions} transactions")
        self.compare(folder, "process", transactions, transactions)


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--list-events", required=True)
    options = parser.parse_args()
    options.dpm = os.path.realpath(options.dpm)
    running.need_source(options.dpm, "ebpf")
    if shutil.which("bpftool") is None:
        running.skip("bpftool is not installed")
    roots = [line.split()[4] for line in open("/proc/self/mountinfo") if " - cgroup2 " in line]
    if not roots or not os.access(roots[0], os.W_OK):
        running.skip("no cgroups of version 2 can be made here")
    checks = Checks(options)
    slice_ = pathlib.Path(roots[0]) / f"dpm-test-{os.getpid()}.slice"
    service = slice_ / "postgresql.service"
    service.mkdir(parents=True)
    with running.Workshop() as workshop:
        server = Server(workshop.folder(), service)
        folder = workshop.folder()
        try:
            checks.busy(folder, server, slice_)
            checks.from_now_on(folder, server)
            checks.check(server.run("pg_isready", *server.own, check=False).returncode == 0, "the server does not answer any more")
        finally:
            checks.check(server.end() == 0, "the server did not end well")
            real_program.wait_until("the cgroup is empty", lambda: not (service / "cgroup.procs").read_text())
            service.rmdir()
            slice_.rmdir()
    return checks.failures > 0


if __name__ == "__main__":
    sys.exit(main())
