"""What a request costs beside many calls that wait."""

import subprocess

import table
from ways import KERNEL, METERED, Tools, UNMETERED

REQUESTS = 300
WAITING = [1000, 4000]
GOAL = 2  # times what it costs beside none


def seconds(tools: Tools, way: str, threads: int) -> float:
    """Of all requests together."""
    done = subprocess.run(tools.command(way, [tools.idle_threads, threads, REQUESTS], tools.folder()), capture_output=True, text=True,
                          timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"idle_threads {threads} {way}: {done.stderr}")
    return float(done.stdout.split()[0])


def requests(tools: Tools, turns: int) -> None:
    table.heading(f"{REQUESTS} requests to a server whose other threads wait in recv(), against the same without other threads")
    ways = [UNMETERED, METERED] + ([KERNEL] if tools.usable(KERNEL) else [])
    for way in ways:
        measured: dict[int, list[float]] = {threads: [] for threads in (0, *WAITING)}
        for _ in range(turns):
            for threads in measured:
                measured[threads].append(seconds(tools, way, threads))
        for threads in WAITING:
            table.row(f"{threads} idle threads, {way}", table.ratio_of(measured[threads], measured[0]),
                      table.Goal("<=", GOAL) if way == METERED else None,
                      f"{table.median(measured[threads]) * 1e6 / REQUESTS:.0f} us a request, "
                      f"without {table.median(measured[0]) * 1e6 / REQUESTS:.0f}")
