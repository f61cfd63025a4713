"""The programs of a shipped scenario as real processes over sockets (dpm run --native), each machine a core."""

import json
import os
import pathlib
from typing import Any

from real_programs import Missing, Placement, Run, Study, call

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME_BYTES_MAX = 15  # what Linux keeps of a process's name


def native_study(scenario: str, parameters: dict[str, float], placements: dict[str, dict[str, int | list[int]]],
               traced_on: list[str], outside: tuple[str, ...] = (), **options: Any) -> Study:
    """`placements`: by name, the core of each process or group of the scenario (a list: of its members in turn). `outside`: what
    is not part of the prediction, such as a process that only starts the others."""
    original = json.loads((ROOT / "scenarios" / scenario / "scenario.json").read_text())
    processes = [{**process, "program": f"{scenario}/{process['program']}", "machine": "core0"} for process in original["processes"]]
    derived: dict[str, Any] = {"name": f"real-{scenario}", "machines": ["core0", "core1"], "processes": processes, "placement": traced_on[0],
               "parameters": {name: {**what, "default": parameters.get(name, what["default"])}
                              for name, what in original["parameters"].items()},
               "placements": {name: {process: [f"core{core}" for core in _listed(cores)] for process, cores in of.items()}
                              for name, of in placements.items()}}
    if "move_data_message_bytes" in original:
        derived["move_data_message_bytes"] = original["move_data_message_bytes"]
    counts = {process["name"]: _count(process, derived["parameters"]) for process in processes}

    def prepare(folder: pathlib.Path) -> None:
        if os.environ.get("DPM_SANITIZER"):
            raise Missing("the sanitizer's library in the processes of a scenario sends messages of its own")
        (folder / "scenario.json").write_text(json.dumps(derived, indent=1))

    def play(run: Run) -> float:
        words = [*run.prefix, run.dpm, "run", run.folder / "scenario.json", "--native", "--pin", "--modelled-work", "--placement",
                 run.placement.name, "--json"]
        result: float = json.loads(call(words, run.folder).stdout)["live"]["elapsed_s"]
        return result

    def place(name: str) -> Placement:
        core_of = {}
        for process, cores in placements[name].items():
            count = counts[process]
            members = [process] if count is None else [f"{process}_{i + 1}" for i in range(count)]
            for i, member in enumerate(members):
                core_of[member[:NAME_BYTES_MAX]] = _listed(cores)[i % len(_listed(cores))]
        return Placement(name, core_of)

    places = [place(name) for name in placements]
    return Study(programs=[], placements=places, traced_on=traced_on, play=play, prepare=prepare,
                 processes=[name for name in places[0].core_of if name not in outside], **options)


def _listed(cores: int | list[int]) -> list[int]:
    return cores if isinstance(cores, list) else [cores]


def _count(process: dict[str, Any], parameters: dict[str, Any]) -> int | None:
    count = process.get("count")
    return parameters[count[1:]]["default"] if isinstance(count, str) else count
