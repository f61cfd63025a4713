#!/usr/bin/env python3
"""check_exact.py DPM SOURCE: what documents print of runs that are the same each time, simulations and predictions of them, is what DPM prints now.

A comment before a block has the command that prints it, for a shell in an empty folder where `scenarios` is that of the source:

    <!-- exact: dpm run scenarios/file-system/scenario.json -o fs >&2; dpm predict fs --sensitivity -->

Each line of the block is in the output, whatever its spaces. Lines of the output may be left out; a line with … alone stands for such.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DPM, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
COMMENT = re.compile(r"^<!-- exact: (.*?) -->$", re.M | re.S)


def block_after(text: str) -> list[str]:
    """The lines of the next block: between fences, or indented by four."""
    lines = iter(text.splitlines())
    line = next(lines)
    while not line.startswith(("```", "    ")):
        assert not line.strip(), f"a block must follow, not: {line}"
        line = next(lines)
    is_fenced = line.startswith("```")
    block = [] if is_fenced else [line]
    for line in lines:
        if line.startswith("```") if is_fenced else not line.startswith("    "):
            break
        block.append(line)
    return [line for line in block if line.strip() and line.strip() != "…"]


def words(line: str) -> str:
    return " ".join(line.split())


def main() -> None:
    wrong, blocks = 0, 0
    environment = os.environ | {"PATH": f"{DPM.parent}:{os.environ['PATH']}", "COLUMNS": "100"}
    for page in sorted(SOURCE.rglob("*.md")):
        if "build" in page.relative_to(SOURCE).parts:
            continue
        text = page.read_text(encoding="utf-8")
        for comment in COMMENT.finditer(text):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "scenarios").symlink_to(SOURCE / "scenarios")
                done = subprocess.run(["sh", "-ec", comment[1]], cwd=folder, env=environment, capture_output=True, text=True)
            printed = {words(line) for line in done.stdout.splitlines()}
            missing = [line for line in block_after(text[comment.end():]) if words(line) not in printed]
            blocks += 1
            wrong += bool(missing)
            for line in missing:
                print(f"{page.relative_to(SOURCE)}: this is not printed by '{comment[1]}':\n{line}")
            if missing:
                print(f"but this:\n{done.stdout[-6000:]}{done.stderr[-1000:]}")
    assert blocks > 0, "no document has such a block"
    print(f"{blocks} blocks, {wrong} of them stale")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
