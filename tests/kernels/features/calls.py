"""System calls have the events that the program says it caused (tests/live/conformance)."""

import sys

from outcome import Absent, Failed
from site_of_guest import HERE, Site, last_line

HAS_SOURCE = True
CASES = {"varieties": ["tcp4", "tcp6", "unix_stream", "unix_seqpacket", "unix_datagram", "udp4", "pipe"],
         "multiples": ["datagrams_udp", "send_file"],
         "processes": ["many_children"]}
LIMIT_S = 900


def play(site: Site) -> None:
    tools = site.tool("tests/live")
    site.meter("/bin/true")  # absent where the account may not use the source
    for program, cases in CASES.items():
        # The checker begins as root, as the conformance tests do, and plays the cases as the account.
        done = site.as_root().run([sys.executable, HERE.parent / "live/conformance/check_conformance.py", "--dpm", site.dpm, "--list-events",
                                   tools / "tools/list_events", "--can-notify", tools / "tools/can_notify", "--source", site.source, "--jobs", "1",
                                   *(["--user", site.user] if site.user else []), tools / f"conformance/conformance_{program}", *cases], LIMIT_S)
        if done.returncode == 77:
            raise Absent(last_line(done.stdout).removeprefix("SKIPPED: "))
        failed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("FAILED")]
        if failed:
            raise Failed(f"{program}: {', '.join(failed)}")
        if done.returncode != 0:
            raise Failed(f"{program}: {last_line(done.stderr)}")
