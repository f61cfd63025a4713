"""A made-up distributed program: users, front ends, servers, caches and databases on several machines. Counts in any range of time follow
from formulas, so that answers for different ranges agree, without keeping events. Single events follow from the same rates."""
import math
from typing import Any

HOSTILE_NAMES = [
    "<script>window.hostile=1</script>", "<img src=x onerror=window.hostile=1>", '"><svg/onload=window.hostile=1>', "</script><b>bold</b>",
    "<!-- comment", "javascript:window.hostile=1", "' or \"1\"='1", "\x1b[31mred\x1b[0m\x07", "a\nb\r\nc\td", "\u202ereversed\u202c",
    "\u05e9\u05e8\u05ea \u0634\u0628\u0643\u0629", "\u200b\u200b\u200b", "", " ", "\U0001f9d1\u200d\U0001f680\U0001f525",
    "Z\u0351\u036b\u0343\u036a\u0302alg\u0363o",
    "long" * 1024, "__proto__", "constructor", "&lt;b&gt;&amp;\u0000{{7*7}}${7*7}",
]


def spread(number: int) -> float:
    """A number in [0, 1) that looks random and is always the same for `number`."""
    number = (number * 2654435761 + 1013904223) & 0xFFFFFFFF
    number ^= number >> 16
    number = (number * 2246822519) & 0xFFFFFFFF
    number ^= number >> 13
    return (number & 0xFFFFFF) / 0x1000000


class Pair:
    def __init__(self, number: int, source: Any, target: Any, rate: float, size: int, delay_s: Any, reply_to: int | None = None) -> None:
        self.number, self.source, self.target = number, source, target
        self.rate, self.size, self.delay_s, self.reply_to = rate, size, delay_s, reply_to
        self.wave_s = 7 + 11 * spread(number)
        self.depth = 0.25 + 0.5 * spread(number + 77)

    def count(self, from_s: float, to_s: float) -> float:
        """The integral of rate * (1 + depth * sin(2 pi t / wave))."""
        from_s, to_s = max(0, from_s), max(0, to_s)
        turn = 2 * math.pi / self.wave_s
        return self.rate * ((to_s - from_s) + self.depth / turn * (math.cos(turn * from_s) - math.cos(turn * to_s)))


