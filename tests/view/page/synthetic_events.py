"""Single events of the made-up program (synthetic.py), and the answers that come from whole-trace analyses."""
import math
import operator
from collections.abc import Iterator
from typing import Any

from synthetic import World, spread

EXACT_MAX = 6000


def messages_of(world: Any, pair: Any, from_s: float, to_s: float) -> Iterator[Any]:
    """The messages of a pair that are under way in a range: the k-th is sent at about k / rate."""
    if pair.rate <= 0:
        return
    first, last = max(0, math.floor((from_s - 0.05) * pair.rate) - 1), math.ceil(to_s * pair.rate) + 1
    for k in range(first, last):
        sent = (k + 0.8 * spread(k * 131 + pair.number * 7919)) / pair.rate
        received = sent + pair.delay_s * (1 + 4 * spread(k * 17 + pair.number) ** 3)
        if sent < to_s and received > from_s and sent >= 0:
            yield sent, received, pair.number * 10 ** 9 + k


def spacetime(world: World, from_s: float, to_s: float, rows: Any, rows_max: int, now_s: float, width: int) -> Any:
    to_s = min(to_s, now_s)
    busiest = sorted(range(len(world.processes)), key=lambda i: (-sum(pair.rate for pair in world.pairs_to.get(i, [])), i))
    ids = rows or busiest[:rows_max]
    ids = sorted(ids[:rows_max], key=lambda i: (world.processes[i]["machine"], i))
    row_of = {id: row for row, id in enumerate(ids)}
    described = [{"process": id, "machine": world.processes[id]["machine"]} for id in ids]
    answer: dict[str, Any] = {"rows": described, "rows_left_out": len(world.processes) - len(ids) if not rows else 0, "arcs_left_out": 0}
    pairs = [pair for pair in world.pairs if pair.source in row_of and pair.target in row_of]
    expected = sum(pair.rate for pair in pairs) * max(0, to_s - from_s)
    if expected > EXACT_MAX:
        return {**answer, "exact": False}, binned(world, from_s, to_s, ids, pairs, min(width, 400))
    return {**answer, "exact": True}, exact(world, from_s, to_s, ids, row_of, pairs)


