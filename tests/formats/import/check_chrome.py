#!/usr/bin/env python3
"""check_chrome.py DPM SOURCE

dpm import reads the files that dpm export writes for Perfetto: each pair of processes has the same received messages and bytes, on the same
machines. Messages that were never received have no arrows. dpm statistics reads the file itself, and leaves no files behind.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

DPM, SOURCE = sys.argv[1:3]
failures = []


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([DPM, *words], capture_output=True, text=True, timeout=300)


def received(trace: str) -> Any:
    """By sender and receiver with their machines: how many messages of which sizes."""
    machine_of: dict[str, str] = {}
    found: collections.Counter[tuple[str, str, int]] = collections.Counter()
    for event in json.loads(run("events", trace, "--json").stdout):
        machine_of[event["process"]] = event["machine"]
        if event["event"] == "RECEIVE":
            found[event["peer"], event["process"], event["length_bytes"]] += 1
    return sorted((machine_of[sender], sender, machine_of[receiver], receiver, size, count) for (sender, receiver, size), count in found.items())


def counts(trace: str) -> Any:
    result = json.loads(run("statistics", trace, "--json").stdout)
    return sorted((p["process"], p["received"], p["received_bytes"]) for p in result["processes"] if p["received"])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("temporary")
    os.environ["TMPDIR"] = os.path.join(folder, "temporary")
    for name in ("ring", "pipeline", "broker", "file-system"):
        run("run", os.path.join(SOURCE, "scenarios", name, "scenario.json"), "--base-only", "-o", name)
        run("export", name, "--to", "perfetto", "-o", name + ".json")
        done = run("import", name + ".json", "-o", name + ".back")
        expected = received(name)
        if done.returncode != 0 or not expected or received(name + ".back") != expected:
            failures.append(f"{name}: what came back differs: {done.stderr}")
        if counts(name + ".json") != counts(name):
            failures.append(f"{name}: dpm statistics of the file itself differs")
    if os.listdir("temporary"):
        failures.append(f"left behind: {os.listdir('temporary')}")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
