"""Files that a controller looks for and sends."""
import hashlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "live/harness"))
from control import Controller, Machine, wait_for
from cases_processes import refusal
from running import for_every_account


def put(red: Controller, path: str, data: bytes, mode: int = 0o644, chunk: int = 100_000) -> None:
    offset = 0
    while True:
        piece = data[offset:offset + chunk]
        last = offset + len(piece) == len(data)
        red.ask("put_file", piece, path=path, mode=mode, offset=offset, last=last)
        if last:
            return
        offset += len(piece)


def case_find(machine: Machine) -> None:
    """A file is known by its digest; anything but a file is refused."""
    red = Controller(machine)
    data = os.urandom(3_000_000)
    with open(machine.home + "/data", "wb") as file:
        file.write(data)
    for path in (machine.home + "/data", "~/data", "data"):
        found = red.ask("find_file", path=path)
        assert found["exists"] and found["size_bytes"] == len(data)
        assert found["sha256"] == hashlib.sha256(data).hexdigest()
    open(machine.home + "/empty", "w").close()
    assert red.ask("find_file", path="~/empty")["sha256"] == hashlib.sha256(b"").hexdigest()
    missing = red.ask("find_file", path="/no/such/file")
    assert not missing["exists"] and missing["sha256"] == "" and missing["size_bytes"] == 0
    assert "is not a regular file" in refusal(red.ask, "find_file", path="/tmp")
    assert "is not a regular file" in refusal(red.ask, "find_file", path="/dev/zero")
    os.mkfifo(machine.home + "/pipe")
    assert "is not a regular file" in refusal(red.ask, "find_file", path="~/pipe")
    red.close()


def case_put(machine: Machine) -> None:
    """A file arrives whole or not at all, with its mode, in folders that are made for it; and can be executed."""
    red = Controller(machine)
    data = os.urandom(1_234_567)
    put(red, "~/new/folder/data", data, 0o640)
    path = machine.home + "/new/folder/data"
    assert open(path, "rb").read() == data
    assert os.stat(path).st_mode & 0o7777 == 0o640
    put(red, "~/new/folder/data", b"other", 0o600)
    assert open(path, "rb").read() == b"other"
    put(red, "~/empty", b"")
    assert os.path.getsize(machine.home + "/empty") == 0
    put(red, "~/program", b"#!/bin/sh\necho sent\n", 0o755)
    pid = red.create("~/program", name="program")
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    assert red.output(pid) == b"sent\n"
    assert sorted(os.listdir(os.path.dirname(path))) == ["data"]
    red.close()


def case_put_refused(machine: Machine) -> None:
    """A file that cannot be written is reported, and leaves nothing behind."""
    red = Controller(machine)

    def piece(path: str, offset: int = 0, data: bytes = b"x", last: bool = True) -> str:
        return refusal(red.ask, "put_file", data, path=path, mode=0o600, offset=offset, last=last)
    assert "its first piece has not come" in piece("~/late", 5)
    red.ask("put_file", b"12345", path="~/gap", mode=0o600, offset=0, last=False)
    assert "came where that at 5 was due" in piece("~/gap", 6)
    assert "its first piece has not come" in piece("~/gap", 5)
    os.mkdir(machine.home + "/folder")
    assert "directory" in piece("~/folder")
    assert piece("/proc/no/such/place")
    open(machine.home + "/file", "w").close()
    assert "in its place" in piece("~/file/below") or "Not a directory" in piece("~/file/below")
    for i in range(16):
        red.ask("put_file", b"x", path=f"~/many{i}", mode=0o600, offset=0, last=False)
    assert "already" in piece("~/many16")
    red.close()
    home = machine.home
    wait_for(lambda: sorted(os.listdir(home)) == ["file", "folder"], "what was not whole to be removed")


def case_rights(machine: Machine) -> None:
    """The rights are those of the user, here an ordinary account."""
    if os.geteuid() != 0:
        print("SKIPPED: only root can become another user")
        return
    user = 65534
    os.chmod(machine.folder, 0o755)
    for folder in ("run", "home"):
        os.chown(f"{machine.folder}/{folder}", user, user)
    os.makedirs(machine.folder + "/state", exist_ok=True)
    os.chown(machine.folder + "/state", user, user)
    machine.dpm = for_every_account(machine.dpm, machine.folder)
    machine.as_account = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    red = Controller(machine)
    assert red.welcome["user"] == user
    assert "Permission denied" in refusal(red.ask, "find_file", path="/etc/shadow")
    assert "Permission denied" in refusal(red.ask, "put_file", b"x", path="/etc/dpm-test", mode=0o600, offset=0, last=True)
    why = refusal(red.ask, "acquire_process", job="job", pid=os.getpid(), flags="all", filter=machine.filter_address())
    assert "belongs to" in why or "permi" in why, why
    pid = red.create("/usr/bin/id", "-u")
    red.on("start_process", pid)
    red.await_state(pid, "killed")
    assert red.output(pid) == f"{user}\n".encode()
    red.close()


def case_log_of_none(machine: Machine) -> None:
    """A name that is not that of a log leads nowhere."""
    red = Controller(machine)
    for name in ("f1-1", ".", "..", "../logs", "/etc", "logs/.."):
        why = refusal(red.ask, "get_log", log=name, file="", offset=0, bytes_max=0)
        assert why == f"no log '{name}' is kept here", why
        assert why == refusal(red.ask, "look_at_log", log=name)
    red.close()
