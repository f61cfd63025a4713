"""The measurement of a system that was metered on all its hosts: what became of its messages, and what is known about its clocks."""

import json
import subprocess
from typing import Any

from system import Failed, System

REMARKS_MOST = 5


def result_of(system: System, expected: dict[str, Any]) -> dict[str, Any]:
    """Merges what was metered; the result that `dpm validate` reads."""
    trace = system.folder / "trace"
    merged = _dpm(system, "merge", *[part.folder for part in system.parts], "-o", trace, "--json")
    clocks = _dpm(system, "clocks", trace, "--json")
    (system.folder / "merged.json").write_text(json.dumps(merged, indent=2))
    (system.folder / "clocks.json").write_text(json.dumps(clocks, indent=2))
    _need_load(system, merged, expected)
    wrong = _wrong_clocks(clocks, expected["clocks_ahead_s"])
    remarks = [*wrong, *clocks["warnings"]]
    return {
        "figures": {
            "matched": 100 * merged["messages"]["matched_share"],
            "lost_messages": merged["messages"]["lost"],
            "lost_events": merged["ledger"]["lost"],
            "contradictions": len(clocks["warnings"]),
            "wrong_clocks": len(wrong),
        },
        "remarks": remarks[:REMARKS_MOST],
        "tables": [_messages_table(merged), _clocks_table(clocks), _warnings_table(merged)],
    }


def _dpm(system: System, *words: object) -> dict[str, Any]:
    done = subprocess.run([system.dpm, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"dpm {' '.join(map(str, words))}: {done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _need_load(system: System, merged: dict[str, Any], expected: dict[str, Any]) -> None:
    """A system with few messages shows nothing."""
    between, least = merged["messages"]["matched_between"], expected["matched_between_least"]["quick" if system.quick else "full"]
    if between < least:
        raise Failed(f"only {between} messages between machines, and {least} should be there at least: was there any load?")
    missing = set(expected["machines"]) - set(merged["machines"])
    if missing:
        raise Failed(f"no machine {', '.join(sorted(missing))} in the trace")


def _wrong_clocks(clocks: dict[str, Any], ahead: dict[str, Any]) -> list[str]:
    """Pairs of machines whose clocks are not as far apart as `dpm clocks` reports."""
    wrong = []
    for relation in clocks["relations"]:
        truth_ns = (ahead.get(relation["b"], 0) - ahead.get(relation["a"], 0)) * 1e9
        low, high = relation["offset_low_ns"], relation["offset_high_ns"]
        if (low is not None and truth_ns < low) or (high is not None and truth_ns > high):
            wrong.append(f"the clock of {relation['b']} is {truth_ns:.0f} ns ahead of that of {relation['a']}, which is not "
                         f"between the bounds {low} and {high}")
    return wrong


def _messages_table(merged: dict[str, Any]) -> dict[str, Any]:
    rows = [[fate.replace("_", " "), str(number)] for fate, number in merged["messages"].items() if fate != "matched_share"]
    rows += [["events kept", str(merged["ledger"]["kept"])], ["events lost", str(merged["ledger"]["lost"])]]
    return {"title": "What became of the messages", "columns": ["messages", "number"], "rows": rows}


def _clocks_table(clocks: dict[str, Any]) -> dict[str, Any]:
    rows = [[relation["b"], relation["a"], f"{relation['offset_low_ns'] / 1e9:.6f} s", f"{relation['offset_high_ns'] / 1e9:.6f} s"]
            for relation in clocks["relations"] if relation["width_ns"] is not None]
    return {"title": "How far clocks are apart", "columns": ["clock of", "less that of", "at least", "at most"], "rows": rows}


def _warnings_table(merged: dict[str, Any]) -> dict[str, Any]:
    return {"title": "What the trace warns of", "columns": ["warning"], "rows": [[warning] for warning in merged["ledger"]["warnings"]]}
