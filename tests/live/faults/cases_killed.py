"""kill -9 of every kind of process, over ssh, during a computation that is metered on three hosts."""

from programs import Talk
from session import Session, Site, expect, over_cluster, wait_until


@over_cluster("3")
def case_controller_killed(site: Site) -> None:
    """The computation goes on; the next controller takes it over, and nothing is lost."""
    first, talk = Session(site), Talk(site)
    talk.begin(first)
    first.kill()
    talk.go_on()
    second = Session(site)
    second.do_until("adopt red green blue", "was adopted into job 'talk'")
    questions = talk.end(second)
    second.do("rmjob talk", "getlog f1 log")
    talk.expect_whole("log", questions)
    expect(second.leave("bye") == 0, second.said)


@over_cluster("3")
def case_daemons_killed(site: Site) -> None:
    """On every host: programs, meters and filter go on, the controller says so and finds them again."""
    session, talk = Session(site), Talk(site)
    talk.begin(session)
    for host in ("red", "green", "blue"):
        site.kill(host, site.on(host, "pgrep -f 'dpm meterd --idl[e]'").split())
        session.until(f"LOST: machine {host}: ")
    talk.go_on()
    listed = session.do("jobs talk")
    expect(listed.count("unreachable") == 2, listed)
    listed = session.do("setflags talk send receive", "jobs talk")
    expect(listed.count(" running ") == 2, listed)
    questions = talk.end(session)
    session.do("rmjob talk", "getlog f1 log")
    talk.expect_whole("log", questions)
    expect(session.leave("bye") == 0, session.said)


@over_cluster("3")
def case_filter_killed(site: Site) -> None:
    """The end is reported, the programs go on unharmed, the log can be read, and a file beside it names what is missing."""
    session, talk = Session(site), Talk(site)
    talk.begin(session)
    site.kill("blue", [session.pid_of("f1")])
    session.until(r"DONE: filter 'f1' on blue terminated: reason: signal 9 \(Killed\)")
    talk.go_on()
    questions = talk.end(session)
    session.do("rmjob talk")
    talk.expect_counted(talk.whole_account(session, "f1"), questions, "the filter is gone: signal 9 (Killed)")
    expect(session.leave("bye") == 0, session.said)


@over_cluster("3")
def case_everything_killed(site: Site) -> None:
    """Controller, daemons, supervisors, collector and filter at the same time: the programs never notice."""
    session, talk = Session(site), Talk(site)
    talk.begin(session)
    filter_pid = session.pid_of("f1")
    session.kill()
    for host in ("red", "green", "blue"):
        site.kill(host, [*site.on(host, "pgrep -f 'dpm meter[d]'").split(), *([filter_pid] if host == "blue" else [])])
    talk.go_on()
    # Another one finds what goes on, and can meter it again.
    session = Session(site)
    ask, before = site.on("green", "pgrep -f '[ /]ask red'").split()[-1], talk.asked()
    said = session.do("adopt red green blue", "filter f2 blue", "newjob rest", "setflags rest send receive",
                      f"acquire rest green {ask}")
    expect("process 'ask' was adopted into job 'talk'" in said and "its supervisor was killed" in said, said)
    expect(f"process 'ask' was acquired: identifier = {ask}" in said, said)
    after = talk.asked()
    talk.go_on()
    talk.enough()
    session.until("DONE: process ask in job 'rest' terminated: reason: ended")
    said = session.do("rmjob rest", "getlog f2 log")
    messages = site.messages("log")
    print(f"messages of the acquired half: {messages}; questions: {before} before it, {after} after it, {talk.asked()} in all")
    for ends in (("ask", "outside"), ("outside", "ask")):
        # One question may have been under way when it was acquired.
        expect(talk.asked() - after - 1 <= messages.get(ends, 0) <= talk.asked() - before, messages)
    expect(site.ledger("log")["lost"] == 0, messages)
    wait_until(lambda: not site.on("red", "pgrep -f '[ /]answer 7000'", check=False), "'answer' to end by itself")
    expect(session.leave("bye") == 0, session.said)


@over_cluster("3")
def case_keepers_killed_too(site: Site) -> None:
    """Without its keeper no process answers a program's calls: it waits, unharmed, until it is acquired."""
    session, talk = Session(site), Talk(site)
    talk.begin(session)
    session.kill()
    for host in ("green", "red"):
        site.kill(host, site.on(host, "pgrep -f 'dpm-keepe[r]|dpm meter[d]'").split())
    asked = wait_until(talk.stands_still, "the computation to stand still")
    session = Session(site)
    session.do("filter f2 blue", "newjob rest", "setflags rest send receive")
    for host, name in (("red", "answer 7000"), ("green", "ask red")):
        pid = site.on(host, f"pgrep -f '[ /]{name}'").split()[-1]
        said = session.do(f"acquire rest {host} {pid}")
        expect("was acquired" in said, said)
    wait_until(lambda: talk.asked() > asked + 200, "the computation to go on")
    # No process reads their output any more, which kills programs that print, as documented.
    talk.enough()
    session.until("DONE: process answer in job 'rest' terminated")
    session.until("DONE: process ask in job 'rest' terminated")
    session.do("rmjob rest", "getlog f2 log")
    expect(site.ledger("log")["lost"] == 0, "something is lost")
    expect(session.leave("bye") == 0, session.said)
