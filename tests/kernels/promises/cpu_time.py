"""The CPU time of the program's first process is known up to its end."""

import time

from site_of_guest import expect

CHECK = "CPU time"
PROGRAM = """
import os, socket, time
a, b = socket.socketpair()
a.sendall(b"hello")
b.recv(10)
while time.process_time() < 1: pass
os._exit(0)
"""


def play(site) -> None:
    trace = site.folder / f"trace-{time.monotonic_ns()}"
    done = site.dpm_run("meter", "--source", "notify", "-o", trace, "--", "/usr/bin/python3", "-c", PROGRAM)
    expect("CPU time after the last metered call" not in done.stderr, "the CPU time after the last metered call is unknown")
    known_ns = max(event.cpu_ns for event in site.trace(trace).events)
    expect(known_ns > 0.9e9, f"of 1 s, {known_ns / 1e9:.2f} s are known")
