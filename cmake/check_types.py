#!/usr/bin/env python3
"""Checks the types of all Python with mypy, which setup.cfg configures: check_types.py [FOLDER...].

A folder's programs are checked together, with the folders that they import from. Programs of different folders have the same names, so one
run of mypy cannot take them all.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_SOURCES = {"build", "out", ".git", "__pycache__"}
# Where modules are that are imported from a path that another program sets.
IMPORTED_BY_OTHERS = {"examples/instrumented": "libdpm/python", "tests/backends/instrumented/programs": "libdpm/python",
                      "tests/cluster": "tests/live/harness"}


def folders() -> dict[pathlib.Path, list[pathlib.Path]]:
    """The Python files of each folder that has some."""
    found = {}
    for name, below, files in os.walk(ROOT):
        below[:] = sorted(set(below) - NO_SOURCES)
        if of_folder := sorted(file for file in files if file.endswith(".py")):
            found[pathlib.Path(name)] = [pathlib.Path(name) / file for file in of_folder]
    return found


def imported_from(file: pathlib.Path) -> list[pathlib.Path]:
    """What the file adds to sys.path: its lines that do so are run, with the constants at the margin that they use."""
    lines = file.read_text(encoding="utf-8").splitlines()
    adding = [line for line in lines if re.match(r"sys\.path(\.insert|\.append|\[:0\] =)", line)]
    constants = [line for line in lines if re.match(r"\w+ = .*\b__file__\b", line)]
    if not adding:
        return []
    path: list[str] = []
    names = {"__file__": str(file), "os": os, "pathlib": pathlib, "Path": pathlib.Path, "sys": type("sys", (), {"path": path})}
    exec("\n".join(constants + adding), names)
    return [pathlib.Path(entry).resolve() for entry in path]


def search_path(folder: pathlib.Path, files_of: dict[pathlib.Path, list[pathlib.Path]]) -> list[pathlib.Path]:
    """Where modules of the folder are found: in what its files name, in the folder above, which loads them, and from there on."""
    found: list[pathlib.Path] = []
    todo = [folder]
    while todo:
        of = todo.pop(0)
        if of in found or of not in files_of:
            continue
        found.append(of)
        todo += [place for file in files_of[of] for place in imported_from(file)]
        todo += [ROOT / place for name, place in IMPORTED_BY_OTHERS.items() if of == ROOT / name]
        todo.append(of.parent)
    return found


def main(asked: list[str]) -> int:
    files_of = folders()
    failed = []
    for folder, files in files_of.items():
        name = str(folder.relative_to(ROOT))
        if asked and name not in asked:
            continue
        path = os.pathsep.join(str(place) for place in search_path(folder, files_of)[1:])
        done = subprocess.run(["mypy", "--config-file", ROOT / "setup.cfg", *files], cwd=ROOT, env={**os.environ, "MYPYPATH": path}, check=False)
        if done.returncode != 0:
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
