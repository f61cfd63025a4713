"""dpm sample finds what a program waits for."""

from outcome import Less
from site_of_guest import Site, expect

HAS_SOURCE = False


def source_of(site: Site) -> str:
    """Where the states of a short sample came from."""
    counts = site.folder / "counts"
    done = site.dpm_run("sample", "-i", "0.05", "-o", counts, "--", "sh", "-c", "sleep 2 | cat")
    expect(done.returncode == 0, f"dpm sample ends with {done.returncode}")
    lines = counts.read_text().splitlines()
    counts.unlink()
    expect("pipe" in done.stderr, "the wait of cat for its pipe was not found")
    return next((line.split()[1] for line in lines if line.startswith("source ")), "")


def play(site: Site) -> None:
    source = source_of(site)
    if source != "task-iterator":
        raise Less("from /proc, not by the kernel's iterator")
