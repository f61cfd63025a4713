#!/usr/bin/env python3
"""check_screens.py DPM SOURCES: what dpm prints about a system of 2,000 processes fits two screens of an 80x40 terminal.

The output of dpm run is also in docs/large-systems.md, word for word; DPM_BLESS=1 writes it there.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

COLUMNS, LINES, SCREENS = 80, 40, 2
FIGURE_MARKS = 80
BLOCK = re.compile(r"(<!-- printed by: dpm run scenarios/crowd -->\n```text\n)(.*?)(```\n)", re.DOTALL)


def in_terminal(command: list[str]) -> str:
    """What the command prints on a terminal; its standard error is not shown."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"NO_COLOR": "1"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=environment) as program:
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
        assert program.stderr
        errors = program.stderr.read().decode()
    os.close(ours)
    if program.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {program.returncode}: {errors}")
    return shown.decode().replace("\r", "")


def complaints(name: str, text: str) -> list[str]:
    lines = text.splitlines()
    wide = [line for line in lines if len(line) > COLUMNS]
    found = [f"{name}: prints {len(lines)} lines"] if len(lines) > SCREENS * LINES else []
    if not lines:
        found.append(f"{name}: prints nothing")
    return found + [f"{name}: wider than the terminal: {line}" for line in wide]


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
