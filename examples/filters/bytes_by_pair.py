#!/usr/bin/env python3
"""A filter of one's own: who sends how many bytes to whom.

A filter is any program that reads meter messages from its standard input (docs/trace-format.md says what they look
like). This one keeps no events: it counts the bytes that each process sends to each other one, and writes them to
bytes_by_pair.log in the folder where it was started, or to the file named, when the stream ends.

    filter f1 red bytes_by_pair.py        # in dpm control: the filter f1 on machine red
    bytes_by_pair.py LOG < meter-messages
"""
import json
import struct
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

HEADER = struct.Struct("<IHHBBHIqQQ")  # size machine load type evidence flags process time cpu_time pc
SEND_BODY = struct.Struct("<IIQIII2Q")  # peer channel sequence length code passed_channel ready_time disk_time
SEND, NAMES, METER_END, END = 1, 240, 242, 243
LARGEST = 64 * 1024
NONE = 0xFFFFFFFF


class Damaged(Exception):
    """The input is not a stream of meter messages."""


def messages(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Each message as (type, process, body); the input may end anywhere."""
    while header := stream.read(HEADER.size):
        if len(header) < HEADER.size:
            raise Damaged("the input ended inside a message")
        size, _, _, kind, _, _, process, _, _, _ = HEADER.unpack(header)
        if not HEADER.size <= size <= LARGEST:
            raise Damaged(f"a message has the impossible size {size}")
        body = stream.read(size - HEADER.size)
        if len(body) < size - HEADER.size:
            raise Damaged("the input ended inside a message")
        yield kind, process, body


class Pairs:
    """Bytes and messages by (sender, receiver), and what the meters say was lost."""

    def __init__(self) -> None:
        self.machines: dict[int, Any] = {}
        self.processes: dict[int, Any] = {}
        self.channels: dict[int, Any] = {}
        self.sent: dict[tuple[int, int, int], list[int]] = {}
        self.lost = 0
        self.complete = False

    def take(self, kind: int, process: int, body: bytes) -> None:
        if kind == SEND and len(body) == SEND_BODY.size:
            peer, channel, _, length, *_ = SEND_BODY.unpack(body)
            count = self.sent.setdefault((process, peer, channel), [0, 0])
            count[0] += 1
            count[1] += length
        elif kind == NAMES:
            names = json.loads(body)
            for table in ("machines", "processes", "channels"):
                for entry in names.get(table, []):  # a new id, or one that has changed
                    getattr(self, table)[entry["id"]] = entry
        elif kind == METER_END:
            self.lost += sum(loss["events"] for loss in json.loads(body)["losses"])
        elif kind == END:
            self.complete = True

    def name(self, process: int) -> str:
        if process not in self.processes:
            return "?"
        entry = self.processes[process]
        machine = self.machines.get(entry["machine"], {"name": "?"})
        return f"{entry['name']}@{machine['name']}"

    def lines(self) -> Iterator[str]:
        pairs: dict[tuple[str, str], list[int]] = {}
        for (sender, peer, channel), (count, size) in self.sent.items():
            if peer == NONE:  # not known when it was sent; the channel's owner receives it
                owner = self.channels.get(channel, {}).get("owner")
                peer = NONE if owner is None else owner
            pair = pairs.setdefault((self.name(sender), self.name(peer)), [0, 0])
            pair[0] += count
            pair[1] += size
        for (by, to), (count, size) in sorted(pairs.items(), key=lambda item: (-item[1][1], item[0])):
            yield f"{size:12d} bytes {count:8d} messages  {by} -> {to}"


def main() -> int:
    pairs = Pairs()
    damage = None
    try:
        for message in messages(sys.stdin.buffer):
            pairs.take(*message)
    except (Damaged, ValueError, KeyError, TypeError) as wrong:
        damage = str(wrong)
    with open(sys.argv[1] if len(sys.argv) > 1 else "bytes_by_pair.log", "w", encoding="utf-8") as log:
        for line in pairs.lines():
            print(line, file=log)
        if pairs.lost:
            print(f"lost by the meters: {pairs.lost} events", file=log)
        if damage or not pairs.complete:
            print(f"cut off: {damage or 'the stream has no end'}", file=log)
    return 1 if damage else 0


if __name__ == "__main__":
    sys.exit(main())
