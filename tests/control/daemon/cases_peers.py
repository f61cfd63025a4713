"""Peers that break the protocol, on purpose or not, are dropped and counted, and no other peer notices."""
import glob
import os
import random
import re
import socket
import struct
import threading
import time

from control import Connection, Controller, Machine, REPLY, REQUEST, VERSION, frame, request_frame, wait_for
from cases_processes import refusal


def raw_socket(machine: Machine) -> socket.socket:
    """The daemon's socket itself, past `--attach`."""
    Controller(machine, "starter").close()
    raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    raw.settimeout(120)
    raw.connect(f"{machine.folder}/run/dpm/meterd@{machine.name}")
    return raw


def everything_from(raw: socket.socket) -> bytes:
    data = b""
    while True:
        try:
            part = raw.recv(65536)
        except ConnectionResetError:
            return data
        if not part:
            return data
        data += part


def answer_to(machine: Machine, data: bytes, shut: bool = False) -> bytes:
    """What the daemon says to these bytes before it closes."""
    raw = raw_socket(machine)
    try:
        raw.sendall(data)
        if shut:
            raw.shutdown(socket.SHUT_WR)
    except (BrokenPipeError, ConnectionResetError):
        pass
    with raw:
        return everything_from(raw)


HELLO = request_frame(1, "hello", {"version": VERSION, "controller": "stranger", "machine": ""})


def case_wrong_messages(machine: Machine) -> None:
    """A peer that sends anything but a message is dropped, with the reason; the daemon and others go on."""
    red = Controller(machine)
    pid = red.create("/bin/sleep", "1000")
    wrong = {
        b"GET / HTTP/1.1\r\nHost: red\r\n\r\n": None,
        struct.pack("<IBBH", 0xFFFFFFFF, 1, REQUEST, 0): None,
        struct.pack("<IBBH", 1 << 20 | 1, 1, REQUEST, 0): None,
        struct.pack("<IBBH", 8, 2, REQUEST, 0) + b"\0" * 8: None,
        frame(REQUEST, b"{}"): "without a type",
        frame(REQUEST, b"[" * 1000): "not a JSON object",
        frame(9, b"{}"): "without a type",
        frame(REPLY, b'{"type":"done","number":1}'): None,
        request_frame(1, "no_such_thing", {}): "an unexpected control message",
        request_frame(1, "hello", {"version": VERSION, "controller": "", "machine": ""}): "is empty",
        request_frame(1, "hello", {"version": VERSION, "controller": "x" * 300}): "255 are allowed",
        request_frame(1, "list_managed", {}): "send Hello first",
        HELLO + request_frame(2, "start_process", {"pid": -1}): "not a whole number",
        HELLO + request_frame(2, "start_process", {"pid": pid, "x": 1}): "is an unknown field",
        HELLO + request_frame(2, "input", {"pid": pid, "end": False}, b"x" * (256 * 1024 + 1)): "are allowed",
    }
    for data, why in wrong.items():
        answer = answer_to(machine, data)
        assert why is None or why.encode() in answer, (data[:80], answer)
    assert "peers so far" in machine.log()
    assert red.managed()[pid]["state"] == "new"
    red.on("kill_process", pid)
    red.close()


