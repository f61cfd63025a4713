#!/usr/bin/python3
"""The matrix of calls: every call that moves data, on every kind of object, with every flag, blocking or not, against both sources.

The program `cells` makes each cell and says what it moved; the trace must say the same, or the ledger must say by name that it cannot.
cells.table has the verdict of each cell, and docs/calls.md shows them; DPM_BLESS=1 writes both.

  exact    the trace has the same messages, lengths and times
  inferred  it has the messages, but not the time, and marks them as inferred
  counted  it has not, and the ledger counts what is missing, by name: GAPs, or calls that pass the meter by
  wrong    it has not, and nothing says so
  file     it is not a message: a file was written and read
  ENAME    the kernel refuses it with that error
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import events
import running

HERE = pathlib.Path(__file__).resolve().parent
CELLS_AT_ONCE = 300  # in one metered run
AGAIN = 3  # times that cells are played in which only times are wrong
EARLY_NS = 10_000_000  # a busy machine; half of what a sender waits before it sends
SOURCES = ("notify", "ebpf")
HEADERS = {
    "asm/unistd_64.h": r"#define __NR_(\w+) \d+",
    "linux/io_uring.h": r"\b(IORING_OP_\w+)",
    "linux/aio_abi.h": r"\b(IOCB_CMD_\w+) =",
    "linux/fs.h": r"#define (RWF_\w+)",
    "bits/socket.h": r"\b(MSG_\w+)\s*(?:=|,$)",
    "bits/fcntl-linux.h": r"define (SPLICE_F_\w+)",
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--list-events", required=True)
    parser.add_argument("--cells", required=True)
    parser.add_argument("--source", choices=SOURCES, required=True)
    parser.add_argument("--user", type=int, help="a user id to run it as")
    parser.add_argument("--pid-namespace", action="store_true", help="the program, with its meter, in a namespace of its own")
    parser.add_argument("--only", default="*", help="a pattern of cells: 'object side operation mode'")
    parser.add_argument("--table", type=pathlib.Path, default=HERE / "cells.table")
    parser.add_argument("--calls", type=pathlib.Path, default=HERE / "calls.table")
    parser.add_argument("--page", type=pathlib.Path, default=HERE.parents[2] / "docs/calls.md")
    parser.add_argument("--explain", action="store_true", help="print how each cell differs")
    return parser.parse_args()


class Kind(NamedTuple):
    """How the ledger names calls that pass the meter by."""
    name: str
    pattern: str
    words: str


class Calls:
    """The table of calls: groups of names, and kinds of differences."""

    def __init__(self, path: pathlib.Path) -> None:
        self.meanings: dict[str, str] = {}
        self.group_of: dict[str, str] = {}
        self.kinds: list[Kind] = []
        for line in path.read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            if line.count(" | ") == 2:
                self.kinds.append(Kind(*line.split(" | ")))
            elif " = " in line and ":" not in line.partition(" = ")[0]:
                group, _, meaning = line.partition(" = ")
                self.meanings[group] = meaning
            else:
                group, _, names = line.partition(": ")
                self.group_of |= {name: group for name in names.split()}

    def unknown(self) -> list[str]:
        """Names of the kernel's headers that have no verdict."""
        missing = []
        for header, pattern in HEADERS.items():
            text = subprocess.run(["gcc", "-E", "-dD", "-D_GNU_SOURCE", "-include", header, "-x", "c", "/dev/null"],
                                  capture_output=True, text=True)
            if text.returncode != 0:  # an inner header of the C library
                paths = list(pathlib.Path("/usr/include").glob(f"*/{header}"))
                content = paths[0].read_text() if paths else ""
            else:
                content = text.stdout
            missing += [f"{name} of <{header}>" for name in dict.fromkeys(re.findall(pattern, content, re.MULTILINE))
                        if name not in self.group_of]
        return missing

    def untried(self, cells: list[str]) -> list[str]:
        """Names of groups that are rows of the matrix, and are in no row."""
        tried = {"io_uring_enter"}
        for operation in {cell.split(" ")[2] for cell in cells}:
            call, *flags = operation.split("+")
            of, _, inner = call.partition("/")
            tried |= {of, f"IORING_OP_{inner}", f"IOCB_CMD_{inner}"}
            tried |= {prefix + flag for flag in flags for prefix in ("MSG_", "RWF_", "SPLICE_F_")}
        rows = {group.removesuffix("*") for group in self.meanings if group.endswith("*")}
        return [f"{name} has no row in the matrix" for name, group in self.group_of.items() if group in rows and name not in tried]

    def kind_of(self, cell: str, source: str) -> Kind | None:
        for kind in self.kinds:
            name, _, of_source = kind.name.partition("@")
            if of_source in ("", source) and any(fnmatch.fnmatchcase(cell, one) for one in kind.pattern.split(", ")):
                return kind
        return None


