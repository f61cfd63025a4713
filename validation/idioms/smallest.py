#!/usr/bin/env python3
"""The smallest scenario in which a prediction is silently wrong: smallest.py --dpm PROGRAM SCENARIO CASE > SMALLEST.

CASE is a placement of the scenario, or a change as run.py --cells prints it ("delays 4", "back 0.5"). Steps, handlers, branches, processes,
repetitions and draws are taken away, one at a time, as long as the interval of that case stays more than 2 % off without an "unknown". With
--drawn the times of work are drawn first, as run.py does.
"""

import argparse
import copy
import itertools
import json
import pathlib
import sys
import tempfile
import time
from typing import Any, Callable, Iterator

sys.dont_write_bytecode = True
import run

Scenario = dict[str, Any]
MOST_MESSAGES = 20000  # of a smaller scenario, which may send without end
Path = list[Any]  # keys and indices, from the scenario to a part of it


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("scenario", type=pathlib.Path)
    arguments.add_argument("case")
    arguments.add_argument("--drawn", action="store_true")
    arguments.add_argument("--seconds", type=float, default=600, help="print the smallest that was found in this time")
    arguments.add_argument("--dpm", required=True)
    options = arguments.parse_args()
    dpm = str(pathlib.Path(options.dpm).resolve())
    scenario = json.loads(options.scenario.read_text())
    scenario["placements"] = {name: scenario["placements"][name] for name in (scenario["placement"], options.case) if name in scenario["placements"]}
    if options.drawn:
        scenario = run.with_draws(scenario)
    if not is_wrong(dpm, scenario, options.case):
        sys.exit(f"{options.scenario}: {options.case} is not silently wrong")
    print(written(shrunk(scenario, lambda smaller: is_wrong(dpm, smaller, options.case), time.monotonic() + options.seconds)))


def is_wrong(dpm: str, scenario: Scenario, case_name: str) -> bool:
    try:
        with tempfile.TemporaryDirectory(prefix="dpm-smallest-") as folder:
            own = pathlib.Path(folder)
            (own / "scenario.json").write_text(json.dumps(scenario | {"message_limit": MOST_MESSAGES}))
            if run.run(dpm, own / "scenario.json", "-o", str(own / "trace"))["simulated"]["ended_by"] != "every process ended":
                return False
            case = next((one for one in run.cases(scenario, own, True) if one.name == case_name), None)
            return case is not None and run.cell_of(dpm, own, "", False, case, 0).is_silently_wrong()
    except (run.Failed, StopIteration, KeyError):
        return False


def shrunk(scenario: Scenario, is_wrong_still: Callable[[Scenario], bool], end_s: float) -> Scenario:
    """After a success it goes on with the next part, and begins again only at the end: most parts that were needed are needed still."""
    while True:
        before = scenario
        number = 0
        while (smaller := next(itertools.islice(candidates(scenario), number, None), None)) is not None:
            if time.monotonic() > end_s:
                return scenario
            if is_wrong_still(smaller):
                print(f"{len(json.dumps(smaller))} characters", file=sys.stderr, flush=True)
                scenario = smaller
            else:
                number += 1
        if scenario is before:
            return scenario


def candidates(scenario: Scenario) -> Iterator[Scenario]:
    for i, one in enumerate(scenario["processes"]):
        yield without_process(scenario, one["name"])
        for fewer in (one["count"] // 2, one["count"] - 1) if one.get("count", 1) > 1 else ():
            yield changed(scenario, ["processes", i, "count"], fewer)
    for path, value in parts(scenario["programs"], ["programs"]):
        if isinstance(value, list) and path[-1] in ("do", "else", "start", "on", "on_timeout"):
            for i, step in enumerate(value):
                yield changed(scenario, path, value[:i] + value[i + 1:])
                for inner in branches(step):
                    yield changed(scenario, path, value[:i] + inner + value[i + 1:])
        elif path[-1] == "repeat" and isinstance(value, int) and value > 1:
            for fewer in (value // 4, value // 2, value - 1):
                if fewer:
                    yield changed(scenario, path, fewer)
        elif isinstance(value, dict) and isinstance(value.get("uniform"), list) and all(isinstance(end, (int, float)) for end in value["uniform"]):
            yield changed(scenario, path, sum(value["uniform"]) / 2)
    used = set(run.places(scenario, {}).values()) | {machine for placement in scenario["placements"].values()
                                                     for machine in run.places(scenario, placement).values()}
    named = [one for one in scenario["machines"] if (one["name"] if isinstance(one, dict) else one) in used]
    if len(named) < len(scenario["machines"]):
        yield scenario | {"machines": named}


def without_process(scenario: Scenario, name: str) -> Scenario:
    smaller = copy.deepcopy(scenario)
    smaller["processes"] = [one for one in smaller["processes"] if one["name"] != name]
    for placement in smaller["placements"].values():
        placement.pop(name, None)
    in_use = {one["program"] for one in smaller["processes"]}
    smaller["programs"] = {program: value for program, value in smaller["programs"].items() if program in in_use}
    return smaller


def branches(step: Any) -> list[list[Any]]:
    if not isinstance(step, dict):
        return []
    if "choose" in step:
        return [one["do"] for one in step["choose"]]
    return [step[key] for key in ("do", "else") if key in step and "kind" not in step]


def parts(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    yield path, value
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from parts(one, [*path, key])


def changed(scenario: Scenario, path: Path, value: Any) -> Scenario:
    smaller = copy.deepcopy(scenario)
    place: Any = smaller
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return smaller


def written(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON in which what fits on a line is on one."""
    line = json.dumps(value)
    if (indent and indent + before + len(line) <= 140) or not isinstance(value, (dict, list)) or not value:
        return line
    inner = [f"{' ' * (indent + 1)}{json.dumps(key)}: {written(one, indent + 1, len(key) + 5)}" for key, one in value.items()] \
        if isinstance(value, dict) else [f"{' ' * (indent + 1)}{written(one, indent + 1, 1)}" for one in value]
    ends = "{}" if isinstance(value, dict) else "[]"
    return ends[0] + "\n" + ",\n".join(inner) + "\n" + " " * indent + ends[1]


if __name__ == "__main__":
    main()
