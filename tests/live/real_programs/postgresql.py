#!/usr/bin/python3
"""PostgreSQL from initdb on, as an ordinary user, with pgbench and the sums that its transactions must keep equal."""

import os
import pathlib
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program
import running

SUMS = """select (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history),
                 (select sum(tbalance) from pgbench_tellers) = (select sum(delta) from pgbench_history),
                 (select sum(bbalance) from pgbench_branches) = (select sum(delta) from pgbench_history),
                 (select count(*) from pgbench_history) = """


def programs_folder() -> pathlib.Path | None:
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


def play(session: real_program.Session) -> None:
    folder = programs_folder()
    assert folder is not None, "initdb was looked for before"
    account: dict[str, Any] = {"user": running.NOBODY, "group": running.NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    data, port = session.folder / "data", str(real_program.free_port())
    done = session.run([folder / "initdb", "-D", data, "-U", "tester", "--auth=trust", "--no-sync", "--no-locale", "-E", "UTF8"],
                       metered=session.mode == "metered", **account)
    session.note("initdb", (done.returncode, data.joinpath("PG_VERSION").exists()))
    server = session.start([folder / "postgres", "-D", data, "-p", port, "-k", session.folder, "-c", "listen_addresses=127.0.0.1",
                            "-c", "fsync=off"], **account)
    session.wait_for_port(int(port))
    own = ["-h", "127.0.0.1", "-p", port, "-U", "tester"]
    is_ready = folder / "pg_isready"
    real_program.wait_until("the server is ready",
                            lambda: session.run([is_ready, *own], **account).returncode == 0)
    done = session.run([folder / "pgbench", *own, "-i", "-s", "1", "-q", "postgres"], **account)
    session.note("pgbench -i", done.returncode)
    results, transactions = set(), 0
    for _ in session.rounds():
        done = session.run([folder / "pgbench", *own, "-c", "4", "-t", "100", "postgres"], **account)
        failed = [line for line in done.stdout.splitlines() if "failed" in line or "actually processed" in line]
        results.add((done.returncode, *failed))
        transactions += 400
    session.note("pgbench", results)
    done = session.run([folder / "psql", *own, "-Atc", SUMS + str(transactions), "postgres"], **account)
    session.note("sums agree", (done.returncode, done.stdout, done.stderr))
    session.note("the server's end", session.stop(server))


if programs_folder() is None:
    running.skip("postgresql is not installed")
real_program.main(play)
