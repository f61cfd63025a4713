"""Processes of other accounts are shown in /proc."""

from site_of_guest import Site, expect

CHECK = "/proc"


def play(site: Site) -> None:
    expect(site.run(["cat", "/proc/1/stat"]).returncode == 0, "process 1 is hidden")
