#!/usr/bin/env python3
"""Connections, pipes and processes that come and go: whether the meter's memory and speed stay the same from first to last."""

import argparse
import json
import pathlib
import subprocess
import sys
from typing import Any

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/live/lifetimes"))
import lifetimes

SKIPPED = 77
# The number of each, and the size of the parts.
FULL = {"connections": (1_000_000, 50_000), "pipes": (1_000_000, 100_000), "processes": (40_000, 10_000)}
QUICK = {"connections": (4_000, 1_000), "pipes": (4_000, 1_000), "processes": (400, 100)}
COMPARED = {"connections": 20_000}  # that many without a meter beside each part, because the speed is judged


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--dpm", type=pathlib.Path, required=True)
    parser.add_argument("--result", type=pathlib.Path, required=True)
    words = parser.parse_args()
    tools = words.dpm.resolve().parent / "tests/live/tools"
    if not (tools / "comings_and_goings").exists():
        print(f"SKIPPED: there is no {tools}/comings_and_goings: ./dev build")
        return SKIPPED
    able = subprocess.run([tools / "can_notify"], capture_output=True, text=True, check=False)
    if able.returncode != 0:
        print(f"SKIPPED: no metering here: {able.stdout.strip()}")
        return SKIPPED
    found = {}
    for kind, (count, part) in (QUICK if words.quick else FULL).items():
        found[kind] = lifetimes.run(words.dpm.resolve(), tools / "comings_and_goings", kind, count, part,
                                    lambda line: print(line, file=sys.stderr, flush=True),
                                    compared=0 if words.quick else COMPARED.get(kind, 0))
    words.result.write_text(json.dumps(result_of(found, words.quick), indent=2))
    return 0


def result_of(found: dict[str, Any], quick: bool) -> dict[str, Any]:
    figures = {"lost_events": sum(kind.lost() for kind in found.values())}
    if not quick:
        figures |= {f"{name}_memory_growth": kind.growth_percent() for name, kind in found.items()}
        figures["connections_speed"] = found["connections"].speed_at_the_end()
        figures["connections_meter_cpu"] = found["connections"].cpu_at_the_end()
    rows = [[name, str(part.count), f"{part.elapsed_s:.2f} s", f"{part.memory_kb} kB", f"{part.cpu_s:.2f} s", f"{part.slowness:.3f}"]
            for name, kind in found.items() for part in kind.parts]
    return {"figures": figures, "remarks": [str(kind) for kind in found.values()],
            "tables": [{"title": "From part to part", "rows": rows,
                        "columns": ["", "so far", "this part took", "the meter's memory", "its CPU time in this part", "the machine's slowness"]}]}


if __name__ == "__main__":
    sys.exit(main())
