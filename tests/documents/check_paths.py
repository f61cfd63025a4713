#!/usr/bin/env python3
"""check_paths.py SOURCE: the files that the two walks of docs/architecture.md name exist.

Each line of a walk begins with a file, without its extension or with it; one without a folder is in the folder that the text
names ("Files without a folder are in `...`").
"""
import pathlib
import re
import sys


def walks(text: str) -> list[tuple[str, list[str]]]:
    """Of each section "The path of ...": the folder of files without one, and the files."""
    found = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE):
        if not section.startswith("The path of"):
            continue
        folder = re.search(r"Files without a folder are in `([^`]*)`", section)
        block = re.search(r"^```\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
        names = [line.split()[0] for line in block[1].splitlines() if line and not line.startswith("-")] if block else []
        found.append((folder[1] if folder else "", names))
    return found


def is_there(source: pathlib.Path, folder: str, name: str) -> bool:
    path = source / name if "/" in name else source / folder / name
    return path.exists() or any(path.with_name(path.name + end).exists() for end in (".hpp", ".cpp"))


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    paths = walks((source / "docs/architecture.md").read_text(encoding="utf-8"))
    absent = [name for folder, names in paths for name in names if not is_there(source, folder, name)]
    for name in absent:
        print(f"docs/architecture.md: the walk names '{name}', which is not there: was it moved?")
    print(f"{sum(len(names) for _, names in paths)} files in {len(paths)} walks")
    return 1 if absent or len(paths) < 2 or not all(names for _, names in paths) else 0


if __name__ == "__main__":
    sys.exit(main())
