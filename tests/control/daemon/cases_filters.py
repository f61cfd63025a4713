"""Filters that a daemon manages, and the events that processes send to them."""
import filecmp
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from typing import Any

from control import Controller, Machine, wait_for
from cases_processes import refusal

TALK = ("import socket\na, b = socket.socketpair()\nfor i in range(200):\n  a.send(b'x' * 10)\n  b.recv(10)\n")


def create_filter(red: Controller, name: str = "f1", program: str = "", descriptions: str = "", templates: str = "",
                  loopback_only: bool = True) -> Any:
    return red.ask("create_filter", name=name, program=program, descriptions=descriptions, templates=templates,
                   loopback_only=loopback_only, port_first=0, port_last=0, through_controller=False)


def run_with(red: Controller, made: dict[Any, Any], *command: str, flags: str = "all") -> Any:
    address = made["address"]
    pid = red.ask("create_process", job="job", name="talker", file=command[0], arguments=list(command[1:]), directory="",
                  input="", flags=flags, filter=address)["pid"]
    red.on("start_process", pid)
    assert red.await_state(pid, "killed") == "normal", red.output(pid, True)
    return pid


def fetch(red: Controller, pid: int, folder: str) -> str:
    """The log, as a controller copies it."""
    return fetch_log(red, log_of(red, pid), folder)


def log_of(red: Controller, pid: int) -> str:
    return str(os.path.basename(red.managed()[pid]["log"]))


def fetch_log(red: Controller, log: str, folder: str) -> str:
    for name in red.ask("get_log", log=log, file="", offset=0, bytes_max=0)["files"]:
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "wb") as file:
            while True:
                piece = red.ask("get_log", log=log, file=name, offset=file.tell(), bytes_max=0)
                file.write(piece.raw)
                if piece["last"]:
                    break
    return folder


