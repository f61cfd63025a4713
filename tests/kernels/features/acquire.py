"""dpm acquire takes a program that runs already, and lets it go again."""

from outcome import Absent, Failed
from site_of_guest import REFUSAL_STATUS, Site, await_true, expect, last_line, refusal_in
from talker import Talker, messages_in

HAS_SOURCE = True
ROUNDS = 20


def play(site: Site) -> None:
    with Talker(site) as talker:
        talker.talk(1)
        folder = site.folder / "trace"
        meter = site.start([site.dpm, "acquire", str(talker.pid), "-o", folder])
        await_true("the trace begins", lambda: (folder / "trace/trace.json").exists() or meter.poll() is not None)
        if meter.poll() is not None:
            errors = meter.communicate()[1]
            raise Absent(refusal_in(errors)) if meter.returncode == REFUSAL_STATUS else Failed(last_line(errors))
        talker.talk(ROUNDS)
        status, _, errors = site.stop(meter)
        expect(status == 0, f"dpm acquire ends with {status}: {last_line(errors)}")
        talker.talk(1)
        for kind in ("SEND", "RECEIVE"):
            found = messages_in(site.trace(folder), kind)
            expect(found == ROUNDS, f"{found} {kind} events are in the trace, not {ROUNDS}")
