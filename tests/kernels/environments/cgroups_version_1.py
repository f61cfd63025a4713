"""Cgroups of version 1 only, as older systems mount them."""

import pathlib

from settings import call

TITLE = "cgroups of version 1 only"
STAYS = False
TOUCHES = ("user notification", "eBPF source")
FOLDER = pathlib.Path("/sys/fs/cgroup")
CONTROLLERS = ("freezer", "pids")


def set_up() -> None:
    call("umount", str(FOLDER))
    call("mount", "-t", "tmpfs", "tmpfs", str(FOLDER))
    for controller in CONTROLLERS:
        (FOLDER / controller).mkdir()
        call("mount", "-t", "cgroup", "-o", controller, "cgroup", str(FOLDER / controller))


def undo() -> None:
    for controller in CONTROLLERS:
        call("umount", str(FOLDER / controller))
    call("umount", str(FOLDER))
    call("mount", "-t", "cgroup2", "cgroup", str(FOLDER))
