"""PostgreSQL under pgbench: eight clients that only select, prepared statements, over TCP."""

import contextlib
import os
import pathlib
import re
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import table
from server import Server, free_port, rates_in_turns
from ways import CONTINUE_ONLY, KERNEL, METERED, STRACE, Tools, UNMETERED, ordinary_user

WAYS = [UNMETERED, KERNEL, CONTINUE_ONLY, METERED, STRACE]


def programs() -> pathlib.Path | None:
    """The folder of the newest installed version's programs."""
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: path.parts[-3])
    return versions[-1].parent if versions else None


class Database:
    """A new cluster in a folder; PostgreSQL refuses to run as root."""

    def __init__(self, tools: Tools, bin_folder: pathlib.Path) -> None:
        self.bin, self.folder, self.user = bin_folder, tools.folder(), ordinary_user()
        self.data, self.port = self.folder / "data", free_port()
        self.environment = {**os.environ, "HOME": str(self.folder), "PGUSER": "bench"}
        self._run("initdb", "-D", self.data, "-U", "bench", "-A", "trust", "--no-sync")

    def _run(self, program: str, *words: str | int | pathlib.Path) -> str:
        done = subprocess.run([str(self.bin / program), *map(str, words)], capture_output=True, text=True, timeout=300,
                              cwd=self.folder, env=self.environment, **self.user)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr.strip()}")
        result: str = done.stdout
        return result

    def server(self, tools: Tools, way: str) -> Server:
        command = [self.bin / "postgres", "-D", self.data, "-p", self.port, "-k", self.folder, "-c", "fsync=off", "-c",
                   "listen_addresses=127.0.0.1"]
        # Only root may use the kernel source, so it acquires the server when that runs; its backends begin later.
        words = tools.command(UNMETERED if way == KERNEL else way, command, tools.folder())
        return Server(words, self.port, self.user, self.folder)

    def metered(self, tools: Tools, way: str) -> Any:
        postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
        return tools.acquired(postmaster, tools.folder()) if way == KERNEL else contextlib.nullcontext()

    def wait_until_ready(self, patience_s: int = 60) -> str:
        """Its port is open before it takes questions, and after it was killed it first reads its log again."""
        until = time.monotonic() + patience_s
        while True:
            try:
                return self._run("pg_isready", "-q", *self._address())
            except RuntimeError:
                if time.monotonic() > until:
                    raise
                time.sleep(.1)

    def fill(self) -> None:
        self.wait_until_ready()
        self._run("createdb", *self._address(), "bench")
        self._run("pgbench", "-i", "-q", *self._address(), "bench")

    def transactions_per_second(self, seconds: float) -> float:
        said = self._run("pgbench", "-S", "-M", "prepared", "-c", "8", "-j", "2", "-T", max(1, round(seconds)),
                         *self._address(), "bench")
        return float(re.findall(r"^tps = ([\d.]+)", said, re.MULTILINE)[0])

    def _address(self) -> list[Any]:
        return ["-h", "127.0.0.1", "-p", str(self.port)]


def throughput(tools: Tools, turns: int, seconds: float) -> None:
    table.heading("PostgreSQL under pgbench -S -M prepared -c 8, server metered: transactions a second")
    bin_folder = programs()
    if bin_folder is None:
        return table.note("skipped: postgresql is not installed")
    ways = [way for way in WAYS if tools.usable(way)]
    database = Database(tools, bin_folder)
    with database.server(tools, UNMETERED):
        database.fill()

    @contextlib.contextmanager
    def start(way: str) -> Iterator[Database]:
        with database.server(tools, way):
            database.wait_until_ready()
            with database.metered(tools, way):
                yield database
    rates = rates_in_turns(ways, turns, start, lambda running: {"transactions": running.transactions_per_second(seconds)})["transactions"]
    if KERNEL in rates:
        table.row(f"{KERNEL} / {UNMETERED}", table.ratio_of(rates[KERNEL], rates[UNMETERED]), table.Goal(">=", 0.97),
                  f"{table.median(rates[KERNEL]):.0f} against {table.median(rates[UNMETERED]):.0f}")
    for way, goal in ((CONTINUE_ONLY, None), (STRACE, table.Goal(">=", 1.3))):
        if way in rates:
            table.row(f"metered / {way}", table.ratio_of(rates[METERED], rates[way]), goal,
                      f"{table.median(rates[METERED]):.0f} against {table.median(rates[way]):.0f}")
    table.shares("pgbench", rates, UNMETERED)
