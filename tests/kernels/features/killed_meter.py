"""A meter that is killed (kill -9) leaves its program running, and a trace that can be read."""

import os
import pathlib
import signal

from outcome import Absent
from site_of_guest import Site, await_true, expect, refusal_in
from talker import Talker, messages_in

HAS_SOURCE = True
ROUNDS = 20


def meters() -> set[int]:
    found = set()
    for path in pathlib.Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text().strip() == "dpm-meter":
                found.add(int(path.parent.name))
        except OSError:
            continue  # it has ended
    return found


def play(site: Site) -> None:
    folder, before = site.folder / "trace", meters()
    with Talker(site, [site.dpm, "meter", "-o", folder, "--"]) as talker:
        if not talker.pid:
            raise Absent(refusal_in(talker.refusal))
        talker.talk(ROUNDS)
        await_true("the trace has the messages", lambda: messages_in(site.trace(folder), "RECEIVE") == ROUNDS)
        mine = meters() - before
        expect(len(mine) == 1, f"{len(mine)} processes are called dpm-meter, not 1")
        os.kill(mine.pop(), signal.SIGKILL)
        talker.talk(ROUNDS)
        expect(messages_in(site.trace(folder), "RECEIVE") >= ROUNDS, "messages have gone from the trace")
