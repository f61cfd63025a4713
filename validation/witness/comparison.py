"""What two accounts do not agree about. Everything here is arithmetic on accounts: no file is read and no program is run."""

import collections
import itertools
import math
import re
from dataclasses import dataclass, field
from typing import Any

from account import RECEIVE, SEND, Account, Flow, by_class, service_of

CPU_SHARE, CPU_LEAST_S = 0.01, 0.002  # CPU time is right if it is off by no more than one of these
WHOLE_SHARE = 0.005  # of all CPU time of a run: small errors of one sign add up


# In two runs; in one run they are compared like everything else.
ALWAYS_VARIES = [("eventfd", "how often threads wake one another is chance")]


@dataclass
class Difference:
    kind: str  # messages, accepts, cpu, counters, results
    text: str
    reason: str = ""  # why it is not one; empty: nothing explains it
    part: str = ""  # of its kind; "division": a thread took the same bytes from the same UNIX stream in other receives


def moved_differently(straced: Any, metered: Any) -> list[Difference]:
    """Of one run: every thread must have moved the same bytes in the same calls over the same flows."""
    found, seen = [], []
    for account in (straced, metered):
        lengths = collections.defaultdict(list)
        for move in account.moves:
            lengths[move.tid, move.way, _known(move.flow, straced)].append(move.length)
        seen.append(lengths)
    for key in sorted(set(seen[0]) | set(seen[1]), key=str):
        witness, trace = (lengths.get(key, []) for lengths in seen)
        if witness != trace:
            tid, way, flow = key
            divided = way == RECEIVE and flow.medium == "unix" and sum(witness) == sum(trace)
            found.append(Difference("messages", f"{straced.program_of(tid)} ({tid}) {way} {flow}: strace {_amount(witness)}, "
                                                f"trace {_amount(trace)}", part="division" if divided else ""))
    return found


def _known(flow: Flow, straced: Account) -> Flow:
    """By the names of its ends. Of a UNIX stream a trace may know one end by its path."""
    if flow.medium == "unix" and "?" in (flow.sender, flow.receiver):
        sender = flow.sender if flow.sender != "?" else straced.other_end.get(flow.receiver, "?")
        receiver = flow.receiver if flow.receiver != "?" else straced.other_end.get(flow.sender, "?")
        return type(flow)("unix", sender, receiver)
    return flow.named


def _amount(lengths: list[Any]) -> str:
    return f"{len(lengths)} of {sum(lengths)} bytes"


def accepted_differently(straced: Account, metered: Account) -> list[Difference]:
    """Of one run: the same process must have accepted the same connection."""
    seen = [collections.Counter((account.pid_of(accept.tid), accept.medium, _ends(accept.ends, straced)) for accept in account.accepts)
            for account in (straced, metered)]
    found = []
    for which, less, more in (("trace", seen[1], seen[0]), ("strace", seen[0], seen[1])):
        for (pid, medium, ends), count in (more - less).items():
            name = " and ".join(sorted(ends)) or "no connection named"
            found.append(Difference("accepts", f"{straced.program_of(pid)} ({pid}) accepts {medium} {name}: not in the {which}"
                                               + (f", {count} times" if count > 1 else "")))
    return found


def _ends(ends: frozenset[str], straced: Account) -> frozenset[str]:
    if "?" in ends:
        known = next(iter(ends - {"?"}), "?")
        return frozenset((known, straced.other_end.get(known, "?")))
    return ends


def accepted_by_others(metered: Any) -> list[Difference]:
    """Of one metered run: who accepts a connection is who uses it first, unless the program hands connections on."""
    used_by = collections.defaultdict(set)
    for move in metered.moves:
        used_by[move.flow.ends].add(metered.pid_of(move.tid))
    found = []
    for accept in metered.accepts:
        users = used_by.get(accept.ends, set())
        if users and metered.pid_of(accept.tid) not in users:
            found.append(Difference("accepts", f"{metered.program_of(accept.tid)} ({metered.pid_of(accept.tid)}) accepts "
                                               f"{' and '.join(sorted(accept.ends))}, which {sorted(users)} use"))
        elif not accept.ends:
            found.append(Difference("accepts", f"{metered.program_of(accept.tid)} ({metered.pid_of(accept.tid)}) accepts a connection "
                                               "that is not named"))
    return found


