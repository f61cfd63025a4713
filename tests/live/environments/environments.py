#!/usr/bin/python3
"""The places in which a program or its meter may be: each is a command that runs another one in it. Prints their names.

No process is announced (the process events connector) in all of them but `host`, `user`, `mount`, `cgroup`, `time` and
`chroot`, and in `user` only because the kernel gives an ordinary account the announcements since Linux 6.6.
"""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

NOBODY = 65534
AS_USER = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")


class Environment(NamedTuple):
    name: str
    enter: Sequence[str]
    user: bool = False  # entered by an ordinary account
    refused: str = ""  # what dpm meter says in it instead of metering


# chroot needs a root: the machine's own, mounted once more.
CHROOT = ("unshare", "-m", "sh", "-c", 'mount --rbind / "$0" && exec chroot "$0" "$@"', "{empty}")
HIDEPID = ("unshare", "-mpf", "sh", "-c", 'mount -t proc -o hidepid=2 proc /proc && exec "$@"', "hidepid")
BUBBLEWRAP = ("bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-all", "--")
ALL = ("-pfnmiu", "-C", "-T", "--monotonic", "500000", "--boottime", "500000", "--mount-proc")

ENVIRONMENTS = (
    Environment("host", ()),
    Environment("user", AS_USER, user=True),
    Environment("pid", ("unshare", "-pf", "--mount-proc")),
    Environment("pid_without_proc", ("unshare", "-pf"), refused="shows another process namespace"),
    Environment("pid_as_user", ("unshare", "-pf", "--mount-proc", *AS_USER), user=True),
    Environment("user_namespace", ("unshare", "-Ur")),
    Environment("user_namespace_as_user", (*AS_USER, "unshare", "-Ur"), user=True),
    Environment("user_and_pid_as_user", (*AS_USER, "unshare", "-Urpf", "--mount-proc"), user=True),
    Environment("network", ("unshare", "-n")),
    Environment("mount", ("unshare", "-m")),
    Environment("cgroup", ("unshare", "-C")),
    Environment("time", ("unshare", "-T", "-f", "--monotonic", "500000", "--boottime", "500000")),
    Environment("chroot", CHROOT),
    Environment("hidepid", HIDEPID),
    Environment("hidepid_as_user", (*HIDEPID, *AS_USER), user=True),
    Environment("all", ("unshare", *ALL)),
    Environment("all_as_user", (*AS_USER, "unshare", "-Ur", *ALL), user=True),
    Environment("bubblewrap", BUBBLEWRAP),
    Environment("bubblewrap_as_user", (*AS_USER, *BUBBLEWRAP), user=True),
)


def named(name: str) -> Environment:
    return next(environment for environment in ENVIRONMENTS if environment.name == name)


def entering(environment: Environment) -> list[str]:
    """The command that enters it; before the command to run there."""
    empty = tempfile.gettempdir() + "/dpm-empty-root"
    os.makedirs(empty, exist_ok=True)
    return [word.replace("{empty}", empty) for word in environment.enter]


def why_not(environment: Environment) -> str:
    """Why it cannot be entered here; empty: it can."""
    try:
        tried = subprocess.run([*entering(environment), "true"], capture_output=True, text=True, timeout=60)
    except OSError as error:
        return str(error)
    return "" if tried.returncode == 0 else tried.stderr.strip() or f"status {tried.returncode}"


if __name__ == "__main__":
    print(";".join(environment.name for environment in ENVIRONMENTS))
