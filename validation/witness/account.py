"""What happened in one run, as one witness tells it: who moved how many bytes over what, who accepted which connection.

A witness is strace (strace_account.py) or a trace of DPM (trace_account.py). Both name things as the kernel does, so that the accounts of
one run can be compared line by line, and those of two runs of the same work class by class.
"""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SEND, RECEIVE = "SEND", "RECEIVE"
DATAGRAMS = "datagrams"


@dataclass(frozen=True)
class Flow:
    """One direction of a connection, or a pipe. Datagrams are one flow for each medium: strace does not tell where each came from."""
    medium: str  # tcp, unix, pipe, udp
    sender: str
    receiver: str
    turn: int = 0  # the how manieth connection of these two addresses; an account numbers them by itself

    def __str__(self) -> str:
        if self.sender == DATAGRAMS:
            return f"{self.medium} datagrams"
        return f"{self.medium} {self.sender}" + (f" > {self.receiver}" if self.receiver != self.sender else "")

    @property
    def is_datagrams(self) -> bool:
        return self.sender == DATAGRAMS

    @property
    def named(self) -> Flow:
        """What all witnesses of one run call it."""
        return Flow(self.medium, self.sender, self.receiver)

    @property
    def ends(self) -> frozenset[Any]:
        """The connection that it is a direction of."""
        return frozenset((self.sender, self.receiver))


def datagrams(medium: str) -> Flow:
    return Flow(medium, DATAGRAMS, DATAGRAMS)


@dataclass(frozen=True)
class Move:
    """One call that moved data, or one datagram of it."""
    tid: int
    way: str
    flow: Flow
    length: int


@dataclass(frozen=True)
class Accept:
    tid: int
    medium: str
    ends: frozenset[str]  # empty: the witness cannot tell which connection


@dataclass
class Task:
    """A thread. Its CPU time is known to a trace only."""
    tid: int
    pid: int
    program: str
    parent: int = 0  # the process that made it, for the first thread of a process
    cpu_ns: int = 0


@dataclass
class Account:
    tasks: dict[int, Task] = field(default_factory=dict)  # by tid
    moves: list[Move] = field(default_factory=list)
    accepts: list[Accept] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    other_end: dict[str, str] = field(default_factory=dict)  # of UNIX streams, by inode
    # (program, child's program): it ignores SIGCHLD, and the kernel takes the child away
    uncounted: set[tuple[Any, ...]] = field(default_factory=set)

    def program_of(self, tid: int) -> str:
        task = self.tasks.get(tid)
        return task.program if task else "?"

    def pid_of(self, tid: int) -> int:
        task = self.tasks.get(tid)
        return task.pid if task else tid

    def without(self, left_out: Callable[..., Any]) -> Account:
        """The account of the tasks for which left_out() is false."""
        gone = {tid for tid, task in self.tasks.items() if left_out(task)}
        return Account({tid: task for tid, task in self.tasks.items() if tid not in gone},
                       [move for move in self.moves if move.tid not in gone],
                       [accept for accept in self.accepts if accept.tid not in gone], self.remarks, self.other_end,
                       self.uncounted)

    def totals(self) -> dict[str, list[int]]:
        """(messages, bytes) of each way."""
        found = {SEND: [0, 0], RECEIVE: [0, 0]}
        for move in self.moves:
            found[move.way][0] += 1
            found[move.way][1] += move.length
        return found


def service_of(flow: Flow, ports: dict[Any, Any]) -> str:
    """What a connection is for, in words that two runs have in common: `ports` are the names of the servers' ports."""
    for end in (flow.sender, flow.receiver):
        _, separator, port = end.rpartition(":")
        if separator and flow.medium in ("tcp", "udp") and port.isdigit() and int(port) in ports:
            return f"{flow.medium} {ports[int(port)]}"
    return str(flow) if flow.is_datagrams else flow.medium


def by_class(account: Account, ports: dict[int, str]) -> dict[tuple[str, str, str], list[list[int]]]:
    """(program, way, service) -> the calls and bytes of each connection, the same for every run of deterministic work."""
    classes: dict[tuple[str, str, str], dict[Flow, list[int]]] = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for move in account.moves:
        place = classes[account.program_of(move.tid), move.way, service_of(move.flow, ports)][move.flow]
        place[0] += 1
        place[1] += move.length
    return {key: sorted(flows.values(), key=operator.itemgetter(1))
            for key, flows in classes.items()}
