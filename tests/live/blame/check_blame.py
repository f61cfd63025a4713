#!/usr/bin/python3
"""A real chain of three servers with a planted cause of waiting: dpm blame names that cause first.

With --source notify it does so from samples. With --source ebpf the exact time of the cause is compared with what the program that waits
measured itself, and with the samples of the same run.
With --repeat N it counts how often that was so, which is a measurement, not a test.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

# Of the cause's time: dpm and the program begin to measure a few microseconds apart, at each wait.
WITNESS_DIFFERS_MAX = 0.03
CHAIN = pathlib.Path(__file__).resolve().parent / "chain.py"
SKIPPED = 77
REQUESTS = 12
INTERVAL_S = 0.0047
# By cause: which process waits, for what, and which program is to blame.
PLANTED = {
    "hog": ("middle", "cpu_queue_s", "backup"),
    "disk": ("storage", "disk_s", None),
    "lock": ("middle", "lock_s", "holder"),
}


HOG = """import contextlib, os, resource
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
with contextlib.suppress(PermissionError):
    os.setpriority(os.PRIO_PROCESS, 0, -10)
    # Where each session shares the CPU as one, its weight is what counts.
    if os.path.exists("/proc/self/autogroup"):
        open("/proc/self/autogroup", "w").write("-10")
# Ended at the latest after two minutes of CPU time: the test that started it may have been killed.
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
while True: pass"""


def start_hogs(folder: str) -> list[Any]:
    """On the CPU that the chain's `middle` chooses; more important than all else, so that it has most of that CPU however
    much other programs want it. An ordinary account may not say so, and has several of them. It is not metered."""
    program = os.path.join(folder, "backup")
    os.symlink(sys.executable, program)
    return [subprocess.Popen([program, "-c", HOG], start_new_session=True) for _ in range(1 if os.geteuid() == 0 else 6)]


def blame(dpm: Any, source: Any, cause: str, folder: str) -> Any:
    out = os.path.join(folder, "out")
    hogs = start_hogs(folder) if cause == "hog" else []
    try:
        metered = subprocess.run([dpm, "meter", "--source", source, "--sample", "--sample-every", str(INTERVAL_S), "-o", out, "--",
                                  sys.executable, str(CHAIN), "main", cause, folder, str(REQUESTS)], capture_output=True, text=True, timeout=100)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    if metered.returncode != 0:
        sys.exit(f"dpm meter failed:\n{metered.stderr}")
    return both(dpm, out, client_of(dpm, out)), both(dpm, out, PLANTED[cause][0])


def both(dpm: Any, out: str, process: str) -> list[Any]:
    """By the times of the trace, as far as it has them, and by samples."""
    return [divided(dpm, out, process, *words) for words in ((), ("--samples", os.path.join(out, "samples")))]


def divided(dpm: Any, out: str, process: Any, *words: Any) -> Any:
    told = subprocess.run([dpm, "blame", out, "--of", process, "--json", *words], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)


def client_of(dpm: Any, out: str) -> Any:
    """The process that sends to `front`. It has no program of its own, and so no name of its own."""
    listed = json.loads(subprocess.run([dpm, "statistics", out, "--json"], capture_output=True, text=True, check=True).stdout)
    senders = [row["from"] for row in listed["messages"] if row["to"] == "front" and row["from"] != "middle"]
    return senders[0]


def witness_of(folder: str) -> float | None:
    path = pathlib.Path(folder, "witness")
    return float(path.read_text()) if path.exists() else None


def parts(node: Any) -> Any:
    return sum(node[key] for key in node if key.endswith("_s") and key != "total_s") + sum(map(parts, node["waits_for"]))


def check(dpm: Any, source: Any, cause: str) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        (found, sampled), (own, own_sampled) = blame(dpm, source, cause, folder)
        witness = witness_of(folder)
    for tree in (found["tree"], sampled["tree"]):
        if abs(parts(tree) - tree["total_s"]) > 1e-6 * tree["total_s"]:
            return f"the parts add up to {parts(tree)} s of {tree['total_s']} s"
    if source != "ebpf" and found != sampled:
        return "the samples beside the trace are not those that were used"
    process, part, rival = PLANTED[cause]
    # Samples do not tell who had the CPU or the lock.
    for result, expected in ((found, (process, part, rival if source == "ebpf" else None)), (sampled, (process, part, None))):
        first = result["longest"][0]
        if (first["process"], first["part"], first["rival"]) != expected:
            return f"first is {json.dumps(first)}; then {json.dumps(result['longest'][1:4])}"
    if source != "ebpf":
        return None
    # Of the whole life of the process that waits: a part of a life has its share of the time at locks, which is not exact.
    return is_wrong(own["tree"][part], witness) or is_outside(own["tree"][part], own_sampled, part)


def is_wrong(exact_s: Any, witness: float | None) -> str | None:
    """`witness`: what the program measured; it does not measure the queue of a CPU."""
    if witness is None or abs(exact_s - witness) <= WITNESS_DIFFERS_MAX * witness:
        return None
    return f"{exact_s} s exactly, by the clocks of the program {witness} s"


def is_outside(exact_s: Any, sampled: Any, part: str) -> str | None:
    """The exact time is in the interval of the samples, taken twice as wide: once in 10,000 runs it is not."""
    low, high = sampled["tree"]["intervals"][part]
    if abs(exact_s - sampled["tree"][part]) > high - low:
        return f"{exact_s} s exactly, by samples {sampled['tree'][part]} s ({low} to {high})"
    return None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--source", choices=("ebpf", "notify"), default="ebpf")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--cause", choices=PLANTED, action="append")
    options = parser.parse_args()
    probe = subprocess.run([options.dpm, "meter", "--source", options.source, "-o", tempfile.mkdtemp() + "/out", "--", "true"],
                           capture_output=True, text=True)
    if probe.returncode != 0:
        print(f"SKIPPED: the {options.source} source cannot be used here:", probe.stderr.strip())
        sys.exit(SKIPPED)
    failures: collections.Counter[str] = collections.Counter()
    for cause in options.cause or PLANTED:
        for _ in range(options.repeat):
            what = check(options.dpm, options.source, cause)
            if what:
                failures[cause] += 1
                print(f"{cause}: {what}")
        print(f"{cause}: named first in {options.repeat - failures[cause]} of {options.repeat} runs")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
