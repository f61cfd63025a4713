#!/usr/bin/env python3
"""redis-server and redis-benchmark on one core and on two."""

import csv
import pathlib
import socket
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from real_programs import Placement, Run, Study, call, main

CLIENTS, REQUESTS = 1, 10_000  # of each kind
SCRIPT = """
taskset -c {server} redis-server --port {port} --save '' --appendonly no --dir . >/dev/null &
until redis-cli -p {port} ping >/dev/null 2>&1; do :; done
taskset -c {client} redis-benchmark -p {port} -t set,get -c {clients} -n {requests} --csv
redis-cli -p {port} shutdown nosave
wait
"""


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        result: int = tried.getsockname()[1]
        return result


def play(run: Run) -> float:
    script = SCRIPT.format(server=run.cpu("redis-server"), client=run.cpu("redis-benchmark"), port=free_port(), clients=CLIENTS, requests=REQUESTS)
    said = call([*run.prefix, "sh", "-c", script], run.folder).stdout
    return sum(REQUESTS / float(row["rps"]) for row in csv.DictReader(said.splitlines()))


main(Study(programs=["redis-server", "redis-benchmark", "redis-cli"],
           placements=[Placement("one-core", {"redis-server": 0, "redis-benchmark": 0}),
                       Placement("two-cores", {"redis-server": 0, "redis-benchmark": 1})],
           traced_on=["one-core", "two-cores"], play=play, over="tcp", processes=["redis-server", "redis-benchmark"],
           timed="redis-benchmark"))
