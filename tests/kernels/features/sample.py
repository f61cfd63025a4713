"""dpm sample finds what a program waits for."""

from outcome import Less
from site_of_guest import Site, source_of_samples

HAS_SOURCE = False


def play(site: Site) -> None:
    source = source_of_samples(site)
    if source != "task-iterator":
        raise Less("from /proc, not by the kernel's iterator")
