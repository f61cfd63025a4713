"""redis-server under redis-benchmark: 50 clients, each waiting for its answer before it asks again."""

import csv
import shutil
import subprocess
from typing import Any

import table
from server import Server, free_port, rates_in_turns
from ways import BPFTRACE, CONTINUE_ONLY, KERNEL, METERED, PERF, STRACE, Tools, UNMETERED

KERNEL_GOAL = table.Goal(">=", 0.92)
GOALS = {CONTINUE_ONLY: table.Goal(">=", 0.8), STRACE: table.Goal(">=", 6), PERF: table.Goal(">=", 2)}


def requests_per_second(port: int, requests: int) -> dict[str, Any]:
    done = subprocess.run(["redis-benchmark", "-p", str(port), "-t", "set,get", "-c", "50", "-n", str(requests), "--csv"],
                          capture_output=True, text=True, timeout=600, check=True)
    return {row["test"]: float(row["rps"]) for row in csv.DictReader(done.stdout.splitlines())}


def throughput(tools: Tools, turns: int, seconds: float) -> None:
    table.heading("redis-server under redis-benchmark -c 50, server metered: requests a second")
    missing = [tool for tool in ("redis-server", "redis-benchmark") if shutil.which(tool) is None]
    if missing:
        return table.note(f"skipped: {missing[0]} is not installed")
    ways = [way for way in (UNMETERED, KERNEL, BPFTRACE, CONTINUE_ONLY, METERED, STRACE, PERF) if tools.usable(way)]

    def rates_of(server: Any) -> dict[str, Any]:
        warm_up = requests_per_second(server.port, 1000)
        return requests_per_second(server.port, int(max(500, min(warm_up.values()) * seconds)))
    for test, rates in rates_in_turns(ways, turns, lambda way: start(tools, way), rates_of).items():
        show(test, rates)


def start(tools: Tools, way: str) -> Server:
    port, folder = free_port(), tools.folder()
    command = ["redis-server", "--port", port, "--save", "", "--appendonly", "no", "--dir", folder]
    return Server(tools.command(way, command, folder), port)


def show(test: Any, rates: Any) -> None:
    for way, goal in ((KERNEL, KERNEL_GOAL), (BPFTRACE, None)):
        if way not in rates:
            continue
        table.row(f"{test}: {way} / {UNMETERED}", table.ratio_of(rates[way], rates[UNMETERED]), goal,
                  f"{table.median(rates[way]):.0f} against {table.median(rates[UNMETERED]):.0f}")
    for way, goal in GOALS.items():
        if way in rates:
            table.row(f"{test}: metered / {way}", table.ratio_of(rates[METERED], rates[way]), goal,
                      f"{table.median(rates[METERED]):.0f} against {table.median(rates[way]):.0f}")
    table.shares(test, rates, UNMETERED)
