#!/usr/bin/python3
"""git over loopback: a daemon serves a repository that is cloned and pushed to."""

import os
import pathlib
import random
import subprocess
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program

WHO = {"GIT_AUTHOR_NAME": "tester", "GIT_AUTHOR_EMAIL": "t@localhost", "GIT_COMMITTER_NAME": "tester",
       "GIT_COMMITTER_EMAIL": "t@localhost", "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
       "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z", "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": "/nonexistent"}

# In the place of the server's `git pack-objects`: hands on a part of the pack, then small pieces until the meter has been
# killed, then the rest.
HOOK = """#!/usr/bin/python3
import os, pathlib, subprocess, sys, time
folder = pathlib.Path({folder!r})
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
pack, sent = done.stdout, len(done.stdout) // 3
sys.stdout.buffer.write(pack[:sent])
sys.stdout.buffer.flush()
(folder / "progress").touch()
while not (folder / "struck").exists():
    if sent < len(pack) * 2 // 3:
        sent += os.write(1, pack[sent:sent + 1000])
    time.sleep(0.001)
sys.stdout.buffer.write(pack[sent:])
sys.stdout.buffer.flush()
sys.exit(done.returncode)
"""


def play(session: real_program.Session) -> None:
    hook = session.folder / "hook"
    hook.write_text(HOOK.format(folder=str(session.folder)))
    hook.chmod(0o755)
    (session.folder / "configuration").write_text(f"[uploadpack]\n\tpackObjectsHook = {hook}\n")

    def git(*words: str, metered: bool = False, folder: str = "work", **how: Any) -> subprocess.CompletedProcess[Any]:
        return session.run(["git", *words], metered=metered, env=WHO, cwd=session.folder / folder, **how)

    (session.folder / "work").mkdir()
    git("init", "-q", "-b", "main")
    for number in range(20):
        (session.folder / "work" / f"file{number}").write_bytes(random.Random(number).randbytes(60000))
        git("add", ".")
        git("commit", "-q", "-m", f"change {number}")
    git("clone", "-q", "--bare", "work", "served", folder=".")
    port = real_program.free_port()
    server = session.start(["git", "daemon", f"--port={port}", "--listen=127.0.0.1", "--base-path=" + str(session.folder),
                            "--export-all", "--enable=receive-pack", "--reuseaddr"],
                           env={**WHO, "GIT_CONFIG_GLOBAL": str(session.folder / "configuration")})
    session.wait_for_port(port)
    address = f"git://127.0.0.1:{port}/served"
    with session.meter_killed():
        done = git("clone", "-q", address, "cloned", metered=True, folder=".")
    session.note("clone", (done.returncode, done.stdout))
    session.note("what was cloned", git("log", "--format=%H %s", folder="cloned").stdout)
    session.note("fsck", git("fsck", "--full", folder="cloned").returncode)
    (session.folder / "cloned" / "new").write_text("new\n")
    git("add", ".", folder="cloned")
    git("commit", "-q", "-m", "new", folder="cloned")
    done = git("push", "-q", address, "main", metered=session.mode == "metered", folder="cloned")
    session.note("push", (done.returncode, done.stdout))
    session.note("what was pushed", git("rev-parse", "main", folder="served").stdout)
    session.note("the daemon's end", session.stop(server))


if os.environ.get("GIT_DIR"):
    del os.environ["GIT_DIR"]
real_program.main(play, needs=["git"])
