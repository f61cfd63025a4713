"""What a machine needs for a cluster: programs, rights, parts of the kernel. Refusals name what is missing."""

import os
import shutil
from collections.abc import Callable

import kernel
import switch
from options import Options, Refused

_ADMIN_PATH = "/usr/sbin:/sbin:/usr/local/sbin:" + os.environ.get("PATH", "/usr/bin:/bin")
_PACKAGES = {"openssh-server": ["sshd"], "openssh-client": ["ssh", "ssh-keygen"], "iproute2": ["ip", "tc"]}
_COMPILER = {"gcc": ["gcc"], "g++": ["g++"]}


def _needed(options: Options | None) -> dict[str, list[str]]:
    return _PACKAGES | (_COMPILER if options and options.clocks else {})


def packages(options: Options) -> list[str]:
    """The Debian packages that this cluster needs."""
    return list(_needed(options))


def need(options: Options | None) -> None:
    missing = [package for package, programs in _needed(options).items()
               if not all(shutil.which(program, path=_ADMIN_PATH) for program in programs)]
    if missing:
        raise Refused(f"these packages are missing: {' '.join(missing)}")
    # Debian has ip and tc here, which is not in an ordinary user's PATH.
    os.environ["PATH"] = os.environ.get("PATH", "/usr/bin:/bin")
    if shutil.which("ip") is None:
        os.environ["PATH"] += ":/usr/sbin:/sbin"


def enter_namespaces(privileged: bool) -> None:
    """From now on children of this process live in a process namespace of their own, in which we have every right."""
    try:
        if not privileged:
            kernel.enter_user_namespace()
    except OSError as error:
        raise Refused(f"an ordinary user needs user namespaces, which are not allowed here ({error.strerror}): "
                      f"run it as root, or see kernel.unprivileged_userns_clone, user.max_user_namespaces and "
                      f"kernel.apparmor_restrict_unprivileged_userns") from error
    try:
        kernel.unshare(kernel.NEW_PIDS)
    except OSError as error:
        raise Refused(f"{error.strerror}: root may not do that here; in a container, it needs the capability "
                      "CAP_SYS_ADMIN (docker run --privileged)") from error


def check() -> int:
    """Tries every part of a cluster in a process that then ends."""
    try:
        need(None)
        pid = os.fork()
        if pid == 0:
            kernel.become(_try_everything)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
            raise Refused("no cluster here, for the reason above")
    except Refused as refused:
        print(f"cluster: {refused}")
        return 1
    print("cluster: this machine can have one")
    return 0


def _try_everything() -> int:
    try:
        enter_namespaces(os.geteuid() == 0)
        return _wait_for(_try_inside)
    except Refused as refused:
        print(f"cluster: {refused}", flush=True)
        return 1


def _try_inside() -> int:
    try:
        kernel.unshare(kernel.NEW_MOUNTS | kernel.NEW_NAME | kernel.NEW_IPC | kernel.NEW_NETWORK)
        kernel.keep_mounts_to_ourselves()
        kernel.mount("proc", "/proc")
        kernel.mount("tmpfs", "/run")
        for folder in ("upper", "work"):
            os.mkdir(f"/run/{folder}")
        options = "lowerdir=/etc,upperdir=/run/upper,workdir=/run/work" + (",userxattr" if os.getuid() != 0 else "")
        kernel.mount("overlay", "/etc", 0, options)
        switch.install(1)
        switch.run_ip(["link add port1.1 type veth peer name eth0", "link set port1.1 master lan1 up"])
    except OSError as error:
        print(f"cluster: {error.strerror}", flush=True)
        return 1
    return 0


def _wait_for(run: Callable[[], int]) -> int:
    pid = os.fork()
    if pid == 0:
        kernel.become(run)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
