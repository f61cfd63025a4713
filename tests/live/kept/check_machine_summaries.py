#!/usr/bin/env python3
"""dpm meter --machine-summaries: load, memory, paging and disks in the stream of events, and in all that reads it."""
import sqlite3
import sys

from checking import Check, run

# Talks to itself for a while.
PROGRAM = """
import socket, time
ends = socket.socketpair()
end = time.monotonic() + 1.3
while time.monotonic() < end:
    ends[0].sendall(bytes(100))
    ends[1].recv(200)
    time.sleep(.01)
"""
PYTHON = ["--", sys.executable, "-c", PROGRAM]
QUANTITIES = {"load", "memory_bytes", "available_bytes", "major_faults"}


def recorded(check: Check) -> None:
    check.dpm("meter", "--wait", "--machine-summaries", "200ms", "-o", "out", *PYTHON)
    check.dpm("meter", "--wait", "-o", "plain", *PYTHON)
    statistics = check.json("statistics", "out")
    machine = statistics["summaries"][0]
    sums = {quantity["quantity"]: quantity for quantity in machine["quantities"]}
    check.holds("the quantities of every machine are there", QUANTITIES <= set(sums), sums)
    check.holds("as many as intervals, and the rest of one", 3 <= sums["load"]["count"] <= 12, sums["load"])
    check.holds("memory is that of the machine", sums["memory_bytes"]["mean"] > sums["available_bytes"]["most"] > 0, sums)
    check.holds("they cover the run", .8 < machine["covered_s"] < 60, machine["covered_s"])
    check.holds("nothing is lost", statistics["ledger"]["lost"] == 0, statistics["ledger"])
    names = {process["process"] for process in statistics["processes"]}
    check.holds("the meter is not one of the processes", not any("dpm" in name for name in names), names)
    check.holds("a trace without them has none", "summaries" not in check.json("statistics", "plain"))

    events = [event for event in check.json("events", "out") if event["event"] == "SUMMARY"]
    check.holds("each value is an event", len(events) == sum(quantity["count"] for quantity in sums.values()), len(events))
    check.holds("of the meter, outside the computation", all(not event.get("in_computation", True) for event in events), events[:1])
    check.dpm("export", "out", "--to", "sqlite", "-o", "out.db")
    with sqlite3.connect(check.folder / "out.db") as database:
        rows = database.execute("SELECT quantity, count(*), sum(value) FROM machine_summary GROUP BY quantity").fetchall()
    check.holds("SQLite has them", {row[0]: row[1] for row in rows} == {name: quantity["count"] for name, quantity in sums.items()}, rows)
    totals = {row[0]: row[2] for row in rows}
    check.holds("with the same totals", totals["major_faults"] == sums["major_faults"]["total"], (totals, sums["major_faults"]))

    (check.folder / "events.json").write_text(check.dpm("events", "out", "--json").stdout)
    check.dpm("import", "events.json", "-o", "again")
    check.holds("and so has an import of the events as JSON", check.json("statistics", "again")["summaries"] == statistics["summaries"])
    check.holds("P does not depend on them", check.json("parallelism", "out")["as_it_ran"]["P"] > 0)


def chosen(check: Check) -> None:
    check.dpm("meter", "--wait", "--machine-summaries", "200ms", "--flags=-summary", "-o", "without", *PYTHON)
    check.holds("flags leave them out", "summaries" not in check.json("statistics", "without"))
    (check.folder / "rules").write_text("type=20, quantity=0\n")
    check.dpm("meter", "--wait", "--machine-summaries", "200ms", "--templates", "rules", "-o", "loads", *PYTHON)
    kept = check.json("events", "loads")
    check.holds("rules select them by field", kept and all(event["quantity"] == "load" for event in kept), kept[:2])
    check.dpm("meter", "--wait", "--machine-summaries", "-o", "usual", *PYTHON)
    check.holds("without an interval, the rest of the first is covered", check.json("statistics", "usual")["summaries"])
    for wrong in ("0", "5ms", "often", "-1s"):
        check.dpm("meter", f"--machine-summaries={wrong}", "-o", "no", *PYTHON, status=2)


def merged(check: Check) -> None:
    for name in ("red", "blue"):
        check.dpm("meter", "--wait", "--machine-summaries", "300ms", "-o", name, *PYTHON)
    check.dpm("merge", "red", "blue", "-o", "both")
    both = check.json("statistics", "both")["summaries"]
    each = [check.json("statistics", name)["summaries"][0]["quantities"] for name in ("red", "blue")]
    counts = sorted(sums["count"] for machine in both for sums in machine["quantities"])
    wanted = sorted(sums["count"] for quantities in each for sums in quantities)
    check.holds("a merged trace has those of all", sum(counts) == sum(wanted), (counts, wanted))


if __name__ == "__main__":
    sys.exit(run([recorded, chosen, merged]))
