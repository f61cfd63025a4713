"""What one recorded call costs, compared with a notification that is answered at once; and calls that cost nothing."""

import subprocess
from typing import Any

import table
from ways import BPFTRACE, CONTINUE_ONLY, KERNEL, METERED, PERF, STRACE, Tools, UNMETERED

KINDS = {
    "tcp": "TCP send and recv",
    "unix": "UNIX socket send and recv",
    "pipe": "pipe write and read",
    "tcp_empty": "TCP recv of nothing",
    "file": "read of a file, not recorded",
}


def nanoseconds(tools: Tools, way: str, kind: str, seconds: float) -> float:
    """Of one call in a tight loop of such calls."""
    done = subprocess.run(tools.command(way, [tools.call_loop, kind, seconds], tools.folder()), capture_output=True, text=True,
                          timeout=60 + 10 * seconds)
    if done.returncode != 0:
        raise RuntimeError(f"call_loop {kind} {way}: {done.stderr}")
    return float(done.stdout.split()[0])


def in_turns(tools: Tools, ways: list[str], kind: str, turns: int, seconds: float) -> dict[str, list[float]]:
    measured: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(turns):
        for way in ways:
            measured[way].append(nanoseconds(tools, way, kind, seconds))
    return measured


def recorded_calls(tools: Tools, turns: int, seconds: float) -> None:
    table.heading("one recorded call, against a notification answered CONTINUE at once (tight loop, one thread)")
    for kind, what in KINDS.items():
        measured = in_turns(tools, [UNMETERED, CONTINUE_ONLY, METERED], kind, turns, seconds)
        us = {way: table.median(values) / 1000 for way, values in measured.items()}
        goal = None if kind == "file" else table.Goal("<=", 1.5)
        table.row(what, table.ratio_of(measured[METERED], measured[CONTINUE_ONLY]), goal,
                  f"{us[METERED]:.1f} us, answered at once {us[CONTINUE_ONLY]:.1f}, unmetered {us[UNMETERED]:.1f}")


def calls_recorded_in_the_kernel(tools: Tools, turns: int, seconds: float) -> None:
    table.heading("one call recorded by the kernel source: what it adds (tight loop, one thread)")
    if not tools.usable(KERNEL):
        return
    others = [way for way in (BPFTRACE, PERF, STRACE) if tools.usable(way)]
    for kind, what in KINDS.items():
        measured = in_turns(tools, [UNMETERED, KERNEL, *others], kind, turns, seconds)
        added = {way: table.median([(there - bare) / 1000 for there, bare in zip(measured[way], measured[UNMETERED])])
                 for way in (KERNEL, *others)}
        table.amount(what, added[KERNEL], "us", None if kind == "file" else table.Goal("<=", 0.4),
                     f"unmetered {table.median(measured[UNMETERED]) / 1000:.2f} us; " +
                     ", ".join(f"{way} adds {added[way]:.2f}" for way in others))
    for kind, what in (("tcp", "TCP send and recv"), ("file", "read of a file")):
        alone, beside = beside_a_metered_one(tools, KERNEL, kind, turns, seconds)
        table.row(f"an unmetered process beside one: {what}", table.ratio_of(alone, beside), None,
                  f"{(table.median(beside) - table.median(alone)) / 1000:+.2f} us a call")


def beside_a_metered_one(tools: Tools, way: str, kind: str, turns: int, seconds: float) -> Any:
    alone, beside = [], []
    for _ in range(turns):
        alone.append(nanoseconds(tools, UNMETERED, kind, seconds))
        metered = subprocess.Popen(tools.command(way, ["sleep", "1000"], tools.folder()), stderr=subprocess.PIPE)
        try:
            beside.append(nanoseconds(tools, UNMETERED, kind, seconds))
        finally:
            metered.kill()
            metered.communicate()
    return alone, beside


def what_costs_nothing(tools: Tools, turns: int, seconds: float) -> None:
    table.heading("speed of what makes no metered calls, against the same unmetered")
    measured = in_turns(tools, [UNMETERED, METERED], "compute", 2 * turns, seconds)
    table.row("a metered loop without calls", table.ratio_of(measured[UNMETERED], measured[METERED]), table.Goal(">=", 0.99))

    alone, beside = beside_a_metered_one(tools, METERED, "tcp", 2 * turns, seconds)
    table.row("an unmetered process beside a metered one", table.ratio_of(alone, beside), table.Goal(">=", 0.99))
