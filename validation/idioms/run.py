#!/usr/bin/env python3
"""Idioms of distributed programs, predicted and simulated: run.py [--quick] [--shapes FOLDER] [--only NAME] [--random N] --dpm PROGRAM --result FILE.

Each file of shapes/ is a scenario of one idiom, with its placements. It is traced once with constant times and once with drawn ones, predicted for
its other placements and for four changes, and simulated with them. So are random systems (generator.py), without the changes. The traced placement
is simulated with other seeds too: no interval can be expected to be narrower than the differences between them.
"""

import argparse
import copy
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
from typing import Any, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

sys.dont_write_bytecode = True
from generator import system

HERE = pathlib.Path(__file__).resolve().parent
QUICK = ("gather", "quorum", "deferred", "front_calls")
RANDOM, RANDOM_QUICK = 24, 8  # systems
SPREAD = (0.5, 1.5)  # of drawn times, around the constant ones
OTHER_SEEDS = range(2, 7)
FAR = 0.02  # outside the interval by more is a wrong number without a warning, unless "unknown" is printed
COLUMNS = ("idiom", "times", "mean error", "worst", "in the interval", "median width", "other seeds", "unknown", "silently wrong", "rules")
Scenario = dict[str, Any]


@dataclass
class Case:
    """What is asked of a trace, and the scenario that shows what is true."""
    name: str
    options: list[str]
    truth: Scenario


@dataclass
class Cell:
    idiom: str
    drawn: bool
    case: str
    truth_s: float
    predicted_s: float
    low_s: float
    high_s: float
    busiest_s: float  # the CPU time of the busiest machine or process in the true run, which cannot be shorter
    draws: float  # mean difference of the elapsed time that other seeds make, a part of it
    unknown: bool
    rules: str

    def error(self) -> float:
        return self.predicted_s / self.truth_s - 1

    def holds(self) -> bool:
        slack = 1e-6 * self.truth_s
        return self.low_s - slack <= self.truth_s <= self.high_s + slack

    def is_far(self) -> bool:
        return self.truth_s < self.low_s * (1 - FAR) or self.truth_s > self.high_s * (1 + FAR)

    def is_silently_wrong(self) -> bool:
        return self.is_far() and not self.unknown

    def is_below_busiest(self) -> bool:
        return self.predicted_s < self.busiest_s * (1 - 1e-6)

    def line(self) -> str:
        return (f"    {self.case:24} {self.truth_s:9.4f} s predicted {self.predicted_s:9.4f} s ({self.error():+7.2%}) "
                f"[{self.low_s:.4f}, {self.high_s:.4f}] {'' if self.holds() else 'FAR' if self.is_far() else 'OUTSIDE'} "
                f"{'unknown' if self.unknown else ''}{' BELOW ' + format(self.busiest_s, '.4f') if self.is_below_busiest() else ''}")

    def width(self) -> float:
        return (self.high_s - self.low_s) / self.predicted_s


class Failed(Exception):
    """A program of this claim failed."""


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--quick", action="store_true", help=f"{', '.join(QUICK)} only")
    arguments.add_argument("--shapes", type=pathlib.Path, default=HERE / "shapes", help="the folder of the idioms")
    arguments.add_argument("--only", action="append", help="this idiom (may be repeated)")
    arguments.add_argument("--random", type=int, help="that many random systems")
    arguments.add_argument("--cells", action="store_true", help="print each prediction")
    arguments.add_argument("--keep", type=pathlib.Path, help="leave the scenarios and traces in this new folder")
    arguments.add_argument("--table", action="store_true", help="print the table of the idioms in Markdown")
    arguments.add_argument("--dpm", required=True)
    arguments.add_argument("--result", type=pathlib.Path)
    options = arguments.parse_args()
    dpm = str(pathlib.Path(options.dpm).resolve())
    files = sorted(options.shapes.glob("*.json"))
    wanted = options.only or (QUICK if options.quick else [file.stem for file in files])
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory(prefix="dpm-idioms-") as temporary, ThreadPoolExecutor(2) as pool:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        asked = [(file.stem, json.loads(file.read_text()), drawn) for file in files if file.stem in wanted for drawn in (False, True)]
        count = options.random if options.random is not None else RANDOM_QUICK if options.quick else 0 if options.only else RANDOM
        asked += [(f"random {scenario['name']}", scenario, False) for scenario in map(system, range(count))]
        for found in pool.map(lambda one: study(dpm, folder, *one), asked):
            cells += found
            print(line(found), file=sys.stderr, flush=True)
            for cell in found if options.cells else []:
                print(cell.line(), file=sys.stderr)
    result = document(cells)
    print(json.dumps(result["figures"], indent=1), file=sys.stderr)
    if options.table:
        print(markdown(result["tables"][0]["rows"]))
    if options.result:
        options.result.write_text(json.dumps(result, indent=1) + "\n")


