#!/usr/bin/python3
"""PostgreSQL on one host, pgbench on another: transactions whose sums must agree, each client on its own connection."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
import system as systems
from validation import validate

CLIENTS, ACCOUNT = 4, "tester"
SUMS = """select (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history),
                 (select sum(tbalance) from pgbench_tellers) = (select sum(delta) from pgbench_history),
                 (select sum(bbalance) from pgbench_branches) = (select sum(delta) from pgbench_history),
                 (select count(*) from pgbench_history)"""


def programs_folder() -> pathlib.Path:
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if not versions:
        raise systems.Missing("postgresql is not installed")
    return versions[-1].parent


def play(system: systems.System) -> None:
    folder = programs_folder()
    server_host, client_host = system.hosts
    data = system.own_folder(server_host, "database", for_nobody=True) / "data"
    system.on(server_host, system.unprivileged([folder / "initdb", "-D", data, "-U", ACCOUNT, "--auth=trust", "--no-sync", "--no-locale",
                                          "-E", "UTF8"]))
    system.on(server_host, f"echo host all all samenet trust >>{data}/pg_hba.conf")
    server = system.start(server_host, "postgres", [folder / "postgres", "-D", data, "-k", data, "-c", "listen_addresses=*",
                                                    "-c", "fsync=off"], as_nobody=True)
    to_server = ["-h", server_host, "-U", ACCOUNT]
    ready = [folder / "pg_isready", *to_server]
    system.wait_until("PostgreSQL is ready", lambda: system.on(client_host, ready, check=False).returncode == 0)
    transactions = 200 if system.quick else 5000
    system.run(client_host, "fill", [folder / "pgbench", *to_server, "-i", "-s", "1", "-q", "postgres"])
    load = system.run(client_host, "pgbench", [folder / "pgbench", *to_server, "-c", CLIENTS, "-j", 2, "-t", transactions, "postgres"])
    if not re.search(r"failed transactions: 0 ", load.words()):
        raise systems.Failed(f"pgbench:\n{load.words()}")
    sums = system.run(client_host, "sums", [folder / "psql", *to_server, "-Atc", SUMS, "postgres"]).words()
    if f"t|t|t|{CLIENTS * transactions}" not in sums:
        raise systems.Failed(f"the sums of the transactions do not agree: {sums}")
    system.stop(server, "INT")


validate(__file__, [], play, also=programs_folder)
