"""The ways in which a trace is damaged. Each is a name, and what it does to a copy of the trace."""

from __future__ import annotations

import copy
import json
import pathlib
import struct
from collections.abc import Callable, Iterator
from typing import Any

Damage = tuple[str, Callable[[pathlib.Path], None]]

# The head of a packet (trace/ctf_packet.hpp): what lies before its size in bits.
PACKET_SIZE_AT = 32
# What stands where something else should: every type of JSON, and numbers at the edges of theirs. ABSENT removes the member.
ABSENT = object()
VALUES: list[Any] = [ABSENT, None, True, "", "\u202e\x1b[2J", [], {}, [None], -1, 0, 3, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1, 1e300]


def last_packet_bytes(stream: pathlib.Path) -> int:
    """The size of the last packet of a sound stream file."""
    data, at, size = stream.read_bytes(), 0, 0
    while at + PACKET_SIZE_AT + 8 <= len(data):
        size = struct.unpack_from("<Q", data, at + PACKET_SIZE_AT)[0] // 8
        assert 0 < size <= len(data) - at, f"{stream} is not a sound stream"
        at += size
    return size


def members(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value; of a list, only within its first and last one."""
    if path:
        yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from members(value, (*path, key))
    elif isinstance(document, list):
        for number in sorted({0, len(document) - 1}) if document else []:
            yield from members(document[number], (*path, number))


def with_value(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(document)
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    if value is ABSENT:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return changed


def of_stream(name: str, size: int) -> Iterator[Damage]:
    def cut(lost: int) -> Callable[[pathlib.Path], None]:
        def damage(trace: pathlib.Path) -> None:
            data = (trace / name).read_bytes()
            (trace / name).write_bytes(data[:len(data) - lost])
        return damage

    for lost in range(1, size + 1):
        yield f"{name} lacks its last {lost} bytes", cut(lost)


def of_document(name: str, lines: list[str]) -> Iterator[Damage]:
    """Of a file of JSON: one document, or one on each line."""
    def replace(at: int, document: Any) -> Callable[[pathlib.Path], None]:
        def damage(trace: pathlib.Path) -> None:
            texts = [*lines[:at], json.dumps(document), *lines[at + 1:]]
            (trace / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
        return damage

    for at in sorted({0, len(lines) // 2, len(lines) - 1}):
        document = json.loads(lines[at])
        for path in members(document):
            for value in VALUES:
                shown = "absent" if value is ABSENT else json.dumps(value)
                yield f"{name}:{at + 1} {'/'.join(map(str, path))} = {shown}", replace(at, with_value(document, path, value))


def of_file(name: str, size: int) -> Iterator[Damage]:
    def remove(trace: pathlib.Path) -> None:
        (trace / name).unlink()

    def cut(length: int) -> Callable[[pathlib.Path], None]:
        def damage(trace: pathlib.Path) -> None:
            (trace / name).write_bytes((trace / name).read_bytes()[:length])
        return damage

    yield f"{name} is not there", remove
    for part in range(16):
        yield f"{name} ends after {part}/16", cut(size * part // 16)


def all_damages(trace: pathlib.Path) -> Iterator[Damage]:
    """Every damage of every file of this trace, which is sound."""
    for path in sorted(trace.rglob("*")):
        if not path.is_file() or path.name == "reserve":
            continue
        name = str(path.relative_to(trace))
        yield from of_file(name, path.stat().st_size)
        if path.suffix == ".json":
            yield from of_document(name, [json.dumps(json.loads(path.read_text(encoding="utf-8")))])
        elif path.suffix == ".jsonl" and path.stat().st_size > 0:
            yield from of_document(name, path.read_text(encoding="utf-8").splitlines())
        elif path.parent.name == "ctf" and path.name.startswith("machine_"):
            yield from of_stream(name, last_packet_bytes(path))
