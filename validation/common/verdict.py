"""What is judged of a system that was metered on all its hosts: every message matched, none lost, none received before it was sent."""

import json
import subprocess

from system import Failed, System


def judge(system: System, expected: dict) -> int:
    """Merges what was metered, prints what became of the messages, and returns the exit status."""
    trace = system.folder / "trace"
    merged = _dpm(system, "merge", *[part.folder for part in system.parts], "-o", trace, "--json")
    clocks = _dpm(system, "clocks", trace, "--json")
    (system.folder / "merged.json").write_text(json.dumps(merged, indent=2))
    (system.folder / "clocks.json").write_text(json.dumps(clocks, indent=2))
    complaints = [*_of_messages(system, merged, expected), *_of_clocks(clocks, expected)]
    _print(merged, clocks)
    print(f"baseline: {expected['baseline']}")
    for complaint in complaints:
        print(f"WRONG: {complaint}")
    print(f"trace: {trace}")
    return 1 if complaints else 0


def _dpm(system: System, *words: object) -> dict:
    done = subprocess.run([system.dpm, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"dpm {' '.join(map(str, words))}: {done.stderr}")
    return json.loads(done.stdout)


def _of_messages(system: System, merged: dict, expected: dict) -> list[str]:
    messages, ledger = merged["messages"], merged["ledger"]
    complaints = []
    if messages["matched_share"] < expected["matched_share_least"]:
        complaints.append(f"{messages['matched_share']:.4%} of the messages between metered processes are matched, which should be "
                          f"{expected['matched_share_least']:.1%} at least")
    if messages["lost"] > 0:
        complaints.append(f"{messages['lost']} messages are lost: nothing explains why they are not matched")
    if messages["matched_between"] < expected["matched_between_least"]["short" if system.short else "full"]:
        complaints.append(f"only {messages['matched_between']} messages between machines: was there any load?")
    if ledger["lost"] > 0:
        complaints.append(f"{ledger['lost']} events are lost")
    missing = set(expected["machines"]) - set(merged["machines"])
    if missing:
        complaints.append(f"no machine {', '.join(sorted(missing))} in the trace")
    return complaints


def _of_clocks(clocks: dict, expected: dict) -> list[str]:
    """That no even clock explains the messages is a step; otherwise every message was sent before it was received."""
    warnings = clocks["warnings"]
    complaints = [f"clocks: {warning}" for warning in warnings[:5]]
    if len(warnings) > len(complaints):
        complaints.append(f"clocks: and {len(warnings) - len(complaints)} warnings more")
    ahead = expected["clocks_ahead_s"]
    for relation in clocks["relations"]:
        truth_ns = (ahead.get(relation["b"], 0) - ahead.get(relation["a"], 0)) * 1e9
        low, high = relation["offset_low_ns"], relation["offset_high_ns"]
        if (low is not None and truth_ns < low) or (high is not None and truth_ns > high):
            complaints.append(f"the clock of {relation['b']} is {truth_ns:.0f} ns ahead of that of {relation['a']}, which is not "
                              f"between the bounds {low} and {high}")
    return complaints


def _print(merged: dict, clocks: dict) -> None:
    messages = merged["messages"]
    shown = {key: value for key, value in messages.items() if key != "matched_share"}
    for fate, number in shown.items():
        print(f"{fate:16} {number:9}")
    print(f"matched, where both ends are metered: {messages['matched_share']:.4%}")
    ledger = merged["ledger"]
    print(f"events {ledger['kept']}, lost {ledger['lost']}")
    for warning in ledger["warnings"]:
        print(f"warning: {warning}")
    for relation in clocks["relations"]:
        if relation["width_ns"] is not None:
            print(f"clock of {relation['b']} less that of {relation['a']}: {relation['offset_low_ns'] / 1e9:.6f} to "
                  f"{relation['offset_high_ns'] / 1e9:.6f} s")
