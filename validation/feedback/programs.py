"""What is run: about eight processes each, with a fixed amount of work that takes about 25 seconds on two cores."""

import lzma
import os
import pathlib
import random
import shlex
import shutil
import socket
from collections.abc import Callable

from real_programs import Missing, call

NOBODY = 65534
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed")


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        result: int = tried.getsockname()[1]
        return result


class Work:
    """`script` is what a shell runs; it writes the time to $CLOCK when the work begins and when it has been done."""

    # Of the work with the kernel source: each call waits for the meter with the notification source, which takes longer.
    NOTIFY_SHARE = 1.0

    def __init__(self, quick: bool) -> None:
        self.quick = quick
        self.source = ""

    def amount(self, full: int) -> int:
        share = self.NOTIFY_SHARE if self.source == "notify" else 1
        return int(full * share) // (6 if self.quick else 1)

    def prepare(self, folder: pathlib.Path, dpm: str) -> None:
        raise NotImplementedError

    def script(self, folder: pathlib.Path) -> str:
        raise NotImplementedError

    def command(self, folder: pathlib.Path, clock: pathlib.Path) -> list[str]:
        return ["env", f"CLOCK={clock}", "bash", "-c", self.script(folder)]


NOW = "date +%s.%N >>$CLOCK"


class Redis(Work):
    """A server and six clients, each with one request at a time."""

    CLIENTS, REQUESTS = 6, 225_000
    NOTIFY_SHARE = 0.21

    def prepare(self, folder: pathlib.Path, dpm: str) -> None:
        need("redis-server", "redis-benchmark", "redis-cli")

    def script(self, folder: pathlib.Path) -> str:
        port = free_port()
        client = f"redis-benchmark -p {port} -t get -c 1 -n {self.amount(self.REQUESTS)} -q >/dev/null"
        return f"""
redis-server --port {port} --save '' --appendonly no --dir . >/dev/null & server=$!
until redis-cli -p {port} ping >/dev/null 2>&1; do sleep 0.05; done
{NOW}
clients=
for i in {{1..{self.CLIENTS}}}; do {client} & clients="$clients $!"; done
wait $clients
{NOW}
redis-cli -p {port} shutdown nosave
wait $server"""


class RedisOneClient(Redis):
    """A server and one client that waits for each answer."""

    CLIENTS, REQUESTS = 1, 420_000
    NOTIFY_SHARE = 0.43


class Pipeline(Work):
    """Eight processes with the shell, of very different CPU time."""

    LINES, TIMES = 900_000, 24
    NOTIFY_SHARE = 0.4

    def prepare(self, folder: pathlib.Path, dpm: str) -> None:
        need("xz", "gzip", "tr", "sed", "md5sum")
        draw = random.Random(1)
        with lzma.open(folder / "data.xz", "wt", preset=1) as file:
            file.writelines(f"{draw.randrange(300000)} {draw.getrandbits(64):x}\n" for _ in range(self.LINES))

    def script(self, folder: pathlib.Path) -> str:
        data = " ".join([f"{folder}/data.xz"] * self.amount(self.TIMES))
        return f"""
{NOW}
xz -dc {data} | tr a-f A-F | sed s/A/b/ | tr 0-4 5-9 | gzip -3 | gzip -dc | md5sum >/dev/null
{NOW}"""


class PostgreSql(Work):
    """A server with three connections, and pgbench."""

    NOTIFY_SHARE = 0.25

    def bin(self) -> pathlib.Path:
        versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: path.parts[-3])
        if not versions:
            raise Missing("postgresql is not installed")
        return versions[-1].parent

    def as_nobody(self) -> list[str]:
        """PostgreSQL refuses to run as root."""
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []

    def prepare(self, folder: pathlib.Path, dpm: str) -> None:
        need("setpriv")
        bin, data, port = self.bin(), folder / "data", free_port()
        data.mkdir()
        if os.geteuid() == 0:
            shutil.chown(data, NOBODY, NOBODY)
        call([*self.as_nobody(), bin / "initdb", "-D", data, "-U", "bench", "-A", "trust", "--no-sync"], folder)
        start = [*self.as_nobody(), bin / "pg_ctl", "-w", "-D", data, "-o", f"-p {port} -k {data} -c fsync=off", "-l", data / "log"]
        call([*start, "start"], folder)
        try:
            call([bin / "createdb", "-h", "127.0.0.1", "-p", port, "-U", "bench", "bench"], folder)
            call([bin / "pgbench", "-i", "-q", "-h", "127.0.0.1", "-p", port, "-U", "bench", "bench"], folder)
        finally:
            call([*self.as_nobody(), bin / "pg_ctl", "-w", "-D", data, "stop"], folder)

    def script(self, folder: pathlib.Path) -> str:
        bin, data, port = self.bin(), folder / "data", free_port()
        words = " ".join(self.as_nobody())
        return f"""
{words} {bin}/postgres -D {data} -p {port} -k {data} -c fsync=off -c autovacuum=off -c listen_addresses=127.0.0.1 >/dev/null 2>&1 &
server=$!
until {bin}/pg_isready -q -h 127.0.0.1 -p {port}; do sleep 0.05; done
{NOW}
{bin}/pgbench -n -S -M prepared -c 3 -j 1 -t {self.amount(280_000)} -h 127.0.0.1 -p {port} -U bench bench >/dev/null 2>&1
{NOW}
kill $server
wait $server"""


class Tsp(Work):
    """A travelling salesman's controller and six servers over sockets."""

    def prepare(self, folder: pathlib.Path, dpm: str) -> None:
        self.dpm = dpm

    def script(self, folder: pathlib.Path) -> str:
        scenario = ROOT / "scenarios" / "tsp" / "scenario.json"
        size = 9 if self.quick else 14
        return f"""
{NOW}
{shlex.quote(self.dpm)} run {shlex.quote(str(scenario))} --native --set size={size} --set servers=6 --modelled-work >/dev/null
{NOW}"""


PROGRAMS: dict[str, Callable[[bool], Work]] = {"redis": Redis, "redis-one-client": RedisOneClient, "pipeline": Pipeline,
                                               "postgresql": PostgreSql, "tsp": Tsp}