class Moved(NamedTuple):
    """What the program says that it moved."""
    pid: int
    bytes: int
    from_ns: int
    to_ns: int


class Truth:
    """What the program says about one cell."""

    def __init__(self) -> None:
        self.sent: list[Moved] = []
        self.received: list[Moved] = []
        self.refused: dict[str, str] = {}  # by role
        self.pids: set[int] = set()
        self.end = ""


def read_truth(text: str) -> dict[str, Truth]:
    truths: dict[str, Truth] = collections.defaultdict(Truth)
    for line in text.splitlines():
        word, *rest = line.split(" ")
        truth = truths[" ".join(rest[:4])]
        if word in ("hung", "killed"):
            truth.end = rest[4] if word == "killed" else "hung"
            continue
        role, pid = rest[4], int(rest[5])
        truth.pids.add(pid)
        if word == "op":
            moved = Moved(pid, *(int(number) for number in rest[6:]))
            (truth.sent if role in "Ss" else truth.received).append(moved)
        elif word == "refused":
            truth.refused[role] = rest[6]
    return truths


class Run:
    """Some cells, metered."""

    def __init__(self, options: argparse.Namespace, workshop: running.Workshop, cells: list[str]) -> None:
        folder = workshop.folder()
        wanted = folder / "wanted"
        wanted.write_text("".join(cell + "\n" for cell in cells))
        said = folder / "said"
        command: list[running.Word] = [options.cells, said, wanted]
        out = folder / "metered"
        words: list[running.Word] = [options.dpm, "meter", "--wait", "-o", out, "--source", options.source, "--", *command]
        if options.pid_namespace:
            words = ["unshare", "--pid", "--fork", "--mount-proc", *words]
        account = {} if options.user is None else {"user": options.user, "group": options.user, "extra_groups": []}
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=540, **account)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))} ends with {done.returncode}: {done.stderr}")
        self.errors = done.stdout + done.stderr
        self.truths = read_truth(said.read_text())
        self.trace = events.Trace(options.list_events, out / "trace")
        self.by_pid: dict[int, list[events.Event]] = collections.defaultdict(list)
        for event in self.trace.events:
            self.by_pid[self.trace.pid.get(event.process, 0)].append(event)


def differences(truth: Truth, run: Run) -> list[str]:
    """How the trace differs from what the program says."""
    found = []
    for type_, moved in (("SEND", truth.sent), ("RECEIVE", truth.received)):
        for pid in sorted(truth.pids):
            wanted = [one for one in moved if one.pid == pid]
            seen = [event for event in run.by_pid[pid] if event.type == type_ and event.length > 0]  # the end has no length
            pairs = pair_up(wanted, seen)
            if pairs is None:
                found.append(f"{type_}s of {[one.bytes for one in wanted]}, seen {[event.length for event in seen]}")
                continue
            found += [f"{type_} of {one.bytes} was at {(event.time_ns - one.to_ns) / 1e6:+.1f} ms of its end"
                      for one, event in pairs if not one.from_ns - EARLY_NS <= event.time_ns <= one.to_ns + EARLY_NS]
    return found + late_data(truth, run) + holes(truth, run) + numbers(truth, run)


def pair_up(wanted: list[Moved], seen: list[events.Event]) -> list[tuple[Moved, events.Event]] | None:
    """Each event with what it is a part of: the kernel may make one operation of a ring in several parts. Messages that one call sends
    into a stream are one event."""
    pairs = []
    rest = collections.deque(seen)
    at = 0
    while at < len(wanted):
        one, left = wanted[at], wanted[at].bytes
        at += 1
        while rest and rest[0].length > left and at < len(wanted) and wanted[at].from_ns == one.from_ns:
            left += wanted[at].bytes
            at += 1
        while left > 0:
            if not rest or rest[0].length > left:
                return None
            pairs.append((one, rest[0]))
            left -= rest.popleft().length
    return None if rest else pairs


def holes(truth: Truth, run: Run) -> list[str]:
    """Offsets in the streams of a cell: they follow each other, and both ends begin at one."""
    found = []
    ends: dict[tuple[str, str], list[events.Event]] = collections.defaultdict(list)
    for pid in truth.pids:
        for event in run.by_pid[pid]:
            if event.type in ("SEND", "RECEIVE") and run.trace.channel_kind.get(event.channel) == "stream":
                ends[event.channel, event.type].append(event)
    for (channel, type_), moved in ends.items():
        moved.sort(key=lambda event: event.sequence)
        other = ends.get((channel, "SEND"), moved)
        offset = other[0].sequence
        for event in moved:
            if event.sequence != offset:
                found.append(f"{type_} of {event.length} at offset {event.sequence}, not {offset}")
                break
            offset += event.length
    return found


