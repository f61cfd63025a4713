#!/usr/bin/env python3
"""check_dpm_json.py DPM SOURCE

What dpm events --json prints, dpm import reads: messages, bytes, CPU times and P without delays are those of the trace. Events that another
program writes, with the least that an event needs, become a trace too. What is wrong is refused by name, and nothing is written.
"""
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

DPM, SOURCE = os.path.abspath(sys.argv[1]), sys.argv[2]
LEAST = [{"event": "send", "process": "a", "peer": "b", "channel": 5, "time_s": 1, "length_bytes": 10},
         {"event": "send", "process": "a", "peer": "b", "channel": 5, "time_s": 2, "length_bytes": 20},
         {"event": "receive", "process": "b", "peer": "a", "channel": 5, "time_s": 3, "length_bytes": 10, "machine": "blue"},
         {"event": "receive", "process": "b", "peer": "a", "channel": 5, "time_s": 4, "length_bytes": 20, "machine": "blue"}]
REFUSED = {
    "not JSON": "{]",
    "no event is called 'SENT'": json.dumps([LEAST[0] | {"event": "SENT"}]),
    "it has no 'event'": '{"process": "a"}',
    "it has no 'process'": '{"event": "SEND", "time_s": 1}',
    "neither 'local_time_ns' nor 'time_s'": '[{"event": "SEND", "process": "a"}]',
    "its times are impossible": json.dumps([LEAST[0] | {"local_time_ns": 2**62}]),
    "the clock of 'a' runs backwards": json.dumps([LEAST[1], LEAST[0]]),
    "a WAIT is not for 'fun'": '{"event": "WAIT", "process": "a", "time_s": 1, "for": "fun"}',
    "it has no events": "[]",
    "bad:2: no event": json.dumps(LEAST[0]) + "\n" + json.dumps(LEAST[1] | {"event": "x"}),
}
failures = []


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([DPM, *words], capture_output=True, text=True, timeout=60)


def numbers(trace: str) -> tuple[list[tuple[Any, Any, Any, Any]], list[tuple[Any, Any, Any]], Any, Any]:
    statistics = json.loads(run("statistics", trace, "--json").stdout)
    steps = json.loads(run("parallelism", trace, "--json", "--method", "none").stdout)
    return (sorted((m["from"], m["to"], m["count"], m["bytes"]) for m in statistics["messages"]),
            sorted((p["process"], p["machine"], p["cpu_s"]) for p in statistics["processes"]), steps["as_it_ran"], steps["no_delay"])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name in ("ring", "pipeline", "broker", "file-system"):
        run("run", os.path.join(SOURCE, "scenarios", name, "scenario.json"), "--base-only", "-o", name)
        with open(name + ".json", "w") as file:
            file.write(run("events", name, "--json").stdout)
        done = run("import", name + ".json", "--from", "dpm-json", "-o", name + ".back")
        if done.returncode != 0 or numbers(name) != numbers(name + ".back"):
            failures.append(f"{name}: what came back differs: {done.stderr} {numbers(name)[2:]} {numbers(name + '.back')[2:]}")
    for form, text in (("lines", "\n".join(json.dumps(event) for event in LEAST)), ("one line", json.dumps(LEAST)),
                       ("indented", json.dumps(LEAST, indent=2))):
        with open(form, "w") as file:
            file.write(text)
        done = run("import", form, "--from", "dpm-json", "--machine", "red", "-o", form + ".out")
        result = json.loads(run("statistics", form + ".out", "--json").stdout)
        seen = [(m["from"], m["to"], m["count"], m["bytes"]) for m in result["messages"]]
        places = {p["process"]: p["machine"] for p in result["processes"]}
        if seen != [("a", "b", 2, 30)] or places != {"a": "red", "b": "blue"} or "CPU times" not in done.stderr:
            failures.append(f"{form}: {seen}, {places}, {done.stderr}")
    for words, text in REFUSED.items():
        with open("bad", "w") as file:
            file.write(text)
        done = run("import", "bad", "--from", "dpm-json", "-o", "bad.out")
        if done.returncode != 2 or words not in done.stderr or os.path.exists("bad.out"):
            failures.append(f"'{words}' is not said of {text}: status {done.returncode}: {done.stderr}")
for failure in failures:
    print(failure)
if not failures:
    print("what dpm events prints comes back")
sys.exit(1 if failures else 0)
