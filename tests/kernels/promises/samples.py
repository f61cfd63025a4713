"""The states of samples come from the kernel's iterator."""

from features.sample import source_of
from site_of_guest import Site, expect

CHECK = "samples"


def play(site: Site) -> None:
    expect(source_of(site) == "task-iterator", "they come from /proc")
