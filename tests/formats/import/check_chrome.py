#!/usr/bin/env python3
"""check_chrome.py DPM SOURCE

What dpm export writes for Perfetto, dpm import reads: each pair of processes has the same messages and bytes, on the same machines. dpm
statistics takes the file itself, and leaves nothing behind.
"""
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


def traffic(trace: str) -> Any:
    result = json.loads(run("statistics", trace, "--json").stdout)
    return (sorted((m["from"], m["to"], m["count"], m["bytes"]) for m in result["messages"]),
            sorted((p["process"], p["machine"]) for p in result["processes"] if p["sent"] + p["received"]))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("temporary")
    os.environ["TMPDIR"] = os.path.join(folder, "temporary")
    for name in ("ring", "pipeline", "two-phase-commit", "file-system"):
        run("run", os.path.join(SOURCE, "scenarios", name, "scenario.json"), "--base-only", "-o", name)
        run("export", name, "--to", "perfetto", "-o", name + ".json")
        done = run("import", name + ".json", "-o", name + ".back")
        expected = traffic(name)
        if done.returncode != 0 or not expected[0] or traffic(name + ".back") != expected:
            failures.append(f"{name}: what came back differs: {done.stderr}")
        if traffic(name + ".json") != expected:
            failures.append(f"{name}: dpm statistics of the file itself differs")
    if os.listdir("temporary"):
        failures.append(f"left behind: {os.listdir('temporary')}")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
