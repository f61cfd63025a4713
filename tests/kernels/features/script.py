"""dpm script counts the calls of a function in a program that was not made for it."""

import json
import re

from outcome import Absent
from site_of_guest import Site, expect, last_line

HAS_SOURCE = False
CALLS = 500


def play(site: Site) -> None:
    script = site.folder / "script.events"
    script.write_text("process p from fixed\nevent in is point_enter on it at *.p.served\n")
    done = site.dpm_run("script", "--json", "-o", site.folder / "events", script, "--", site.tool("tests/backends/linux/probes/fixed"), str(CALLS))
    expect(done.returncode == 0, f"dpm script ends with {done.returncode}: {last_line(done.stderr)}")
    refusal = re.search(r"looking at functions of unmodified programs[^;\n]*", done.stderr)
    if refusal:
        raise Absent(refusal[0])
    row = json.loads(done.stdout.splitlines()[-1])["events"][0]
    expect(row["seen"] == CALLS == row["reported"] + row["lost"], f"{row['seen']} calls were seen, not {CALLS}")
