"""A filter on a host that lets little in: over ssh."""

import pathlib
import re
import time
from typing import Any

from programs import Talk
from session import Session, Site, Skip, expect, over_cluster, wait_until


def close_ports(site: Site, host: str) -> None:
    """The host answers ssh and nothing else, as behind a firewall: the routing drops all other packets that it sends."""
    try:
        for family in ("-4", "-6"):
            site.on(host, f"ip {family} rule add pref 10 ipproto tcp sport 22 lookup main && "
                          f"ip {family} rule add pref 20 iif lo blackhole")
    except AssertionError as why:
        raise Skip(f"routing by ports cannot be set up on a host: {why}") from None


def open_ports(site: Site, host: str) -> None:
    for family in ("-4", "-6"):
        site.on(host, f"ip {family} rule del pref 20; ip {family} rule del pref 10")


def listening_ports(site: Site, host: str) -> set[int]:
    """Of TCP, without ssh's."""
    tables = site.on(host, "cat /proc/net/tcp /proc/net/tcp6")
    return {int(port, 16) for port in re.findall(r"^ *\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A ", tables, re.MULTILINE)} - {22}


def early_ledger(site: Site, session: Session, log: str) -> dict[str, Any]:
    wait_until(lambda: "getlog:" not in session.do(f"getlog f1 {log}"), "the log")
    return site.ledger(log)


@over_cluster("3")
def case_only_ssh(site: Site) -> None:
    """Only ssh reaches the filter's host: events go through the controller, and all of them are in the log."""
    close_ports(site, "blue")
    session, talk = Session(site), Talk(site)
    talk.begin(session, "filter f1 blue --through controller")
    talk.go_on(1000)
    expect(not listening_ports(site, "blue"), listening_ports(site, "blue"))
    questions = talk.end(session)
    session.do("rmjob talk")
    wait_until(lambda: "getlog:" not in session.do("getlog f1 log"), "the log")
    talk.expect_whole("log", questions)
    expect("WAITING" not in session.said, session.said)
    expect(session.leave("bye") == 0, session.said)


@over_cluster("3")
def case_ports_closed(site: Site) -> None:
    """In the middle of a run, for a while: it is reported, the early log counts what waits, and the last log is whole."""
    session, talk = Session(site), Talk(site)
    talk.begin(session, "filter f1 blue --port 7100-7110")
    ports = listening_ports(site, "blue")
    expect(ports and ports <= set(range(7100, 7111)), ports)
    close_ports(site, "blue")
    closed_s = time.monotonic()
    said = session.until(r"WAITING: process \w+ in job 'talk' on \w+ does not reach filter 'f1'.*")[0]
    print(f"reported after {time.monotonic() - closed_s:.0f} s: {said}")
    expect("--through controller" in said and f"port {min(ports)} of blue" in said, said)
    for host in ("red", "green"):
        session.until(f"WAITING: process \\w+ in job 'talk' on {host} ")
    talk.go_on(300)  # the programs do not notice
    session.do_until("jobs talk", "wait there")
    session.do_until("filter", "did not reach it from")
    ledger = early_ledger(site, session, "early")
    expect(ledger["lost"] > 0 and "does not reach the filter" in str(ledger["losses"]), ledger)
    open_ports(site, "blue")
    for host in ("red", "green"):
        session.until(f"REACHED: machine {host} reaches filter 'f1' again")
    questions = talk.end(session)
    session.do("rmjob talk")
    wait_until(lambda: early_ledger(site, session, f"log{time.monotonic_ns()}")["lost"] == 0, "everything to be delivered")
    wait_until(lambda: "getlog:" not in session.do("getlog f1 log"), "the log")
    talk.expect_whole("log", questions)
    session.leave("bye")


@over_cluster("3")
def case_ports_stay_closed(site: Site) -> None:
    """What a meter leaves in a file at the end is told, counted in the log, and can be read."""
    session = Session(site)
    site.write_program("chat", "#!/bin/sh\nseq 1 2000 | sort | wc -l\n")
    session.do("filter f1 blue")
    close_ports(site, "blue")
    session.do("newjob j", "setflags j send receive", "add j red chat", "startjob j")
    session.until("DONE: process chat in job 'j' terminated: reason: normal")
    waiting = early_ledger(site, session, "early")
    expect(waiting["lost"] > 0 and waiting["kept"] == 0, waiting)
    said = session.do("rmjob j")
    expect("if it is not reached within a minute, they stay in a file there" in said, said)
    left = session.until(r"LEFT: process chat in job 'j' on red: (\d+) events did not reach the filter; "
                         r"'dpm filter -o TRACE < (\S+)'", patience_s=120)
    ledger = early_ledger(site, session, "log")
    expect(ledger["lost"] == int(left[1]) and left[2] in str(ledger["losses"]), ledger)
    site.run(site.dpm, "filter", "-o", "left", given=pathlib.Path(left[2]))
    there = site.ledger("left")
    expect(there["kept"] == ledger["lost"] and there["lost"] == 0, there)
    before = len(session.said)
    session.leave("bye")
    expect(left[2] in session.said[before:], session.said)


@over_cluster("3")
def case_through_controller_killed(site: Site) -> None:
    """The meters keep their events while no controller is there, and deliver them through the next one."""
    close_ports(site, "blue")
    session, talk = Session(site), Talk(site)
    talk.begin(session, "filter f1 blue --through controller")
    session.kill()
    talk.go_on(500)
    session = Session(site)
    session.do_until("adopt red green blue", "process 'ask' was adopted into job 'talk'")
    session.do_until("adopt red green blue", "there is nothing to adopt")
    talk.go_on(200)
    questions = talk.end(session)
    session.do("rmjob talk")
    wait_until(lambda: early_ledger(site, session, f"log{time.monotonic_ns()}")["lost"] == 0, "everything to be delivered")
    wait_until(lambda: "getlog:" not in session.do("getlog f1 log"), "the log")
    talk.expect_whole("log", questions)
    session.leave("bye")
