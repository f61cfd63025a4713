#!/usr/bin/env python3
"""PostgreSQL and pgbench, which only selects, on one core and on two."""

import os
import pathlib
import re
import shutil
import socket
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from real_programs import Missing, Placement, Run, Study, call, main

NOBODY = 65534
CLIENTS, TRANSACTIONS = 4, 6000
SCRIPT = """
taskset -c {server} {bin}/postgres -D {data} -p {port} -k {data} -c fsync=off -c autovacuum=off -c listen_addresses=127.0.0.1 \
  >/dev/null 2>&1 &
until {bin}/pg_isready -q -h 127.0.0.1 -p {port}; do sleep 0.05; done
taskset -c {client} {bin}/pgbench -n -S -M prepared -c {clients} -j 1 -t {transactions} -h 127.0.0.1 -p {port} -U bench bench
kill %1
wait
"""


def programs() -> pathlib.Path:
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: path.parts[-3])
    if not versions:
        raise Missing("postgresql is not installed")
    return versions[-1].parent


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        result: int = tried.getsockname()[1]
        return result


def as_nobody() -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []


def prepare(folder: pathlib.Path) -> None:
    data = folder / "data"
    data.mkdir()
    if os.geteuid() == 0:
        shutil.chown(data, NOBODY, NOBODY)
    call([*as_nobody(), programs() / "initdb", "-D", data, "-U", "bench", "-A", "trust", "--no-sync"], folder)
    port = free_port()
    start = [*as_nobody(), programs() / "pg_ctl", "-w", "-D", data, "-o", f"-p {port} -k {data} -c fsync=off", "-l", data / "log"]
    call([*start, "start"], folder)
    try:
        call([programs() / "createdb", "-h", "127.0.0.1", "-p", port, "-U", "bench", "bench"], folder)
        call([programs() / "pgbench", "-i", "-q", "-h", "127.0.0.1", "-p", port, "-U", "bench", "bench"], folder)
    finally:
        call([*as_nobody(), programs() / "pg_ctl", "-w", "-D", data, "stop"], folder)


def play(run: Run) -> float:
    script = SCRIPT.format(server=run.cpu("postgres"), client=run.cpu("pgbench"), bin=programs(), data=run.folder / "data",
                           port=free_port(), clients=CLIENTS, transactions=TRANSACTIONS)
    said = call([*run.prefix, *as_nobody(), "bash", "-c", script], run.folder).stdout
    rate = float(re.findall(r"^tps = ([\d.]+)", said, re.MULTILINE)[0])
    connecting_ms = float(re.findall(r"^initial connection time = ([\d.]+) ms", said, re.MULTILINE)[0])
    return CLIENTS * TRANSACTIONS / rate + connecting_ms / 1000


main(Study(programs=["setpriv"],
           placements=[Placement("one-core", {"postgres": 0, "pgbench": 0}), Placement("two-cores", {"postgres": 0, "pgbench": 1})],
           traced_on=["one-core", "two-cores"], play=play, prepare=prepare, over="tcp", processes=["postgres", "pgbench"],
           timed="pgbench"))