# ---- an idiom

def study(dpm: str, folder: pathlib.Path, name: str, scenario: Scenario, drawn: bool) -> list[Cell]:
    if drawn:
        scenario = with_draws(scenario)
    own = folder / f"{name}-{'drawn' if drawn else 'constant'}"
    own.mkdir()
    (own / "scenario.json").write_text(json.dumps(scenario))
    traced = run(dpm, own / "scenario.json", "-o", str(own / "trace"))
    is_random = name.startswith("random ")
    others = [elapsed_of(run(dpm, own / "scenario.json", "--seed", str(seed))) for seed in ([] if is_random else OTHER_SEEDS)]
    draws = mean([abs(other_s / elapsed_of(traced) - 1) for other_s in others])
    return [cell_of(dpm, own, name, drawn, case, draws) for case in cases(scenario, own, not is_random)]


def run(dpm: str, scenario: pathlib.Path, *options: str) -> Any:
    return json.loads(call([dpm, "run", str(scenario), "--base-only", "--json", *options]))


def elapsed_of(result: Any) -> float:
    return float(result["simulated"]["elapsed_s"])


def cell_of(dpm: str, own: pathlib.Path, idiom: str, drawn: bool, case: Case, draws: float) -> Cell:
    truth_file = own / f"truth {case.name}.json"
    truth_file.write_text(json.dumps(case.truth))
    truth = run(dpm, truth_file)
    said = json.loads(call([dpm, "predict", str(own / "trace"), "--everybody", "--json", *case.options]))
    predicted = said["predictions"][-1] if "predictions" in said else said
    interval = predicted.get("interval") or {}
    elapsed_s = predicted["elapsed_s"]
    return Cell(idiom, drawn, case.name, elapsed_of(truth), elapsed_s, interval.get("low_elapsed_s", elapsed_s),
                interval.get("high_elapsed_s", elapsed_s), busiest_s(truth), draws, bool(predicted.get("unknown")),
                ", ".join(sorted({row["order"] for row in predicted.get("orders", []) if row["order"] != "any"})))


def busiest_s(result: Any) -> float:
    times_s: list[float] = [machine["cpu_s"] / machine["cores"] for machine in result["simulated"]["machines"]]
    times_s += [process["cpu_s"] for process in result["statistics"]["processes"]]
    return max(times_s)


def with_draws(value: Any) -> Any:
    """The same with a uniform distribution around each constant time of work."""
    if isinstance(value, list):
        return [with_draws(one) for one in value]
    if not isinstance(value, dict):
        return value
    changed = {key: with_draws(one) for key, one in value.items()}
    time = changed.get("compute_s")
    if isinstance(time, (int, float)):
        changed["compute_s"] = {"uniform": [time * factor for factor in SPREAD]}
    elif isinstance(time, str):
        calculation = time[2:-1] if time.startswith("${") else time[1:]
        changed["compute_s"] = {"uniform": [f"${{{factor} * ({calculation})}}" for factor in SPREAD]}
    return changed


def members(scenario: Scenario, name: str) -> list[str]:
    count = next(one.get("count") for one in scenario["processes"] if one["name"] == name)
    return [name] if count is None else [f"{name}_{i + 1}" for i in range(count)]


def places(scenario: Scenario, placement: dict[str, Any]) -> dict[str, str]:
    """By process: its machine."""
    where: dict[str, str] = {}
    given = {one["name"]: one["machine"] for one in scenario["processes"]} | placement
    for name, machines in given.items():
        for i, member in enumerate(members(scenario, name)):
            where[member] = machines if isinstance(machines, str) else machines[i % len(machines)]
    return where


def cases(scenario: Scenario, own: pathlib.Path, with_changes: bool) -> Iterator[Case]:
    for name, placement in scenario["placements"].items():
        if name == scenario["placement"]:
            continue
        file = own / f"{name}.json"
        file.write_text(json.dumps({"processes": places(scenario, placement)}))
        yield Case(name, ["--placement", str(file)], scenario | {"placement": name})
    if not with_changes:
        return
    traced = places(scenario, scenario["placements"][scenario["placement"]])
    for factor in (4, 0.25):
        delays = scenario["delays"] | {"remote": scenario["delays"]["remote"] * factor}
        yield Case(f"delays {factor}", ["--delay", f"all={factor}"], scenario | {"delays": delays})
    machines = list(traced.values())
    alone = [process for process, machine in traced.items() if machines.count(machine) == 1]
    for process, factor in zip(itertools.cycle(reversed(alone)), (0.5, 2)):
        yield Case(f"{process} {factor}", ["--speed", f"{process}={factor}"], with_machine_speed(scenario, traced[process], factor))


