"""The source notify records messages."""

from site_of_guest import expect, moved

CHECK = "user notification"


def play(site) -> None:
    trace = site.meter("sh", "-c", "echo hello | cat", options=("--source", "notify"))
    expect(any(event.length == 6 for event in moved(trace, "RECEIVE")), "the message is not in the trace")
