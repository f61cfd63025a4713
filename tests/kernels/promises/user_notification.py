"""A call waits for its supervisor."""

from site_of_guest import Site, expect

CHECK = "user notification"


def play(site: Site) -> None:
    expect(site.run([site.tool("tests/live/tools/can_notify")]).returncode == 0, "no call can wait")
