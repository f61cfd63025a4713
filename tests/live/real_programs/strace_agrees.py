#!/usr/bin/python3
"""strace watches the same run as the meter: on every channel each thread must have made the same calls, moving the same bytes, in
both records. Played with a Redis server, a shell's pipelines, Python processes that talk in every way, and curl with its server.
"""

import collections
import pathlib
import re
import sys
from typing import Any

here = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(here / "harness"), str(here / "tools")]
import events
import real_program
import strace_record

PIPELINES = ("seq 1 20000 | sed 's/1/one/' | sort -r | head -n 5000 | md5sum; printf 'a\\nb\\n' | while read x; do echo \"got $x\"; done"
             " | cat; (sleep 0.05; echo late) | cat; head -c 300000 /dev/zero | tr '\\0' x | wc -c | tee /dev/null | cat")

# What recv() takes from a UNIX socket is known only as what was waiting for it (docs/limitations.md): read() is used there.
TALK = """
import multiprocessing as mp, os, socket, sys, threading

def part(connection, most):
    return os.read(connection.fileno(), most) if connection.family == socket.AF_UNIX else connection.recv(most)

def exactly(connection, count, step):
    taken = b""
    while len(taken) < count:
        taken += (more := part(connection, min(step, count - len(taken))))
        if not more: break
    return taken

def serve(listener, clients):
    def answer(connection):
        with connection:
            while header := exactly(connection, 8, 8):
                count = int(header)
                connection.sendall(exactly(connection, count, 4096)[::-1])
                connection.sendmsg([b"a" * 10, b"b" * count])
    threads = []
    for _ in range(clients):
        threads.append(threading.Thread(target=answer, args=[listener.accept()[0]]))
        threads[-1].start()
    for thread in threads: thread.join()

def talk(family, address, number):
    with socket.socket(family) as s:
        s.connect(address)
        for count in (1, 100 * number + 1, 5000, 70000):
            s.sendall(b"%8d" % count)
            s.sendall(b"x" * count)
            assert len(exactly(s, count, 1000 + number)) == count
            if family == socket.AF_UNIX:
                exactly(s, count + 10, 500)
            else:
                rest = bytearray(count + 10)
                s.recv_into(rest, flags=socket.MSG_PEEK)
                assert s.recv_into(rest, flags=socket.MSG_WAITALL) == count + 10

def datagrams():
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        for count in range(1, 40):
            one.sendto(b"d" * count, other.getsockname()); other.recvfrom(100)
            pair[0].send(b"e" * count); pair[1].recv(100)

def pipes():
    r, w = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(r)
        for count in (1, 4096, 4097, 200000): os.write(w, b"p" * count)
        os.writev(w, [b"v" * 10, b"v" * 20])
        os._exit(0)
    os.close(w)
    while os.read(r, 3000): pass
    os.waitpid(child, 0)

for family, address in ((socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, "socket")):
    with socket.socket(family) as listener:
        listener.bind(address); listener.listen()
        started = [mp.Process(target=serve, args=(listener, 3))]
        started += [mp.Process(target=talk, args=(family, listener.getsockname(), n)) for n in range(3)]
        for process in started: process.start()
        for process in started: process.join()
        if any(process.exitcode for process in started): sys.exit(1)
datagrams(); pipes()
"""

CURL = """
import http.server, subprocess, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"y" * int(self.path[1:])
        self.send_response(200); self.send_header("Content-Length", len(body)); self.end_headers(); self.wfile.write(body)
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200); self.end_headers(); self.wfile.write(b"%d" % len(body))
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = "http://127.0.0.1:%d/" % server.server_port
for words in ([address + "5"], [address + "300000"], [address + "1", address + "2"], ["-d", "z" * 20000, address]):
    subprocess.run(["curl", "-sS", "-o", "/dev/null", "-o", "/dev/null", *words], check=True)
server.shutdown()
"""


