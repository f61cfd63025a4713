"""Random systems of front ends that gather answers, of servers that wait while other requests come, and of servers that call.

    system(seed)    a scenario with a traced placement and four others, the same for the same seed
"""

import random
from typing import Any

Scenario = dict[str, Any]
MACHINES = ("m0", "m1", "m2", "m3", "slow", "quick")
OTHER_PLACEMENTS = 4


def system(seed: int) -> Scenario:
    draw = random.Random(seed)
    stores, clients = draw.randint(2, 4), draw.choice((1, 1, 2, 3))
    kind = draw.choice(("gather", "quorum", "deferred", "calls"))
    thinks = (0.01, 0.08)
    if kind == "quorum":  # a late answer must not come while the next request waits: it would be taken for one to that
        clients, stores, thinks = 1, max(stores, 3), (0.6, 0.8)
    drawn = draw.random() < 0.5
    programs: dict[str, Any] = {"client": {"start": [{"repeat": draw.randint(30, 60), "do": [
        {"compute_s": time(draw, drawn, *thinks, " + 0.0017 * index")}, {"call": "read", "to": "front", "bytes": 60}]}]},
        "front": {"on": [{"kind": "read", "do": [*asks(draw, kind, stores), {"compute_s": time(draw, drawn, 0.0005, 0.006)},
                                                 {"reply": "answer", "bytes": 300}]}, {"kind": "val", "do": []}]},
        "store": {"on": [{"kind": "get", "do": [
            {"compute_s": time(draw, drawn, 0.004, 0.03, f" + {draw.uniform(-0.001, 0.002):.4f} * index")}, answer_of(kind)]}]}}
    if kind == "calls":
        programs["front"]["on"].pop()
    processes = [{"name": "client", "count": clients, "program": "client", "machine": "desk"},
                 {"name": "front", "program": "front", "machine": "m0"},
                 {"name": "store", "count": stores, "program": "store", "machine": ["m1", "m2", "m3"]}]
    placements: dict[str, Any] = {"traced": {"store": ["m1", "m2", "m3"]}}
    for number in range(OTHER_PLACEMENTS):
        placements[f"other_{number}"] = {"store": [draw.choice(MACHINES) for _ in range(stores)], **(
            {"front": draw.choice(MACHINES)} if draw.random() < 0.3 else {})}
    return {"name": f"{kind}_{seed}", "seed": seed + 1,
            "machines": [{"name": "desk", "cores": 4}, "m0", "m1", "m2", "m3", {"name": "slow", "speed": 0.5}, {"name": "quick", "speed": 2}],
            "delays": {"local": 0.00001, "remote": 0.0003}, "programs": programs, "processes": processes,
            "placements": placements, "placement": "traced"}


def time(draw: random.Random, drawn: bool, low: float, high: float, more: str = "") -> Any:
    base = draw.uniform(low, high)
    if not drawn:
        return f"${{{base:.6f}{more}}}" if more else round(base, 6)
    return {"uniform": [f"${{{factor} * ({base:.6f}{more})}}" for factor in (0.5, 1.5)]}


def asks(draw: random.Random, kind: str, stores: int) -> list[Any]:
    if kind == "calls":
        return [{"call": "get", "to": "store", "pick": "all", "bytes": 60}]
    if kind == "deferred":
        return [{"send": "get", "to": "store_1", "bytes": 60}, {"wait": "val"}]
    count = stores if kind == "gather" else draw.randint(1, stores - 1)
    return [{"send": "get", "to": "store", "pick": "all", "bytes": 60}, {"wait": "val", "count": count}]


def answer_of(kind: str) -> Scenario:
    return {"reply": "val", "bytes": 300} if kind == "calls" else {"send": "val", "to": "sender", "bytes": 300}
