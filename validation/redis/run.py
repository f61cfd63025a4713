#!/usr/bin/python3
"""redis on one host and two clients on others, created, metered, started, stopped and collected by `dpm control`."""

import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
import system as systems
from validation import validate

PORT = 7000
JOB = """newjob {job}
setflags {job} send receive receivecall accept connect
"""
FILTER = f"""filter f1 {{filter}}
{JOB.format(job="server")}addprocess server {{server}} {{redis}} --port {PORT} --bind 0.0.0.0 --protected-mode no --save ''
startjob server
"""
CLIENTS = f"""{JOB.format(job="clients")}addprocess clients {{one}} {{benchmark}} -h {{server}} -p {PORT} -c 5 -n {{requests}} -t get --csv
addprocess clients {{two}} {{benchmark}} -h {{server}} -p {PORT} -c 5 -n {{requests}} -t set --csv
startjob clients
wait clients
addprocess clients {{one}} {{client}} -h {{server}} -p {PORT} shutdown nosave
startjob clients
wait
rmjob clients
rmjob server
getlog f1 {{log}}
bye
"""


def play(system: systems.System) -> None:
    server, one, two, collecting = system.hosts
    names = {
        "server": server, "one": one, "two": two, "filter": collecting, "redis": systems.program("redis-server"),
        "benchmark": systems.program("redis-benchmark"), "client": systems.program("redis-cli"),
        "requests": 1000 if system.quick else 20_000, "log": system.folder / "log"}
    # The output of daemons and filters goes to the folder of the traces, too.
    dpm = system.folder / "dpm"
    folder, program = shlex.quote(str(system.folder)), shlex.quote(str(system.dpm))
    dpm.write_text(f"#!/bin/sh\nexport XDG_STATE_HOME={folder}/state-$(uname -n)\nexec {program} \"$@\"\n")
    dpm.chmod(0o755)
    controlled = systems.Part(collecting, system.folder / "log")
    system.parts.append(controlled)
    with controlled.log.open("w") as said:
        session = subprocess.Popen([system.dpm, "control", "--dpm", dpm], stdin=subprocess.PIPE, stdout=said,
                                   stderr=said, text=True)
        controlled.session = session
        assert session.stdin
        session.stdin.write(FILTER.format(**names))
        session.stdin.flush()
        system.wait_for_port(one, server, PORT)
        session.stdin.write(CLIENTS.format(**names))
        session.stdin.close()
    if (status := controlled.wait()) != 0:
        raise systems.Failed(f"dpm control ended with {status}:\n{controlled.words()}")
    if (ended := controlled.all_words().count("terminated: reason: normal")) != 4:
        raise systems.Failed(f"{ended} of 4 programs ended well:\n{controlled.words()}")


validate(__file__, ["redis-server", "redis-benchmark", "redis-cli"], play)
