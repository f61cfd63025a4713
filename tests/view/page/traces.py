"""What the cases of check_served.py look at: traces that are made when a case first asks for them, programs that are metered, and dpm serve."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from synthetic import HOSTILE_NAMES

DPM, SOURCE = os.environ["DPM_PROGRAM"], Path(os.environ["DPM_SOURCE_DIR"])

# A process that answers each message.
ANSWERER = """
import os, select, socket, sys
a, b = socket.socketpair()
if os.fork() == 0:
    a.close()
    while b.recv(100): b.send(b"answer")
    os._exit(0)
b.close()
"""
PAIR = ANSWERER + """
for i in range(300):
    a.send(b"x" * 50); a.recv(100)
    sum(range(2000))
a.close()
os.wait()
"""
ECHO_SERVER = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
connection = listener.accept()[0]
while data := connection.recv(100): connection.send(data[:20])
"""
ECHO_CLIENT = """
import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
for i in range(200):
    connection.send(b"x" * 50); connection.recv(100)
"""
# A program for each name of the list, as far as a file can have it: each is cat, and sends back what it gets.
NAMED = """
import json, os, socket, sys
ends = []
for number, name in enumerate(json.loads(sys.argv[1])["names"]):
    a, b = socket.socketpair()
    if os.fork() == 0:
        folder = f"{sys.argv[2]}/{number}"
        os.makedirs(folder)
        path = folder.encode() + b"/" + (name.encode().replace(b"\\0", b"?").replace(b"/", b"_")[:200] or b"empty")
        os.symlink("/bin/cat", path)
        os.dup2(b.fileno(), 0)
        os.dup2(b.fileno(), 1)
        os.execv(path, [name.replace("\\0", "?") or " "])
    b.close()
    ends.append(a)
for i in range(30):
    for end in ends: end.send(b"question"); end.recv(100)
for end in ends: end.close()
for end in ends: os.wait()
"""
# Two processes that exchange messages until standard input ends.
ROUNDS = ANSWERER + """
while not select.select([0], [], [], 0.001)[0]:
    a.send(b"question"); a.recv(100)
a.close()
os.wait()
"""


class NotHere(Exception):
    """This machine cannot do what the case needs."""


