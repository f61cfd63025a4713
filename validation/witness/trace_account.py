"""The account of a run by a trace of DPM, as babeltrace2 reads it: none of DPM's own readers has a part in it.

The trace's trace.json describes what the numbers in its records mean.
"""

import collections
import dataclasses
import json
import pathlib
import re
import subprocess
from collections.abc import Iterator
from typing import Any

from account import RECEIVE, SEND, Accept, Account, Flow, Move, Task, datagrams

_EVENT = re.compile(r"\) ([A-Z]+): \{")
# `fromTask = ( "name" : container = 3 )` for a number that has a name, which is any text; `msgLength = 64` for others.
_FIELD = re.compile(r'(\w+) = (?:\( (?:"(?:[^"\\]|\\.)*"|<unknown>) : container = )?(-?\w+)')
_INODE = re.compile(r"[#[](\d+)\]?$")
_NONE = 0xFFFFFFFF
_ACCEPTED_BY_CALL = 0  # evidence: the call itself was seen


def records(trace: Any) -> Iterator[Any]:
    """(event type, fields) of each record, in babeltrace2's order."""
    command = ["babeltrace2", str(trace)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as reader:
        assert reader.stdout
        for line in reader.stdout:
            if event := _EVENT.search(line):
                # Pointers and flags are hexadecimal.
                yield event[1], {name: int(value, 0) for name, value in _FIELD.findall(line, event.end())}
        assert reader.stderr
        said = reader.stderr.read()
    if reader.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {reader.returncode}: {said.strip()[-500:]}")


class Names:
    """trace.json: processes, channels and the ledger."""

    def __init__(self, trace: Any) -> None:
        said = json.loads((pathlib.Path(trace) / "trace.json").read_text())
        self.ledger = said["ledger"]
        self.state = said["state"]
        self.processes = said["processes"]
        self.channels = said["channels"]
        turns: collections.Counter[Flow] = collections.Counter()
        self._flows = []
        for channel in self.channels:
            flow = self._flow(channel)
            if flow and flow.medium == "tcp":
                turns[flow] += 1  # each connection has a channel of its own, also where both its ports were used before
                flow = dataclasses.replace(flow, turn=turns[flow])
            self._flows.append(flow)

    def flow(self, channel: Any) -> Any:
        return self._flows[channel] if channel < len(self._flows) else None

    @staticmethod
    def _flow(channel: Any) -> Flow | None:
        medium, _, ends = channel["name"].partition(" ")
        if channel.get("kind") == "datagram":
            return datagrams(medium)
        if medium == "pipe":
            inode = ends.rpartition(":")[2]
            return Flow("pipe", inode, inode)
        sender, _, receiver = ends.partition(" > ")
        if medium == "unix":
            ends_found = [_INODE.search(end) for end in (sender, receiver)]
            own, other = (found[1] if found else "?" for found in ends_found)
            return Flow("unix", own, other)
        if medium == "eventfd":
            return datagrams(medium)
        return Flow(medium, sender, receiver) if medium == "tcp" else None


def _time_of(record: tuple[str, dict[str, Any]]) -> int:
    return int(record[1]["time"])


def read(trace: Any, change: Any = lambda found, names: found) -> Account:
    """`change` is given all records before they are counted: the place to plant an error."""
    names = Names(trace)
    account = Account()
    tasks = []
    for process in names.processes:
        pid = process.get("pid", 0)
        task = Task(process.get("tid", pid), pid, process.get("program", "?").rpartition("/")[2])
        tasks.append(task)
        account.tasks[task.tid] = task
    # Some are written later than what came after them: those that waited until their channel was known.
    for event, fields in sorted(change(list(records(trace)), names), key=_time_of):
        number = fields.get("fromTask" if event == "SEND" else "toTask" if event in ("RECEIVE", "RECEIVECALL", "GAP") else "task", _NONE)
        if number >= len(tasks):
            continue
        task = tasks[number]
        task.cpu_ns = max(task.cpu_ns, fields.get("procTime", 0))
        if event in (SEND, RECEIVE):
            flow = names.flow(fields["channel"])
            if flow and fields["msgLength"] > 0:
                account.moves.append(Move(task.tid, event, flow, fields["msgLength"]))
        elif event == "ACCEPT" and fields["evidence"] == _ACCEPTED_BY_CALL:
            _accept(account, task, names.flow(fields["receiveChannel"]))
        elif event == "STARTPROCESS" and fields.get("byTask", _NONE) < len(tasks) and task.tid == task.pid:
            task.parent = tasks[fields["byTask"]].pid
    if names.state != "finished":
        account.remarks.append(f"the trace is {names.state}")
    if names.ledger["lost"]:
        account.remarks.append(f"the ledger says that {names.ledger['lost']} events are lost")
    return account


def _accept(account: Account, task: Task, flow: Any) -> None:
    if flow is None:
        account.accepts.append(Accept(task.tid, "?", frozenset()))
    elif not flow.is_datagrams:
        account.accepts.append(Accept(task.tid, flow.medium, flow.ends))
