"""`watch`: the page of a filter's log on another host, as a browser reads it while the filter writes."""

import json
import pathlib
import re
import sys
import time
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "view/server"))
from programs import Talk
from session import Session, Site, expect, over_cluster, wait_until
from viewer import Address, Viewer

# Two processes on the filter's own host, until there is a file `enough`.
LOCAL_TALK = """#!PYTHON
import os, socket, time
near, far = socket.socketpair()
if os.fork() == 0:
    near.close()
    while far.recv(100): far.send(b"answer")
    os._exit(0)
far.close()
while not os.path.exists("enough"):
    near.send(b"question"); near.recv(100); time.sleep(0.01)
near.close()
os.wait()
"""

# What is asked for in vain, and the words of the refusal.
REFUSED = {
    "watch f2": "no filter 'f2'",
    "watch f1 there": "takes fewer parameters",
    "unwatch f2": "filter 'f2' is not watched",
}
# What a page refuses: a request, and its status.
STRANGERS = [
    (dict(target="/"), 404),
    (dict(target="/" + "0" * 32 + "/"), 404),
    (dict(Host="evil.example"), 421),
    (dict(name="api/describe", Origin="http://evil.example"), 403),
    (dict(target="/../../etc/passwd"), 404),
]


def watch(session: Session, name: str) -> Address:
    said = session.do(f"watch {name}")
    found = re.search(rf"^filter '{name}' is watched: (http://127\.0\.0\.1:\d+/[0-9a-f]{{32}}/)$", said, re.MULTILINE)
    if found is None:
        raise AssertionError(said)
    return Address(found[1])


def asked(page: Address, name: str) -> dict[str, Any]:
    result: dict[str, Any] = page.get("api/" + name).json()
    return result


def counts(statistics: dict[str, Any]) -> dict[str, Any]:
    """Messages from whom to whom, and the processes of each machine."""
    return {key: statistics[key] for key in ("messages", "processes")}


def whole(page: Address) -> dict[str, Any] | None:
    found = asked(page, "statistics")
    return None if "computing" in found else found


def has_ended(page: Address) -> bool:
    try:
        page.get()
    except ConnectionError:
        return True
    except EOFError:
        return False  # it ended while it answered: the next question is refused
    return False


def copies(site: Site) -> list[Any]:
    return list((site.folder / "scratch").iterdir())


def begin(site: Site, session: Session, talk: Talk) -> None:
    """Processes on all three hosts."""
    talk.begin(session)
    site.write_program("local-talk", LOCAL_TALK.replace("PYTHON", sys.executable + " -S"))
    said = session.do("newjob near", "setflags near send receive receivecall fork", "addprocess near blue local-talk",
                      "startjob near")
    expect("'local-talk' started." in said, said)


def scratch(site: Site) -> None:
    (site.folder / "scratch").mkdir()
    site.env["TMPDIR"] = str(site.folder / "scratch")


