"""Kernel calls that Python 3.11 lacks: namespaces, mounts, capabilities.

Every function raises OSError with a sentence that says what was being done. Nothing here knows what a cluster is.
"""

import ctypes
import os
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

NEW_MOUNTS = 0x00020000
NEW_NAME = 0x04000000
NEW_IPC = 0x08000000
NEW_USER = 0x10000000
NEW_PIDS = 0x20000000
NEW_NETWORK = 0x40000000

MOUNT_NOSUID = 2
MOUNT_NODEV = 4
MOUNT_NOEXEC = 8
_MOUNT_BIND = 4096
_MOUNT_RECURSIVE = 16384
_MOUNT_SLAVE = 1 << 19

CAP_SYS_MODULE = 16
CAP_SYS_TIME = 25

_SET_PARENT_DEATH_SIGNAL = 1
_SET_NAME = 15
_DROP_BOUNDING_CAPABILITY = 24
_AMBIENT_CAPABILITY = 47
_AMBIENT_RAISE = 2
_CAPABILITY_VERSION_3 = 0x20080522
_SIGKILL = 9

_libc = ctypes.CDLL(None, use_errno=True)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _CapabilityWord(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]


def _check(result: int, doing: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{doing}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    _check(_libc.unshare(ctypes.c_int(flags)), "new namespaces (unshare)")


def enter_user_namespace() -> None:
    """Afterwards this process has every capability over namespaces made from now on, under its own user id."""
    user, group = os.getuid(), os.getgid()
    unshare(NEW_USER)
    for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{file}", "w", encoding="ascii") as out:
            out.write(text)


def mount(kind: str, folder: str, flags: int = 0, options: str = "") -> None:
    _check(_libc.mount(kind.encode(), os.fsencode(folder), kind.encode(), ctypes.c_ulong(flags), options.encode()),
           f"mount a {kind} on {folder}")


def bind(source: str, target: str) -> None:
    """`source` appears at `target` as well, with what is mounted in it."""
    _check(_libc.mount(os.fsencode(source), os.fsencode(target), None,
                       ctypes.c_ulong(_MOUNT_BIND | _MOUNT_RECURSIVE), None), f"show {source} at {target}")


def keep_mounts_to_ourselves() -> None:
    """What the machine unmounts disappears here too; what is mounted here is seen nowhere else."""
    flags = ctypes.c_ulong(_MOUNT_SLAVE | _MOUNT_RECURSIVE)
    _check(_libc.mount(None, b"/", None, flags, None), "part from the machine's mounts")


def die_with_parent() -> None:
    """SIGKILL when the process that forked us ends, however it ends. Ask the parent for a sign of life afterwards."""
    _check(_libc.prctl(_SET_PARENT_DEATH_SIGNAL, ctypes.c_ulong(_SIGKILL), 0, 0, 0), "a signal at the parent's end")


def call_this_process(name: str) -> None:
    """The name that ps -e and top show, of which 15 letters are kept."""
    _check(_libc.prctl(_SET_NAME, name.encode(), 0, 0, 0), "name a process")


def forgo(capability: int) -> None:
    """Neither this process nor any it starts gets `capability` again."""
    _check(_libc.prctl(_DROP_BOUNDING_CAPABILITY, ctypes.c_ulong(capability), 0, 0, 0), "drop a capability")


def lend_capabilities() -> None:
    """A program that replaces this process has our capabilities though it is not root: `ip`, in a user namespace."""
    header, words = _CapabilityHeader(_CAPABILITY_VERSION_3, 0), (_CapabilityWord * 2)()
    _check(_libc.capget(ctypes.byref(header), words), "read capabilities")
    permitted = words[0].permitted | words[1].permitted << 32
    for word in words:
        word.inheritable = word.permitted
    _check(_libc.capset(ctypes.byref(header), words), "make capabilities inheritable")
    for capability in range(permitted.bit_length()):
        if permitted >> capability & 1:
            _check(_libc.prctl(_AMBIENT_CAPABILITY, ctypes.c_ulong(_AMBIENT_RAISE), ctypes.c_ulong(capability),
                               ctypes.c_ulong(0), ctypes.c_ulong(0)), "lend a capability")


def become(run: Callable[[], int]) -> NoReturn:
    """The rest of a forked process's life: `run`, whose result is the exit status."""
    status = 1
    try:
        status = run()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except OSError as error:
        print(f"cluster: {error.strerror or error}", file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def fork_apart(flags: int, run: Callable[[], int]) -> int:
    """Forks process 1 of new namespaces, a child of the process 1 we live under; returns its id here.

    A process can make only one process namespace for its children, so one in the middle makes it and is gone.
    """
    reader, writer = os.pipe()
    middle = os.fork()
    if middle == 0:
        def make() -> int:
            unshare(flags)
            pid = os.fork()
            if pid == 0:
                become(run)
            os.write(writer, str(pid).encode())
            return 0
        become(make)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        pid = pipe.read()
    os.waitpid(middle, 0)
    if not pid:
        raise OSError(0, "a host's namespaces could not be made")
    return int(pid)
