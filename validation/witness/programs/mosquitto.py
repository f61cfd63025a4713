"""mosquitto, two subscribers and three publishers, one after the other, QoS 1."""

import hashlib
import subprocess
from stage import Stage
from typing import Any

NEEDS = ["mosquitto", "mosquitto_sub", "mosquitto_pub"]
PORTS = ["mqtt"]
SHORT = True
VARIES = [("^mosquitto_(pub|sub) (RECEIVE|SEND) unix", "how often a client wakes its own loop is chance")]


def prepare(folder: Any, parts: Any) -> None:
    """The clients count how often they wake themselves: the only witness of the metered run, as two runs differ in it."""
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", folder / "counts_itself.so", parts / "counts_itself.c", "-ldl"], check=True)


def play(stage: Stage) -> None:
    port, messages = stage.port("mqtt"), 50 if stage.quick else 1000
    configuration = stage.folder / "configuration"
    configuration.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\nsys_interval 0\nlog_type subscribe\n"
                             f"log_type notice\nlog_dest file {stage.folder}/log\n"
                             "max_queued_messages 0\n")  # or messages are dropped when a subscriber gets no CPU for a while
    server = stage.start(["mosquitto", "-c", configuration])
    stage.wait_for_port("mqtt")
    subscribe = ["mosquitto_sub", "-p", port, "-q", "1"]
    subscribers = [stage.start([*subscribe, "-t", "a/#", "-C", 3 * messages], env=_counting(stage, "sub")),
                   stage.start([*subscribe, "-t", "a/1", "-C", messages], env=_counting(stage, "sub"))]
    stage.wait_until("both have subscribed", lambda: (stage.folder / "log").read_text().count(" a/") == len(subscribers))
    for topic in range(1, 4):
        lines = stage.folder / f"lines-{topic}"
        lines.write_text("".join(f"message {topic} {number}\n" for number in range(messages)))
        stage.run(["mosquitto_pub", "-p", port, "-t", f"a/{topic}", "-l", "-q", "1"], stdin=lines, env=_counting(stage, "pub"))
    _count(stage, "pub")
    received = []
    for pid in subscribers:
        status, said = stage.wait(pid)
        received.append((status, len(said), hashlib.sha256("".join(sorted(said.splitlines())).encode()).hexdigest()))
    stage.note("what subscribers got", received)
    _count(stage, "sub")
    # Each client's last word has been read by the broker, or it may end before.
    stage.wait_until("all have left", lambda: (stage.folder / "log").read_text().count(" disconnected.") == len(subscribers) + 3)
    stage.stop(server)


def _counting(stage: Stage, client: str) -> dict[str, Any]:
    counts = stage.folder / f"counts-{client}"
    counts.mkdir(exist_ok=True)
    return {"LD_PRELOAD": str(stage.prepared / "counts_itself.so"), "COUNTS": str(counts)}


def _count(stage: Stage, client: str) -> None:
    """What the clients of one program counted; all of them have ended."""
    program = f"mosquitto_{client}"
    counted = [[int(number) for number in file.read_text().split()] for file in (stage.folder / f"counts-{client}").iterdir()]
    for way, moved in zip(("SEND", "RECEIVE"), map(sum, zip(*counted))):
        stage.counter(f"bytes by which {program} wakes itself, {way}", moved, program=program, of="bytes", way=way, service="unix")
