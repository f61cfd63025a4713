#!/usr/bin/env python3
"""check_export.py FORMAT DPM MAKE_HOSTILE_TRACE MAKE_LIVE_TRACE SOURCE

The contract of all formats, checked with the tools that read them: the events and messages are those of `dpm statistics`, what the
trace has lost is stated, names arrive as they are or in a documented form, and nothing is overwritten. Each format is a
function that reads a file into a Seen.
"""
import collections
import csv
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection
from typing import Any

FORMAT, DPM, HOSTILE, LIVE, SOURCE = sys.argv[1:6]
NAME = 'a "b" \\N, {c}: <d>; #%e\'f [31m'
REASON = 'the disk "full" \\ was {full}, really'
WARNING = 'look "here", first '
failures = []


class Seen:
    """What the other tool found; None where the format does not tell."""
    events: collections.Counter[str] | None = None
    messages: int | None = None
    names: Collection[str] = ()
    caveats: Collection[str] = ()
    traffic: tuple[int, int] | None = None  # messages and bytes
    total: int | None = None  # events


def complain(text: str) -> None:
    failures.append(text)
    print(f"export_{FORMAT}: {text}")


def need(tool: str) -> str:
    if shutil.which(tool) is None:
        print(f"SKIPPED: {tool} is not installed")
        sys.exit(77)
    return tool


def run(*words: str | os.PathLike[str], **more: Any) -> Any:
    done = subprocess.run(words, capture_output=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]}: {done.stderr.decode(errors='replace')}{done.stdout.decode(errors='replace')[:500]}")
    return done.stdout.decode()


def perfetto(path: Any) -> Seen:
    """The rules of Chrome's trace-event format for the events that are used."""
    with open(path) as file:
        document = json.load(file)
    seen, events, names = Seen(), collections.Counter[str](), []
    ends: dict[Any, dict[str, float]] = collections.defaultdict(dict)
    rows: dict[Any, list[tuple[int, int]]] = collections.defaultdict(list)
    for event in document["traceEvents"]:
        kind = event["ph"]
        if kind == "M":
            assert event["name"] in ("process_name", "thread_name") and isinstance(event["args"]["name"], str)
            names.append(event["args"]["name"])
            continue
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int) and event["ts"] >= 0 and event["name"]
        if kind == "X":
            assert event["dur"] >= 0
            rows[event["pid"], event["tid"]].append((round(event["ts"] * 1000), round(event["dur"] * 1000)))
        if kind in "Xi":
            events[event["name"]] += 1
        else:
            assert kind in "sf" and kind not in ends[event["id"]], event
            assert kind == "s" or event["bp"] == "e"
            ends[event["id"]][kind] = event["ts"]
    for row in rows.values():
        row.sort()
        for (begin, length), (next_begin, _) in zip(row, row[1:]):
            assert begin + length <= next_begin, "slices of one row overlap"
    for arrow in ends.values():
        assert set(arrow) == {"s", "f"} and arrow["s"] <= arrow["f"], arrow
    seen.events, seen.messages, seen.names = events, len(ends), names
    other = document["otherData"]
    seen.caveats = [loss["reason"] for loss in other["losses"]] + other["warnings"]
    assert other["events_lost"] == sum(loss["events"] for loss in other["losses"])
    return seen