def case_garbage(machine: Machine) -> None:
    """Random bytes, and messages with random bytes changed, do the daemon no harm."""
    red = Controller(machine)
    pid = red.create("/bin/sleep", "1000")
    chance = random.Random(4)
    good = HELLO + request_frame(2, "set_flags", {"pid": pid, "flags": "send"}) + request_frame(3, "list_managed", {})
    for _ in range(200):
        if chance.random() < 0.3:
            data = chance.randbytes(chance.randrange(1, 4000))
        else:
            changed = bytearray(good)
            for _ in range(chance.randrange(1, 5)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            data = bytes(changed)[:chance.randrange(1, len(changed) + 1)]
        answer_to(machine, data, shut=True)
    assert red.managed()[pid]["state"] == "new"
    red.on("kill_process", pid)
    red.close()


def case_cut_anywhere(machine: Machine) -> None:
    """Frames may come in any pieces; a connection that ends inside one affects no other."""
    red = Controller(machine)
    data = HELLO + request_frame(2, "list_managed", {})
    for at in range(1, len(data), 7):
        assert b"list_managed" not in answer_to(machine, data[:at], shut=True)
    raw = raw_socket(machine)
    for byte in data:
        raw.sendall(bytes([byte]))
    answer = b""
    while b'"managed_list"' not in answer:
        answer += raw.recv(65536)
    raw.close()
    assert red.managed() == {}
    red.close()


def case_other_version(machine: Machine) -> None:
    """A controller of another version is told both."""
    connection = Connection(machine.attach_command(), machine.env)
    why = refusal(connection.ask, "hello", version=VERSION + 1, controller="new", colour="red")
    assert f"control version {VERSION}" in why and f"version {VERSION + 1}" in why, why
    connection.until(lambda: connection.ended, "the end of the connection")
    connection.close()


def case_supervisor_of_another_version(machine: Machine) -> None:
    """An agent of another version of dpm is not managed, which the log says; nothing waits for it."""
    os.mkdir(machine.folder + "/run/dpm", 0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(f"{machine.folder}/run/dpm/agent@{machine.name}@1")
        left.listen()

        def refuse() -> None:
            daemon, _ = left.accept()
            daemon.recv(1000)
            daemon.sendall(frame(REPLY, b'{"type":"refused","number":1,"why":"started by a dpm of control version 9"}'))
            daemon.recv(1000)
        threading.Thread(target=refuse, daemon=True).start()
        red = Controller(machine)
        assert red.welcome["managed"] == []
        assert "cannot take over the agent agent@red@1: started by a dpm of control version 9" in machine.log(), machine.log()
        red.close()


def case_reserved_name(machine: Machine) -> None:
    """A controller cannot have the name that means that none is connected."""
    connection = Connection(machine.attach_command(), machine.env)
    assert "cannot be a controller's name" in refusal(connection.ask, "hello", version=VERSION, controller=".")
    connection.close()


def case_slow_peers(machine: Machine) -> None:
    """A peer that does not say Hello, or does not complete a frame, is dropped."""
    red = Controller(machine)
    begin = time.monotonic()
    silent = raw_socket(machine)
    half = raw_socket(machine)
    half.sendall(HELLO[:10])
    slow = raw_socket(machine)
    slow.sendall(HELLO + request_frame(2, "list_managed", {})[:12])
    for raw, what in ((silent, "silent"), (half, "half a Hello")):
        assert everything_from(raw) == b""
        print(f"{what}: dropped after {time.monotonic() - begin:.0f} s")
        raw.close()
    everything_from(slow)
    print(f"half a request: dropped after {time.monotonic() - begin:.0f} s")
    slow.close()
    for why in ("did not identify itself", "not ended in time"):
        wait_for(lambda why=why: why in machine.log(), f"'{why}' in the log")
    assert red.managed() == {}
    red.close()


def case_many_peers(machine: Machine) -> None:
    """More connections than a daemon serves are refused, and then it serves again."""
    red = Controller(machine)
    peers = [raw_socket(machine) for _ in range(3)]
    peers += [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(100)]
    for peer in peers[3:]:
        peer.connect(f"{machine.folder}/run/dpm/meterd@{machine.name}")
    wait_for(lambda: "refused process" in machine.log(), "a refusal")
    assert red.managed() == {}
    for peer in peers:
        peer.close()

    def has_room() -> bool:
        Controller(machine, "late").close()
        return True

    wait_for(has_room, "room")
    red.close()


def case_another_user(machine: Machine) -> None:
    """Another account gets neither into the folder nor, if it did, an answer."""
    if os.geteuid() != 0:
        print("SKIPPED: only root can try as another user")
        return
    red = Controller(machine)
    os.chmod(machine.folder, 0o755)
    nobody = 65534
    for opened in (False, True):
        if opened:  # as if the folder had not protected it
            os.chmod(machine.folder + "/run", 0o755)
            os.chmod(machine.folder + "/run/dpm", 0o755)
            os.chmod(f"{machine.folder}/run/dpm/meterd@{machine.name}", 0o777)
        child = os.fork()
        if child == 0:
            os.setresgid(nobody, nobody, nobody)
            os.setresuid(nobody, nobody, nobody)
            raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                raw.connect(f"{machine.folder}/run/dpm/meterd@{machine.name}")
                raw.settimeout(60)
                raw.sendall(HELLO)
                os._exit(3 if raw.recv(100) else 1)
            except PermissionError:
                os._exit(0)
            except OSError:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status == (1 if opened else 0), (opened, status)
    assert f"of user {nobody}" in machine.log()
    os.chmod(machine.folder + "/run", 0o700)
    os.chmod(machine.folder + "/run/dpm", 0o700)
    assert red.managed() == {}
    red.close()


def case_no_network(machine: Machine) -> None:
    """The daemon and its supervisors listen on no network."""
    red = Controller(machine)
    red.create("/bin/sleep", "1000")
    inodes = set()
    for pid in machine.processes("meterd") + machine.processes("--supervise"):
        for descriptor in glob.glob(f"/proc/{pid}/fd/*"):
            try:
                found = re.match(r"socket:\[(\d+)\]", os.readlink(descriptor))
            except FileNotFoundError:
                continue  # closed meanwhile, or the process has ended: a supervisor's child that measures calls
            if found:
                inodes.add(found.group(1))
    assert inodes
    # A supervisor's own connection to its filter is not one that others can make.
    listening = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}
    for table, state in listening.items():
        for line in open(f"/proc/net/{table}").read().splitlines()[1:]:
            assert line.split()[3] != state or line.split()[9] not in inodes, line
    red.close()
