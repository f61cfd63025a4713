#!/usr/bin/python3
"""What strace saw: how many calls moved how many bytes over which channel, thread by thread.

The record is that of `strace -f -yy -s 0 -o RECORD -e trace=%net,read,write,readv,writev,...`. Run by itself this prints a line
for each thread, direction and channel: THREAD SEND|RECEIVE CHANNEL CALLS BYTES.

A channel is named by what both strace and a meter know of it: a pipe by its inode, a TCP connection by the addresses of its ends,
a UNIX stream by the inodes of its ends. Datagrams are taken together: strace does not say where each came from.
"""

import collections
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

RECEIVING = ("read", "readv", "recvfrom", "recvmsg")
SENDING = ("write", "writev", "sendto", "sendmsg")
CALLS = "trace=%net,read,write,readv,writev"

_CALL = re.compile(r"^(\d+) +(\w+)\((\d+)<((?:->|[^>])*)>")
_RESULT = re.compile(r"= (\d+)$")
_PIPE = re.compile(r"^pipe:\[(\d+)\]")
_TCP = re.compile(r"^TCP(?:v6)?:\[(.+)->(.+)\]")
_UNIX_STREAM = re.compile(r"^UNIX-STREAM:\[(\d+)")
_UNIX_PAIR = re.compile(r"UNIX-STREAM:\[(\d+)->(\d+)")
_DATAGRAM = re.compile(r"^(?:UDP|UDPv6|UNIX|UNIX-DGRAM):")


class UnixEnds:
    """Which inodes are the two ends of a connection: strace and the meter do not know both at all times."""

    def __init__(self, lines: list[str]) -> None:
        self._other = {}
        for line in lines:
            for one, other in _UNIX_PAIR.findall(line):
                if other != "0":
                    self._other[one], self._other[other] = other, one

    def channel(self, sender: str = "", receiver: str = "") -> str:
        """The name of a stream of which one end is known."""
        sender, receiver = sender or self._other.get(receiver, "?"), receiver or self._other.get(sender, "?")
        return f"unix {sender} > {receiver}"


def channel_of(descriptor: str, sends: bool, unix_ends: UnixEnds) -> str | None:
    """The channel behind a descriptor in strace's notation; None if it is not a channel."""
    if pipe := _PIPE.match(descriptor):
        return f"pipe {pipe[1]}"
    if connection := _TCP.match(descriptor):
        local, remote = connection[1], connection[2]
        return f"tcp {local} > {remote}" if sends else f"tcp {remote} > {local}"
    if own := _UNIX_STREAM.match(descriptor):
        return unix_ends.channel(sender=own[1]) if sends else unix_ends.channel(receiver=own[1])
    return "datagrams" if _DATAGRAM.match(descriptor) else None


def complete_lines(lines: list[str]) -> Iterator[str]:
    """What was interrupted by another thread is put together again."""
    begun = {}
    for line in lines:
        tid, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[tid] = rest.removesuffix("<unfinished ...>").rstrip()
        elif rest.startswith("<... "):
            yield f"{tid} {begun.pop(tid, '')}{rest.partition('>')[2]}"
        else:
            yield f"{tid} {rest}"


def moved(lines: list[str]) -> collections.defaultdict[tuple[int, str, Any], list[int]]:
    """(thread, direction, channel) -> the bytes of each call that moved some."""
    record, unix_ends = collections.defaultdict(list), UnixEnds(lines)
    for line in complete_lines(lines):
        call, result = _CALL.match(line), _RESULT.search(line)
        if not call or not result or int(result[1]) == 0 or call[2] not in RECEIVING + SENDING or "MSG_PEEK" in line:
            continue
        sends = call[2] in SENDING
        channel = channel_of(call[4], sends, unix_ends)
        if channel is not None:
            record[int(call[1]), "SEND" if sends else "RECEIVE", channel].append(int(result[1]))
    return record


def broken(lines: list[str]) -> set[tuple[int, str, Any]]:
    """(thread, "SEND", channel) of each send that failed because the other end was closed."""
    found, unix_ends = set(), UnixEnds(lines)
    for line in complete_lines(lines):
        call = _CALL.match(line)
        if call and call[2] in SENDING and "= -1 EPIPE" in line:
            found.add((int(call[1]), "SEND", channel_of(call[4], True, unix_ends)))
    return found


def read_lines(path: str) -> list[str]:
    return pathlib.Path(path).read_text(errors="replace").splitlines()


if __name__ == "__main__":
    for (thread, way, name), lengths in sorted(moved(read_lines(sys.argv[1])).items()):
        print(thread, way, name, len(lengths), sum(lengths))
