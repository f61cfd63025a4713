"""The source ebpf records messages."""

from site_of_guest import Site, expect, moved

CHECK = "eBPF source"
PROGRAM = """
import socket
a, b = socket.socketpair()
a.sendall(b"hello")
b.recv(10)
"""


def play(site: Site) -> None:
    trace = site.meter("/usr/bin/python3", "-c", PROGRAM, options=("--source", "ebpf"))
    expect(any(event.length == 5 for event in moved(trace, "RECEIVE")), "the message is not in the trace")
