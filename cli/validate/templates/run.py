#!/usr/bin/env python3
"""Measures this claim: run.py [--quick] [--plant ERROR] --dpm PROGRAM --result FILE.

Written once by `dpm validate --new`, to be changed. system.json beside it says what is measured. It needs Python and dpm alone.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import time
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
CANNOT_BE_TRIED = 77


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--quick", action="store_true", help="fewer repetitions")
    arguments.add_argument("--plant", default="", choices=["", "predictions"], help="predictions that are 30 %% too high")
    arguments.add_argument("--dpm", required=True)
    arguments.add_argument("--result", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    system = json.loads((HERE / "system.json").read_text())
    measure = {"scenario": measure_scenario, "trace": measure_trace, "command": measure_command}[system["kind"]]
    result = measure(system, options)
    options.result.write_text(json.dumps(result, indent=1))


def planted(prediction: float, options: argparse.Namespace) -> float:
    return prediction * 1.3 if options.plant else prediction


def percent(predicted: float, truth: float) -> float:
    return abs(predicted / truth - 1) * 100


def say(what: str) -> None:
    print(what, flush=True)


def skip(why: str) -> None:
    say(f"SKIPPED: {why}")
    sys.exit(CANNOT_BE_TRIED)


def call(*words: object, folder: pathlib.Path | None = None) -> str:
    """Standard output of a program that must succeed."""
    texts = [str(word) for word in words]
    done = subprocess.run(texts, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(texts)} ended with status {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def plot(title: str, unit: str, points: list[dict[str, Any]]) -> dict[str, Any]:
    return {"title": title, "kind": "predicted_against_measured", "x": f"measured{unit}", "y": f"predicted{unit}",
            "series": [{"name": "predictions", "points": points}]}


# ---- a scenario: each placement is simulated, and predicted from the trace of each other one

def measure_scenario(system: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    scenario = json.loads((HERE / system["scenario"]).read_text())
    seeds = system["seeds"][:1] if options.quick else system["seeds"]
    for other in ("sweeps", "analyses", "published"):
        scenario.pop(other, None)
    scenario["predictions"] = [{"name": "claim", "placements": system["placements"], "seeds": seeds}]
    derived = options.result.parent / "scenario.json"
    derived.write_text(json.dumps(scenario, indent=1))
    found = json.loads(call(options.dpm, "run", derived, "--json", "-o", options.result.parent / "run"))
    cells = [cell for cell in found["predictions"]["claim"]["cells"] if cell["traced"] != cell["predicted"]]
    errors, elapsed_errors, rows, points = [], [], [], []
    for cell in cells:
        predicted = planted(cell["predicted_P"], options)
        errors.append(percent(predicted, cell["simulated_P"]))
        elapsed_errors.append(percent(planted(cell["predicted_elapsed_s"], options), cell["simulated_elapsed_s"]))
        rows.append([cell["traced"], cell["predicted"], str(cell["seed"]), f"{cell['simulated_P']:.4f}", f"{predicted:.4f}",
                     f"{errors[-1]:.2f} %"])
        points.append({"x": cell["simulated_P"], "y": predicted, "label": f"{cell['predicted']} from {cell['traced']}"})
    return {"figures": {"mean_error": statistics.mean(errors), "worst_error": max(errors),
                        "mean_elapsed_error": statistics.mean(elapsed_errors)},
            "tables": [{"title": "Predicted and simulated P", "rows": rows,
                        "columns": ["traced on", "predicted for", "seed", "simulated", "predicted", "error"]}],
            "plots": [plot("P", "", points)]}


# ---- a trace: what is predicted from it, on the machines that it was recorded on

def measure_trace(system: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    trace = HERE / system["trace"]
    predicted = json.loads(call(options.dpm, "predict", trace, "--json"))
    elapsed_s = planted(predicted["elapsed_s"], options)
    return {"figures": {"identity_error": abs(predicted["identity_error"]) * 100, "predicted_P": planted(predicted["P"], options),
                        "predicted_elapsed_s": elapsed_s},
            "remarks": predicted["warnings"]}


# ---- a command: metered on two sets of CPUs, each predicted from the trace of the other, and measured without DPM

def measure_command(system: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    sets = system["cpus"]
    allowed = os.sched_getaffinity(0)
    for cpus in sets:
        if missing := cpus_of(cpus) - allowed:
            skip(f"this machine has no CPU {min(missing)}")
    command, folder = system["command"], HERE / system["folder"]
    repeats = 3 if options.quick else system["repeats"]
    elapsed_s: dict[str, list[float]] = {cpus: [] for cpus in sets}
    for k in range(repeats):  # in turn: what disturbs the machine disturbs both
        for cpus in sets:
            elapsed_s[cpus].append(timed(["taskset", "-c", cpus, *command], folder))
            say(f"{shlex.join(command)} on CPUs {cpus}, {k + 1} of {repeats}: {elapsed_s[cpus][-1]:.3f} s")
    truth = {cpus: statistics.median(times) for cpus, times in elapsed_s.items()}
    predicted: dict[tuple[str, str], float] = {}
    for traced in sets:
        trace = options.result.parent / f"metered-on-{traced}"
        call("taskset", "-c", traced, options.dpm, "meter", "--wait", "-o", trace, "--", *command, folder=folder)
        machine = json.loads(call(options.dpm, "statistics", trace, "--json"))["machines"][0]["machine"]
        for target in sets:
            cores = f"{machine}={len(cpus_of(target))}"
            predicted[traced, target] = json.loads(call(options.dpm, "predict", trace, "--json", "--cores", cores))["elapsed_s"]
    rows, points, ratio_errors = [], [], []
    for (traced, target), seconds in predicted.items():
        rows.append([traced, target, f"{truth[target]:.3f} s", f"{seconds:.3f} s", f"{percent(seconds, truth[target]):.1f} %"])
        points.append({"x": truth[target], "y": seconds, "label": f"CPUs {target} from {traced}"})
        if traced != target:  # what metering costs is in both predictions of one trace, and nearly not in their ratio
            ratio = planted(seconds / predicted[traced, traced], options)
            ratio_errors.append(percent(ratio, truth[target] / truth[traced]))
    unsteady = max(percent(value, truth[cpus]) for cpus, times in elapsed_s.items() for value in times)
    return {"figures": {"speedup_error": max(ratio_errors), "unsteadiness": unsteady,
                        "elapsed_error": max(percent(seconds, truth[target]) for (_, target), seconds in predicted.items())},
            "tables": [{"title": "Elapsed time, measured without DPM and predicted", "rows": rows,
                        "columns": ["metered on CPUs", "predicted for", "measured (median)", "predicted", "error"]}],
            "plots": [plot("Elapsed time", ", s", points)]}


def cpus_of(text: str) -> set[int]:
    """What taskset reads: "0,2-4"."""
    cpus: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def timed(command: list[str], folder: pathlib.Path) -> float:
    begin = time.monotonic()
    call(*command, folder=folder)
    return time.monotonic() - begin


if __name__ == "__main__":
    main()
