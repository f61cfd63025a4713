"""A server of four processes that wait for connections at one socket, as prefork servers do: one gets a connection, the others EAGAIN."""

import subprocess
from stage import Stage
from typing import Any

NEEDS = ["gcc"]
PORTS = ["echo"]
SHORT = True
CONNECTIONS = 60


def prepare(folder: Any, parts: Any) -> None:
    subprocess.run(["gcc", "-O1", "-o", folder / "prefork_server", parts / "prefork_server.c"], check=True)


def play(stage: Stage) -> None:
    connections = CONNECTIONS if stage.quick else 20 * CONNECTIONS
    server = stage.start([stage.prepared / "prefork_server", stage.port("echo"), connections])
    stage.wait_for_port("echo")
    stage.note("client", stage.run(["/usr/bin/python3", stage.parts / "echo_client.py", stage.port("echo"), connections]))
    stage.note("the server's end", stage.wait(server))
