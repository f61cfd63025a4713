"""A call waits for its supervisor."""

from site_of_guest import expect

CHECK = "user notification"


def play(site) -> None:
    expect(site.run([site.tool("tests/live/tools/can_notify")]).returncode == 0, "no call can wait")
