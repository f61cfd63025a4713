#!/usr/bin/env python3
"""check_ring.py DPM

A token goes around eight machines, so no two of them exchange messages both ways. Their clocks are wrong by up to an hour and run
up to 200 parts in a million too fast or too slow. `dpm clocks` must know all 28 offsets within a millisecond, and no message may be
received before it was sent, wherever DPM puts the times of several machines on one axis.
"""
import collections
import csv
import io
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

DPM = sys.argv[1]
MACHINES, LAPS, SEED = 8, 400, 1
MILLISECOND, HOUR = 1_000_000, 3600 * 10**9
LAP_NS = 50 * MILLISECOND
LATENCY_MOST_NS = 20 * MILLISECOND
failures = []


class Clock:
    def __init__(self) -> None:
        self.offset_ns = random.randrange(10 * HOUR - HOUR, 10 * HOUR + HOUR)
        self.rate_ppm = random.randrange(-200, 201)

    def reading(self, true_ns: int) -> int:
        return self.offset_ns + true_ns + true_ns * self.rate_ppm // 10**6

    def true_ns(self, reading: int) -> float:
        return (reading - self.offset_ns) / (1 + self.rate_ppm / 10**6)


def complain(text: str) -> None:
    failures.append(text)
    print(f"export_ring, seed {SEED}: {text}")


def run(*words: str) -> str:
    done = subprocess.run((DPM,) + words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"dpm {' '.join(words)}: {done.stderr}")
    return done.stdout


def events(clocks: list[Clock]) -> list[dict[str, object]]:
    made = []
    for lap in range(LAPS):
        now = lap * LAP_NS
        for here in range(MACHINES):
            there = (here + 1) % MACHINES
            arrives = now + 20_000 + int(random.expovariate(1 / 60_000))
            for kind, of, peer, at in (("SEND", here, there, now), ("RECEIVE", there, here, arrives)):
                made.append({"event": kind, "process": f"p{of}", "peer": f"p{peer}", "machine": f"m{of}", "channel": here,
                             "number": lap + 1, "length_bytes": 8, "local_time_ns": clocks[of].reading(at)})
            now = arrives + 10_000
    return made


def check_clocks(trace: str, clocks: list[Clock]) -> None:
    document = json.loads(run("clocks", trace, "--json"))
    if len(document["relations"]) != MACHINES * (MACHINES - 1) // 2 or document["warnings"]:
        complain(f"{len(document['relations'])} relations, warnings {document['warnings']}")
    for known in document["relations"]:
        a, b = (clocks[int(known[name][1:])] for name in "ab")
        true_ns = a.true_ns(known["at_a_ns"])
        truth = b.offset_ns + true_ns * (1 + b.rate_ppm / 10**6) - known["at_a_ns"]
        low, high = known["offset_low_ns"], known["offset_high_ns"]
        if low is None or high is None or not truth - MILLISECOND < low - 2 <= truth <= high + 2 < truth + MILLISECOND:
            complain(f"{known['a']} and {known['b']}: offset {truth}, known as {low} to {high}")


def check_latencies(what: str, latencies: list[float]) -> None:
    if len(latencies) != LAPS * MACHINES:
        complain(f"{what}: {len(latencies)} messages of {LAPS * MACHINES}")
    elif min(latencies) < 0 or max(latencies) > LATENCY_MOST_NS:
        complain(f"{what}: messages take {min(latencies)} to {max(latencies)} ns")


def joined(ends: dict[tuple[object, object], dict[str, float]]) -> list[float]:
    return [end["RECEIVE"] - end["SEND"] for end in ends.values() if len(end) == 2]


def check_exports(trace: str, folder: str) -> None:
    ends: dict[tuple[object, object], dict[str, float]] = collections.defaultdict(dict)
    for row in csv.DictReader(io.StringIO(run("export", trace, "--to", "csv"))):
        if row["message"] == "1":
            ends[row["channel"], row["sequence"]][row["type"]] = int(row["axis_ns"])
    check_latencies("csv", joined(ends))

    path = os.path.join(folder, "ring.sqlite")
    run("export", trace, "--to", "sqlite", "-o", path)
    database = sqlite3.connect(path)
    check_latencies("sqlite", [row[0] for row in database.execute("SELECT received_ns - sent_ns FROM message")])
    (widths,) = database.execute("SELECT count(*) FROM clock_offset WHERE high_ns - low_ns < 1000000").fetchall()
    if widths[0] != MACHINES * (MACHINES - 1) // 2:
        complain(f"sqlite: {widths[0]} offsets are known within a millisecond")

    ends.clear()
    for event in json.loads(run("events", trace, "--json")):
        if event["event"] in ("SEND", "RECEIVE"):
            ends[event["channel"], event["number"]][event["event"]] = event["time_s"] * 1e9
    check_latencies("events", [round(latency) for latency in joined(ends)])

    ends.clear()
    for event in json.loads(run("export", trace, "--to", "perfetto"))["traceEvents"]:
        if event["ph"] in "sf":
            ends[event["id"], 0]["SEND" if event["ph"] == "s" else "RECEIVE"] = event["ts"] * 1000
    check_latencies("perfetto", [round(latency) for latency in joined(ends)])

    links: dict[str, list[float]] = collections.defaultdict(list)
    for match in re.finditer(r"^(?:9|10) (\S+) LM 0 \S+ message (\S+)$", run("export", trace, "--to", "paje"), re.M):
        links[match[2]].append(float(match[1]) * 1e9)
    check_latencies("paje", [round(received - sent) for sent, received in links.values()])

    if shutil.which("otf2-print") is None:
        return
    path = os.path.join(folder, "ring.otf2")
    run("export", trace, "--to", "otf2", "-o", path)
    printed = subprocess.run(("otf2-print", os.path.join(path, "traces.otf2")), capture_output=True, text=True, check=True).stdout
    sent: dict[str, list[int]] = collections.defaultdict(list)
    received: dict[str, list[int]] = collections.defaultdict(list)
    for match in re.finditer(r"^MPI_(SEND|RECV) +\d+ +(\d+) +.*Tag: (\d+), Length", printed, re.M):
        (sent if match[1] == "SEND" else received)[match[3]].append(int(match[2]))
    check_latencies("otf2", [to - at for tag in sent for at, to in zip(sent[tag], received[tag])])


def main() -> None:
    random.seed(SEED)
    clocks = [Clock() for _ in range(MACHINES)]
    with tempfile.TemporaryDirectory() as folder:
        recording, trace = os.path.join(folder, "ring.json"), os.path.join(folder, "trace")
        with open(recording, "w") as file:
            json.dump(events(clocks), file)
        run("import", recording, "--from", "dpm-json", "-o", trace)
        check_clocks(trace, clocks)
        check_exports(trace, folder)
    if not failures:
        print("all offsets of the ring are known, and no message arrives before it was sent")
    sys.exit(1 if failures else 0)


main()
