#!/usr/bin/env python3
"""check_planted.py DPM

One thing is changed in each of 60 random systems, 20 times each: a server is 20 % slower, some requests take one path more, one type
of message is larger. dpm diff must name it first.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from typing import Any

DPM = sys.argv[1]
ROUNDS = 20


def system(draw: random.Random, change: str | None) -> Any:
    """Clients ask a front, which asks some of the servers, and these a store."""
    servers = [f"server_{n}" for n in range(draw.randint(2, 4))]
    compute = {name: round(draw.uniform(.002, .02), 5) for name in servers + ["front", "store"]}
    asks = {name: draw.randint(100, 900) for name in servers}
    answers = {name: draw.randint(500, 4000) for name in servers}
    with_store = draw.sample(servers, draw.randint(1, len(servers) - 1))
    victim = draw.choice(servers)
    other = draw.choice([name for name in servers if name not in with_store])
    if change == "slower":
        compute[victim] *= 1.2
    if change == "larger":
        answers[victim] = int(answers[victim] * 1.5)
    if change == "path":
        with_store.append(other)
    programs = {
        "client": {"start": [{"repeat": draw.randint(10, 30), "do": [
            {"compute_s": .005}, {"call": "ask", "to": "front", "bytes": 100}]}]},
        "front": {"on": [{"kind": "ask", "do": [{"compute_s": compute["front"]}] + [
            {"call": "work", "to": name, "bytes": asks[name]} for name in servers] + [{"reply": "done", "bytes": 300}]}]},
        "store": {"on": [{"kind": "read", "do": [{"compute_s": compute["store"]}, {"reply": "page", "bytes": 4096}]}]},
    }
    for name in servers:
        read = [{"call": "read", "to": "store", "bytes": 64}] if name in with_store else []
        programs[name] = {"on": [{"kind": "work", "do": [{"compute_s": compute[name]}] + read + [
            {"reply": "result", "bytes": answers[name]}]}]}
    machines = [f"machine_{n}" for n in range(draw.randint(2, 4))]
    processes = [{"name": "client", "count": draw.randint(1, 3), "program": "client", "machine": machines[0],
                  "in_computation": False}]
    processes += [{"name": name, "program": name, "machine": draw.choice(machines)}
                  for name in ["front", "store"] + servers]
    return {"name": "planted", "machines": machines, "programs": programs, "processes": processes}, victim, other


def traced(folder: str, name: str, scenario: Any) -> str:
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as file:
        json.dump(scenario, file)
    subprocess.run([DPM, "run", path, "-o", os.path.join(folder, name)], check=True, capture_output=True)
    return os.path.join(folder, name)


def first_named(result: Any, change: str, victim: Any, other: Any) -> bool:
    """Whether the first thing that dpm diff says is what was changed."""
    if change == "path":
        structure = result["structure"]
        return bool(structure) and structure[0]["change"] == "new_path" and [other, "store"] in [
            structure[0]["names"][i:i + 2] for i in range(len(structure[0]["names"]) - 1)]
    if result["structure"]:
        return False
    first = result["measures"][0]
    if change == "larger":
        return bool(first["measure"] == "bytes" and first["changes"][0]["process"] == victim)
    return bool(first["measure"] in ("elapsed_s", "cpu_s") and first["changes"][0]["process"] == victim)


failures = 0
for change in ("slower", "path", "larger"):
    right = 0
    for seed in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            before, _, _ = system(random.Random(f"{change} {seed}"), None)
            after, victim, other = system(random.Random(f"{change} {seed}"), change)
            a, b = traced(folder, "a", before), traced(folder, "b", after)
            done = subprocess.run([DPM, "diff", a, b, "--json"], check=True, capture_output=True, text=True)
            result = json.loads(done.stdout)
            if first_named(result, change, victim, other):
                right += 1
            else:
                print(f"{change}, seed {seed}: {victim if change != 'path' else other + ' > store'} was changed; first are",
                      result["structure"][:2], [(m["measure"], m["changes"][:2]) for m in result["measures"][:2]])
    print(f"{change}: named first in {right} of {ROUNDS}")
    failures += ROUNDS - right
sys.exit(1 if failures else 0)
