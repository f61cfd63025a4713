"""Programs have the messages, bytes, connections and CPU time that strace, wait4() and their own counters say."""

import pathlib

from outcome import Absent
from site_of_guest import PATIENCE_S, Site, expect, last_line

HAS_SOURCE = True
RUN = pathlib.Path(__file__).resolve().parents[3] / "validation/witness/run.py"
SKIPPED = 77
PATIENCE = 6 * PATIENCE_S  # each program runs three times


def play(site: Site) -> None:
    site.need("strace", "babeltrace2", "nbdkit")
    done = site.run([RUN, "--quick", "--judge", "--dpm", site.dpm], PATIENCE)
    if done.returncode == SKIPPED:
        raise Absent(last_line(done.stdout).removeprefix("SKIPPED: "))
    expect(done.returncode == 0, done.stdout.strip() or last_line(done.stderr))
