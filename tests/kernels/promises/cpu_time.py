"""The CPU time of the program's first process is known up to its end, and that of each of its threads."""

import time

from site_of_guest import Site, expect

CHECK = "CPU time"
PROGRAM = """
import os, socket, threading, time
a, b = socket.socketpair()
def work():
    while time.thread_time() < 1: pass
    a.sendall(b"hello")
thread = threading.Thread(target=work)
thread.start()
thread.join()
b.recv(10)
began = time.thread_time()
while time.thread_time() < began + 1: pass
os._exit(0)
"""


def play(site: Site) -> None:
    trace = site.folder / f"trace-{time.monotonic_ns()}"
    done = site.dpm_run("meter", "--source", "notify", "-o", trace, "--", "/usr/bin/python3", "-c", PROGRAM)
    expect("CPU time after the last metered call" not in done.stderr, "the CPU time after the last metered call is unknown")
    known_ns = [max(event.cpu_ns for event in events) for events in site.trace(trace).of_threads().values()]
    expect(len(known_ns) == 2 and min(known_ns) > 0.9e9, f"of 1 s in each of two threads, {[round(ns / 1e9, 2) for ns in known_ns]} s are known")
