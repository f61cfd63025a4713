#!/usr/bin/env python3
"""check_screens.py DPM SOURCES: what dpm prints about a system of 2,000 processes fits two screens of an 80x40 terminal, and nothing that it
prints about processes with long names is wider, results or warnings.

The output of dpm run is also in docs/large-systems.md, word for word; DPM_BLESS=1 writes it there.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

COLUMNS, LINES, SCREENS = 80, 40, 2
FIGURE_MARKS = 80
BLOCK = re.compile(r"(<!-- printed by: dpm run scenarios/crowd -->\n```text\n)(.*?)(```\n)", re.DOTALL)


def in_terminal(command: list[str], errors_too: bool = False) -> str:
    """What the command prints on a terminal; its standard error is shown only if that is asked for."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"NO_COLOR": "1"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs if errors_too else subprocess.PIPE,
                          env=environment) as program:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the program has closed the terminal
                break
            if not part:
                break
            shown += part
        errors = program.stderr.read().decode() if program.stderr else shown.decode()
    os.close(ours)
    if program.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {program.returncode}: {errors}")
    return shown.decode().replace("\r\n", "\n").replace("\r", "" if not errors_too else "\r")


def complaints(name: str, text: str, lines_max: int | None = SCREENS * LINES) -> list[str]:
    lines = text.splitlines()
    wide = [line for line in lines if len(line.split("\r")[-1]) > COLUMNS]
    found = [f"{name}: prints {len(lines)} lines"] if lines_max is not None and len(lines) > lines_max else []
    if not lines:
        found.append(f"{name}: prints nothing")
    return found + [f"{name}: wider than the terminal: {line}" for line in wide]


LONG = "_of_a_system_whose_names_fit_no_column_1"


def wide_with_long_names(dpm: str, sources: pathlib.Path, scratch: str) -> list[str]:
    """Of a trace that is cut off, so that there are warnings, and whose names differ only in their ends."""
    in_terminal([dpm, "run", str(sources / "scenarios/file-system/scenario.json"), "--base-only", "-o", f"{scratch}/long"])
    described = pathlib.Path(scratch, "long/trace/trace.json")
    recorded = json.loads(described.read_text(encoding="utf-8"))
    for process in recorded["processes"]:
        process["name"] += LONG
    described.write_text(json.dumps(recorded), encoding="utf-8")
    wrong = []
    shutil.copytree(f"{scratch}/long", f"{scratch}/cut")
    streams = list(pathlib.Path(scratch, "cut/trace/ctf").iterdir())
    stream = max(streams, key=lambda file: file.stat().st_size)
    os.truncate(stream, stream.stat().st_size * 2 // 3)
    for words in (["statistics"], ["queues"], ["parallelism"], ["causality"], ["clocks"], ["blame"], ["predict"], ["predict", "--sensitivity"],
                  ["predict", "--search", "--move", "buffer_manager" + LONG], ["top", "--batch"]):
        for trace in ("long", "cut"):
            shown = in_terminal([dpm, *words, f"{scratch}/{trace}"], errors_too=True)
            wrong += complaints(f"{' '.join(words)} {trace}", shown, lines_max=None)
    shown = in_terminal([dpm, "diff", f"{scratch}/long", f"{scratch}/cut", "--of", "user_1" + LONG], errors_too=True)
    return wrong + complaints("diff", shown, lines_max=None)


def crowded(page: str) -> list[str]:
    """Figures of the report with more marks than fit on a screen or two."""
    data = json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[0])
    found, counted = [], 0
    for section in data["report"]["sections"]:
        for figure in section["figures"]:
            for part in ("rows", "columns", "nodes"):
                counted += 1
                marks = len(figure["drawing"].get(part, []))
                if marks > FIGURE_MARKS:
                    found.append(f"the report's figure '{figure['heading']}' has {marks} {part}")
    return found if counted else ["the report has no figures"]


def main() -> int:
    dpm, sources = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2])
    wrong = []
    with tempfile.TemporaryDirectory(prefix="dpm-screens-") as scratch:
        out = f"{scratch}/crowd"
        run = in_terminal([dpm, "run", str(sources / "scenarios/crowd"), "-o", out])
        wrong += complaints("run", run)
        for words in (["statistics"], ["queues"], ["parallelism"], ["causality"], ["clocks"], ["predict"]):
            wrong += complaints(" ".join(words), in_terminal([dpm, *words, out]))
        everything = in_terminal([dpm, "statistics", "--all", out])
        if len(everything.splitlines()) < 2000:
            wrong.append("statistics --all does not show each process")
        wrong += wide_with_long_names(dpm, sources, scratch)
        wrong += crowded(pathlib.Path(out, "report.html").read_text(encoding="utf-8"))
    page = sources / "docs/large-systems.md"
    text = page.read_text(encoding="utf-8")
    block = BLOCK.search(text)
    if os.environ.get("DPM_BLESS") == "1" and block:
        page.write_text(text[: block.start(2)] + run + text[block.end(2):], encoding="utf-8")
    elif not block or block[2] != run:
        wrong.append(f"{page}: is not what dpm run prints (to accept: DPM_BLESS=1 {' '.join(sys.argv)}):\n{run}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