def numbers(truth: Truth, run: Run) -> list[str]:
    """Datagrams are one message each, also where the kernel divides or merges them: as many are received as were sent."""
    moved = [event for pid in truth.pids for event in run.by_pid[pid]
             if event.length > 0 and run.trace.channel_kind.get(event.channel) == "datagram"]
    sent, received = ([event.length for event in moved if event.type == type_] for type_ in ("SEND", "RECEIVE"))
    return [f"{len(sent)} datagrams sent, {len(received)} received"] if sum(sent) == sum(received) and len(sent) != len(received) else []


def late_data(truth: Truth, run: Run) -> list[str]:
    """RECEIVEs that are stamped before their data was sent."""
    found = []
    total = 0
    for one in truth.received:
        total += one.bytes
        sent = 0
        for send in truth.sent:
            sent += send.bytes
            if sent >= total:
                break
        else:
            continue
        seen = [event for event in run.by_pid[one.pid] if event.type == "RECEIVE" and event.length == one.bytes]
        if len(seen) == 1 and len(truth.received) == 1 and seen[0].time_ns < send.from_ns - EARLY_NS:
            found.append(f"RECEIVE {(send.from_ns - seen[0].time_ns) / 1e6:.1f} ms before its data was sent")
    return found


def is_about_time(difference: str) -> bool:
    return " of its end" in difference or " before its data" in difference


def is_marked(truth: Truth, run: Run, differs: list[str]) -> bool:
    """Only times differ, of RECEIVEs that the trace marks as inferred."""
    return all(map(is_about_time, differs)) and any(
        event.type == "RECEIVE" and event.evidence == "inferred" for pid in truth.pids for event in run.by_pid[pid])


def gaps_explain(truth: Truth, run: Run) -> bool:
    """The bytes that are missing are those of the GAPs of these processes and their channels."""
    own = [event for pid in truth.pids for event in run.by_pid[pid]]
    channels = {event.channel for event in own if event.type in ("SEND", "RECEIVE", "GAP")} - {"-"}
    missing = []
    for type_, moved, code in (("SEND", truth.sent, 0), ("RECEIVE", truth.received, 1)):
        seen = sum(event.length for event in own if event.type == type_)
        gaps = sum(event.length for event in run.trace.events if event.type == "GAP" and event.code == code
                   and event.channel in channels)
        missing.append((sum(one.bytes for one in moved) - seen, gaps))
    return any(gap for _, gap in missing) and all(bytes_ == gap for bytes_, gap in missing)


class Judge:
    def __init__(self, options: argparse.Namespace, calls: Calls) -> None:
        self.options, self.calls = options, calls
        self.why: dict[str, str] = {}

    def are_times(self, cell: str) -> bool:
        """All that is wrong in the cell."""
        return all(map(is_about_time, self.why[cell].split("; ")))

    def verdicts(self, run: Run, cells: list[str]) -> dict[str, str]:
        said = "\n".join(run.trace.losses) + "\n" + run.errors
        verdicts = {}
        for cell in cells:
            truth = run.truths[cell]
            tested = "S" if cell.split(" ")[1] == "send" else "R"
            differs = differences(truth, run)
            if truth.end:
                verdict = truth.end
            elif differs and cell.startswith("memfd "):
                verdict = "file"
            elif differs and is_marked(truth, run, differs):
                verdict = "inferred"
            elif differs:
                kind = self.calls.kind_of(cell, self.options.source)
                is_told = gaps_explain(truth, run) or (kind is not None and kind.words in said)
                verdict = "counted" if is_told else "wrong"
                self.why[cell] = "; ".join(differs)
            else:
                verdict = truth.refused.get("M") or truth.refused.get(tested) or "exact"
            verdicts[cell] = verdict
        return verdicts