@dataclass
class Run:
    """One of two runs of the same work, as one witness saw it."""
    account: Account
    ports: dict[str, Any]
    answers: list[Any] = field(default_factory=list)  # of lengths that vary, as the stage counted them

    def classes(self) -> dict[tuple[str, str, str], list[list[int]]]:
        return by_class(self.account, self._names())

    def left_to_itself(self, varies: Any) -> collections.Counter[Any]:
        """Of what a process sends to itself and takes in any number of calls: the bytes that it never takes, by service.

        A client's loop that wakes itself reads a byte at a time, and ends when its work is done: one byte is left, or fifty.
        """
        ways: dict[Any, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        processes = collections.defaultdict(set)
        for move in self.account.moves:
            if not move.flow.is_datagrams:
                flow = _known(move.flow, self.account)
                ways[flow][move.way] += move.length
                processes[flow].add((self.account.pid_of(move.tid), self.account.program_of(move.tid)))
        left: collections.Counter[str] = collections.Counter()
        for flow, amounts in ways.items():
            service = service_of(flow, self._names())
            own = amounts[RECEIVE] and len({pid for pid, _ in processes[flow]}) == 1
            if own and all(_reason_to_vary(f"{program} {RECEIVE} {service}", varies) for _, program in processes[flow]):
                left[service] += amounts[SEND] - amounts[RECEIVE]
        return left

    def left_at_end(self, varies: Any) -> collections.Counter[Any]:
        """Of what processes of a program send each other: the bytes that are never taken, sent when it had taken all else, by service.

        A process that is told to end, in more than one way, may end before it reads the last that it was told.
        """
        sent: dict[Any, list[Any]] = collections.defaultdict(list)
        received: collections.Counter[Any] = collections.Counter()
        last_taken: collections.Counter[Any] = collections.Counter()
        processes = collections.defaultdict(set)
        for place, move in enumerate(self.account.moves):
            program, service = self.account.program_of(move.tid), service_of(move.flow, self._names())
            if move.way == RECEIVE:
                last_taken[program, service] = place
            if not move.flow.is_datagrams and _reason_to_vary(f"{program} {RECEIVE} {service}", varies):
                flow = _known(move.flow, self.account)
                processes[flow].add(self.account.pid_of(move.tid))
                if move.way == RECEIVE:
                    received[flow] += move.length
                else:
                    sent[flow].append((place, move.length, program, service))
        left: collections.Counter[str] = collections.Counter()
        for flow, messages in sent.items():
            total = 0
            for place, length, program, service in messages:
                total += length
                is_between_processes = len(processes[flow]) > 1  # left_to_itself() has the others
                if total <= received[flow] or not is_between_processes:
                    continue
                others = [taken for (by, of), taken in last_taken.items() if by == program and of != service]
                if place > max(others, default=-1):
                    left[service] += min(length, total - received[flow])
        return left

    def _names(self) -> dict[int, str]:
        return {port: name for name, port in self.ports.items()}


def classes_differ(straced: Run, metered: Run, varies: list[Any]) -> list[Difference]:
    """Of two runs: each program must have moved as many bytes over as many connections of each service.

    How many calls that took is compared for what is sent and for datagrams. A stream's bytes may be taken by more calls or fewer.
    `varies`: (regular expression on a class, why its amounts differ from run to run).
    """
    seen = [straced.classes(), metered.classes()]
    found = _never_received(seen, [straced, metered], varies) if varies else []
    found += _take_out_answers(seen, straced.answers, metered.answers)
    for key in sorted(set(seen[0]) | set(seen[1])):
        witness, trace = (classes.get(key, []) for classes in seen)
        program, way, service = key
        name = f"{program} {way} {service}"
        calls_count = way != RECEIVE or service.endswith(" datagrams")
        if [amount for _, amount in witness] == [amount for _, amount in trace] and not (
                calls_count and sum(calls for calls, _ in witness) != sum(calls for calls, _ in trace)):
            continue
        reason = _reason_to_vary(name, varies)
        found.append(Difference("messages", f"{name}: strace {_sum(witness)}, trace of another run {_sum(trace)}", reason))
    return found


def _take_out_answers(seen: list[Any], *answers: list[Any]) -> list[Difference]:
    """Of each run the connections that bring exactly the answer that its client counted. Elsewhere a byte more or less is a difference."""
    found = []
    for witness, trace in zip(*answers):
        if witness["bytes"] == trace["bytes"]:
            continue
        for classes, answer in zip(seen, (witness, trace)):
            for (_, _, service), connections in classes.items():
                exact = next((which for which, (_, amount) in enumerate(connections) if amount == answer["bytes"]), None)
                if service == answer["service"] and exact is not None:
                    connections[exact] = [connections[exact][0], 0]
                    connections.sort(key=lambda both: both[1])
        found.append(Difference("messages", f"{witness['service']}: an answer of {witness['bytes']} bytes, in the other run of "
                                            f"{trace['bytes']}", witness["why"]))
    return found


def _reason_to_vary(name: str, varies: list[Any]) -> Any:
    return next((reason for pattern, reason in [*varies, *ALWAYS_VARIES] if re.search(pattern, name)), "")


def _never_received(seen: list[Any], runs: list[Any], varies: list[Any]) -> list[Difference]:
    """However much is sent, as much of it must be received in both runs: one byte less for each connection, as one that wakes the loop of
    its own process is often left there at the end. What one run sends more than the other, for a reason of the program's own, may be
    left there too. What the trace receives more, for such a reason, strace may have left: a process that ended before it read it.

    What a process leaves of what it sends to itself is chance, and so is what a program leaves that is about to end. It is taken out of
    both runs; the run that both watch has it in full.
    """
    left_to_itself, left_at_end = ([getattr(run, of)(varies) for run in runs] for of in ("left_to_itself", "left_at_end"))
    witness, trace = seen
    missing: list[collections.Counter[str]] = []
    spare: collections.Counter[str] = collections.Counter()
    left_by_strace: collections.Counter[str] = collections.Counter()
    for program, way, service in set(witness) | set(trace):
        if way != RECEIVE and _reason_to_vary(f"{program} {way} {service}", varies):
            amounts = [sum(amount for _, amount in classes.get((program, way, service), [])) for classes in (witness, trace)]
            spare[service] += abs(amounts[0] - amounts[1])
        elif way == RECEIVE and _reason_to_vary(f"{program} {way} {service}", varies):
            amounts = [sum(amount for _, amount in classes.get((program, way, service), [])) for classes in (witness, trace)]
            left_by_strace[service] += max(amounts[1] - amounts[0], 0)
    for classes, own, last in zip(seen, left_to_itself, left_at_end):
        balance = collections.Counter({service: -own[service] - last[service] for service in {*own, *last}})
        for (_, way, service), flows in classes.items():
            balance[service] += sum(amount for _, amount in flows) * (-1 if way == RECEIVE else 1)
            spare[service] += len(flows)
        missing.append(balance)
    found = [Difference("messages", f"{service}: of what is sent, {missing[0][service]} bytes are never received by strace, and "
                                    f"{missing[1][service]} by a trace of another run")
             for service in sorted(set(missing[0]) | set(missing[1]))
             if not -spare[service] <= missing[0][service] - missing[1][service] <= spare[service] + left_by_strace[service]]
    return found + _left_by_chance(left_to_itself, "of what processes send to themselves",
                                   "a loop that is woken by its own process may end before it reads all of it") \
                 + _left_by_chance(left_at_end, "of what was sent last", "a process that is told to end may end before it reads this")


def _left_by_chance(left: list[Any], what: str, reason: str) -> list[Any]:
    own, other = left
    return [Difference("messages", f"{service}: {what}, {own[service]} bytes are left by strace, and {other[service]} by a trace of another "
                                   "run", reason)
            for service in sorted(set(own) | set(other)) if own[service] != other[service]]


def _sum(connections: Any) -> str:
    calls, amount = (sum(column) for column in zip(*connections)) if connections else (0, 0)
    return f"{calls} of {amount} bytes on {len(connections)}"


def never_received(account: Any) -> Any:
    """How many messages of streams are sent, and not received to their last byte: what a process leaves that is killed, or that its peer
    tells in its last moment.
    """
    sent: dict[Any, list[Any]] = collections.defaultdict(list)
    received: collections.Counter[Any] = collections.Counter()
    for move in account.moves:
        if move.flow.is_datagrams:
            continue
        flow = _known(move.flow, account)
        if move.way == RECEIVE:
            received[flow] += move.length
        else:
            sent[flow].append(move.length)
    return sum(end > received[flow] for flow, lengths in sent.items() for end in itertools.accumulate(lengths))


def counters_differ(counters: Any, metered: Any, ports: Any) -> list[Difference]:
    """What a program says of itself against what the trace of the same run says of it."""
    classes = by_class(metered, {port: name for name, port in ports.items()})
    found = []
    for counter in counters:
        if counter["of"] == "accepts":
            traced = sum(metered.program_of(accept.tid) == counter["program"] for accept in metered.accepts)
        else:
            flows = [flow for (program, way, service), listed in classes.items() for flow in listed
                     if (program, way) == (counter["program"], counter["way"]) and service == counter["service"]]
            column = {"messages": 0, "bytes": 1}.get(counter["of"])
            traced = len(flows) if column is None else sum(flow[column] for flow in flows)
        if traced != counter["value"]:
            found.append(Difference("counters", f"{counter['what']}: {counter['value']}, trace {traced}"))
    return found


def results_differ(bare: Any, other: Any, which: str) -> list[Any]:
    return [Difference("results", f"{name}: bare {value!r}, {which} {other.get(name)!r}"[:300])
            for name, value in bare.items() if other.get(name) != value]


@dataclass
class CpuComparison:
    witness_s: float
    trace_s: float
    processes: int
    differences: list[Any]


def cpu_differs(reaped: Any, metered: Any, uncounted: Any = frozenset()) -> CpuComparison:
    """wait4() says what a process and those that it reaped used: that much must stand in the trace of all these.

    `uncounted`: programs and children of theirs that strace last saw while the parent ignored SIGCHLD. The kernel takes such children away
    without counting them.
    """
    reaped_by_us = {process["pid"]: process["cpu_s"] for process in reaped}
    root_of, left_out = {}, set()
    parents = {task.pid: task.parent for task in metered.tasks.values() if task.tid == task.pid}
    for pid in parents:
        root = pid
        while root not in reaped_by_us and root in parents:
            if parents[root] in parents and (metered.program_of(parents[root]), metered.program_of(root)) in uncounted:
                left_out.add(root)
                break
            root = parents[root]
        root_of[pid] = root
    traced: dict[int | None, float] = collections.defaultdict(float)
    sizes: collections.Counter[int | None] = collections.Counter()
    for task in metered.tasks.values():
        traced[root_of.get(task.pid)] += task.cpu_ns / 1e9
        sizes[root_of.get(task.pid)] += task.tid == task.pid
    found, known = [], {pid: used for pid, used in reaped_by_us.items() if pid in parents}
    for pid, used in known.items():
        off = traced[pid] - used
        # The errors of several processes are independent of each other.
        if abs(off) > max(CPU_SHARE * used, CPU_LEAST_S * math.sqrt(sizes[pid])):
            others = f" and {sizes[pid] - 1} processes that it reaped" if sizes[pid] > 1 else ""
            found.append(Difference("cpu", f"{metered.program_of(pid)} ({pid}){others}: wait4 {used * 1e3:.1f} ms, trace "
                                           f"{traced[pid] * 1e3:.1f} ms"))
    for pid in sorted(left_out):
        found.append(Difference("cpu", f"{metered.program_of(pid)} ({pid}) and {sizes[pid] - 1} processes that it reaped: trace "
                                       f"{traced[pid] * 1e3:.1f} ms, not in what wait4() says of {metered.program_of(parents[pid])} "
                                       f"({parents[pid]})",
                                "its parent ignores SIGCHLD: it is taken away without being counted to anyone"))
    for pid in set(reaped_by_us) - set(known):
        found.append(Difference("cpu", f"process {pid}, of {reaped_by_us[pid] * 1e3:.1f} ms, is not in the trace"))
    whole, whole_traced = sum(known.values()), sum(traced[pid] for pid in known)
    if abs(whole_traced - whole) > max(WHOLE_SHARE * whole, CPU_LEAST_S):
        found.append(Difference("cpu", f"all {len(known)}: wait4 {whole * 1e3:.1f} ms, trace {whole_traced * 1e3:.1f} ms"))
    return CpuComparison(whole, whole_traced, len(known), found)