def statistics(machine: Machine, trace: Any) -> Any:
    done = subprocess.run([machine.dpm, "statistics", "--json", trace], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def case_log(machine: Machine) -> None:
    """A process is metered, its filter ended, and the log that was fetched holds all its messages."""
    red = Controller(machine)
    made = create_filter(red)
    pid = made["pid"]
    assert red.managed()[pid]["kind"] == "filter" and red.managed()[pid]["name"] == "f1"
    assert made["address"]["hosts"] == ["127.0.0.1"] and len(made["address"]["secret"]) == 64
    talker = run_with(red, made, sys.executable, "-c", TALK)
    red.on("release", talker)

    # The first fetch is of a log that still grows; it can be read nevertheless.
    first = fetch(red, pid, machine.folder + "/first")
    assert os.listdir(first)
    log_name = log_of(red, pid)
    assert refusal(red.ask, "get_log", log=log_name, file="../../x", offset=0, bytes_max=0)
    assert refusal(red.ask, "get_log", log=log_name, file="/etc/passwd", offset=0, bytes_max=0)
    sizes = {file["name"]: file["size_bytes"] for file in red.ask("look_at_log", log=log_name)["files"]}
    assert sizes == {name: os.path.getsize(f"{first}/{name}")
                     for name in red.ask("get_log", log=log_name, file="", offset=0, bytes_max=0)["files"]}
    piece = red.ask("get_log", log=log_name, file="trace/trace.json", offset=3, bytes_max=10)
    assert len(piece.raw) == 10 and not piece["last"]
    log = red.managed()[pid]["log"]
    red.on("release", pid)
    assert red.managed() == {}
    # Its filter is forgotten; the log stays, and can be fetched by its name.
    assert filecmp.cmp(fetch_log(red, log_name, machine.folder + "/later") + "/trace/trace.json", log + "/trace/trace.json", False)
    found = statistics(machine, log + "/trace")
    ledger = found["ledger"]
    print("ledger:", ledger)
    assert ledger["seen"] == ledger["kept"] + ledger["filtered"] + ledger["lost"] and ledger["lost"] == 0
    assert sum(line["count"] for line in found["messages"]) >= 200, found["messages"]
    wait_for(lambda: not machine.processes("--collect"), "the collector to end")
    red.close()


STEPS = ("import os, socket, sys\na, b = socket.socketpair()\nfor line in sys.stdin:\n  for i in range(100):\n"
         "    a.send(b'x')\n    b.recv(1)\n  os.write(1, b'done\\n')\n")


def case_flags(machine: Machine) -> None:
    """Flags count for every call after the answer, on a running process, and cost it no error."""
    red = Controller(machine)
    made = create_filter(red)
    pid = red.ask("create_process", job="job", name="steps", file=sys.executable, arguments=["-c", STEPS], directory="",
                  input="", flags="send", filter=made["address"])["pid"]
    red.on("start_process", pid)
    for step, flags in enumerate(["send", "", "send", "receive", "send"], 1):
        begin = time.monotonic()
        red.ask("set_flags", pid=pid, flags=flags)
        print(f"flags '{flags}' set after {1000 * (time.monotonic() - begin):.1f} ms")
        red.ask("input", b"go\n", pid=pid, end=False)
        red.until(lambda n=step: red.output(pid) == b"done\n" * n, f"step {step}")
    red.ask("set_flags", pid=pid, flags="")
    red.ask("input", b"", pid=pid, end=True)
    assert red.await_state(pid, "killed") == "normal"
    red.on("release", pid)
    red.on("release", made["pid"])
    ledger = statistics(machine, made["log"] + "/trace")["ledger"]
    # Three steps of 100 sends and the word that is printed, one of 100 receives and the line that was read.
    assert ledger["seen"] == 4 * 101, ledger
    red.close()


TALK_ON = ("import socket, sys\na, b = socket.socketpair()\nfor line in sys.stdin:\n  for i in range(2000):\n"
           "    a.send(b'x')\n    b.recv(1)\n  print('done', flush=True)\n")


def case_disk_full(machine: Machine) -> None:
    """Whether a filter can write its log is reported; a log that is fetched meanwhile has the ledger of what was delivered."""
    red = Controller(machine)
    made = create_filter(red)
    pid = made["pid"]
    talker = red.ask("create_process", job="job", name="talker", file=sys.executable, arguments=["-c", TALK_ON], directory="",
                     input="", flags="send,receive", filter=made["address"])["pid"]
    red.on("start_process", talker)
    rounds = 0

    def talk() -> None:
        nonlocal rounds
        rounds += 1
        red.ask("input", b"go\n", pid=talker, end=False)
        red.until(lambda: red.output(talker) == b"done\n" * rounds, f"round {rounds}")

    def deliveries() -> list[Any]:
        return [report["delivery"] for report in red.reports if report["type"] == "delivery_changed" and report["pid"] == pid]

    talk()
    assert not deliveries()
    # A limit of the size of its files stands for a disk that is full: only root can mount a small one.
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
    talk()
    red.until(lambda: deliveries() and "File too large" in deliveries()[-1]["problem"], "the report that it cannot write")
    assert red.managed()[pid]["delivery"]["problem"] == deliveries()[-1]["problem"], red.managed()[pid]
    early = fetch(red, pid, machine.folder + "/early")
    ledger = statistics(machine, early)["ledger"]
    print("ledger of the early log:", ledger)
    assert ledger["seen"] >= 8000 and ledger["lost"] > 1000 and ledger["seen"] == ledger["kept"] + ledger["lost"], ledger
    assert "which could not write them" in str(ledger["losses"]), ledger
    assert sum(m["delivered"] for m in json.load(open(early + "/delivered.json"))["meters"]) == ledger["seen"], ledger

    resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    red.until(lambda: deliveries()[-1]["problem"] == "", "the report that it can write again")
    lost = deliveries()[-1]["lost"]
    talk()
    copies = itertools.count()
    # What comes while a log is listed may be delivered, and not written yet.
    wait_for(lambda: statistics(machine, fetch(red, pid, f"{machine.folder}/later{next(copies)}"))["ledger"]["lost"] == lost,
             f"a log that lacks {lost} events", 20)
    red.ask("input", b"", pid=talker, end=True)
    assert red.await_state(talker, "killed") == "normal"
    red.on("release", talker)
    red.on("end_filter", pid)
    assert red.managed()[pid]["delivery"]["lost"] == lost
    red.on("release", pid)
    ledger = statistics(machine, made["log"] + "/trace")["ledger"]
    assert ledger["lost"] == lost and ledger["seen"] == ledger["kept"] + lost, (ledger, lost)
    red.close()


def case_own_program(machine: Machine) -> None:
    """Any program can be a filter; its end by itself is told."""
    red = Controller(machine)
    program = machine.home + "/filter"
    with open(program, "w") as file:
        file.write("#!/bin/sh\nwc -c >count\n")
    os.chmod(program, 0o755)
    made = create_filter(red, program="~/filter")
    red.on("release", run_with(red, made, sys.executable, "-c", TALK))
    red.on("release", made["pid"])
    assert int(open(made["log"] + "/count").read()) > 200 * 40

    made = create_filter(red, name="short", program="/bin/true")
    red.until(lambda: any(r["type"] == "filter_ended" and r["pid"] == made["pid"] for r in red.reports), "its end")
    assert red.managed()[made["pid"]]["state"] == "killed"
    red.on("release", made["pid"])
    assert "no such program" in refusal(create_filter, red, program="no-such-filter")
    assert red.managed() == {}
    red.close()


def case_daemon_killed(machine: Machine) -> None:
    """A filter, and what goes to it, is found again by the next daemon."""
    red = Controller(machine, "one")
    made = create_filter(red)
    before = red.managed()
    os.kill(machine.daemon(), signal.SIGKILL)
    wait_for(lambda: not machine.processes("meterd"), "the daemon to be gone")
    red = Controller(machine, "one")
    assert {c["pid"]: c for c in red.welcome["managed"]} == before
    talker = run_with(red, made, sys.executable, "-c", TALK)
    red.on("release", talker)
    red.on("release", made["pid"])
    assert statistics(machine, made["log"] + "/trace")["ledger"]["seen"] >= 400
    red.close()


def case_collector_killed(machine: Machine) -> None:
    """A collector that is killed is told, and does its meters' programs no harm."""
    red = Controller(machine)
    made = create_filter(red)
    os.kill(machine.processes("--collect")[0], signal.SIGKILL)
    red.until(lambda: any(r["type"] == "filter_ended" for r in red.reports), "the report")
    assert "killed" in red.managed()[made["pid"]]["reason"]
    red.on("release", made["pid"])
    red.close()


def case_unreachable(machine: Machine) -> None:
    """A filter that cannot be reached holds up neither the program nor who controls it; its events stay in a file."""
    machine.address = {"hosts": ["127.0.0.1"], "port": 9, "secret": "0" * 64, "filter": "none",
                       "through_controller": False, "id": "0" * 32}
    red = Controller(machine)
    pid, reason = red.run(sys.executable, "-c", TALK)
    assert reason == "normal" and pid not in red.managed()
    wait_for(lambda: "did not reach the filter" in machine.log(), "what became of its events", 200)
    red.close()


AT_THE_END = """#!/bin/sh
wc -c >result
exit $(cat ../../status 2>/dev/null || echo 0)
"""


def case_ended(machine: Machine) -> None:
    """A filter that is told to end writes what it writes last, and its log can be read until it is released."""
    red = Controller(machine)
    program = machine.home + "/counts"
    with open(program, "w") as file:
        file.write(AT_THE_END)
    os.chmod(program, 0o755)
    made = create_filter(red, program="~/counts")
    pid = made["pid"]
    red.on("release", run_with(red, made, sys.executable, "-c", TALK))
    assert os.path.getsize(fetch(red, pid, machine.folder + "/early") + "/result") == 0
    assert red.on("end_filter", pid)["reason"] == "normal"
    assert (red.managed()[pid]["state"], red.managed()[pid]["reason"]) == ("killed", "normal")
    assert red.on("end_filter", pid)["reason"] == "normal"  # once more
    assert not [r for r in red.reports if r["type"] == "filter_ended"]
    assert int(open(fetch(red, pid, machine.folder + "/whole") + "/result").read()) > 200 * 40
    assert json.load(open(machine.folder + "/whole/delivered.json"))["state"] == "finished"
    assert "can be ended and released" in refusal(red.on, "start_process", pid)
    red.on("release", pid)
    wait_for(lambda: not machine.processes("--collect"), "the collector to end")

    # How it ended is told, and kept for the next daemon.
    with open(machine.folder + "/state/dpm/status", "w") as file:
        file.write("3")
    pid = create_filter(red, program="~/counts")["pid"]
    assert red.on("end_filter", pid)["reason"] == "exit status 3"
    before = red.managed()
    os.kill(machine.daemon(), signal.SIGKILL)
    wait_for(lambda: not machine.processes("meterd"), "the daemon to be gone")
    red = Controller(machine)
    assert red.managed() == before
    red.on("release", pid)
    red.close()


def kept(red: Controller) -> dict[str, Any]:
    return {file["name"]: file for file in red.ask("list_kept")["files"]}


def case_kept_files(machine: Machine) -> None:
    """Logs and copied files are listed with their sizes and users, and removed unless something uses them."""
    red = Controller(machine)
    assert kept(red) == {}
    cache = "~/.cache/dpm/files/0123456789abcdef"
    red.ask("put_file", b"#!/bin/sh\nread line\n", path=cache + "/waits", mode=0o700, offset=0, last=True)
    red.ask("put_file", b"12345", path=cache + "/unused", mode=0o600, offset=0, last=True)
    os.symlink("/etc/passwd", machine.home + "/.cache/dpm/files/0123456789abcdef/link")
    made = create_filter(red)
    log = os.path.basename(made["log"])
    script = red.create(cache + "/waits", job="job")
    red.on("start_process", script)
    wait_for(lambda: kept(red)["0123456789abcdef/waits"]["used_by"], "the program to run")

    files = kept(red)
    assert set(files) == {log, "0123456789abcdef/waits", "0123456789abcdef/unused", "0123456789abcdef/link"}, files
    assert (files[log]["kind"], files[log]["used_by"]) == ("log", "filter 'f1'"), files
    assert files["0123456789abcdef/unused"] | {"age_s": 0} == {
        "kind": "copy", "name": "0123456789abcdef/unused", "size_bytes": 5, "age_s": 0, "used_by": ""}, files
    assert files["0123456789abcdef/waits"]["used_by"].startswith("process "), files
    assert files["0123456789abcdef/link"]["size_bytes"] == 0, files

    def remove(kind: str, name: str) -> Any:
        return red.ask("remove_kept", kind=kind, name=name)

    assert "is used by filter 'f1'" in refusal(remove, "log", log)
    assert "is used by process" in refusal(remove, "copy", "0123456789abcdef/waits")
    for kind, name in (("log", ".."), ("log", "../logs"), ("log", "/tmp"), ("log", "x"), ("copy", "0123456789abcdef"),
                       ("copy", "../files"), ("copy", "0123456789abcdef/../../files"), ("log", log + "/")):
        assert "there is no" in refusal(remove, kind, name), (kind, name)
    # A daemon that plays another machine of this host sees the same folder.
    green = Controller(Machine(machine.dpm, machine.folder, "green"))
    assert kept(green)[log]["used_by"] == "a filter of another daemon"
    assert "is used by a filter" in refusal(green.ask, "remove_kept", kind="log", name=log)
    green.close()

    remove("copy", "0123456789abcdef/link")
    remove("copy", "0123456789abcdef/unused")
    assert os.path.exists("/etc/passwd")
    red.on("end_filter", made["pid"])
    assert "which has ended" in refusal(remove, "log", log)
    red.on("release", made["pid"])
    wait_for(lambda: not kept(red)[log]["used_by"], "the collector to end")
    size = kept(red)[log]["size_bytes"]
    assert size == sum(os.path.getsize(os.path.join(folder, name))
                       for folder, _, names in os.walk(made["log"]) for name in names), size
    remove("log", log)
    red.ask("input", b"\n", pid=script, end=False)
    red.await_state(script, "killed")
    red.on("release", script)
    wait_for(lambda: not kept(red)["0123456789abcdef/waits"]["used_by"], "the copy to be free")
    remove("copy", "0123456789abcdef/waits")
    assert kept(red) == {} and os.listdir(machine.home + "/.cache/dpm/files") == []
    red.close()


def case_files_with_mistakes(machine: Machine) -> None:
    """The daemon refuses to create a standard filter whose files have mistakes, names the mistake, and leaves no log."""
    red = Controller(machine)
    home = machine.home + "/"
    with open(home + "rules", "w") as file:
        file.write("type=Send\n\ntype=Send, msgLenght>3\n")
    with open(home + "layouts", "w") as file:
        file.write("HEADER\n  size,0,4,10\n  size,4,4,10\n")
    why = refusal(create_filter, red, templates="~/rules")
    assert why == f"{home}rules:3: no event has a field 'msgLenght' (did you mean 'msgLength'?)", why
    assert refusal(create_filter, red, templates="~/rules", descriptions="~/layouts").startswith(f"{home}layouts:3: "), why
    assert "No such file" in refusal(create_filter, red, templates="~/none")
    assert red.managed() == {} and kept(red) == {}
    wait_for(lambda: not machine.processes("--collect"), "the collectors to end")

    # A filter of the user's own can fail only when it runs; its last words are part of the reason.
    with open(home + "fails", "w") as file:
        file.write("#!/bin/sh\necho first >&2\necho 'fails: line 7: no such field' >&2\nexit 2\n")
    os.chmod(home + "fails", 0o755)
    pid = create_filter(red, program="~/fails")["pid"]
    red.until(lambda: any(r["type"] == "filter_ended" and r["pid"] == pid for r in red.reports), "its end")
    assert red.managed()[pid]["reason"] == "exit status 2: fails: line 7: no such field", red.managed()[pid]
    red.on("release", pid)
    red.close()