class World:
    def __init__(self, processes: int = 30, rate: int = 2000, hostile: bool = False, machines: Any | None = None, clocks: bool = True) -> None:
        self.machines = ["red", "green", "blue", "amber", "violet", "cyan", "olive", "coral"][: machines or max(2, min(8, processes // 6))]
        self.hostile, self.common_time = hostile, clocks
        self.processes: list[Any] = []
        shares = [("load", 0.4), ("gateway", 0.08), ("orders", 0.2), ("stock", 0.12), ("cache", 0.1), ("postgres", 0.1)]
        for program, share in shares:
            for copy in range(max(1, round(share * processes))):
                if len(self.processes) < processes:
                    self.add(program, copy)
        while len(self.processes) < processes:
            self.add("orders", len(self.processes))
        self.pairs: list[Any] = []
        self.connect(rate)

    def add(self, program: str, copy: int) -> None:
        number = len(self.processes)
        name = f"{program}-{copy}" if not self.hostile else HOSTILE_NAMES[number % len(HOSTILE_NAMES)]
        machine = (copy + len(program)) % len(self.machines)
        self.processes.append({
            "id": number, "name": name, "program": "/usr/bin/" + program, "machine": machine, "pid": 4000 + number, "group": None, "kind": program,
            "cgroup": f"/system.slice/{program}.service" if number % 3 else "", "in_computation": program != "load",
            "outside": program == "load" and copy == 0,
        })

    def of(self, kind: str) -> list[Any]:
        return [process["id"] for process in self.processes if process["kind"] == kind]

    def connect(self, rate: int) -> None:
        links = []
        for source, targets, fan in [("load", "gateway", 1), ("gateway", "orders", 4), ("orders", "stock", 2), ("orders", "cache", 2),
                                     ("stock", "postgres", 2), ("stock", "cache", 1)]:
            to = self.of(targets)
            for client in self.of(source):
                for k in range(min(fan, len(to))):
                    links.append((client, to[int(spread(client * 31 + k * 7) * len(to))], 1 / (1 + k)))
        links = list({(a, b): (a, b, w) for a, b, w in links if a != b}.values())
        weight = sum(w * (0.2 + spread(a * 997 + b)) for a, b, w in links) * 2 or 1
        for a, b, w in links:
            share = rate * w * (0.2 + spread(a * 997 + b)) / weight
            near = self.processes[a]["machine"] == self.processes[b]["machine"]
            delay_s = (0.00005 if near else 0.0004) * (0.5 + spread(a + b * 13))
            self.pairs.append(Pair(len(self.pairs), a, b, share, int(80 + 400 * spread(a * 5 + b)), delay_s))
            self.pairs.append(Pair(len(self.pairs), b, a, share, int(600 + 9000 * spread(a + b * 3)), delay_s, reply_to=len(self.pairs) - 1))

    def describe(self, now_s: float, state: str, version: int, known: int | None = None) -> dict[str, Any]:
        shown = [{key: value for key, value in process.items() if key != "kind"} for process in self.processes[:known]]
        return {
            "title": "shop: a made-up program", "source": "synthetic", "state": state, "started": 1.7e9, "now_s": now_s, "version": version,
            "dpm": "made-up",
            "machines": [{"id": i, "name": name, "speed": 1 + i % 2, "cores": 4, "accepts": i != 1 or len(self.machines) < 3,
                          "summaries": i == 0} for i, name in enumerate(self.machines)],
            "processes": shown, "common_time": self.common_time, "can": {"predict": True, "follow": True, "live_queues": True}, "why_not": {},
            "read": 1,
        }

    def cpu_of(self, process: int, from_s: float, to_s: float) -> float:
        work = {"load": 20e-6, "gateway": 40e-6, "orders": 160e-6, "stock": 120e-6, "cache": 15e-6,
                "postgres": 300e-6}[self.processes[process]["kind"]]
        received = sum(pair.count(from_s, to_s) for pair in self.pairs_to.get(process, []))
        return min(0.97 * (to_s - from_s), received * work)

    @property
    def pairs_to(self) -> dict[int, list[Pair]]:
        if not hasattr(self, "_pairs_to"):
            self._pairs_to: dict[int, list[Pair]] = {}
            for pair in self.pairs:
                self._pairs_to.setdefault(pair.target, []).append(pair)
        return self._pairs_to

    def queue_of(self, process: int, at_s: float) -> Any:
        busy = self.cpu_of(process, at_s - 0.5, at_s + 0.5)
        return busy / max(0.03, 1 - busy) * (1 + 0.3 * math.sin(at_s * 3 + process))

    def traffic(self, from_s: int, to_s: Any, known: int | None = None) -> Any:
        known = len(self.processes) if known is None else known
        span = max(0, to_s - max(0, from_s))
        before = min(span, max(0, from_s))
        ids = list(range(known))
        pairs = [pair for pair in self.pairs if pair.source < known and pair.target < known]
        counts = [pair.count(from_s, to_s) for pair in pairs]
        earlier = [pair.count(from_s - before, from_s) for pair in pairs]
        cpu = [self.cpu_of(i, max(0, from_s), to_s) for i in ids]
        return {"span_s": span, "before_span_s": before}, {
            "process": ("u32", ids), "cpu_s": ("f64", cpu), "waiting_s": ("f64", [max(0, span - c) * 0.9 for c in cpu]),
            "queue": ("f64", [self.queue_of(i, (from_s + to_s) / 2) if i % 11 else math.nan for i in ids]),
            "from": ("u32", [pair.source for pair in pairs]), "to": ("u32", [pair.target for pair in pairs]),
            "messages": ("f64", [float(round(c)) for c in counts]), "bytes": ("f64", [round(c) * pair.size for c, pair in zip(counts, pairs)]),
            "before_messages": ("f64", [float(round(c)) for c in earlier]),
            "before_bytes": ("f64", [round(c) * pair.size for c, pair in zip(earlier, pairs)]),
        }

    @staticmethod
    def grid(from_s: int, to_s: float, width: int) -> Any:
        from_s = max(0, from_s)
        raw = max(1e-9, (to_s - from_s) / max(1, width))
        step = 2 ** math.ceil(math.log2(raw))
        first = math.floor(from_s / step)
        return [(first + i) * step for i in range(max(0, math.ceil(to_s / step) - first))], step

    def series(self, from_s: int, to_s: Any, width: Any, of: Any) -> Any:
        t_s, step = self.grid(from_s, to_s, min(width, 160))
        arrays = {"t_s": ("f64", t_s)}
        for index, wanted in enumerate(of):
            arrays[f"v{index}"] = ("f64", [self.value(wanted, t, step) for t in t_s])
        return {"step_s": step}, arrays

    def value(self, wanted: Any, t: Any, step: Any) -> Any:
        what, process = wanted["what"], wanted.get("process")
        if "machine" in wanted:
            return 1e9 * (2 + math.sin(t)) if what in ("memory", "swap") else 0.5 + 0.4 * math.sin(t + wanted["machine"])
        if what == "cpu":
            ids = [process] if process is not None else range(len(self.processes))
            return sum(self.cpu_of(i, t, t + step) for i in ids) / step
        if what == "waiting":
            return 0.9 * (1 - self.cpu_of(process or 0, t, t + step) / step)
        if what == "queue":
            return self.queue_of(process, t) if process is not None else sum(self.queue_of(i, t) for i in range(0, len(self.processes), 5))
        pairs = self.pairs
        if "from" in wanted:
            pairs = [pair for pair in pairs if (pair.source, pair.target) == (wanted["from"], wanted["to"])]
        elif process is not None:
            pairs = [pair for pair in pairs if (pair.target if what.startswith("received") else pair.source) == process]
        return sum(pair.count(t, t + step) * (pair.size if "bytes" in what else 1) for pair in pairs) / step

    def overview(self, from_s: int, to_s: float, width: int, now_s: float) -> Any:
        t_s, step = self.grid(from_s, to_s, min(width, 128))
        ids = range(len(self.processes))
        busy = [sum(self.cpu_of(i, t, t + step) for i in ids) / step for t in t_s]
        messages = [sum(pair.count(t, t + step) for pair in self.pairs) / step for t in t_s]
        volume = [sum(pair.count(t, t + step) * pair.size for pair in self.pairs) / step for t in t_s]
        span = max(1e-9, to_s - max(0, from_s))
        cpu = sum(self.cpu_of(i, max(0, from_s), to_s) for i in ids)
        total = sum(pair.count(from_s, to_s) for pair in self.pairs)
        seen = int(sum(pair.count(0, now_s) for pair in self.pairs) * 4.2) + 10
        return {
            "P_now": cpu / span, "P_run": cpu / span * 0.97, "P_best": cpu / span * 1.7,
            "P_method": "P is the CPU time of all processes divided by the elapsed time; P at best takes away all delays and waits for CPUs.",
            "cpu_s": cpu, "cpu_all_s": cpu, "messages": round(total), "bytes": sum(pair.count(from_s, to_s) * pair.size for pair in self.pairs),
            "queued": sum(self.queue_of(i, to_s) for i in ids),
            "processes_running": len(self.processes), "elapsed_s": span, "step_s": step,
            "ledger": {"seen": seen, "kept": seen - seen // 50 - 1234, "filtered": seen // 50, "lost": 1234,
                       "losses": [{"reason": "the meter's buffer was full", "events": 1234}],
                       "text": "1234 of the events that were seen are lost; totals are too small by as much."},
            "warnings": [{"text": "The clock of machine blue may be wrong by 0.8 ms.",
                          "advice": "Run chrony on blue, or read waits across machines with care."},
                         {"text": "1234 events were lost because a buffer was full.",
                          "advice": "Meter fewer processes, or start dpm meter with --buffer 64M."}],
        }, {
            "t_s": ("f64", t_s), "P_of": ("f64", busy), "P_best_of": ("f64", [value * (1.5 + 0.3 * math.sin(t / 5)) if t > 1 else math.nan for t,
                                                                              value in zip(t_s, busy)]),
            "messages_of": ("f64", messages), "bytes_of": ("f64", volume),
            "queued_of": ("f64", [sum(self.queue_of(i, t) for i in range(0, len(self.processes), 5)) for t in t_s]),
        }
