#!/usr/bin/env python3
"""dpm meter --summary -o FILE: the results of a program without its trace, which are those of a trace of the same program."""
import os
import signal
import subprocess
import sys
from typing import Any

from checking import Check, run

# A server and two clients, over sockets and a pipe; what they say does not depend on time.
PROGRAM = """
import os, socket, sys
def talk(end, rounds, length):
    for i in range(rounds):
        end.sendall(bytes(length + i % 7))
        got = b""
        while len(got) < 3 * length:
            got += end.recv(100000)
pairs = [socket.socketpair() for _ in range(2)]
for number, (mine, theirs) in enumerate(pairs):
    if os.fork() == 0:
        talk(theirs, 700, 10 + 90 * number)
        os._exit(0)
for number, (mine, theirs) in enumerate(pairs):
    theirs.close()
    length = 10 + 90 * number
    for i in range(700):
        got = b""
        while len(got) < length + i % 7:
            got += mine.recv(length + i % 7 - len(got))
        mine.sendall(bytes(3 * length))
for _ in pairs:
    os.wait()
"""
PYTHON = ["--", sys.executable, "-c", PROGRAM]


def pairs_of(statistics: Any) -> list[Any]:
    return sorted([pair["from"], pair["to"], pair["count"], pair["bytes"], pair["remote"], pair["counted_by"]] for pair in statistics["messages"])


# Of a connection that processes share: they are told when its first user, whichever that is in a run, makes a call.
AT_FIRST_USE = ("ACCEPT", "CONNECT", "SOCKET")


def counts_of(statistics: Any) -> list[Any]:
    processes = statistics["processes"]
    own = sorted([process["process"], process["sent"], process["sent_bytes"], process["received"], process["received_bytes"],
                  {type: count for type, count in process["events"].items() if type not in AT_FIRST_USE}] for process in processes)
    return [*own, {type: sum(process["events"].get(type, 0) for process in processes) for type in AT_FIRST_USE}]


def same_as_trace(check: Check) -> None:
    check.dpm("meter", "--wait", "-o", "out", *PYTHON)
    done = check.dpm("meter", "--wait", "--summary", "-o", "kept", *PYTHON)
    check.holds("the meter says what it wrote", "wrote kept: results" in done.stderr, done.stderr)
    trace, kept = check.json("statistics", "out"), check.json("statistics", "kept")
    check.holds("pairs are those of a trace", pairs_of(trace) == pairs_of(kept), (pairs_of(trace), pairs_of(kept)))
    check.holds("so are counts of events and bytes", counts_of(trace) == counts_of(kept), (counts_of(trace), counts_of(kept)))
    check.holds("so are sizes", trace["sizes"] == kept["sizes"], kept["sizes"])
    check.holds("nothing is lost", kept["ledger"]["lost"] == 0, kept["ledger"])
    queues = [{queue["process"]: (queue["received"], queue.get("queued")) for queue in check.json("queues", name)["processes"]}
              for name in ("out", "kept")]
    check.holds("queues have the same messages", queues[0] == queues[1], queues)
    cpu_s = sum(process["cpu_s"] for process in kept["processes"])
    by_window_s = sum(window["P"] * (window["to_s"] - window["from_s"]) for window in kept["windows"])
    check.holds("P over time adds up to the CPU time", abs(cpu_s - by_window_s) < .02 * cpu_s + 1e-4, (cpu_s, by_window_s))
    check.holds("it is printed, too", "messages a second" in check.dpm("statistics", "kept").stdout)
    check.dpm("report", "kept", "-o", "kept.html")
    check.holds("a page is made of it", '"levels"' in (check.folder / "kept.html").read_text())


def what_needs_a_trace(check: Check) -> None:
    check.dpm("meter", "--wait", "--summary", "-o", "kept", *PYTHON)
    for command in ("parallelism", "blame", "causality", "events", "predict", "clocks", "top", "serve", "sql"):
        words = [command, "kept"] + (["SELECT 1"] if command == "sql" else [])
        said = check.dpm(*words, status=2)
        check.holds(f"{command} says why it needs a trace", "needs the events of a trace" in said.stderr, said.stderr)
    for options in ("statistics kept --where", "statistics kept --from 1", "queues kept --threads"):
        check.holds("so do options", "needs the events of a trace" in check.dpm(*options.split(), status=2).stderr)
    check.holds("a file is not overwritten", "nothing is overwritten" in check.dpm("meter", "--summary", "-o", "kept", *PYTHON, status=2).stderr)
    check.dpm("meter", "--summary", "--window", "5s", "-o", "other", *PYTHON, status=2)
    check.dpm("meter", "--wait", "--summary", *PYTHON)


def stopped(check: Check) -> None:
    """The command has ended, and what it started still runs."""
    # Nothing that the meter may write to stays open until its end.
    subprocess.run([check.program, "meter", "--summary", "-o", "kept", "--", "sh", "-c", "sleep 60 & echo $! >pid; sleep .2"],
                   cwd=check.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pid = int((check.folder / "pid").read_text())
    said = check.dpm("stop", str(pid)).stdout
    check.holds("dpm stop says what was written", "kept: results, without a trace" in said, said)
    os.kill(pid, signal.SIGTERM)
    check.dpm("statistics", "kept")


if __name__ == "__main__":
    sys.exit(run([same_as_trace, what_needs_a_trace, stopped]))
