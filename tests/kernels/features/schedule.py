"""dpm schedule watches a program, and leaves it free to use every core at its end."""

import os

from site_of_guest import Site, expect, last_line
from talker import Talker

HAS_SOURCE = True


def play(site: Site) -> None:
    may_use = os.sched_getaffinity(0)
    with Talker(site) as talker:
        done = site.dpm_run("schedule", "--for", "5s", "--json", str(talker.pid))
        expect(done.returncode == 0, f"dpm schedule ends with {done.returncode}: {last_line(done.stderr)}")
        expect(os.sched_getaffinity(talker.pid) == may_use, "the program may not use all cores afterwards")
        talker.talk(1)
