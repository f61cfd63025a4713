"""Changing a guest, which is ours alone: settings of its kernel and what is mounted. Nothing here is for the host."""

import pathlib
import subprocess


class Sysctl:
    """A setting under /proc/sys while it lasts."""

    def __init__(self, name: str, value: int) -> None:
        self.path, self.value, self.before = pathlib.Path("/proc/sys") / name.replace(".", "/"), value, ""

    def set(self) -> None:
        self.before = self.path.read_text()
        self.path.write_text(f"{self.value}\n")

    def restore(self) -> None:
        self.path.write_text(self.before)


def call(*words: str) -> None:
    subprocess.run(words, check=True)
