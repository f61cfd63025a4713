#!/usr/bin/env python3
"""run_documents.py --dpm DPM PAGE: runs every command of a page as it is printed.

Commands are in blocks marked "sh", and what they print is in blocks marked "text". All of a page run in one shell, which stops at
the first command that fails, in an empty folder, with DPM first in PATH. A comment before a block says what the block needs:

    <!-- runs: dpm nginx ab; port 7080 -->     these programs, and this port free: otherwise the page is skipped
    <!-- not run: installs packages -->        the next block is not run

Numbers in the printed output differ from run to run. Its words must not: each line of a "text" block that has no digit and does
not stand for something that was left out must be in the output of the page, whatever its spaces. Wide numbers divide a table in another
way, so the words of a line may also be in several lines without digits of one command. `--keep FOLDER` leaves what the commands wrote there.
"""
import argparse
import errno
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass, field

SKIPPED = 77
SECONDS_MAX = 700
COLUMNS = 100  # what dpm takes where it cannot ask: the pages were made so


@dataclass
class Page:
    commands: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    programs: list[str] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def read_page(text: str) -> Page:
    page = Page()
    reason = None
    block: list[str] | None = None
    kind = ""
    for line in text.splitlines():
        if block is not None:
            if line.startswith("```"):
                if kind == "text":
                    page.printed += block
                elif kind == "sh" and reason is None:
                    page.commands.append("\n".join(block))
                elif kind == "sh":
                    page.left_out.append(f"{block[0]} ({reason})")
                if kind == "sh":
                    reason = None
                block = None
            else:
                block.append(line)
        elif line.startswith("```"):
            block, kind = [], line[3:].strip()
        elif needs := re.match(r"<!-- runs: ([^;]*)(?:; port (\d+))? -->", line):
            page.programs += needs[1].split()
            page.ports += [int(needs[2])] if needs[2] else []
        elif not_run := re.match(r"<!-- not run: (.*) -->", line):
            reason = not_run[1]
    return page


def words(line: str) -> str:
    return " ".join(line.split())


def missing_lines(printed: list[str], output: str) -> list[str]:
    """The lines without numbers that are in the page and were not printed by the commands."""
    seen = {words(line) for line in output.splitlines()}
    headings: list[set[str]] = [set()]  # of each command
    for line in output.splitlines():
        if line.startswith("+ "):
            headings.append(set())
        elif not re.search(r"\d", line):
            headings[-1].update(line.split())
    return [line for line in printed
            if words(line) and not re.search(r"\d", line) and "…" not in line and words(line) not in seen
            and not any(set(line.split()) <= of_command for of_command in headings)]


def why_not(page: Page, path: str) -> str | None:
    absent = [program for program in page.programs if shutil.which(program, path=path) is None]
    if absent:
        return f"not installed: {' '.join(absent)}"
    for port in page.ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return f"something else uses port {port}"
    if "dpm" in page.programs:
        doctor = subprocess.run(["dpm", "doctor"], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
        if doctor.returncode != 0:
            return f"programs cannot be metered here: {doctor.stdout.splitlines()[-1:]}"
    return None


def run_in_terminal(commands: str, folder: str, path: str) -> tuple[int, str]:
    """The exit status of the commands, and their output at a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    shell = subprocess.Popen(["bash", "-euxo", "pipefail", "-c", commands], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
                             env=os.environ | {"PATH": path}, start_new_session=True)
    os.close(theirs)
    shown = b""
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        if not select.select([ours], [], [], end - time.monotonic())[0]:
            continue
        try:
            part = os.read(ours, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # the last process has closed the terminal
                raise
            part = b""
        if not part:
            break
        shown += part
    else:
        os.killpg(shell.pid, signal.SIGKILL)
        shown += f"\nnot done after {SECONDS_MAX} s\n".encode()
    os.close(ours)
    # As the terminal shows it: a line of progress is written over by what follows.
    return shell.wait(), re.sub(r"[^\n]*\r", "", re.sub(r"\r+\n", "\n", shown.decode(errors="replace")))


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--keep")
    parser.add_argument("page")
    options = parser.parse_args()
    page = read_page(pathlib.Path(options.page).read_text(encoding="utf-8"))
    if not page.commands:
        print(f"{options.page}: no block marked 'sh' is run")
        return 1
    path = f"{pathlib.Path(options.dpm).resolve().parent}:{os.environ['PATH']}:/usr/sbin"
    if reason := why_not(page, path):
        print(f"SKIPPED: {options.page}: {reason}")
        return SKIPPED
    folder = options.keep or tempfile.mkdtemp(prefix="dpm-documents-")
    try:
        status, output = run_in_terminal("\n".join(page.commands), folder, path)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    missing = missing_lines(page.printed, output)
    print(output)
    for block in page.left_out:
        print(f"not run: {block}")
    if status != 0:
        print(f"{options.page}: a command ended with {status}: the last one after a '+' above")
    for line in missing:
        print(f"{options.page}: prints a line that no command printed: {line}")
    return 1 if status != 0 or missing else 0


if __name__ == "__main__":
    sys.exit(main())
