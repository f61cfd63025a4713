"""Links and hosts that fail, over ssh."""

import json
import time

from programs import Talk
from session import Session, Site, expect, over_cluster, wait_until


def link_down(site: Site, seconds: float) -> None:
    """The filter's host is cut off for that long: the programs go on, and then everything is there."""
    session, talk = Session(site), Talk(site)
    talk.begin(session)
    before = talk.asked()
    site.run("cluster", "link", "blue", "down")
    down_since_s = time.monotonic()
    for _ in range(5):
        talk.go_on(50)
    during = talk.asked() - before
    while time.monotonic() < down_since_s + seconds:
        talk.go_on(50)
    site.run("cluster", "link", "blue", "up")
    print(f"{talk.asked() - before} questions were asked while the filter's host was cut off for "
          f"{time.monotonic() - down_since_s:.0f} s")
    expect(during >= 250, during)
    questions = talk.end(session)
    session.do("rmjob talk")
    wait_until(lambda: "getlog:" not in session.do("getlog f1 log"), "the log")
    talk.expect_whole("log", questions)
    expect(session.leave("bye") in (0, 1), session.said)


@over_cluster("3")
def case_link_down(site: Site) -> None:
    """For some seconds; `./dev soak link` does it for thirty."""
    link_down(site, 5)


@over_cluster("3")
def case_host_disappears(site: Site) -> None:
    """It is reported; its processes can be given up; what the log lacks is reported; the host can be used again."""
    session, talk = Session(site), Talk(site)
    talk.begin(session)
    site.run("cluster", "kill", "green")
    session.until("LOST: machine green: .*: ask$", patience_s=90)
    said = session.do("rmjob talk")
    expect("'answer' is running; 'stopjob talk' comes first" in said, said)
    said = session.do("stopjob talk", patience_s=120)
    expect("'answer' stopped." in said and "'ask' was not stopped" in said, said)
    said = session.do("rmjob talk", "rmjob talk", "jobs", patience_s=120)
    expect("'removejob talk' again gives up unreachable processes" in said, said)
    expect("'ask' given up" in said and "'answer' removed" in said and "no jobs" in said, said)
    session.do("getlog f1 log")
    delivered = json.loads((site.folder / "log/delivered.json").read_text())
    ended = {meter["name"]: meter["ended"] for meter in delivered["meters"]}
    expect(ended == {"answer": True, "ask": False}, delivered)
    expect("later events are not known" in site.warnings("log"), site.warnings("log"))
    site.run("cluster", "start", "green")
    said = session.do("newjob again", "setflags again send", "add again green /bin/echo back", "startjob again")
    session.until("echo: back")
    session.until("DONE: process echo in job 'again' terminated: reason: normal")
    session.do("rmjob again")
    expect(session.leave("bye") == 1, session.said)  # some commands were refused
    # The log where the filter left it, once that has ended as well.
    log = next((site.folder / "state-blue/dpm/logs").glob("f1-*/trace"))
    losses = str(site.ledger(log)["losses"])
    expect("the stream was cut off before the last of" in losses and "(ask) on green" in losses, losses)


@over_cluster("2")
def case_two_controllers(site: Site) -> None:
    """At once, on the same machines, over ssh: neither touches what is the other's, until that is gone."""
    first, second = Session(site), Session(site)
    for session, name in ((first, "one"), (second, "two")):
        session.do(f"filter f-{name} green", f"newjob {name}", f"setflags {name} send")
        for host in ("red", "green"):
            said = session.do(f"add {name} {host} /bin/cat", f"startjob {name}")
            expect("was created" in said and "started" in said, said)
    pid = first.pid_of("cat")
    said = second.do("adopt red green")
    expect(said.count("belongs to a controller that is connected") == 3 and "nothing to adopt" in said, said)
    said = second.do(f"acquire two red {pid}")
    expect("was not acquired" in said, said)
    for session, name in ((first, "one"), (second, "two")):
        session.do(f"input {name} cat words of {name}")
        session.until(f"cat: words of {name}")
        expect(f"words of {'two' if name == 'one' else 'one'}" not in session.said, session.said)
    first.kill()
    second.do_until("adopt red green", "process 'cat' was adopted into job 'one'")  # the daemons see that the first is gone
    second.do("input one cat now yours")
    second.until("one/cat: now yours")
    for name in ("one", "two"):
        second.do(f"endinput {name} cat", f"endinput {name} cat.2", f"wait {name}", f"rmjob {name}")
    expect("no jobs" in second.do("jobs"), second.said)
    second.leave("bye")