class Table:
    """cells.table: for each operation and mode, a verdict for each object; notify/ebpf where the two differ."""

    def __init__(self, path: pathlib.Path, objects: list[str]) -> None:
        self.path, self.objects = path, objects
        self.verdicts: dict[str, dict[str, str]] = {}  # by cell and source
        if not path.exists():
            return
        columns: list[str] = []
        for line in path.read_text().splitlines():
            words = line.split()
            if not words or line.startswith("#"):
                continue
            if words[0] == "side":
                columns = words[3:]
                continue
            for object_, both in zip(columns, words[3:]):
                if both == "-":
                    continue
                notify, _, ebpf = both.partition("/")
                self.verdicts[f"{object_} {' '.join(words[:3])}"] = {"notify": notify, "ebpf": ebpf or notify}

    def rows(self, cells: list[str]) -> list[list[str]]:
        """The words of each row; `-` where an operation is played in other modes only."""
        rows: dict[str, dict[str, str]] = {}
        for cell in cells:
            object_, row = cell.split(" ", 1)
            told = self.verdicts.get(cell, {})
            notify, ebpf = told.get("notify", "?"), told.get("ebpf", "?")
            rows.setdefault(row, {})[object_] = notify if notify == ebpf else f"{notify}/{ebpf}"
        return [row.split(" ") + [its.get(object_, "-") for object_ in self.objects] for row, its in rows.items()]

    def write(self, cells: list[str]) -> None:
        rows = [["side", "operation", "mode", *self.objects], *self.rows(cells)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        text = "# The verdict of each cell, written by check_calls.py: notify/ebpf where the two sources differ.\n"
        text += "".join("  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() + "\n" for row in rows)
        self.path.write_text(text)


def bless(options: argparse.Namespace, table: Table, calls: Calls, cells: list[str]) -> None:
    table.write(cells)
    options.page.write_text(page(table, calls, cells))


def page(table: Table, calls: Calls, cells: list[str]) -> str:
    text = (HERE / "page_head.txt").read_text()
    for side, title in (("send", "Sending"), ("receive", "Receiving")):
        text += f"\n## {title}\n\n| operation | mode | {' | '.join(table.objects)} |\n|{'---|' * (len(table.objects) + 2)}\n"
        for row in table.rows([cell for cell in cells if cell.split(" ")[1] == side]):
            text += f"| {' | '.join(row[1:])} |\n"
    text += "\n## Every call\n\n| calls | what they do |\n|---|---|\n"
    for group, meaning in calls.meanings.items():
        names = " ".join(name for name, its in calls.group_of.items() if its == group.removesuffix("*"))
        text += f"| {names} | {meaning}{'; rows of this table' if group.endswith('*') else ''} |\n"
    return text


def measure(options: argparse.Namespace, calls: Calls, cells: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    judge = Judge(options, calls)
    verdicts: dict[str, str] = {}
    with running.Workshop() as workshop:
        if options.user is not None:
            for program in ("dpm", "cells"):
                setattr(options, program, running.for_every_account(getattr(options, program), workshop.path))
        running.need_source(options.dpm, options.source)
        parts = [cells[first:first + CELLS_AT_ONCE] for first in range(0, len(cells), CELLS_AT_ONCE)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for part, run in zip(parts, pool.map(lambda part: Run(options, workshop, part), parts)):
                verdicts |= judge.verdicts(run, part)
        # A meter that other programs keep from the CPU sees the end of a call late, by chance; a wrong rule does so each time.
        for attempt in range(AGAIN):
            late = [cell for cell in cells if verdicts[cell] == "wrong" and judge.are_times(cell)]
            if late:
                verdicts |= judge.verdicts(Run(options, workshop, late), late)
    return verdicts, judge.why


def is_offered(cell: str, verdict: str) -> bool:
    """Kernels may be built, or begun, without the calls of 32-bit code: the instruction is a fault then."""
    return verdict != "SIGSEGV" or not cell.split(" ")[2].startswith("int80/")


def main() -> int:
    options = arguments()
    options.dpm, options.cells, options.list_events = (os.path.abspath(path) for path in (options.dpm, options.cells, options.list_events))
    calls = Calls(options.calls)
    listed = subprocess.run([options.cells, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    unknown = [f"no verdict: {name}: add it to {options.calls.name}" for name in calls.unknown()] + calls.untried(listed)
    for problem in unknown:
        print(f"FAILED {problem}")
    objects = list(dict.fromkeys(cell.split(" ")[0] for cell in listed))
    table = Table(options.table, objects)
    cells = [cell for cell in listed if fnmatch.fnmatchcase(cell, options.only)]
    verdicts, why = measure(options, calls, cells)
    failed = len(unknown)
    absent = [cell for cell in cells if not is_offered(cell, verdicts[cell])]
    if absent:
        print(f"left out: {len(absent)} cells of 32-bit code, which this kernel does not run")
    for cell in cells:
        if cell in absent:
            continue
        wanted = table.verdicts.get(cell, {}).get(options.source, "no verdict")
        if options.explain and cell in why:
            print(f"{verdicts[cell]:8}{cell}: {why[cell]}")
        if wanted != verdicts[cell] and "DPM_BLESS" not in os.environ:
            failed += 1
            print(f"FAILED {cell}: {verdicts[cell]}, the table says {wanted}; {why.get(cell, '')}")
        table.verdicts.setdefault(cell, {})[options.source] = verdicts[cell]
    print(f"{len(cells)} cells: " + ", ".join(f"{count} {verdict}" for verdict, count in
                                             collections.Counter(verdicts.values()).most_common()))
    if "DPM_BLESS" in os.environ:
        bless(options, table, calls, listed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
