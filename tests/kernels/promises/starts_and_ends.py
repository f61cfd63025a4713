"""Births and ends of processes are observed, not inferred."""

from site_of_guest import Site, expect

CHECK = "starts and ends"


def play(site: Site) -> None:
    trace = site.meter("sh", "-c", "true | cat; sleep 0.1; true", options=("--source", "notify"))
    lives = [event for event in trace.events if event.type in ("CREATE", "FORK", "EXEC", "END", "TERMINATE")]
    expect(lives, "there are no births and ends in the trace")
    inferred = [event.type for event in lives if event.evidence != "observed"]
    expect(not inferred, f"inferred: {', '.join(sorted(set(inferred)))}")
