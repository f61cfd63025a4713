"""A receive has the length that it got, not the one that it asked for."""

from site_of_guest import Site, expect

CHECK = "byte counts"


def play(site: Site) -> None:
    trace = site.meter("sh", "-c", "(echo hello; sleep 1; echo again) | cat", options=("--source", "notify"))
    lengths = [event.length for event in trace.events if event.type == "RECEIVE"]
    expect(lengths == [6, 6], f"the lengths are {lengths}, not [6, 6]")
