"""Filters that are ill, created through the daemon as users do."""

import json

from programs import Talk
from session import Session, Site, Skip, expect, over_cluster, wait_until

PACKET_BLOCKS = 16  # 64 kB, of blocks of 4 kB


@over_cluster("3")
def case_filter_default(site: Site) -> None:
    """A filter for which no machine is named serves the processes of every machine."""
    session, talk = Session(site), Talk(site)
    talk.begin(session, "filter f1")
    site.write_program("here", "#!/bin/sh\necho a | cat\n")
    session.do("addprocess talk local here", "startjob talk")
    session.until("DONE: process here in job 'talk' terminated: reason: normal")
    questions = talk.end(session)
    session.do("rmjob talk", "getlog f1 log")
    talk.expect_whole("log", questions)
    machines = {meter["machine"] for meter in json.loads((site.folder / "log/delivered.json").read_text())["meters"]}
    expect(len(machines) == 3, machines)
    expect(session.leave("bye") == 0, session.said)


def takes_no_more(site: Site, talk: Talk, disk: str) -> bool:
    """Whether nothing is written to it while the programs go on: what did not fit is taken back, so a few blocks may stay free."""
    blocks_free = int(site.on("blue", f"stat -f -c %a {disk}"))
    talk.go_on(500)
    return blocks_free < PACKET_BLOCKS and int(site.on("blue", f"stat -f -c %a {disk}")) == blocks_free


@over_cluster("3")
def case_filter_disk_full(site: Site) -> None:
    """The disk of the filter's host is a small one: the programs never notice, it is reported, and what the log lacks is counted."""
    small = "/run/small"
    try:
        site.on("blue", f"mkdir {small} && mount -t tmpfs -o size=256k small {small}")
    except AssertionError as why:
        raise Skip(f"no small disk can be made on a host: {why}") from None
    site.write_dpm("dpm-small", f"[ $(uname -n) != blue ] || export XDG_STATE_HOME={small}")
    session, talk = Session(site, "dpm-small"), Talk(site, pause_s=0)
    talk.begin(session)
    wait_until(lambda: takes_no_more(site, talk, small), "the disk to be full")
    talk.go_on(2000)
    session.until(r"UNWRITTEN: filter 'f1' on blue cannot write its log \(.*\): \d+ events are lost so far")
    expect("filter 'f1' on blue cannot write its log" in session.do("jobs talk"), session.said)
    expect("filter 'f1' on blue cannot write its log" in session.do("getlog f1 early"), session.said)
    early = site.ledger("early")
    print(f"ledger of the early log: {early}")
    expect(early["seen"] == early["kept"] + early["lost"] and early["lost"] > 5000, early)
    expect("delivered to the filter, which could not write them" in str(early["losses"]), early)
    delivered = json.loads((site.folder / "early/delivered.json").read_text())
    expect(sum(meter["delivered"] for meter in delivered["meters"]) <= early["seen"], (delivered, early))
    site.on("blue", f"mount -o remount,size=64m {small}")
    session.until(r"WRITTEN: filter 'f1' on blue writes its log again; the log lacks \d+ events")
    questions = talk.end(session)
    session.do("rmjob talk", "getlog f1 log")
    ledger = site.ledger("log")
    print(f"{questions} questions; ledger: {ledger}")
    expect(ledger["seen"] == ledger["kept"] + ledger["lost"] and ledger["lost"] > 0, ledger)
    # Each question and each answer is sent and received, and each has a call that asks for it.
    expect(ledger["seen"] >= 6 * questions, ledger)
    expect("could not be written to the trace" in str(ledger["losses"]), ledger)
    delivered = json.loads((site.folder / "log/delivered.json").read_text())
    expect(sum(meter["delivered"] for meter in delivered["meters"]) == ledger["seen"], delivered)
    expect(session.leave("bye") == 0, session.said)


def case_filter_ends_at_once(site: Site) -> None:
    """The failure is reported with what to do; a filter that ends later harms no program, and what it missed is counted."""
    session, talk = Session(site), Talk(site)
    site.write_program("ends", "#!/bin/sh\nexit 3\n")
    session.do("filter f0 blue ends")
    session.until("DONE: filter 'f0' on blue terminated: reason: exit status 3")
    said = session.do("newjob none")
    expect("every filter has ended: create another one first" in said, said)
    site.write_program("ends-later", "#!/bin/sh\nhead -c 50000 >/dev/null\nexit 4\n")
    talk.begin(session, "filter f1 blue ends-later")
    session.until("DONE: filter 'f1' on blue terminated: reason: exit status 4")
    said = session.do("add talk red answer 7001")
    expect("addprocess: filter 'f1' has ended: exit status 4" in said, said)
    questions = talk.end(session)
    session.do("rmjob talk")
    talk.expect_account(talk.whole_account(session, "f1"), questions, "the filter is gone: exit status 4")
    expect(session.leave("bye") == 1, session.said)  # what was refused


def case_filter_never_reads(site: Site) -> None:
    """The programs go on without waiting for it; what it did not take is on their disks, and removing all that ends."""
    session, talk = Session(site), Talk(site, pause_s=0)
    site.write_program("sleeps", "#!/bin/sh\nexec sleep 1000\n")
    talk.begin(session, "filter f1 blue sleeps")
    talk.go_on(2000)
    questions = talk.end(session)
    said = session.do("rmjob talk")
    expect("'ask' removed" in said and "'answer' removed" in said, said)
    print(f"{questions} questions with a filter that never reads")
    # Leaving gives it a minute to read the rest; the test does not wait that long.
    site.kill("blue", [session.pid_of("f1")])
    session.until("DONE: filter 'f1' on blue terminated: reason: signal 9")
    expect(session.leave("bye") == 0, session.said)
