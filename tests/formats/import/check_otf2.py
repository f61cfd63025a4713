#!/usr/bin/env python3
"""check_otf2.py DPM SOURCE

What dpm export writes as OTF2, dpm import reads: each pair of processes has the same messages and bytes, the machines are the same, and
times of CPU and waits are those of the archive. Damaged archives are refused, or what they lack is stated.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
from typing import Any

DPM, SOURCE = sys.argv[1:3]
failures = []
DAMAGED = 40


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([DPM, *words], capture_output=True, text=True, timeout=60)


def traffic(trace: str) -> tuple[list[tuple[Any, Any, Any, Any]], list[tuple[Any, Any]]]:
    result = json.loads(run("statistics", trace, "--json").stdout)
    return (sorted((m["from"], m["to"], m["count"], m["bytes"]) for m in result["messages"]),
            sorted((p["process"], p["machine"]) for p in result["processes"] if p["sent"] + p["received"]))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name in ("ring", "pipeline", "two-phase-commit", "file-system"):
        run("run", os.path.join(SOURCE, "scenarios", name, "scenario.json"), "--base-only", "-o", name)
        run("export", name, "--to", "otf2", "-o", name + ".otf2")
        done = run("import", name + ".otf2", "--from", "otf2", "-o", name + ".back")
        if done.returncode != 0 or traffic(name) != traffic(name + ".back"):
            failures.append(f"{name}: what came back differs: {done.stderr}")
    # A process that computes for 3 s, waits, and computes for 1 s, has used 4 s of CPU time.
    with open("two.json", "w") as file:
        json.dump({"name": "two", "machines": ["red", "blue"], "programs": {
            "a": {"start": [{"compute_s": 3}, {"call": "ask", "to": "b", "bytes": 10}, {"compute_s": 1}, {"send": "end", "to": "b", "bytes": 10}]},
            "b": {"on": [{"kind": "ask", "do": [{"compute_s": 2}, {"reply": "answer", "bytes": 10}]}, {"kind": "end", "do": []}]}},
            "processes": [{"name": "a", "program": "a", "machine": "red"}, {"name": "b", "program": "b", "machine": "blue"}]}, file)
    run("run", "two.json", "--base-only", "-o", "two")
    run("export", "two", "--to", "otf2", "-o", "two.otf2")
    run("import", "two.otf2", "--from", "otf2", "-o", "two.back")
    cpu = {p["process"]: p["cpu_s"] for p in json.loads(run("statistics", "two.back", "--json").stdout)["processes"]}
    if not (3.99 < cpu["a"] < 4.01 and 1.99 < cpu["b"] < 2.02):
        failures.append(f"CPU times are {cpu}")

    draw = random.Random(5)
    outcomes: dict[Any, Any] = {}
    files = sorted(os.path.join(root, name) for root, _, names in os.walk("ring.otf2") for name in names)
    for _ in range(DAMAGED):
        shutil.rmtree("bad.otf2", ignore_errors=True)
        shutil.rmtree("bad", ignore_errors=True)
        shutil.copytree("ring.otf2", "bad.otf2")
        victim = draw.choice(files).replace("ring.otf2", "bad.otf2", 1)
        data = bytearray(pathlib.Path(victim).read_bytes())
        if draw.random() < .2:
            data = data[:draw.randrange(len(data) + 1)]
        for _ in range(draw.randint(1, 4)):
            if data:
                data[draw.randrange(min(len(data), 400))] = draw.randrange(256)
        pathlib.Path(victim).write_bytes(data)
        status = run("import", "bad.otf2", "--from", "otf2", "-o", "bad").returncode
        outcomes[status] = outcomes.get(status, 0) + 1
    if not set(outcomes) <= {0, 2}:
        failures.append(f"damaged archives: exit statuses {outcomes}")
    print(f"{DAMAGED} damaged archives: exit statuses {outcomes}")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
