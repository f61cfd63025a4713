"""nats-server; four subscribers and a publisher in one process."""

import json
from stage import Stage

NEEDS = ["nats-server", "curl"]
PORTS = ["nats", "monitor"]
VARIES = [("^nats-server .* pipe", "how often a Go program wakes a thread of its own is chance"),
          ("(nats-server|curl) .* tcp monitor", "what the server says of itself is as long as the numbers in it"),
          ("nats-server .* tcp nats|python.* tcp nats", "the server asks its clients whether they are there (PING) when it likes")]


def play(stage: Stage) -> None:
    port, monitor, messages = stage.port("nats"), stage.port("monitor"), 30 if stage.quick else 500
    server = stage.start(["nats-server", "-a", "127.0.0.1", "-p", port, "-m", monitor, "--log", stage.folder / "log"])
    stage.wait_for_port("nats")
    stage.wait_for_port("monitor")
    stage.note("subscribers", stage.run(["/usr/bin/python3", stage.parts / "nats_client.py", port, messages]))
    counted = json.loads(stage.run(["curl", "-s", f"http://127.0.0.1:{monitor}/varz"]))
    stage.note("messages by its own count", (counted["in_msgs"], counted["out_msgs"]))
    # The monitor's connection is one more.
    stage.counter("total_connections", counted["total_connections"] + 1, program="nats-server", of="accepts")
    stage.stop(server)
