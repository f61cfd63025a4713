"""No cgroups are mounted."""

from settings import call

TITLE = "no cgroups mounted"
STAYS = False
TOUCHES = ("user notification", "eBPF source")


def set_up() -> None:
    call("umount", "/sys/fs/cgroup")


def undo() -> None:
    call("mount", "-t", "cgroup2", "cgroup", "/sys/fs/cgroup")
