"""The account of a run by strace: strace -f -yy -s 8 -o LOG OPTIONS COMMAND."""

import collections
import os
import pathlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from account import RECEIVE, SEND, Accept, Account, Flow, Move, Task, datagrams

_RECEIVING = {"read", "readv", "recvfrom", "recvmsg"}
_SENDING = {"write", "writev", "sendto", "sendmsg", "vmsplice"}
_MANY = {"recvmmsg": RECEIVE, "sendmmsg": SEND}
_ACROSS = {"sendfile", "splice", "tee"}  # from one descriptor to another
_BIRTHS = {"clone", "clone3", "fork", "vfork"}
_ACCEPTING = {"accept", "accept4"}
_BEGINNING = {"socket"}  # not connect: strace keeps the name that a bound socket has there
_CALLS = _RECEIVING | _SENDING | set(_MANY) | _ACROSS | _BIRTHS | _ACCEPTING | _BEGINNING | {"execve", "execveat", "rt_sigaction"}
# Arrays of messages are shortened like strings, unless they are not to be abbreviated.
OPTIONS = ["-e", "trace=" + ",".join(sorted(_CALLS)), "-e", "abbrev=!" + ",".join(sorted(_MANY)), "-e", "signal=none"]

_LINE = re.compile(r"^(\d+) +(.*)$")
_CALL = re.compile(r"^(\w+)\((.*)$")
_RESULT = re.compile(r"\) += (\d+)(?:<((?:->|[^>])*)>)?(?: \(.*\))?$")
_DESCRIPTOR = re.compile(r"(\d+)<((?:->|[^>])*)>")
_MAPPED = re.compile(r"^\[::ffff:([\d.]+)\]")
_PIPE = re.compile(r"^pipe:\[(\d+)\]")
_TCP = re.compile(r"^TCP(?:v6)?:\[(.+)->(.+)\]")
_UNIX = re.compile(r"^UNIX-STREAM:\[(\d+)")
_PAIR = re.compile(r"UNIX-STREAM:\[(\d+)->(\d+)")
_NUMBER = re.compile(r',\s*"((?:[^"\\]|\\.)*)", ')
_SIGCHLD = re.compile(r"^SIGCHLD, \{sa_handler=([^,]+), .*?sa_flags=([^,}]+)")
_LISTENER = re.compile(r"^\d+<TCP:\[([\d.]+:\d+)\]>")
_PEER = re.compile(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([\d.]+)"\)')
_EXECUTED = re.compile(r'^(?:\d+<[^>]*>, |AT_FDCWD[^,]*, )?"([^"]*)"')


def read(path: pathlib.Path) -> Account:
    with open(path, errors="replace") as lines:
        return StraceReader().read(lines)


def whole_calls(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """(tid, call) of each line; what another thread interrupted is put together again."""
    begun = {}
    for line in lines:
        found = _LINE.match(line)
        if not found:
            continue
        tid, rest = int(found[1]), found[2].strip()
        if rest.endswith("<unfinished ...>"):
            begun[tid] = rest.removesuffix("<unfinished ...>").rstrip()
        elif rest.startswith("<... "):
            yield tid, begun.pop(tid, "") + rest.partition(">")[2]
        else:
            yield tid, rest


def _address(told: str) -> str:
    """An IPv4 address that an IPv6 socket has is that IPv4 address."""
    return _MAPPED.sub(r"\1", told)


def _bytes(shown: str) -> bytes:
    """Of a string as strace shows it: C escapes, octal or by letter."""
    return shown.encode("latin-1", "replace").decode("unicode_escape").encode("latin-1", "replace")


class StraceReader:
    def __init__(self) -> None:
        self.account = Account()
        self._last_name: dict[tuple[int, int], tuple[str, str, str]] = {}  # (pid, descriptor) -> ends, for when strace no longer finds the connection
        self._fresh: set[Any] = set()  # (pid, descriptor) of connections that have not been used: the next name there is another one's
        # (own end, other end) -> how many such connections there were at this end
        self._turns: collections.Counter[tuple[str, str]] = collections.Counter()
        self._keep_none: set[Any] = set()  # processes that ignore SIGCHLD now
        self._uncounted: dict[int, tuple[str, str]
                              | None] = {}  # process -> its parent's program and its own, if it ended now; None: it would be counted
        self._unknown: collections.Counter[str] = collections.Counter()
        self._made: dict[Any, list[Any]] = collections.defaultdict(list)  # by maker: (task, whether it is a thread)

    def read(self, log: Iterable[str]) -> Account:
        lines = list(log)
        for line in lines:
            for one, other in _PAIR.findall(line):
                if other != "0":
                    self.account.other_end[one], self.account.other_end[other] = other, one
        for tid, text in whole_calls(lines):
            call, result = _CALL.match(text), _RESULT.search(text)
            if call and result:
                self._take(tid, call[1], call[2], int(result[1]), result[2] or "")
                self._see(self._task(tid))
        self.account.uncounted = {programs for programs in self._uncounted.values() if programs}
        for name, calls in self._unknown.items():
            self.account.remarks.append(f"strace does not name the connection of {calls} calls: {name}")
        return self.account

    def _take(self, tid: Any, call: str, arguments: str, result: int, named: str) -> None:
        if call in _BIRTHS:
            self._born(tid, result, "CLONE_THREAD" in arguments)
        elif call.startswith("exec"):
            self._execute(tid, arguments)
        elif call == "rt_sigaction":
            self._handle_children(tid, arguments)
        elif call in _BEGINNING:
            self._begins((self._task(tid).pid, result))
        elif call in _ACCEPTING:
            self._accept(tid, arguments, result, named)
        elif call in _ACROSS:
            self._across(tid, call, arguments, result)
        elif call in _MANY:
            for length in re.findall(r"msg_len=(\d+)", arguments)[:result]:
                self._move(tid, _MANY[call], arguments, int(length))
        elif "MSG_PEEK" not in arguments and "MSG_ERRQUEUE" not in arguments:
            self._move(tid, SEND if call in _SENDING else RECEIVE, arguments, result)

    def _task(self, tid: Any) -> Task:
        return self.account.tasks.setdefault(tid, Task(tid, tid, "?"))

    def _see(self, task: Task) -> None:
        if task.tid == task.pid:
            ignored = task.parent in self._keep_none
            self._uncounted[task.pid] = (self.account.program_of(task.parent), task.program) if ignored else None

    def _born(self, maker: Any, tid: int, is_thread: bool) -> None:
        self._made[maker].append((tid, is_thread))
        self._inherit(maker, tid, is_thread)

    def _inherit(self, maker: Any, tid: int, is_thread: bool) -> None:
        """Of a child that may have been seen, and have made others, before its maker's call returned."""
        parent = self._task(maker)
        child = self._task(tid)
        child.pid = parent.pid if is_thread else tid
        child.parent = 0 if is_thread else parent.pid
        if parent.pid in self._keep_none:
            self._keep_none.add(child.pid)
        if child.program == "?" and parent.program != "?":
            child.program = parent.program
            for grandchild, is_grandchild_thread in self._made[tid]:
                self._inherit(tid, grandchild, is_grandchild_thread)

    def _execute(self, tid: Any, arguments: str) -> None:
        if found := _EXECUTED.match(arguments):
            task = self._task(tid)
            task.program = os.path.basename(os.path.realpath(found[1]))

    def _handle_children(self, tid: Any, arguments: str) -> None:
        task, found = self._task(tid), _SIGCHLD.match(arguments)
        if found and (found[1] == "SIG_IGN" or "SA_NOCLDWAIT" in found[2]):
            self._keep_none.add(task.pid)  # also when it executes another program
        elif found:
            self._keep_none.discard(task.pid)

    def _move(self, tid: Any, way: str, arguments: str, length: int) -> None:
        found = _DESCRIPTOR.match(arguments)
        if found and found[2] == "anon_inode:[eventfd]":
            # What is moved is a number, in the eight bytes that strace shows.
            number = _NUMBER.search(arguments)
            units = int.from_bytes(_bytes(number[1])[:8], "little") if number else 0
            self._task(tid)
            self.account.moves.append(Move(tid, way, datagrams("eventfd"), units))
        elif found and length > 0:
            self._add(tid, way, int(found[1]), found[2], length)

    def _across(self, tid: Any, call: str, arguments: str, length: int) -> None:
        ends = _DESCRIPTOR.findall(arguments)
        if len(ends) < 2 or length == 0:
            return
        first, second = ((RECEIVE, SEND) if call != "sendfile" else (SEND, RECEIVE))
        if call != "tee":  # which takes nothing out of its pipe
            self._add(tid, first, int(ends[0][0]), ends[0][1], length)
        self._add(tid, second, int(ends[1][0]), ends[1][1], length)

    def _add(self, tid: Any, way: str, number: int, name: str, length: int) -> None:
        flow = self._flow(tid, way, number, name)
        if flow:
            self._task(tid)
            self.account.moves.append(Move(tid, way, flow, length))

    def _flow(self, tid: Any, way: str, number: int, name: str) -> Flow | None:
        place = (self._task(tid).pid, number)
        if pipe := _PIPE.match(name):
            return Flow("pipe", pipe[1], pipe[1])
        if name.startswith(("UDP", "UNIX-DGRAM", "UNIX-SEQPACKET", "UNIX:")):  # the last: how strace names SEQPACKET
            return datagrams("udp" if name.startswith("UDP") else "unix")
        ends: tuple[str, str, str] | None = None
        if connection := _TCP.match(name):
            ends = ("tcp", _address(connection[1]), _address(connection[2]))
        elif socket := _UNIX.match(name):
            ends = ("unix", socket[1], self.account.other_end.get(socket[1], "?"))
        elif name.startswith("TCP"):
            ends = self._last_name.get(place)
            if ends is None:
                self._unknown[name] += 1
        if ends is None:
            return None
        self._last_name[place] = ends
        medium, own, other = ends
        turn = 0
        if medium == "tcp":
            if place in self._fresh:
                self._fresh.remove(place)
                self._turns[own, other] += 1
            turn = self._turns[own, other]
        return Flow(medium, own, other, turn) if way == SEND else Flow(medium, other, own, turn)

    def _begins(self, place: tuple[Any, Any]) -> None:
        """Another connection has this descriptor from now on."""
        self._last_name.pop(place, None)
        self._fresh.add(place)

    def _accept(self, tid: Any, arguments: str, number: int, name: Any) -> None:
        place = (self._task(tid).pid, number)
        self._begins(place)
        listener, peer = _LISTENER.match(arguments), _PEER.search(arguments)
        if name.startswith("TCP") and not _TCP.match(name) and listener and peer:  # it has been closed by its peer
            self._last_name[place] = ("tcp", listener[1], f"{peer[2]}:{peer[1]}")
        flow = self._flow(tid, SEND, number, name)
        medium = flow.medium if flow else "tcp" if name.startswith("TCP") else "unix"
        self.account.accepts.append(Accept(tid, medium, flow.ends if flow else frozenset()))
