#!/usr/bin/env python3
"""An MPI program under Open MPI: four ranks that compute and exchange borders, on one core and on two."""

import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from real_programs import Placement, Run, Study, call, main, timed

RANKS = 4
HERE = pathlib.Path(__file__).resolve().parent
# Messages go over TCP, where a meter sees them, and not through shared memory; a rank that waits lets others run.
OPTIONS = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--mca",
           "btl_tcp_if_include", "lo", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl_base_warn_component_unused", "0"]


def prepare(folder: pathlib.Path) -> None:
    # A program for each rank, so that a placement can name it.
    for rank in range(RANKS):
        call(["mpicc", "-O2", "-o", folder / f"rank{rank}", HERE / "borders.c"], folder)


def play(run: Run) -> float:
    words = [*run.prefix, *run.pinned("mpirun", ["mpirun", *OPTIONS])]
    for rank in range(RANKS):
        words += [":"] if rank else []
        words += ["-np", "1", *run.pinned(f"rank{rank}", [run.folder / f"rank{rank}"])]
    return timed(words, run.folder, env={**os.environ, "TMPDIR": str(run.folder)})


def place(name: str, second: set[int]) -> Placement:
    return Placement(name, {"mpirun": 0, **{f"rank{rank}": int(rank in second) for rank in range(RANKS)}})


main(Study(programs=["mpirun", "mpicc"],
           placements=[place("one-core", set()), place("halves", {2, 3}), place("one-apart", {3})],
           traced_on=["one-core", "halves"], play=play, prepare=prepare, over="tcp"))
