"""Four threads that take datagrams from one non-blocking UDP socket, as DNS, QUIC and syslog servers do; and four that wait in recv()."""

import subprocess
from stage import Stage
from typing import Any

NEEDS = ["gcc"]
SHORT = True


def prepare(folder: Any, parts: Any) -> None:
    subprocess.run(["gcc", "-O1", "-pthread", "-o", folder / "udp_readers", parts / "udp_readers.c"], check=True)


def play(stage: Stage) -> None:
    for how in ("poll", "block"):
        stage.note(how, stage.run([stage.prepared / "udp_readers", how, 1000 if stage.quick else 20000]))
