#!/usr/bin/env python3
"""Writes a report.html: the page with the data of a made-up program inside, as `dpm report` writes it. usage: make_report.py PAGE OUTPUT
[--only-report]"""
import json
import math
import sys
from pathlib import Path
from typing import Any

import synthetic_events as events
from request_types import check_answer
from synthetic import HOSTILE_NAMES, World

BINS, END_S = 256, 20.0


def lists(answer: Any, arrays: Any) -> dict[str, Any]:
    return {**answer, **{name: [None if isinstance(value, float) and math.isnan(value) else value for value in values] for name,
                         (_, values) in arrays.items()}}


def levels(world: World) -> dict[str, Any]:
    step = END_S / BINS
    times = [i * step for i in range(BINS)]
    return {
        "from_s": 0, "step_s": step, "bins": BINS,
        "processes": [{"process": p["id"], "cpu_s": [round(world.cpu_of(p["id"], t, t + step), 7) for t in times],
                       "waiting_s": [round(step * 0.8, 7) for _ in times],
                       "queue": [round(world.queue_of(p["id"], t), 4) for t in times]} for p in world.processes],
        "pairs": [{"from": pair.source, "to": pair.target, "messages": [round(pair.count(t, t + step)) for t in times],
                   "bytes": [round(pair.count(t, t + step)) * pair.size for t in times]} for pair in world.pairs],
    }


def figure(heading: str, kind: str, drawing: Any, caption: str = "", wide: bool = False) -> dict[str, Any]:
    return {"heading": heading, "caption": caption, "wide": wide, "kind": kind, "drawing": drawing}


