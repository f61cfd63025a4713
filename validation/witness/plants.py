"""Errors to plant in the records of a trace, on purpose: a comparison that cannot fail compares nothing.

    receive  one RECEIVE in a thousand, and one at least, is left out
    accept   one ACCEPT is given to another process
    cpu      1 % of all CPU time is left out
"""

from typing import Any

EVERY = 1000
CPU_LEFT = 0.99


def nothing(records: Any, _: Any) -> Any:
    return records


def drop_receives(records: Any, _: Any) -> list[tuple[Any, Any]]:
    kept, received = [], 0
    for event, fields in records:
        if event == "RECEIVE" and fields["msgLength"] > 0:
            received += 1
            if received % EVERY == 1:
                continue
        kept.append((event, fields))
    return kept


def move_accept(records: Any, names: Any) -> Any:
    """To the process that has the next number, one that is not a thread of the same."""
    for event, fields in records:
        if event == "ACCEPT" and fields["evidence"] == 0:
            own = names.processes[fields["task"]].get("pid")
            others = [number for number, process in enumerate(names.processes) if process.get("pid") != own]
            if others:
                fields["task"] = others[-1]
                break
    return records


def shorten_cpu(records: Any, _: Any) -> Any:
    for _, fields in records:
        if "procTime" in fields:
            fields["procTime"] = int(fields["procTime"] * CPU_LEFT)
    return records


PLANTS = {"receive": drop_receives, "accept": move_accept, "cpu": shorten_cpu}
