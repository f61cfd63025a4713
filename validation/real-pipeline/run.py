#!/usr/bin/env python3
"""A shell pipeline over large data, on one core and on two."""

import lzma
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from real_programs import Placement, Run, Study, main, timed

LINES = 700_000
STAGES = ["xz", "tr", "gzip", "md5sum"]


def prepare(folder: pathlib.Path) -> None:
    draw = random.Random(1)
    text = "".join(f"{draw.randrange(300000)} {draw.getrandbits(64):x}\n" for _ in range(LINES))
    with lzma.open(folder / "data.xz", "wt", preset=1) as file:
        file.write(text)


def play(run: Run) -> float:
    words = {"xz": "xz -dc data.xz", "tr": "tr a-f A-F", "gzip": "gzip -1", "md5sum": "md5sum"}
    pipeline = " | ".join(f"exec taskset -c {run.cpu(stage)} {words[stage]}" for stage in STAGES)
    return timed([*run.prefix, "sh", "-c", pipeline + " >/dev/null"], run.folder)


def place(name: str, second: set[str]) -> Placement:
    return Placement(name, {"sh": 0, **{stage: int(stage in second) for stage in STAGES}})


main(Study(programs=["xz", "gzip", "tr", "md5sum"],
           placements=[place("one-core", set()), place("halves", {"gzip", "md5sum"}), place("ends", {"md5sum", "xz"}),
                       place("tail", {"md5sum"})],
           traced_on=["one-core", "halves"], play=play, prepare=prepare, over="pipe"))