@over_cluster("3")
def case_watch(site: Site) -> None:
    """The page shows the processes of all three hosts while they run, and counts what the log holds in the end."""
    scratch(site)
    session, talk = Session(site), Talk(site)
    begin(site, session, talk)
    page = watch(session, "f1")
    viewer = Viewer(page)

    def machines() -> set[Any]:
        described = viewer.answer("describe")["answer"]
        names = {machine["id"]: machine["name"] for machine in described["machines"]}
        return {names[process["machine"]] for process in described["processes"] if not process["outside"]}

    wait_until(lambda: {"red", "green", "blue"} <= machines(), "processes of all three machines in the page")
    before = viewer.answer("overview")["answer"]["messages"]
    wait_until(lambda: viewer.answer("overview")["answer"]["messages"] > before + 100, "messages to become more")
    wait_until(lambda: viewer.answer("describe") and viewer.ticks, "news of the page")
    expect(viewer.ticks[-1]["state"] == "recording", viewer.ticks[-1])

    for command, words in REFUSED.items():
        said = session.do(command)
        expect(words in said, f"{command}: {said}")
    said = session.do("watch f1")
    expect(f"is watched already: {page.url}" in said, said)
    for request, status in STRANGERS:
        answer = page.get(**request)
        expect(answer.status == status and b"f1" not in answer.body, (request, answer.status))

    questions = talk.end(session)
    session.until("DONE: process local-talk in job 'near' terminated: reason: normal")
    session.do("rmjob talk", "rmjob near")
    wait_until(lambda: "getlog:" not in session.do("getlog f1 log"), "the log")
    talk.expect_whole("log", questions)
    in_log = json.loads(site.run(site.dpm, "statistics", "--json", "log"))
    wait_until(lambda: asked(page, "overview")["ledger"]["kept"] == in_log["ledger"]["kept"], "the page to have all of the log")
    wait_until(lambda: (found := whole(page)) and counts(found) == counts(in_log), "the page to count what the log has")
    expect(asked(page, "overview")["ledger"]["lost"] == 0, asked(page, "overview")["ledger"])

    said = session.do("watch")
    copied_kb = re.search(rf"f1  {page.url}  (\d+) (kB|MB)", said)
    log_kb = sum(file.stat().st_size for file in (site.folder / "log").rglob("*") if file.is_file()) / 1000
    print(f"{questions} questions; the log has {log_kb:.0f} kB: {said}")
    expect(copied_kb and int(copied_kb[1]) * {"kB": 1, "MB": 1000}[copied_kb[2]] < 3 * log_kb + 300, said)
    session.do("endfilter f1")
    wait_until(lambda: asked(page, "describe")["state"] == "ended", "the page to know the end")
    expect(len(copies(site)) == 1, copies(site))
    expect(session.leave("bye") == 1, session.said)  # some commands were refused
    expect("the page of filter 'f1' ends" in session.said and not copies(site), (session.said, copies(site)))
    expect(has_ended(page), "the page is still there")


@over_cluster("3")
def case_watch_host_disappears(site: Site) -> None:
    """The page stays with what has come, commands are not delayed, and the session reports what happened."""
    scratch(site)
    session, talk = Session(site), Talk(site)
    begin(site, session, talk)
    page = watch(session, "f1")
    wait_until(lambda: asked(page, "overview")["messages"] > 100, "messages in the page")
    site.run("cluster", "kill", "blue")
    session.until("LOST: machine blue: ", patience_s=90)
    session.until("WATCH: the log of filter 'f1' cannot be fetched: machine blue is not connected; dpm will try again")
    begun_s = time.monotonic()
    for _ in range(10):
        session.do("jobs")
    print(f"ten commands took {time.monotonic() - begun_s:.2f} s")
    said = session.do("watch")
    expect("not connected" in said, said)
    before = asked(page, "overview")["messages"]
    expect(before > 100 and asked(page, "describe")["state"] == "recording", before)
    said = session.do("unwatch f1", "watch f1")
    expect("machine blue is unreachable until a command reaches it again" in said, said)
    expect(not copies(site), copies(site))
    session.kill()


@over_cluster("3")
def case_watch_controller_killed(site: Site) -> None:
    """The page ends with its controller, and the copy is gone when the next controller starts."""
    scratch(site)
    session, talk = Session(site), Talk(site)
    begin(site, session, talk)
    page = watch(session, "f1")
    wait_until(lambda: asked(page, "overview")["messages"] > 100, "messages in the page")
    expect(len(copies(site)) == 1, copies(site))
    another = Session(site)
    another.do("watch")
    expect(len(copies(site)) == 1 and asked(page, "describe")["state"] == "recording", "a copy in use stays")
    session.kill()
    wait_until(lambda: has_ended(page), "the page to end")
    expect(len(copies(site)) == 1 and any(copies(site)[0].rglob("trace.json")), copies(site))
    following = Session(site)
    following.do("watch")
    expect(not copies(site), copies(site))
    for left in another, following:
        left.leave("bye")