def binned(world: Any, from_s: float, to_s: float, ids: list[int], pairs: list[Any], width: int) -> dict[str, Any]:
    t_s, step = world.grid(from_s, to_s, width)
    arrays: dict[str, list[float]] = {name: [] for name in ["bin_row", "bin_from", "bin_to", "bin_work", "bin_wait", "flow_from", "flow_to", "flow_t",
                                                            "flow_messages"]}
    for row, id in enumerate(ids):
        for t in t_s:
            work = world.cpu_of(id, t, t + step) / step * (0.6 + 0.8 * spread(int(t / step) * 91 + id))
            for name, value in zip(["bin_row", "bin_from", "bin_to", "bin_work", "bin_wait"],
                                   [row, t, t + step, min(1, work), max(0, min(1, 1 - work) * 0.8)]):
                arrays[name].append(value)
    row_of = {id: row for row, id in enumerate(ids)}
    for pair in pairs:
        for t in t_s[:: max(1, len(t_s) * len(pairs) // 4000)]:
            for name, value in zip(["flow_from", "flow_to", "flow_t", "flow_messages"],
                                   [row_of[pair.source], row_of[pair.target], t + step * spread(pair.number), pair.count(t, t + step)]):
                arrays[name].append(value)
    types = {"bin_row": "u32", "bin_work": "f32", "bin_wait": "f32", "flow_from": "u32", "flow_to": "u32"}
    return {name: (types.get(name, "f64"), values) for name, values in arrays.items()}


def exact(world: Any, from_s: float, to_s: float, ids: list[int], row_of: dict[int, int],
          pairs: list[Any]) -> dict[str, tuple[str, list[Any | float | int]]]:
    arcs: list[tuple[int, int, float, float, float, int, int, float]] = []
    work: dict[int, list[tuple[float, float]]] = {id: [] for id in ids}
    for pair in pairs:
        for sent, received, id in messages_of(world, pair, from_s, to_s):
            arcs.append((row_of[pair.source], row_of[pair.target], sent, received, float(pair.size), 0, int(spread(id % 100003) < 0.04), float(id)))
            length = (0.00004 + 0.0003 * spread(id % 99991)) * (1 if len(pairs) > 200 else 3)
            work[pair.target].append((received, received + length))
    arcs.sort(key=operator.itemgetter(2))
    segments = []
    for id in ids:
        at = from_s - 0.05
        for begin, end in sorted(work[id]):
            begin = max(begin, at)
            if begin > at:
                kind = 1 if spread(int(begin * 1e6)) < 0.85 else 2 + int(spread(int(begin * 1e5)) * 5)
                segments.append((row_of[id], kind, at, begin, 0))
            at = max(at, begin, end)
            if end > begin:
                segments.append((row_of[id], 0, begin, at, int(spread(int(begin * 1e6) + 5) < 0.06)))
        segments.append((row_of[id], 1, at, to_s, 0))
    names = ["arc_from", "arc_to", "arc_sent", "arc_received", "arc_bytes", "arc_kind", "arc_critical", "arc_id"]
    types = ["u32", "u32", "f64", "f64", "f64", "u8", "u8", "f64"]
    arrays = {name: (type, [arc[i] for arc in arcs]) for i, (name, type) in enumerate(zip(names, types))}
    names, types = ["seg_row", "seg_kind", "seg_from", "seg_to", "seg_critical"], ["u32", "u8", "f64", "f64", "u8"]
    arrays.update({name: (type, [segment[i] for segment in segments]) for i, (name, type) in enumerate(zip(names, types))})
    return arrays


def message(world: World, id: Any, now_s: Any) -> dict[str, Any]:
    pair = world.pairs[int(id // 10 ** 9)]
    sent, received = next(((s, r) for s, r, i in messages_of(world, pair, 0 if now_s < 1 else int(id % 10 ** 9) / pair.rate - 0.1, now_s) if i == id),
                          (0, 0))
    span = 40 / max(1, sum(other.rate for other in world.pairs) / 200)
    past, future = [], []
    reached_past, reached_future = {pair.source: sent}, {pair.target: received}
    around = sorted(((s, r, i, other) for other in world.pairs for s, r,
                     i in messages_of(world, other, sent - min(span, 0.05), received + min(span, 0.05))), key=operator.itemgetter(1), reverse=True)
    for s, r, i, other in around:
        if other.target in reached_past and r <= reached_past[other.target]:
            past.append(float(i))
            reached_past[other.source] = max(reached_past.get(other.source, -1), s)
    for s, r, i, other in sorted(around, key=operator.itemgetter(0)):
        if other.source in reached_future and s >= reached_future[other.source]:
            future.append(float(i))
            reached_future[other.target] = min(reached_future.get(other.target, math.inf), r)
    return {"from": pair.source, "to": pair.target, "bytes": pair.size, "sent_s": sent, "received_s": received,
            "evidence": "The bytes of the stream tell which receive took it.",
            "past": past[:2000], "future": future[:2000], "past_left_out": max(0, len(past) - 2000), "future_left_out": max(0, len(future) - 2000)}


def queues(world: World) -> dict[str, Any]:
    rows = []
    for process in world.processes:
        mean = world.queue_of(process["id"], 5)
        row = {"process": process["name"], "measured": process["id"] % 11 != 0,
               "received": round(sum(pair.count(0, 60) for pair in world.pairs_to.get(process["id"], [])))}
        if row["measured"]:
            base = 1e-5 * (1 + mean)
            row.update({"queued": row["received"], "queue_max": math.ceil(mean * 6), "queue_mean": mean,
                        "queue_mean_by_operation": mean, "queue_distribution": [0.5, 0.5], "waits_across_machines": 0,
                        "wait_min_s": base / 20, "wait_mean_s": base,
                        "wait_median_s": base * 0.6, "wait_p95_s": base * 4,
                        "wait_max_s": base * 40, "still_queued": int(mean),
                        "wait_distribution": [{"from_s": 1e-6 * 2 ** k, "to_s": 1e-6 * 2 ** (k + 1),
                                               "count": int(row["received"] * math.exp(-((k - 5) ** 2) / 6))} for k in range(14)]})
        rows.append(row)
    return {"processes": rows, "own_waits": [], "warnings": [],
            "ledger": {"seen": 9, "kept": 9, "filtered": 0, "lost": 0, "losses": [], "warnings": []}}


def paths(world: World, most: int) -> dict[str, Any]:
    kinds = ["load", "gateway", "orders", "stock", "cache", "postgres"]
    chosen = [world.of(kind)[0] for kind in kinds if world.of(kind)]
    nodes: list[dict[str, Any]] = [{"process": None, "label": "users", "note": ""}]
    nodes += [{"process": id, "label": world.processes[id]["name"], "note": chr(65 + i)} for i, id in enumerate(chosen)]
    arcs: list[dict[str, float]] = [{"from": 0, "to": 1, "probability": 1, "messages": 9000}]
    for a in range(1, len(nodes)):
        for b in (a + 1, a + 2, a - 1):
            if 0 < b < len(nodes):
                arcs.append({"from": a, "to": b, "probability": [0.62, 0.13, 0.25][[a + 1, a + 2, a - 1].index(b)], "messages": 9000 // (a + b)})
    listed = [{"text": "A B C " + "D E D " * (i % 4) + "F " * (i % 3) + "C B A", "count": 9000 // (i + 1), "share": 0.4 / (i + 1)}
              for i in range(min(most, 24))]
    return {"states": {"nodes": nodes, "arcs": arcs}, "paths": listed, "requests": 9000}


def request(world: World, number: int) -> dict[str, Any]:
    kinds = ["load", "gateway", "orders", "cache", "stock", "postgres"]
    ids = [world.of(kind)[int(spread(number + i) * len(world.of(kind)))] for i, kind in enumerate(kinds) if world.of(kind)]
    walk = [0, 1, 2, 3, 2, 4, 5, 4, 2, 1, 0]
    at = 1 + number * 0.01
    steps: list[dict[str, float]] = []
    for a, b in zip(walk, walk[1:]):
        if max(a, b) < len(ids):
            late = 0.0002 + 0.001 * spread(number * 7 + len(steps))
            steps.append({"from": ids[a], "to": ids[b], "sent_s": at, "received_s": at + late, "bytes": 200 + 90 * a})
            at += late + 0.0004 * (1 + b)
    return {"from_s": 1 + number * 0.01, "to_s": at, "rows": ids, "steps": steps, "left_out": 0}


class Placements:
    def __init__(self, world: World) -> None:
        self.world = world
        self.best: dict[str, Any] | None = None

    def load(self, process: dict[str, Any]) -> float:
        return 0.1 + self.world.cpu_of(process["id"], 0, 10)

    def elapsed(self, machine_of: dict[Any, Any], machines: dict[Any, Any], delay_factor: int, replicas: dict[Any, Any]) -> Any:
        names, remote = self.world.machines, 0.0
        loads: dict[str, float] = {}
        for process in self.world.processes:
            machine = machine_of.get(process["name"], names[process["machine"]])
            loads[machine] = loads.get(machine, 0) + self.load(process) / max(1, replicas.get(process["name"], 1)) ** 0.7
        slowest = max(load / (machines.get(name, {}).get("speed", 1 + names.index(name) % 2) * machines.get(name, {}).get("cores", 4)) for name,
                      load in loads.items())
        for pair in self.world.pairs:
            a, b = self.world.processes[pair.source], self.world.processes[pair.target]
            if machine_of.get(a["name"], names[a["machine"]]) != machine_of.get(b["name"], names[b["machine"]]):
                remote += pair.rate
        return 2 + slowest * 6 + delay_factor * remote * 0.0004

    def answer(self) -> dict[str, Any]:
        names = self.world.machines
        elapsed = self.elapsed({}, {}, 1, {})
        return {
            "machines": [{"name": name, "speed": 1 + i % 2, "cores": 4, "accepts": i != 1 or len(names) < 3} for i, name in enumerate(names)],
            "processes": [{"process": process["id"], "name": process["name"], "machine": names[process["machine"]], "fixed": process["outside"]}
                          for process in self.world.processes],
            "traced": {"elapsed_s": elapsed, "P": 3.1, "low_elapsed_s": elapsed * 0.96, "high_elapsed_s": elapsed * 1.03}, "best": self.best,
            "notes": [], "why_not": None,
        }

    def predict(self, parameters: Any) -> dict[str, Any]:
        elapsed = self.elapsed(parameters.get("machine_of", {}), parameters.get("machines", {}), parameters.get("delay_factor", 1),
                               parameters.get("replicas", {}))
        total = sum(self.load(process) for process in self.world.processes)
        answer = {"elapsed_s": elapsed, "P": total / elapsed * 3, "T_s": total, "low_elapsed_s": None, "high_elapsed_s": None,
                  "low_P": None, "high_P": None, "identity_error": 0.021,
                  "leaves_out": ["Waits for the disk are taken as they were."], "took_ms": 3}
        if parameters.get("interval"):
            answer.update({"low_elapsed_s": elapsed * 0.93, "high_elapsed_s": elapsed * 1.06, "low_P": total / elapsed * 2.8,
                           "high_P": total / elapsed * 3.2})
        return answer

    def search(self) -> dict[str, Any]:
        names = self.world.machines
        machine_of = {process["name"]: names[(process["id"] * 2) % len(names)] for process in self.world.processes if not process["outside"]}
        self.best = {"machine_of": machine_of, "elapsed_s": self.elapsed(machine_of, {}, 1, {}) * 0.7, "P": 4.9, "at_least_s": 1.2}
        return {"searching": True}


def statistics(world: World, from_s: float, to_s: float) -> dict[str, Any]:
    """What each process did in a range, as its pairs have it."""
    processes = []
    for process in world.processes:
        out = [(round(pair.count(from_s, to_s)), pair.size) for pair in world.pairs if pair.source == process["id"]]
        back = [(round(pair.count(from_s, to_s)), pair.size) for pair in world.pairs if pair.target == process["id"]]
        sent, received = sum(count for count, _ in out), sum(count for count, _ in back)
        processes.append({
            "process": process["name"], "program": process["program"], "machine": "", "in_computation": process["in_computation"],
            "cpu_s": world.cpu_of(process["id"], from_s, to_s), "cpu_percent": 0, "sent": sent, "sent_percent": 0,
            "sent_bytes": sum(count * size for count, size in out), "sent_bytes_percent": 0, "received": received,
            "received_bytes": sum(count * size for count, size in back), "sent_local": sent, "sent_remote": 0, "events": {}})
    ledger = {"seen": 0, "kept": 0, "filtered": 0, "lost": 0, "losses": [], "warnings": []}
    return {"processes": processes, "messages": [], "sizes": [], "machines": [], "local": 0, "remote": 0, "events": 0, "warnings": [],
            "ledger": ledger}


def blame(world: World, of: Any, from_s: float, to_s: float) -> dict[str, Any]:
    """Where the time of a process went: half of it run-queue wait."""
    number = of if 0 <= of < len(world.processes) else 0
    name = world.processes[number]["name"]
    cpu_s = min(world.cpu_of(number, from_s, to_s), (to_s - from_s) / 2)
    times = (("its CPU time", cpu_s), ("run-queue wait", (to_s - from_s) / 2), ("waits for messages", (to_s - from_s) / 2 - cpu_s))
    boxes = [{"depth": 0, "from": 0, "to": 1, "label": name, "tone": "process", "tip": name},
             {"depth": 1, "from": 0, "to": 0.5, "label": "run-queue wait", "tone": "queue", "tip": "50 %"}]
    rows = [[{"text": text, "tone": "normal"}, {"text": share, "tone": "normal"}] for text,
            share in ((name, "100.0 %"), ("run-queue wait", "50.0 %"))]
    causes = [{"cause": cause, "time_s": time_s} for cause, time_s in times]
    return {"of": name, "causes": causes, "section": {"heading": f"Where the time of {name} went", "text": "", "figures": [
        {"heading": "Flame graph", "caption": "", "wide": True, "kind": "flame_graph", "drawing": {"title": name, "description": "", "boxes": boxes}},
        {"heading": "Tree", "caption": "", "wide": False, "kind": "table",
         "drawing": {"columns": [{"header": "where the time went", "number": False}, {"header": "share", "number": True}], "rows": rows}}]}}


def states() -> dict[str, Any]:
    bars = {"title": "States", "description": "", "series": ["share of samples"], "rows": [{"label": "CPU run", "values": [0.4], "tip": ""}],
            "form": "percent", "reference": None}
    return {"samples": 10, "source": "proc", "interval_s": 0.123, "sections": [
        {"heading": "States", "text": "What do the processes wait for and run on?",
         "figures": [{"heading": "What threads do", "caption": "", "wide": True, "kind": "bars", "drawing": bars}]}]}
