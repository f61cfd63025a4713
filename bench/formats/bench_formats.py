#!/usr/bin/env python3
"""bench_formats.py [SECTION...]: how fast traces are written for other tools, read from them, and compared. Sections: export, import, diff.

CPU time of the whole command, the least of three runs, because other programs use the cores. DPM_FORMATS_EVENTS: the size (default 1000000).
A text that takes as long to read or write as its disk allows is not what is measured: files are in DPM_FORMATS_FOLDER, or the temporary folder."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BUILD = Path(os.environ.get("DPM_BUILD", Path(__file__).resolve().parent.parent.parent / "build/release"))
EVENTS = int(os.environ.get("DPM_FORMATS_EVENTS", "1000000"))
EXPORTS = {"perfetto": 1e6, "sqlite": 1e6, "csv": 1e6, "dot": 1e6, "shiviz": 1e6, "paje": 1e6, "otf2": 1e6, "prometheus": 1e6}
TURNS = 3


def cpu_s(words: list[str | Path], remove: Path) -> float:
    """The least CPU time of some runs; `remove` is what a run leaves."""
    runs: list[float] = []
    for _ in range(TURNS):
        shutil.rmtree(remove, ignore_errors=True)
        Path(remove).unlink(missing_ok=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{words}: {done.stderr[-300:]}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(runs)


def make_trace(folder: Any, name: str, events: int = EVENTS) -> Any:
    subprocess.run([BUILD / "bench/live/make_trace", folder / name, str(events)], check=True)
    return folder / name


def bench_export(folder: Any) -> Any:
    trace = make_trace(folder, "trace")
    for name, goal in EXPORTS.items():
        used = cpu_s([BUILD / "dpm", "export", trace, "--to", name, "-o", folder / "out"], folder / "out")
        size = sum(f.stat().st_size for f in (folder / "out").rglob("*")
                   if f.is_file()) if (folder / "out").is_dir() else (folder / "out").stat().st_size
        rate = EVENTS / used
        print(f"export {name:11} {rate / 1e6:6.2f} million events/s, {size / EVENTS:5.0f} bytes an event (goal {goal / 1e6:.0f}"
              f"{'' if rate >= goal else ', missed'})", flush=True)
    return trace


def write_strace(path: Any, lines: int) -> int:
    """Ten pairs of processes that exchange requests and answers over TCP, as strace -f -ttt -yy -T prints it."""
    with open(path, "w") as file:
        time_us = 1_700_000_000_000_000
        for pair in range(10):
            for port in (40000 + pair, 6379):
                time_us += 10
                file.write(f"{1000 + 2 * pair + (port == 6379)} {time_us / 1e6:.6f} execve(\"/bin/x\", [\"x\"], 0x7ffd /* 9 vars */) = 0 "
                           f"<0.000100>\n")
        text = '"' + "x" * 32 + '"...'
        for i in range(lines // 4):
            pair = i % 10
            client, server = 1000 + 2 * pair, 1001 + 2 * pair
            to = f"5<TCP:[127.0.0.1:{40000 + pair}->127.0.0.1:6379]>"
            back = f"7<TCP:[127.0.0.1:6379->127.0.0.1:{40000 + pair}]>"
            for process, call, end in ((client, "write", to), (server, "read", back), (server, "write", back), (client, "read", to)):
                time_us += 7
                file.write(f"{process} {time_us // 1_000_000}.{time_us % 1_000_000:06} {call}({end}, {text}, 100) = 100 <0.000005>\n")
    return lines // 4 * 4 + 20


def write_spans(path: Any, lines: int) -> int:
    """One request of a client to a server on each two lines."""
    def document(service: str, kind: int, span: str, parent: str, begin: int) -> str:
        return json.dumps({"resourceSpans": [{"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]},
                                              "scopeSpans": [
            {"spans": [{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": span, "parentSpanId": parent, "name": "call", "kind": kind,
                        "startTimeUnixNano": str(begin), "endTimeUnixNano": str(begin + 1000)}]}]}]})
    with open(path, "w") as file:
        for i in range(lines // 2):
            begin = 1_700_000_000_000_000_000 + i * 5000
            file.write(document("client", 3, f"{2 * i + 1:016x}", "", begin) + "\n")
            file.write(document("server", 2, f"{2 * i + 2:016x}", f"{2 * i + 1:016x}", begin + 100) + "\n")
    return lines // 2 * 2


def write_jaeger(path: Any, spans: int) -> int:
    """Traces of ten spans: five requests of a client to a server each."""
    tags = [json.dumps([{"key": "span.kind", "type": "string", "value": kind}, {"key": "http.method", "type": "string", "value": "GET"}])
            for kind in ("client", "server")]
    with open(path, "w") as file:
        file.write('{"data":[')
        for trace in range(spans // 10):
            file.write(f'{"," if trace else ""}{{"traceID":"{trace + 1:032x}","spans":[')
            for i in range(10):
                begin = 1_700_000_000_000_000 + trace * 100 + i
                parent = f'{{"refType":"CHILD_OF","traceID":"{trace + 1:032x}","spanID":"{i:016x}"}}' if i % 2 else ""
                file.write(f'{"," if i else ""}{{"traceID":"{trace + 1:032x}","spanID":"{i + 1:016x}","operationName":"GET /","references":'
                           f'[{parent}],"startTime":{begin},"duration":50,"tags":{tags[i % 2]},"logs":[],"processID":"p{i % 2}"}}')
            file.write('],"processes":{"p0":{"serviceName":"client","tags":[]},"p1":{"serviceName":"server","tags":[]}}}')
        file.write("]}")
    return spans // 10 * 10


def write_protobuf(path: Any, spans: int) -> int:
    """Messages of ten spans each, one of clients and one of servers in turn, as the collector's file exporter writes them."""
    def varint(value: int) -> bytes:
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)

    def field(number: int, content: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(content)) + content

    resources = [field(1, field(1, field(1, b"service.name") + field(2, field(1, name)))) for name in (b"client", b"server")]
    method = field(9, field(1, b"http.method") + field(2, field(1, b"GET")))
    with open(path, "wb") as file:
        for message in range(spans // 10):
            side, first = message % 2, message // 2 * 10
            content = b""
            for i in range(first, first + 10):
                begin = 1_700_000_000_000_000_000 + i * 5000 + side * 100
                parent = field(4, (2 * i + 1).to_bytes(8, "big")) if side else b""
                content += field(2, field(1, b"\x5b" * 16) + field(2, (2 * i + 1 + side).to_bytes(8, "big")) + parent + field(5, b"GET /")
                                 + bytes([6 << 3, 3 - side, 7 << 3 | 1]) + begin.to_bytes(8, "little") + bytes([8 << 3 | 1])
                                 + (begin + 1000).to_bytes(8, "little") + method)
            whole = field(1, resources[side] + field(2, content))
            file.write(len(whole).to_bytes(4, "big") + whole)
    return spans // 10 * 10


def bench_import(folder: Any) -> None:
    trace = make_trace(folder, "trace")
    subprocess.run([BUILD / "dpm", "export", trace, "--to", "otf2", "-o", folder / "otf2"], check=True, capture_output=True)
    cases = (("strace", folder / "strace", write_strace(folder / "strace", EVENTS), "lines", 1.0),
             ("otlp", folder / "otlp", write_spans(folder / "otlp", EVENTS // 4), "lines", 0.6),
             ("otlp", folder / "protobuf", write_protobuf(folder / "protobuf", EVENTS // 4), "spans of protobuf", 1.5),
             ("jaeger", folder / "jaeger", write_jaeger(folder / "jaeger", EVENTS // 4), "spans", 0.5),
             ("otf2", folder / "otf2", EVENTS, "events", 0.5))
    for name, file, count, what, goal in cases:
        used = cpu_s([BUILD / "dpm", "import", file, "--from", name, "-o", folder / "out"], folder / "out")
        rate = count / used
        print(f"import {name:11} {rate / 1e6:6.2f} million {what}/s (goal {goal}{'' if rate >= goal * 1e6 else ', missed'})", flush=True)


def bench_diff(folder: Any) -> None:
    a, b = make_trace(folder, "a"), make_trace(folder, "b", EVENTS * 21 // 20)
    used = cpu_s([BUILD / "dpm", "diff", a, b, "--json"], folder / "none")
    print(f"diff of two traces of {EVENTS} events: {used:.2f} s (goal 5{'' if used <= 5 else ', missed'})", flush=True)


SECTIONS = {"export": bench_export, "import": bench_import, "diff": bench_diff}


def main() -> None:
    for name in sys.argv[1:] or SECTIONS:
        with tempfile.TemporaryDirectory(dir=os.environ.get("DPM_FORMATS_FOLDER")) as folder:
            SECTIONS[name](Path(folder))


if __name__ == "__main__":
    main()