def dpm(*arguments: str | Path) -> subprocess.CompletedProcess[Any]:
    return subprocess.run([DPM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def document(name: str, *arguments: Any) -> Any:
    """What dpm NAME --json prints; None where it refuses."""
    printed = dpm(name, "--json", *arguments)
    return json.loads(printed.stdout) if printed.returncode == 0 else None


class Served:
    def __init__(self, trace: Path, *options: str) -> None:
        self.trace, self.options = trace, list(options)
        self.start()

    def start(self) -> None:
        process = subprocess.Popen([DPM, "serve", str(self.trace), *self.options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process: subprocess.Popen[str] | None = process
        assert process.stdout
        self.address = process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), f"dpm serve said '{self.address}'"
        self.port, self.token = int(self.address.split(":")[2].split("/")[0]), self.address.split("/")[3]

    def stop(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(60) == 0, "dpm serve did not end by itself"
            assert self.process.stdout
            self.process.stdout.close()
            self.process = None


class LivePage:
    """A program that is metered, and its page."""

    def __init__(self, out: Any, options: Any, program: Any, **how: Any) -> None:
        self.out = out
        self.meter = subprocess.Popen([DPM, "meter", "--no-wait", "--serve", "-o", str(out), *options, "--", *program],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
        assert self.meter.stdout
        line = self.meter.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            self.meter.kill()
            raise NotHere(line.strip())
        self.address = found[0]

    def end_program(self) -> None:
        raise NotImplementedError

    def stop_program(self) -> None:
        self.end_program()
        assert self.meter.stdout
        self.meter.stdout.close()
        self.meter.wait(60)

    def stop(self) -> None:
        if self.meter.poll() is None:
            self.stop_program()
        for entry in os.listdir("/proc"):  # the page stays for a minute; its command line names the trace
            try:
                if entry.isdigit() and f"{self.out}".encode() in open(f"/proc/{entry}/cmdline", "rb").read().split(b"\0"):
                    os.kill(int(entry), signal.SIGTERM)
            except OSError:
                pass


class Redis(LivePage):
    """A server, and a load for it."""

    def __init__(self, out: Any) -> None:
        for program in ("redis-server", "redis-benchmark", "redis-cli"):
            if not shutil.which(program):
                raise NotHere(f"{program} is missing")
        self.loads: list[subprocess.Popen[bytes]] = []
        self.port = str(free_port())
        super().__init__(out, [], ["redis-server", "--port", self.port, "--save", "", "--appendonly", "no"])
        self._wait_for_port()

    def _wait_for_port(self) -> None:
        """A load that finds no server ends at once."""
        end = time.monotonic() + 30
        while True:
            try:
                return socket.create_connection(("127.0.0.1", int(self.port)), 1).close()
            except OSError:
                assert time.monotonic() < end, "the server does not listen"
                time.sleep(0.05)

    def load(self) -> None:
        self.loads.append(subprocess.Popen(["redis-benchmark", "-p", self.port, "-c", "8", "-n", "10000000", "-t", "get,set", "-q"],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def end_load(self) -> None:
        for load in self.loads:
            load.kill()
            load.wait()
        self.loads.clear()

    def end_program(self) -> None:
        self.end_load()
        subprocess.run(["redis-cli", "-p", self.port, "shutdown", "nosave"], capture_output=True, timeout=30)


class Scheduled(LivePage):
    """Two processes that a scheduler binds to one core after a second."""

    def __init__(self, out: Any) -> None:
        name, core = os.path.basename(sys.executable), min(os.sched_getaffinity(0))
        placement = out.parent / "placement-of-cores.json"
        placement.write_text(json.dumps({"processes": {name: f"core{core}"}}))
        super().__init__(out, ["--schedule", "fixed", "--placement", str(placement), "--decision-window", "0.5s"],
                         [sys.executable, "-c", ROUNDS], stdin=subprocess.PIPE)

    def end_program(self) -> None:
        assert self.meter.stdin
        self.meter.stdin.close()


Kept = TypeVar("Kept")


class Traces:
    def __init__(self, scratch: Any) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=scratch))
        self.made: dict[str, Any] = {}
        self.running: list[Any] = []

    def end(self) -> None:
        """After a case: what it started ends, what was recorded stays."""
        for each in reversed(self.running):
            each.stop()
        self.running.clear()

    def keep(self, started: Kept) -> Kept:
        self.running.append(started)
        return started

    def serve(self, trace: Path, *options: str) -> Served:
        return self.keep(Served(trace, *options))

    def once(self, name: str, make: Callable[..., Any]) -> Any:
        if name not in self.made:
            make(self.folder / name)
            self.made[name] = self.folder / name
        return self.made[name]

    def simulated(self) -> Any:
        return self.once("file-system", lambda out: self.check(dpm("run", "--base-only", "-o", out, SOURCE / "scenarios/file-system/scenario.json")))

    def on_one_machine(self) -> Any:
        """The office of the command line's tests: its clerks, all on one machine."""
        def make(out: Path) -> None:
            scenario = json.loads((SOURCE / "tests/cli/fixtures/desk.json").read_text())
            scenario["machines"] = ["red"]
            for process in scenario["processes"]:
                process["machine"] = "red"
            del scenario["placements"], scenario["placement"]
            path = Path(f"{out}.json")
            path.write_text(json.dumps(scenario))
            self.check(dpm("run", "--base-only", "-o", out, path))
        return self.once("one-machine", make)

    def live(self) -> Any:
        return self.once("live", lambda out: self.meter(out, PAIR))

    def merged(self) -> Any:
        """A server and its client, each with a meter of its own."""
        def make(out: Path) -> None:
            server = subprocess.Popen([DPM, "meter", "-o", f"{out}-server", "--", sys.executable, "-c", ECHO_SERVER], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
            assert server.stdout
            port = server.stdout.readline().strip()
            if not port.isdigit():
                raise NotHere(server.communicate()[1].strip().split("\n")[-1])
            self.meter(Path(f"{out}-client"), ECHO_CLIENT, port)
            server.communicate(timeout=60)
            self.check(dpm("merge", f"{out}-server", f"{out}-client", "-o", out))
        return self.once("merged", make)

    def named(self) -> Any:
        """Real processes with hostile names."""
        return self.once("named", lambda out: self.meter(out, NAMED, json.dumps({"names": HOSTILE_NAMES}), f"{out}-programs"))

    def renamed(self) -> Any:
        """The same trace with the names written into it: longer than a kernel keeps, and with bytes that are not UTF-8."""
        def make(out: Path) -> None:
            shutil.copytree(self.named(), out)
            path = out / "trace" / "trace.json"
            recorded = json.loads(path.read_text())
            for process, name in zip(recorded["processes"], HOSTILE_NAMES):
                process["name"] = process["program"] = name
            path.write_text(json.dumps(recorded, ensure_ascii=False))
        return self.once("renamed", make)

    def meter(self, out: Path, program: str, *arguments: str) -> None:
        metered = dpm("meter", "-o", out, "--", sys.executable, "-c", program, *arguments)
        assert metered.returncode == 0 or not (out / "trace").exists(), metered.stderr
        if metered.returncode != 0:
            raise NotHere(metered.stderr.strip().split("\n")[-1])

    @staticmethod
    def check(done: subprocess.CompletedProcess[Any]) -> None:
        assert done.returncode == 0, done.stderr


def free_port() -> Any:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
