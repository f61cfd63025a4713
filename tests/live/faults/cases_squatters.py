"""Another user has created the folder of sockets first."""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Sequence

from session import Session, Site, Skip, expect

SQUATTER, USER = 60001, 60002

# The same folder is visible, and an empty /tmp and /run.
PRIVATE = """
mount --make-rprivate / && mount --bind {folder} /mnt && mount -t tmpfs -o mode=1777 none /tmp &&
mount -t tmpfs -o mode=755 none /run && mkdir -p {folder} && mount --bind /mnt {folder} && umount /mnt && echo ready &&
exec sleep 3600
"""
# Listens in place of the daemon, and has a record of a process that it would like to see killed.
TRAP = """
import os, socket, sys
listeners = []
for name in ("meterd@", "meterd@local"):
    listeners.append(socket.socket(socket.AF_UNIX))
    listeners[-1].bind(f"{sys.argv[1]}/{name}")
    listeners[-1].listen()
    os.chmod(f"{sys.argv[1]}/{name}", 0o777)
print("listening", flush=True)
sys.stdin.read()
for listener in listeners:
    listener.setblocking(False)
    try:
        listener.accept()
        print("connected")
    except BlockingIOError:
        pass
"""


class Machine(Site):
    """This machine with a /tmp and a /run of its own, used by one user."""

    def __init__(self, dpm: str, folder: pathlib.Path, user: int) -> None:
        folder.mkdir(mode=0o755)
        self.user = user
        shutil.copy(dpm, folder / "dpm-program")
        super().__init__(str(folder / "dpm-program"), folder)
        del self.env["XDG_RUNTIME_DIR"]
        for path in (folder, *folder.iterdir()):
            os.chown(path, user, user)
        self.holder = subprocess.Popen(["unshare", "--mount", "sh", "-c", PRIVATE.format(folder=folder)], text=True,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.holder.stdout
        if self.holder.stdout.readline() != "ready\n":
            assert self.holder.stderr
            raise Skip(f"no mount namespace: {self.holder.stderr.read()}")

    def words(self, user: int, command: Sequence[str]) -> list[str]:
        return ["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt", "setpriv", f"--reuid={user}", f"--regid={user}",
                "--clear-groups", *command]

    def control_command(self, program: str = "dpm") -> list[str]:
        return self.words(self.user, [self.dpm, "control", "--launcher", "local"])

    def shell(self, user: int, command: str) -> None:
        self.run(*self.words(user, ["sh", "-c", command]))

    def trap(self, folder: str) -> subprocess.Popen[str]:
        trap = subprocess.Popen(self.words(SQUATTER, [sys.executable, "-S", "-c", TRAP, folder]), text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert trap.stdout
        expect(trap.stdout.readline() == "listening\n", "the squatter listens")
        return trap

    def end(self) -> None:
        self.holder.kill()
        self.holder.wait()


def squat(machine: Machine, how: str) -> subprocess.Popen[str]:
    taken = f"/tmp/dpm-{machine.user}"
    if how == "link":
        machine.shell(SQUATTER, f"mkdir -m 777 /tmp/elsewhere && ln -s /tmp/elsewhere {taken}")
        return machine.trap("/tmp/elsewhere")
    owner = machine.user if how == "opened by its owner" else SQUATTER
    machine.shell(owner, f"mkdir {taken} && chmod 0777 {taken}")
    return machine.trap(taken)


def case_squatted_folder(site: Site) -> None:
    """Whatever another user has put in place of /tmp/dpm-UID, a program is metered, and adopted after the controller's end."""
    if os.geteuid() != 0:
        raise Skip("only root can try as another user")
    os.umask(0o022)
    for user in (0, USER):
        for how in ("directory", "link", "opened by its owner"):
            print(f"user {user}, {how}")
            site.folder.chmod(0o755)
            machine = Machine(site.dpm, site.folder / f"{user}-{how.replace(' ', '-')}", user)
            try:
                meter_and_adopt(machine, squat(machine, how))
            finally:
                machine.end()


def meter_and_adopt(machine: Machine, trap: subprocess.Popen[str]) -> None:
    session = Session(machine)
    said = session.do("filter f1", "newjob j", "addprocess j local /bin/sleep 1000", "startjob j")
    expect("'sleep' started." in said, said)
    session.kill()
    session = Session(machine)
    said = session.do("adopt local", "jobs j")
    expect("running" in said and "sleep" in said, said)
    session.do("stopjob j", "rmjob j")
    expect(session.leave("bye") == 0, session.said)
    seen, _ = trap.communicate("")
    expect(seen == "", f"the squatter's listener was used: {seen}")
