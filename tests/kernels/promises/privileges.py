"""A metered program may still gain privileges."""

from site_of_guest import Site, expect

CHECK = "privileges"


def play(site: Site) -> None:
    site.meter("sh", "-c", "grep NoNewPrivs /proc/self/status >status", options=("--source", "notify"))
    expect((site.folder / "status").read_text().split()[1] == "0", "no_new_privs is set")
