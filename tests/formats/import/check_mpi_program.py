#!/usr/bin/env python3
"""check_mpi_program.py DPM PROGRAM RECORDER

An Open MPI program is metered by DPM, and recorded as OTF2 by a library in front of MPI, in the same run. What dpm import makes of the archive
has the same messages as the meter's trace, in the same order: each is one message over TCP, which has a header of the same length in
front of it. Before the first one, the ends of a connection tell each other who they are.
"""
import collections
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

DPM, PROGRAM, RECORDER = (os.path.abspath(word) for word in sys.argv[1:4])
RANKS = 3
GREETINGS_MAX = 2  # where both ends open a connection at once, one of the two is not used
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS), "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo",
          "--mca", "oob_tcp_if_include", "lo", "--mca", "mpi_yield_when_idle", "1"]
# A process is named after its file: each rank has one of its own. LD_PRELOAD takes no path with a space.
START = """#!/bin/sh
exec env LD_PRELOAD=./recorder.so DPM_OTF2=archive "./rank$OMPI_COMM_WORLD_RANK"
"""


def skip(reason: str) -> None:
    print(f"SKIPPED: {reason}")
    sys.exit(77)


Messages = dict[tuple[str, str], list[int]]  # the lengths, by sender and receiver


def is_rank(name: str) -> bool:
    """Further threads of a rank, which wake it up, have longer names."""
    return name in {f"rank{number}" for number in range(RANKS)}


def sizes(trace: str, kind: str) -> Messages:
    """The lengths of all messages of each rank to each other, in order, at the end that `kind` says."""
    subprocess.run([DPM, "export", trace, "--to", "csv", "-o", f"{trace}.csv", "--overwrite"], check=True, capture_output=True)
    by_pair: Messages = collections.defaultdict(list)
    with open(f"{trace}.csv", newline="") as file:
        for event in csv.DictReader(file):
            process, peer = event["process_name"], event["peer_name"]
            if event["type"] == kind and event["message"] == "1" and is_rank(process) and is_rank(peer):
                by_pair[(process, peer) if kind == "SEND" else (peer, process)].append(int(event["bytes"]))
    return by_pair


def compare(kind: str, metered: Messages, recorded: Messages) -> Iterator[str]:
    """What is wrong. A rank may end without reading the end of the last message that it was sent."""
    last = -1 if kind == "RECEIVE" else None
    headers: collections.Counter[int] = collections.Counter()
    for pair in sorted(set(metered) | set(recorded)):
        greetings = len(metered[pair]) - len(recorded[pair])
        if not 0 <= greetings <= GREETINGS_MAX:
            yield f"{pair}: {len(metered[pair])} messages were metered, {len(recorded[pair])} recorded"
            continue
        headers.update(of_meter - of_archive for of_meter, of_archive in zip(metered[pair][greetings:last], recorded[pair]))
    if len(headers) != 1 or min(headers) <= 0:
        yield f"the metered messages are longer by {dict(headers)} bytes; all should be by the same"


def main() -> None:
    if shutil.which("mpirun") is None:
        skip("mpirun is not installed")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["OMPI_MCA_orte_tmpdir_base"] = folder  # Open MPI's own is made and removed by all runs at once
        tried = subprocess.run([DPM, "meter", "-o", "try", "--", "true"], capture_output=True, text=True)
        if tried.returncode != 0:
            skip(f"nothing can be metered here: {tried.stderr[:200]}")
        for rank in range(RANKS):
            shutil.copy(PROGRAM, f"rank{rank}")
        shutil.copy(RECORDER, "recorder.so")
        with open("start", "w") as file:
            file.write(START)
        os.chmod("start", 0o755)
        subprocess.run([DPM, "meter", "-o", "metered", "--", *MPIRUN, "./start"], check=True, capture_output=True)
        subprocess.run([DPM, "import", "archive", "--from", "otf2", "-o", "imported"], check=True, capture_output=True)
        failures, found = [], 0
        for kind in ("SEND", "RECEIVE"):
            recorded = sizes("imported", kind)
            found += sum(len(messages) for messages in recorded.values())
            failures += [f"{kind}: {text}" for text in compare(kind, sizes("metered", kind), recorded)]
        if found < 2 * RANKS * 80:
            failures.append(f"only {found} ends of messages were recorded")
    for failure in failures:
        print(failure)
    print(f"{found} ends of messages, as metered" if not failures else "an MPI program was recorded in two ways, which differ")
    sys.exit(1 if failures else 0)


main()