def sections() -> list[Any]:
    names = ["users", "directory", "disk", "cache", HOSTILE_NAMES[0], HOSTILE_NAMES[16]]
    wave = [[x, 2 + math.sin(x / 3)] for x in range(24)]
    table = {"columns": [{"header": "Claim", "number": False}, {"header": "Goal", "number": True}, {"header": "Measured", "number": True},
                         {"header": "Result", "number": False}, {"header": "Why", "number": False}],
             "rows": [[{"text": name, "tone": "strong"}, {"text": "5 %", "tone": "normal"}, {"text": f"{i}.3 %", "tone": "normal"},
                       {"text": "met" if i % 2 else "not met", "tone": "pass" if i % 2 else "fail"},
                       {"text": "The prediction takes the waits for the disk as they were in the trace.", "tone": "prose"}] for i,
                       name in enumerate(names)]}
    lines = {"title": "P by copies", "description": "", "x_label": "copies", "y_label": "P",
             "series": [{"name": "simulated", "points": wave, "dashed": False},
                        {"name": "published", "points": [[x, None if x == 9 else y * 1.1] for x, y in wave], "dashed": True}],
             "x_whole": True, "y_from_zero": True, "marks": True, "reference": {"value": 2.5, "label": "bound"}}
    scatter = {"title": "Predicted and measured P", "description": "", "x_label": "measured P", "y_label": "predicted P", "series": [
        {"name": f"system {s}", "points": [{"x": 1 + i * 0.4, "y": 1 + i * 0.4 + math.sin(i * 5 + s) * 0.2, "low": 0.8 + i * 0.39,
                                            "high": 1.2 + i * 0.43, "label": f"case {i}"} for i in range(8)]} for s in range(3)]}
    bars = {"title": "Shares", "description": "", "series": ["CPU time", "messages", "bytes"],
            "rows": [{"label": name, "values": [0.5 / (i + 1), 0.4 / (i + 1), None if i == 2 else 0.3 / (i + 1)], "tip": ""} for i,
                     name in enumerate(names)], "form": "percent", "reference": {"value": 0.25, "label": "an equal share"}}
    heat: dict[str, Any] = {"title": "Who talks to whom", "description": "", "row_title": "from", "column_title": "to", "rows": names,
                            "columns": names, "values": [[abs(i - j) * 3.5 for j in range(6)] for i in range(6)],
            "texts": [[str(abs(i - j)) for j in range(6)] for i in range(6)], "tips": [], "scale": "amount", "full_at": 0,
            "legend": "messages, none to the most"}
    signed = {**heat, "values": [[(i - j) * 2.0 for j in range(6)] for i in range(6)], "scale": "signed_", "texts": [],
              "legend": "orange: more than predicted, blue: less"}
    nodes = [{"label": name, "note": f"{10 * i} % CPU", "heat": i / 5, "outside": i == 0, "tip": name} for i, name in enumerate(names)]
    arcs = [{"from": a, "to": b, "weight": (a + 1) * 40 / (b + 1), "label": f"{a + b}0 %", "tip": f"{a} to {b}"} for a,
            b in [(0, 1), (1, 2), (2, 1), (1, 3), (3, 4), (4, 5), (5, 1), (1, 0), (3, 3)]]
    graph: dict[str, Any] = {"title": "State diagram", "description": "", "layout": "layered", "colour": "weight", "nodes": nodes, "arcs": arcs}
    circle = {**graph, "title": "Hot spots", "layout": "circle", "colour": "heat"}
    space = {"title": "Space-time", "description": "", "from_ns": 0, "to_ns": 1e9,
             "rows": [{"process_name": name, "machine_name": ["red", "blue"][i // 3], "machine": i // 3} for i, name in enumerate(names)],
             "segments": [[r, k % 2, k * 1e8 + r * 1e7, (k + 1) * 1e8 + r * 1e7] for r in range(6) for k in range(9)],
             "arcs": [[i % 6, (i + 2) % 6, i * 4e7, i * 4e7 + 6e7, 100 * i, i % 2] for i in range(20)],
             "rows_left_out": 0, "segments_left_out": 0, "arcs_left_out": 0, "outside_messages": 0, "not_performed": 0}
    return [
        {"heading": "How good are the predictions?", "text": "Each claim is tried again on this machine.",
         "figures": [figure("Claims", "table", table, "A claim is met if the error stays below its goal.", True),
         figure("P by copies", "lines", lines, "With more copies P grows until the directory is busy all the time."),
         figure("Predicted and measured P", "scatter", scatter, "On the diagonal both are equal; bars are intervals of 90 %.")]},
        {"heading": "Where is the work?", "text": "", "figures": [figure("Shares", "bars", bars, "Of the computation's total."),
                                                                  figure("Who talks to whom", "heat_map", heat,
                                                                         "Processes that talk much stand together."),
                                                                         figure("Difference", "heat_map", signed,
                                                                                "Of one figure, its caption stands beside it.")]},
        {"heading": "Which ways do requests take?", "text": "", "figures": [figure("State diagram", "graph", graph, "Where a request goes next.",
                                                                                   True), figure("Hot spots", "graph", circle, "From violet to red.",
                                                                                                 True), figure("Space-time diagram", "space_time",
                                                                                                               space, "From 0 to 1 s.", True)]},
    ]


def report() -> dict[str, Any]:
    return {"title": "File system: what was found", "subtitle": "A simulated file system with 40 users",
            "facts": [{"label": "scenario", "value": "file-system"}, {"label": "seed", "value": "1"},
                      {"label": "placement", "value": "A: all on red"}, {"label": "made with", "value": HOSTILE_NAMES[1]}],
            "headlines": [{"label": "P", "value": "1.21", "meaning": "processors worked at the same time on average"},
                          {"label": "best P", "value": "2.05", "meaning": "with a machine for each process"}],
            "ledger": {"seen": 123456, "kept": 120000, "filtered": 3400, "lost": 56,
                       "losses": [{"reason": "the buffer of machine red was full", "events": 56}], "warnings": ["56 events were lost."],
                       "balanced": True},
            "warnings": ["Two clocks could not be compared."], "sections": sections(), "made_by": "made by make_report.py"}


def main() -> None:
    page, output, *rest = sys.argv[1:]
    data = {"report": report()}
    if "--only-report" not in rest:
        world = World(24, 300, hostile="--hostile" in rest)
        answer, arrays = events.spacetime(world, 0, END_S, None, 64, END_S, 1000)
        if not answer["exact"]:
            answer, arrays = events.spacetime(world, 0, 5, None, 64, END_S, 1000)
        to_s = END_S if sum(pair.rate for pair in world.pairs) * END_S <= events.EXACT_MAX else 5
        describe = {**world.describe(END_S, "ended", 1), "can": {"predict": False, "follow": False, "live_queues": False}, "why_not": {}}
        answered = {"describe": describe, "queues": events.queues(world), "paths": events.paths(world, 40),
                    "placement": events.Placements(world).answer()}
        for name, one in answered.items():
            check_answer(name, one, {})
        data.update({"answers": {**answered, "overview": lists(*world.overview(0, END_S, 128, END_S))},
                     "levels": levels(world), "spacetime": {**lists(answer, arrays), "from_s": 0, "to_s": to_s}})
    empty = '<script type="application/json" id="data">null</script>'
    html = Path(page).read_text(encoding="utf-8")
    assert empty in html
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    Path(output).write_text(html.replace(empty, empty.replace("null", text)), encoding="utf-8")


if __name__ == "__main__":
    main()
