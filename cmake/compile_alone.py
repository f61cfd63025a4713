#!/usr/bin/env python3
"""Compiles every file of a build folder's compile_commands.json, and every header of the project, alone.

    compile_alone.py BUILD [JOBS [REGEX]]     REGEX: only files whose path matches

The build folder joins no files, so a file that relies on an include of its neighbours fails here. Only the
syntax is checked: no object is written. A header is compiled with the options of a file in its folder, or else of the nearest folder above.
"""
import concurrent.futures
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def options_of(command: str) -> list[str]:
    """The command without its compiler launcher, its output and its optimization."""
    words = shlex.split(command)
    compiler = next(i for i, word in enumerate(words) if word.rsplit("/", 1)[-1] in ("c++", "g++", "clang++", "cc", "gcc", "clang"))
    kept: list[str] = []
    skip = False
    for word in words[compiler:]:
        if skip or word == "-c" or word.startswith("-O"):
            skip = False
            continue
        if word == "-o":
            skip = True
            continue
        kept.append(word)
    return kept


def commands(build: Path) -> list[tuple[str, list[str]]]:
    files: dict[Path, list[str]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(build.resolve()):
            files.setdefault(path, options_of(entry["command"])[:-1])
    of_folder = {path.parent: options for path, options in files.items() if path.suffix == ".cpp"}
    result = [(str(path.relative_to(ROOT)), [*options, "-fsyntax-only", str(path)]) for path, options in files.items()]
    skipped = {"build", "out", ".git"}
    for header in sorted(ROOT.rglob("*.hpp")):
        if header.relative_to(ROOT).parts[0] in skipped:
            continue
        folder = header.parent
        while folder not in of_folder and folder != ROOT:
            folder = folder.parent
        if folder in of_folder:
            result.append((str(header.relative_to(ROOT)), [*of_folder[folder], "-fsyntax-only", "-x", "c++", str(header)]))
    return result


def main() -> int:
    build = Path(sys.argv[1])
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    failed = 0
    wanted = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    todo = [item for item in commands(build) if wanted.search(item[0])]

    def compile_one(item: tuple[str, list[str]]) -> tuple[str, str, int]:
        name, command = item
        done = subprocess.run([*command, "-O0", "-w"], cwd=build, capture_output=True, text=True, check=False)
        return name, done.stderr, done.returncode

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, (name, said, status) in enumerate(pool.map(compile_one, todo), 1):
            if number % 100 == 0:
                print(f"compile_alone: {number} of {len(todo)}", file=sys.stderr, flush=True)
            if status != 0:
                failed += 1
                print(f"{name}: does not compile alone\n{said}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
