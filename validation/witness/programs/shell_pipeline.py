"""A bash pipeline with a process substitution, command substitutions, and a child that computes and says nothing."""

from stage import Stage
from typing import Any
NEEDS = ["bash", "awk", "sort", "cut", "md5sum"]
SHORT = True
SCRIPT = r"""
cut -d' ' -f1,3 lines | sort -n | awk '{s+=$1; if (NR % 1000 == 0) print NR, s}' | tee >(wc -l >counted) | md5sum
for n in 1 2 3; do echo "$(seq $n 20 | wc -l) $(echo $n)"; done
awk 'BEGIN {for (i = 0; i < 2000000; i++) s += i; print s}'
echo ${PIPESTATUS[@]}; false | true | (exit 7)
"""


def prepare(folder: Any, _: Any) -> None:
    (folder / "script").write_text(SCRIPT)


def play(stage: Stage) -> None:
    lines = 5000 if stage.quick else 300_000
    value = 1
    with open(stage.folder / "lines", "w") as file:
        for number in range(lines):
            value = value * 1103515245 % (1 << 31)
            file.write(f"{value} line {number} of text {value % 977:x}\n")
    stage.note("printed", stage.run(["bash", stage.prepared / "script"], status=7))
