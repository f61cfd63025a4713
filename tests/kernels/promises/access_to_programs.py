"""The meter knows the other end of a channel of the program, which it reads from the program's own descriptors."""

from site_of_guest import Site, expect, moved

CHECK = "access to programs"


def play(site: Site) -> None:
    trace = site.meter("sh", "-c", "echo hello | cat", options=("--source", "notify"))
    sent = {event.channel for event in moved(trace, "SEND")}
    received = {event.channel for event in moved(trace, "RECEIVE") if event.length == 6}
    expect(sent & received, "the two ends are not one channel")
