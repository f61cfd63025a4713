"""What one host sees of the machine's files: nearly all of them, shared; but its own /etc, /run, /tmp and the like.

Everything made here lives in memory and in mounts that only this host has, so it is gone with the host's last process.
"""

import os
import pathlib

import kernel

# Empty on every host at the start. Programs put sockets, locks and process ids there, which must not collide.
_OWN = ("/run", "/tmp", "/var/tmp", "/dev/shm")
# As on the machine at the start; changes are the host's own.
_OVERLAID = ("/etc", "/var/log")

# Folders that services need in an empty /run: (name, mode, user, group).
RunFolder = tuple[str, int, int, int]


def folders_of_run() -> list[RunFolder]:
    """Call it before /run is covered."""
    found = []
    for entry in os.scandir("/run"):
        if entry.is_dir(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            found.append((entry.name, status.st_mode & 0o7777, status.st_uid, status.st_gid))
    return found


def prepare(files: dict[str, str], shown: list[str], run: list[RunFolder], owners: list[tuple[int, int]]) -> None:
    """Makes this process's mounts the host's. `owners` (user, group) get a runtime folder each.

    `files` are put into /etc, their paths are from there. Of what lies in covered folders, `shown` stays visible.
    """
    kernel.mount("proc", "/proc", kernel.MOUNT_NOSUID | kernel.MOUNT_NODEV | kernel.MOUNT_NOEXEC)
    # The layers of the overlays are built in /tmp, which is covered once more below.
    kept = _open_all(shown)
    kernel.mount("tmpfs", "/tmp", kernel.MOUNT_NOSUID | kernel.MOUNT_NODEV, "mode=700")
    for number, folder in enumerate(_OVERLAID):
        _overlay(folder, f"/tmp/{number}", files if folder == "/etc" else {})
    for folder in _OWN:
        if os.path.isdir(folder) and not os.path.islink(folder):
            mode = "755" if folder == "/run" else "1777"
            kernel.mount("tmpfs", folder, kernel.MOUNT_NOSUID | kernel.MOUNT_NODEV, f"mode={mode}")
    for path, descriptor in kept.items():
        _show_again(path, descriptor)
    _furnish_run(run, owners)


def _open_all(paths: list[str]) -> dict[str, int]:
    """Descriptors of those that will be covered, by path, parents before children."""
    covered = sorted({path for path in paths if any(path.startswith(f"{folder}/") for folder in _OWN)})
    return {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in covered if os.path.isdir(path)}


def _show_again(path: str, descriptor: int) -> None:
    if not os.path.exists(path):
        os.makedirs(path)
        kernel.bind(f"/proc/self/fd/{descriptor}", path)
    os.close(descriptor)


def _overlay(folder: str, layers: str, files: dict[str, str]) -> None:
    # Files go into the upper layer before it is mounted: those below may belong to accounts as which we cannot write.
    for layer in ("upper", "work"):
        os.makedirs(f"{layers}/{layer}")
    os.chmod(f"{layers}/upper", 0o755)
    for name, text in files.items():
        path = pathlib.Path(layers, "upper", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600 if name == "shadow" else 0o644)
    options = f"lowerdir={folder},upperdir={layers}/upper,workdir={layers}/work"
    if os.getuid() != 0:
        options += ",userxattr"
    kernel.mount("overlay", folder, 0, options)


def _furnish_run(run: list[RunFolder], owners: list[tuple[int, int]]) -> None:
    for name, mode, owner, owners_group in run:
        path = f"/run/{name}"
        if os.path.exists(path):
            continue
        os.mkdir(path)
        os.chmod(path, mode)
        if os.getuid() == 0:
            os.chown(path, owner, owners_group)
    # Debian's sshd wants the first, XDG_RUNTIME_DIR names the second.
    os.makedirs("/run/sshd", 0o755, exist_ok=True)
    for user, group in owners:
        own = runtime_folder(user)
        os.makedirs(own, exist_ok=True)
        os.chown(own, user, group)
        os.chmod(own, 0o700)


def runtime_folder(user: int) -> str:
    # Not /run/user/UID: that one is removed with its user's last session, and dpm would use /tmp, which the hosts share.
    return f"/run/dpm-user-{user}"