def channel_of(event: events.Event, trace: events.Trace, unix_ends: strace_record.UnixEnds) -> str:
    """The channel of an event, by the names of strace_record."""
    kind, _, ends = trace.channel_name[event.channel].partition(" ")
    if trace.channel_kind[event.channel] == "datagram":
        return "datagrams"
    if kind == "pipe":
        return f"pipe {ends.rpartition(':')[2]}"
    if kind == "unix":
        inodes = [re.search(r"[#[](\d+)\]?$", end) for end in ends.split(" > ")]
        result: str = unix_ends.channel(*(inode[1] if inode else "" for inode in inodes))
        return result
    return f"{kind} {ends}"


def by_meter(trace: events.Trace, unix_ends: strace_record.UnixEnds) -> collections.defaultdict[tuple[int, str, Any], list[int]]:
    moved = collections.defaultdict(list)
    for event in trace.events:
        if event.type in ("SEND", "RECEIVE") and event.length > 0:
            moved[trace.tid[event.process], event.type, channel_of(event, trace, unix_ends)].append(event.length)
    return moved


def compare(session: real_program.Session, name: str, strace_log: Any, trace: events.Trace) -> None:
    lines = strace_record.read_lines(strace_log)
    straced, metered = strace_record.moved(lines), by_meter(trace, strace_record.UnixEnds(lines))
    # The other end may be closed after the supervisor has looked and before the call (docs/metering-reference.md).
    may_have_one_more = set() if session.options.source == "ebpf" else strace_record.broken(lines)
    tracers = {tid for tid in trace.tid.values() if trace.name_of_tid(tid).startswith("strace")}
    for key in sorted(set(straced) | set(metered)):
        thread, direction, channel = key
        seen = [record.get(key, []) for record in (straced, metered)]
        if thread in tracers or seen[0] == seen[1] or (key in may_have_one_more and seen[0] == seen[1][:-1]):
            continue
        calls = [f"{len(lengths)} calls, {sum(lengths)} bytes ({', '.join(map(str, lengths[:8]))})" for lengths in seen]
        session.complain(f"{name}: thread {thread} ({trace.name_of_tid(thread)}), {direction}s on {channel}: strace saw {calls[0]}, "
                         f"the meter {calls[1]}")
    made = sum(map(len, straced.values()))
    channels = {channel for _, _, channel in straced}
    print(f"  {name}: strace recorded {made} calls that moved {sum(sum(lengths) for lengths in straced.values())} bytes over {len(channels)} "
          f"channels")
    if made < 20 or session.lost(trace):
        session.complain(f"{name}: nothing to compare, or something lost: {session.lost(trace)}")


def straced(session: real_program.Session, name: str, command: list[str]) -> Any:
    log = session.folder / f"strace-{name}"
    return log, ["strace", "-f", "-yy", "-s", "0", "-o", str(log), "-e", strace_record.CALLS, *command]


def play(session: real_program.Session) -> None:
    session.counted_of = "strace"  # it reads the memory of what it traces
    port = real_program.free_port()
    log, command = straced(session, "redis", ["redis-server", "--port", str(port), "--save", "", "--dir", str(session.folder)])
    logs = {"redis": log}
    server = session.start(command)
    session.wait_for_port(port)
    session.run(["redis-benchmark", "-p", str(port), "-n", "300", "-c", "5", "-t", "set,get", "-d", "3000", "-q"])
    session.run(["redis-cli", "-p", str(port), "shutdown", "nosave"])
    session.wait(server)
    python = ["/usr/bin/python3", "-c"]
    for name, words in (("pipelines", ["sh", "-c", PIPELINES]), ("talk", [*python, TALK]), ("curl", [*python, CURL])):
        logs[name], command = straced(session, name, words)
        done = session.run(command, metered=True)
        session.note(name, done.returncode)
        if done.returncode != 0:
            session.complain(f"{name} ends with {done.returncode}: {done.stderr}")
    session.wait_for_meters()
    for (name, log), path in zip(logs.items(), session.traces):
        compare(session, name, log, events.Trace(session.options.list_events, path))


real_program.main(play, needs=["strace", "redis-server", "redis-benchmark", "curl", "/usr/bin/python3"], modes=["metered"])