def sqlite(path: Any) -> Seen:
    def query(text: str) -> Any:
        return json.loads(run(need("sqlite3"), "-json", path, text) or "[]")
    seen = Seen()
    seen.events = events = collections.Counter({row["type"]: row["n"] for row in query("SELECT type, count(*) AS n FROM event GROUP BY type")})
    seen.messages = messages = int(query("SELECT count(*) AS n FROM message")[0]["n"])
    seen.names = [row["name"] for row in query("SELECT name FROM process")]
    seen.caveats = [row["text"] for row in query("SELECT reason AS text FROM loss UNION ALL SELECT text FROM warning")]
    assert query("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    views = {row["name"] for row in query("SELECT name FROM sqlite_master WHERE type = 'view'")}
    assert len(views) == 6
    for view in views:
        assert query(f"SELECT count(*) AS n FROM {view}")[0]["n"] >= 0
    unmatched = query("SELECT count(*) AS n FROM sends_not_received")[0]["n"]
    assert unmatched + messages >= events["SEND"] - 10
    assert query("SELECT sum(messages) AS n FROM who_talks_to_whom")[0]["n"] == messages
    return seen


def check_sql(trace: str, database: str) -> None:
    """`dpm sql` says of the trace what sqlite3 says of the exported database."""
    def is_same(ours: Any, theirs: Any) -> bool:
        return math.isclose(ours, theirs, rel_tol=1e-12) if isinstance(theirs, float) else bool(ours == theirs)

    names = json.loads(run("sqlite3", "-json", database, "SELECT name FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite%'"))
    for query in [f"SELECT * FROM {row['name']}" for row in names] + ["SELECT peer, avg(cpu_ns) FROM event GROUP BY peer ORDER BY peer"]:
        theirs = [list(row.values()) for row in json.loads(run("sqlite3", "-json", database, query) or "[]")]
        ours = json.loads(run(DPM, "sql", trace, query, "--json", "--limit", "0"))["rows"]
        if len(ours) != len(theirs) or not all(map(is_same, itertools.chain(*ours), itertools.chain(*theirs))):
            complain(f"{trace}: {query}: {ours[:3]}, sqlite3 has {theirs[:3]}")


def csv_lines(path: str) -> Seen:
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert all(None not in row and None not in row.values() for row in rows)
    # A spreadsheet computes a cell that begins as a formula; a number is one.
    assert all(not re.match(r"[=+@\t\r]|-(?![0-9]+$)", cell) for row in rows for cell in row.values())
    notes = [row for row in rows if row["type"] in ("LOSS", "WARNING")]
    events = [row for row in rows if row["type"] not in ("LOSS", "WARNING")]
    seen = Seen()
    seen.events = collections.Counter(row["type"] for row in events)
    seen.names = {row["process_name"] for row in events}
    seen.caveats = [row["note"] for row in notes]
    assert sum(int(row["bytes"]) for row in notes if row["type"] == "LOSS") in (0, 7)
    ends: collections.Counter[tuple[str, str, str]] = collections.Counter()
    for row in events:
        if row["message"] == "1" and (row["process"] if row["type"] == "SEND" else row["peer"]):
            sender = row["process"] if row["type"] == "SEND" else row["peer"]
            ends[(sender, row["channel"], row["sequence"])] |= 1 if row["type"] == "SEND" else 2
    seen.messages = sum(1 for both in ends.values() if both == 3)
    return seen


def dot(path: Any) -> Seen:
    text = run(need("dot"), "-Tjson", path)
    graph, seen = json.loads(text), Seen()
    edges = []
    for edge in graph.get("edges", []):
        label = re.match(r"(\d+) messages?\\n(\d+) bytes?$", edge["label"])
        assert label, edge
        edges.append((int(label[1]), int(label[2])))
    seen.traffic = sum(messages for messages, _ in edges), sum(size for _, size in edges)
    caption = graph["label"].split("\\n")
    seen.total = int(caption[0].removesuffix(" events"))

    def plain(shown: str) -> str:
        return shown.replace('\\"', '"').replace("\\\\", "\\")

    names = [plain(node["label"].split("\\n")[0]) for node in graph["objects"]]
    # A backslash before N would be the name of the node; in a label it is escaped once more.
    with open(path) as file:
        source = file.read()
    names += re.findall(r'label="((?:[^"\\]|\\.)*?)\\n[0-9.]+ s CPU', source)
    seen.names = [plain(name) for name in names]
    seen.caveats = [plain(re.sub(r"^(warning: |\d+ events lost: )", "", line)) for line in caption[1:]]
    assert "<svg" in run("dot", "-Tsvg", path)
    return seen


def shiviz(path: Any) -> Seen:
    with open(path) as file:
        parser, executions, text = file.read().split("\n", 2)
    # ShiViz takes the first two lines of a file as expressions, from the beginning of a line to its end.
    assert executions == "", "there is one execution"
    matches = list(re.finditer(f"^{parser.replace('(?<', '(?P<')}$", text.strip(), re.MULTILINE))
    assert len(matches) * 2 == text.count("\n"), "the parser does not match each pair of lines"
    seen, hosts = Seen(), set()
    latest: collections.Counter[str] = collections.Counter()
    events: collections.Counter[str] = collections.Counter()
    caveats: list[str] = []
    for match in matches:
        host, clock = match["host"], json.loads(match["clock"])
        latest[host] += 1
        assert clock[host] == latest[host], "a host's own entry is the number of its event"
        assert all(0 < count <= latest[other] for other, count in clock.items()), "a cause stands after its effect"
        if host == "DPM:LOST":
            caveats.append(re.sub(r"^(warning: |\d+ events are lost: )", "", match["event"]))
            continue
        hosts.add(host)
        events[re.findall(r"^\w+", match["event"])[0]] += 1
    seen.events, seen.caveats = events, caveats
    seen.names = hosts | {NAME for host in hosts if host == NAME.replace(" ", "_")}
    return seen


def paje(path: Any) -> Seen:
    tool, seen = need("pj_dump"), Seen()
    kinds: collections.Counter[str] = collections.Counter()
    events: collections.Counter[str] = collections.Counter()
    caveats: list[str] = []
    for line in run(tool, "--ignore-incomplete-links", path).splitlines():
        cells = line.split(", ")
        kinds[cells[0]] += 1
        if cells[0] == "Event" and cells[-3] == "event":
            events[cells[-1]] += 1
        elif cells[0] == "Event":
            caveats.append(re.sub(r"^(warning: |\d+ events: )", "", ", ".join(cells[4:])).replace("'", '"'))
        if cells[0] == "Link":
            begin, end = [float(cell) for cell in cells if re.fullmatch(r"\d+\.\d+", cell)][:2]
            assert begin <= end
    seen.events, seen.caveats, seen.messages = events, caveats, kinds["Link"]
    with open(path) as file:
        names = [line.split('"')[1] for line in file if line.startswith("5 ")]
    seen.names = [NAME if name == NAME.replace('"', "'") else name for name in names]
    return seen


def prometheus(path: Any) -> Seen:
    with open(path) as file:
        text = file.read()
    seen = Seen()
    values: dict[str, dict[tuple[str, ...], float]] = collections.defaultdict(dict)
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = re.fullmatch(r'(\w+)\{((?:\w+="(?:[^"\\]|\\.)*",?)+)\} ([0-9.]+)', line)
        assert match, line
        labels = tuple(re.sub(r"\\(.)", r"\1", value) for value in re.findall(r'"((?:[^"\\]|\\.)*)"', match[2]))
        assert labels not in values[match[1]], "a series is there twice"
        values[match[1]][labels] = float(match[3])
    seen.events = events = collections.Counter[str]()
    for (_, kind), count in values["dpm_process_events_total"].items():
        events[kind] += int(count)
    seen.traffic = int(sum(values["dpm_messages_total"].values())), int(sum(values["dpm_message_bytes_total"].values()))
    seen.names = [labels[0] for labels in values["dpm_process_cpu_seconds_total"]]
    seen.caveats = [labels[0] for metric in ("dpm_lost_events_total", "dpm_trace_warnings_total") for labels in values[metric]]
    if shutil.which("promtool"):
        run("promtool", "check", "metrics", input=text.encode())
    return seen


def otf2(path: Any) -> Seen:
    tool, anchor, seen = need("otf2-print"), os.path.join(path, "traces.otf2"), Seen()
    kinds = {"MPI_SEND": "SEND", "MPI_RECV": "RECEIVE"}
    seen.events = events = collections.Counter[str]()
    sent: collections.Counter[tuple[int, int, str]] = collections.Counter()
    received: collections.Counter[tuple[int, int, str]] = collections.Counter()
    open_regions: dict[int, str] = {}
    latest: collections.Counter[int] = collections.Counter()
    for line in run(tool, anchor).splitlines():
        match = re.match(r"(ENTER|LEAVE|MPI_SEND|MPI_RECV) +(\d+) +(\d+) +(.*)", line)
        if not match:
            continue
        kind, place, time, rest = match[1], int(match[2]), int(match[3]), match[4]
        assert time >= latest[place], "times of a location go back"
        latest[place] = time
        if kind in kinds:
            events[kinds[kind]] += 1
            peer = int(re.findall(r"(?:Receiver|Sender): (\d+)", rest)[0])
            tag = re.findall(r"Tag: (\d+), Length: \d+", rest)[0]
            (sent if kind == "MPI_SEND" else received)[
                (place, peer, tag) if kind == "MPI_SEND" else (peer, place, tag)] += 1
            continue
        region = re.findall(r'Region: "([^"]*)"', rest)[0]
        if kind == "ENTER":
            assert place not in open_regions, "regions are nested"
            open_regions[place] = region
            events[region] += 1
        else:
            assert open_regions.pop(place) == region
    assert not open_regions
    seen.messages = sum((sent & received).values())
    definitions = run(tool, "-G", anchor)
    seen.names = re.findall(r'^LOCATION(?:_GROUP)? +\d+ +Name: "(.*)" <\d+>, Type', definitions, re.M)
    properties = re.findall(r"^Property name +(DPM::\w+)\nProperty value +(.*)$", run(tool, "-I", anchor), re.M)
    seen.caveats = [re.sub(r"^\d+ events: ", "", value) for name, value in properties if re.search("LOST_|WARNING_", name)]
    return seen


READERS = {"perfetto": perfetto, "sqlite": sqlite, "csv": csv_lines, "dot": dot, "shiviz": shiviz, "paje": paje,
           "prometheus": prometheus, "otf2": otf2}


def check(folder: str, trace: str) -> None:
    """Exports the trace and compares what the other tool sees with `dpm statistics` and with what is in CSV."""
    path = os.path.join(folder, f"{trace}.{FORMAT}")
    where = os.path.join(folder, trace)
    run(DPM, "export", where, "--to", FORMAT, "-o", path)
    seen = READERS[FORMAT](path)
    if FORMAT == "sqlite":
        check_sql(where, path)
    statistics = json.loads(run(DPM, "statistics", where, "--json", "--threads"))
    counts: collections.Counter[str] = collections.Counter()
    for process in statistics["processes"]:
        counts.update(process["events"])
    counts = collections.Counter({kind: count for kind, count in counts.items() if count})
    if seen.events is not None and seen.events != counts:
        complain(f"{trace}: events {dict(seen.events)}, dpm statistics has {dict(counts)}")
    if seen.total is not None and seen.total != statistics["events"]:
        complain(f"{trace}: {seen.total} events, dpm statistics has {statistics['events']}")
    if seen.traffic is not None:
        traffic = tuple(sum(row[what] for row in statistics["messages"]) for what in ("count", "bytes"))
        if seen.traffic != traffic:
            complain(f"{trace}: {seen.traffic} messages and bytes, dpm statistics has {traffic}")
    if seen.messages is not None:
        table = os.path.join(folder, f"{trace}.expected")
        run(DPM, "export", where, "--to", "csv", "-o", table)
        expected = csv_lines(table).messages
        if seen.messages != expected or expected == 0:
            complain(f"{trace}: {seen.messages} messages, {expected} have both ends")
    stated = [loss["reason"] for loss in statistics["ledger"]["losses"]] + statistics["ledger"]["warnings"]
    if len(seen.caveats) != len(stated):
        complain(f"{trace}: losses and warnings are {seen.caveats}, in the trace {stated}")
    if trace == "hostile":
        for text in (REASON, WARNING):
            if text.strip() not in (caveat.strip() for caveat in seen.caveats):
                complain(f"'{text}' is not stated, but {seen.caveats}")
        if not any(NAME.strip() in name for name in seen.names):
            complain(f"the name {NAME} is {sorted(seen.names)}")
    check_nothing_is_overwritten(where, path)


def check_no_folder_is_overwritten(trace: str, path: str) -> None:
    before = sorted(os.listdir(path))
    ways: tuple[list[str], ...] = ([], ["--overwrite"])
    for more in ways:
        again = subprocess.run([DPM, "export", trace, "--to", FORMAT, "-o", path] + more, capture_output=True)
        if again.returncode != 2 or sorted(os.listdir(path)) != before:
            complain(f"{path} was changed: status {again.returncode}")
    bad = subprocess.run([DPM, "export", "/dev/null", "--to", FORMAT, "-o", path + ".bad"], capture_output=True)
    if bad.returncode != 2 or os.path.exists(path + ".bad"):
        complain(f"something that is not a trace was exported: status {bad.returncode}")


def check_nothing_is_overwritten(trace: str, path: str) -> None:
    if os.path.isdir(path):
        return check_no_folder_is_overwritten(trace, path)
    with open(path, "rb") as file:
        before = file.read()
    again = [DPM, "export", trace, "--to", FORMAT, "-o", path]
    refused = subprocess.run(again, capture_output=True)
    with open(path, "rb") as file:
        if refused.returncode != 2 or file.read() != before:
            complain(f"{path} was overwritten: status {refused.returncode}")
    if subprocess.run(again + ["--overwrite"], capture_output=True).returncode != 0:
        complain("--overwrite does not replace the file")
    with open(path, "wb") as file:
        file.write(b"mine")
    bad = subprocess.run([DPM, "export", "/dev/null", "--to", FORMAT, "-o", path, "--overwrite"], capture_output=True)
    with open(path, "rb") as file:
        if bad.returncode != 2 or file.read() != b"mine":
            complain("a file was overwritten by something that is not a trace")
    leftovers = [name for name in os.listdir(os.path.dirname(path)) if name.endswith(".partial")]
    if leftovers:
        complain(f"left behind: {leftovers}")


LIVE_SCRIPT = """machine here
process client here
process server here
tcp 1 127.0.0.1:1 127.0.0.1:2 here here
tcp 2 127.0.0.1:2 127.0.0.1:1 here here
at 1
SEND client 1 channel=1 sequence=0 length=10
at 2
RECEIVECALL server 1
RECEIVE server 1 channel=1 sequence=0 length=4
RECEIVE server 1 channel=1 sequence=4 length=6
at 3
SEND server 2 channel=2 sequence=0 length=10
SEND server 3 channel=2 sequence=10 length=10
at 4
RECEIVE client 2 channel=2 sequence=0 length=20
"""


def make_threads(live: str, where: str) -> None:
    """The same trace, where the server is a thread of the client."""
    shutil.copytree(live, where)
    described = os.path.join(where, "trace.json")
    with open(described) as file:
        recorded = json.load(file)
    recorded["processes"][1]["group"] = 0
    with open(described, "w") as file:
        json.dump(recorded, file)


def check_threads(folder: str) -> None:
    """In formats without threads they count for their processes, unless --threads is given."""
    if FORMAT not in ("dot", "shiviz", "prometheus"):
        return
    named = []
    options: list[list[str]] = [[], ["--threads"]]
    for number, more in enumerate(options):
        path = os.path.join(folder, f"threads-{number}.{FORMAT}")
        run(DPM, "export", os.path.join(folder, "threads"), "--to", FORMAT, "-o", path, *more)
        with open(path) as file:
            text = file.read()
        named.append([name in text for name in ("client", "server")])
    if named != [[True, False], [True, True]]:
        complain(f"threads: client and server are named {named}, without and with --threads")


with tempfile.TemporaryDirectory() as folder:
    run(HOSTILE, os.path.join(folder, "hostile"))
    run(LIVE, os.path.join(folder, "live"), input=LIVE_SCRIPT.encode())
    run(DPM, "run", os.path.join(SOURCE, "tests/cli/fixtures/desk.json"), "--base-only", "-o", os.path.join(folder, "simulated"))
    make_threads(os.path.join(folder, "live"), os.path.join(folder, "threads"))
    check_threads(folder)
    for trace in ("hostile", "live", "threads", "simulated"):
        try:
            check(folder, trace)
        except (AssertionError, RuntimeError, KeyError, ValueError) as problem:
            complain(f"{trace}: {type(problem).__name__}: {problem}")
            raise
if not failures:
    print(f"what is exported as {FORMAT} is what the trace has")
sys.exit(1 if failures else 0)
