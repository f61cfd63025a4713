"""What the kernel has of eBPF: programs, maps, links."""

import pathlib
import re
import subprocess


def held_by(process: int | str) -> set[str]:
    """What the descriptors of a process lead to, as "prog 12"."""
    found = set()
    for entry in pathlib.Path(f"/proc/{process}/fdinfo").iterdir():
        found |= {f"{kind} {number}" for kind, number in re.findall(r"^(prog|map|link)_id:\s*(\d+)", entry.read_text(), re.MULTILINE)}
    return found


def programs_of(process: int | str) -> set[str]:
    return {found for found in held_by(process) if found.startswith("prog")}


def existing() -> set[str]:
    found = set()
    for kind in ("prog", "map", "link"):
        done = subprocess.run(["bpftool", kind, "show"], capture_output=True, text=True, timeout=60, check=True)
        found |= {f"{kind} {number}" for number in re.findall(r"^(\d+):", done.stdout, re.MULTILINE)}
    return found


def left_behind() -> set[str]:
    """What no process holds. A process that has just ended may have held some of it, and the kernel frees that in a moment."""
    found = existing()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            found -= held_by(process.name)
        except OSError:
            pass  # it has ended
    return found
