"""The states of samples come from the kernel's iterator."""

from site_of_guest import Site, expect, source_of_samples

CHECK = "samples"


def play(site: Site) -> None:
    expect(source_of_samples(site) == "task-iterator", "they come from /proc")