def with_machine_speed(scenario: Scenario, machine: str, factor: float) -> Scenario:
    changed = copy.deepcopy(scenario)
    described = [one if isinstance(one, dict) else {"name": one} for one in changed["machines"]]
    for one in described:
        if one["name"] == machine:
            one["speed"] = one.get("speed", 1) * factor
    return changed | {"machines": described}


def call(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


# ---- what was found

def mean(values: list[float]) -> float:
    return statistics.fmean(values) if values else 0


def line(cells: list[Cell]) -> str:
    first = cells[0]
    return (f"{first.idiom:18} {'drawn' if first.drawn else 'constant':8} error {mean([abs(cell.error()) for cell in cells]):7.2%}, worst "
            f"{max(abs(cell.error()) for cell in cells):7.2%}; {sum(cell.holds() for cell in cells):2} of {len(cells)} hold; median width "
            f"{statistics.median(cell.width() for cell in cells):7.2%}; unknown {sum(cell.unknown for cell in cells):2}; {first.rules}")


def document(cells: list[Cell]) -> dict[str, Any]:
    chosen = [cell for cell in cells if not cell.idiom.startswith("random ")]
    drawn_up = [cell for cell in cells if cell.idiom.startswith("random ")]
    idioms = sorted({cell.idiom for cell in chosen})
    coverage = {idiom: percent_that_hold([cell for cell in chosen if cell.idiom == idiom]) for idiom in idioms}
    silent = [cell for cell in cells if cell.is_silently_wrong()]
    rows = []
    for idiom in idioms:
        for drawn in (False, True):
            some = [cell for cell in chosen if cell.idiom == idiom and cell.drawn == drawn]
            rows.append([
                idiom, "drawn" if drawn else "constant", f"{mean(errors(some)):.2f} %", f"{max(errors(some)):.2f} %",
                f"{sum(cell.holds() for cell in some)} of {len(some)}", f"{median_width(some):.2f} %", f"{100 * some[0].draws:.2f} %",
                str(sum(cell.unknown for cell in some)), str(sum(cell.is_silently_wrong() for cell in some)), some[0].rules])
    return {
        "figures": {
            "mean_error": mean(errors(chosen)), "worst_error": max(errors(chosen), default=0), "coverage": percent_that_hold(chosen),
            "least_coverage": min(coverage.values(), default=100), "median_width": median_width(chosen),
            "width_to_draws": width_to_draws([cell for cell in chosen if cell.drawn]), "random_mean_error": mean(errors(drawn_up)),
            "random_coverage": percent_that_hold(drawn_up), "silently_wrong": len(silent),
            "below_busiest": sum(cell.is_below_busiest() for cell in cells)},
        "remarks": [f"{cell.idiom}, {'drawn' if cell.drawn else 'constant'}, {cell.case}: {cell.truth_s:.4f} s, predicted {cell.low_s:.4f} to "
                    f"{cell.high_s:.4f} s" for cell in silent],
        "tables": [{"title": "idioms", "columns": list(COLUMNS), "rows": rows}]}


def markdown(rows: list[list[str]]) -> str:
    """A line for each idiom: its constant form, and its drawn one."""
    of_form = ("mean, worst", "hold", "width", "unknown, silent")
    lines = [["idiom", *(f"{form}: {column}" for form in ("constant", "drawn") for column in of_form), "other seeds"], ["---"] * 10]
    for constant, drawn in zip(rows[::2], rows[1::2]):
        forms = [[f"{mean}, {worst}", holds, width, f"{unknown}, {silent}"]
                 for _, _, mean, worst, holds, width, _, unknown, silent, _ in (constant, drawn)]
        lines.append([constant[0], *forms[0], *forms[1], drawn[6]])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def median_width(cells: list[Cell]) -> float:
    return statistics.median([100 * cell.width() for cell in cells] or [0])


def width_to_draws(cells: list[Cell]) -> float:
    """The median width over the median difference that other draws make."""
    draws = statistics.median([100 * cell.draws for cell in cells] or [0])
    return median_width(cells) / draws if draws else 0


def errors(cells: list[Cell]) -> list[float]:
    return [100 * abs(cell.error()) for cell in cells]


def percent_that_hold(cells: list[Cell]) -> float:
    return mean([100.0 * cell.holds() for cell in cells]) if cells else 100


if __name__ == "__main__":
    main()
