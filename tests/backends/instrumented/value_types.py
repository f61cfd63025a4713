"""Values of programs of each type: their least and greatest, printed, as JSON, in conditions of "when", and in a trace."""

import json
from typing import Any

from expecting import expect

# Of each type the least and the greatest value, as the program assigns them.
EDGES = {"bool": (0, 1), "low": (-2**7, 2**7 - 1), "high": (0, 2**64 - 1)} | {
    f"{sign}{bits}": (-2**(bits - 1), 2**(bits - 1) - 1) if sign == "s" else (0, 2**bits - 1) for bits in (8, 16, 32, 64) for sign in "su"}
CONDITIONS = {"<": int.__lt__, "<=": int.__le__, "=": int.__eq__, "!=": int.__ne__, ">=": int.__ge__, ">": int.__gt__}


def check_value_types(site: Any) -> None:
    numbers = (-1, 0, 2**63 - 1, 2**63, 2**64 - 1)
    whens = {f"{name}_{i}_{j}": (name, condition, number)
             for name in EDGES for i, condition in enumerate(CONDITIONS) for j, number in enumerate(numbers)}
    script = site.script("process p from subject\n" + "".join(
        f"event {name} is integer_assign on {name} at *.p.types\n" for name in EDGES) + "".join(
        f"when {when} is {name}(value {condition} {number}) do count\n" for when, (name, condition, number) in whens.items()))
    events, _, _ = site.watch(script, *site.program("subject", "types"))
    seen = {name: tuple(event["value"] for event in events if event.get("event") == name) for name in EDGES}
    expect(seen == EDGES, seen)

    done = site.run([site.options.dpm, "script", "--trace", "edges", str(script), "--", *site.program("subject", "types")])
    for name, edges in EDGES.items():
        printed = [int(line.rsplit(" = ", 1)[1]) for line in done.stdout.splitlines() if f" on {name} in types" in line]
        expect(tuple(printed) == edges, (name, printed))
    recorded = json.loads(site.run([site.options.dpm, "events", "--json", "edges"]).stdout)
    expect({name: tuple(event["value"] for event in recorded if event.get("object") == name) for name in EDGES} == EDGES, recorded)
    listed = site.run([site.options.dpm, "events", "edges"]).stdout
    expect(all(f"integer_assign on {name} in types = {most}" in listed for name, (_, most) in EDGES.items()), listed)
    found = site.run([site.options.dpm, "events", "--script", str(script), "edges"]).stdout
    for text in (done.stderr, found):
        for when, (name, condition, number) in whens.items():
            times = sum(CONDITIONS[condition](edge, number) for edge in EDGES[name])
            expect(f"{when} happened {times} time" in text, (when, times, text))
