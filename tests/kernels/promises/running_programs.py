"""dpm acquire meters a program of this account that runs already."""

import time

from outcome import Absent, Failed
from site_of_guest import REFUSAL_STATUS, Site, await_true, expect, last_line, refusal_in
from talker import Talker, messages_in

CHECK = "running programs"


def play(site: Site) -> None:
    with Talker(site) as talker:
        folder = site.folder / f"acquired-{time.monotonic_ns()}"
        meter = site.start([site.dpm, "acquire", "--source", "notify", str(talker.pid), "-o", folder])
        await_true("the trace begins", lambda: (folder / "trace/trace.json").exists() or meter.poll() is not None)
        if meter.poll() is not None:
            errors = meter.communicate()[1]
            raise Absent(refusal_in(errors)) if meter.returncode == REFUSAL_STATUS else Failed(last_line(errors))
        talker.talk(3)
        site.stop(meter)
        expect(messages_in(site.trace(folder), "RECEIVE") == 3, "the messages are not in the trace")
