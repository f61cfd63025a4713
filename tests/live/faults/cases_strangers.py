"""What is not ours: another version of DPM, another user of the same machine."""

import os
import pathlib
import subprocess
import sys
import time
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))
from programs import Talk
from running import for_every_account
from session import PATIENCE_S, Session, Site, Skip, expect, over_cluster

NOBODY = 65534

# `dpm meterd --attach` of some other version: it answers what it is told to.
OTHER_DAEMON = """#!PYTHON
import json, struct, sys
def read(count):
    return sys.stdin.buffer.read(count)
length, version, kind, _ = struct.unpack("<IBBH", read(8))
body = read(length)
size, = struct.unpack_from("<I", body)
hello = json.loads(body[4:4 + size])
answer = json.dumps(ANSWER).encode()
body = struct.pack("<I", len(answer)) + answer
sys.stdout.buffer.write(struct.pack("<IBBH", len(body), FRAME, 2, 0) + body)
sys.stdout.buffer.flush()
sys.stdin.buffer.read()
"""


@over_cluster("1")
def case_other_version(site: Site) -> None:
    """A daemon of another version, or another program, is refused with a sentence that names it; nothing waits for it."""
    refused = {"type": "refused", "number": 1, "why": "the meterdaemon here has control version 99, its controller version 1"}
    newer = {"type": "welcome", "number": 1, "version": 99, "machine": "red", "addresses": [], "user": 0, "managed": []}
    # Each with the message about it.
    programs = {
        "refuses": (OTHER_DAEMON.replace("ANSWER", repr(refused)).replace("FRAME", "1"), "control version 99"),
        "newer": (OTHER_DAEMON.replace("ANSWER", repr(newer)).replace("FRAME", "1"), "red has control version 99"),
        "frames": (OTHER_DAEMON.replace("ANSWER", repr(newer)).replace("FRAME", "2"), "version"),
        "silent": ("#!PYTHON\nimport time\ntime.sleep(1000)\n", "answer"),
        "ends": ("#!/bin/sh\necho 'unknown command meterd' >&2\nexit 2\n", "unknown command meterd"),
        "prints": ("#!/bin/sh\necho 'Welcome to red!'\ncat\n", 'text came, "Welcome to red!"'),
    }
    for name, (text, why) in programs.items():
        site.write_program(name, text.replace("PYTHON", sys.executable + " -S"))
        session = Session(site, name)
        begin = time.monotonic()
        said = session.do("filter f1 red")
        print(f"{name}: after {time.monotonic() - begin:.1f} s: {said.strip()}")
        session.until(f"filter 'f1' was not created: .*({why})")
        expect(session.leave("bye") == 1, session.said)


def case_another_user(site: Site) -> None:
    """Another user of the machine can enter no socket, read no log, and acquire no process but their own."""
    if os.geteuid() != 0:
        raise Skip("only root can try as another user")
    session, talk = Session(site), Talk(site)
    site.folder.chmod(0o755)
    (site.folder / "run").chmod(0o700)
    os.umask(0o022)
    talk.begin(session)
    session.do("getlog f1 log")
    ours = session.pid_of("ask")
    secret_places = [*(site.folder / "run").rglob("*"), *(site.folder / "state-home").rglob("*")]
    expect(len(secret_places) > 8, secret_places)
    for place in secret_places:
        opened = as_nobody("cat", str(place), env=site.env)
        expect(opened.returncode != 0 and "Permission denied" in opened.stderr, f"{place}: {opened}")
    # A daemon of their own, which has their rights and no others.
    theirs = site.folder / "theirs"
    for name in ("", "run", "state"):
        (theirs / name).mkdir(mode=0o700)
        os.chown(theirs / name, NOBODY, NOBODY)
    session_of_nobody = as_nobody(for_every_account(site.dpm, site.folder), "control", "--launcher", "local", env={
        **site.env, "HOME": str(theirs), "XDG_RUNTIME_DIR": str(theirs / "run"), "XDG_STATE_HOME": str(theirs / "state")},
        given=f"filter f1\nnewjob stolen\nacquire stolen local {ours}\nadopt red green blue\njobs stolen\nbye\n", cwd=theirs)
    print(session_of_nobody.stdout)
    expect(f"process {ours} was not acquired: " in session_of_nobody.stdout, session_of_nobody)
    expect("there is nothing to adopt" in session_of_nobody.stdout, session_of_nobody)
    questions = talk.end(session)
    session.do("rmjob talk", "getlog f1 log2")
    talk.expect_whole("log2", questions)
    expect(session.leave("bye") == 0, session.said)


def as_nobody(*command: str, env: dict[str, Any] | None = None, given: str = "", cwd: pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True, env=env,
                          input=given, timeout=PATIENCE_S, cwd=cwd or "/", check=False)
