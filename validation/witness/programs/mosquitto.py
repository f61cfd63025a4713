"""mosquitto, two subscribers and three publishers, one after the other, QoS 1."""

import hashlib

NEEDS = ["mosquitto", "mosquitto_sub", "mosquitto_pub"]
PORTS = ["mqtt"]
SHORT = True
VARIES = [("^mosquitto_(pub|sub) (RECEIVE|SEND) unix", "how often a client wakes its own loop is chance")]


def play(stage):
    port, messages = stage.port("mqtt"), 50 if stage.quick else 1000
    configuration = stage.folder / "configuration"
    configuration.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\nsys_interval 0\nlog_type subscribe\n"
                             f"log_type notice\nlog_dest file {stage.folder}/log\n"
                             "max_queued_messages 0\n")  # or messages are dropped when a subscriber gets no CPU for a while
    server = stage.start(["mosquitto", "-c", configuration])
    stage.wait_for_port("mqtt")
    subscribe = ["mosquitto_sub", "-p", port, "-q", "1"]
    subscribers = [stage.start([*subscribe, "-t", "a/#", "-C", 3 * messages]), stage.start([*subscribe, "-t", "a/1", "-C", messages])]
    stage.wait_until("both have subscribed", lambda: (stage.folder / "log").read_text().count(" a/") == len(subscribers))
    for topic in range(1, 4):
        lines = stage.folder / f"lines-{topic}"
        lines.write_text("".join(f"message {topic} {number}\n" for number in range(messages)))
        stage.run(["mosquitto_pub", "-p", port, "-t", f"a/{topic}", "-l", "-q", "1"], stdin=lines)
    received = []
    for pid in subscribers:
        status, said = stage.wait(pid)
        received.append((status, len(said), hashlib.sha256("".join(sorted(said.splitlines())).encode()).hexdigest()))
    stage.note("what subscribers got", received)
    # Each client's last word has been read by the broker, or it may end before.
    stage.wait_until("all have left", lambda: (stage.folder / "log").read_text().count(" disconnected.") == len(subscribers) + 3)
    stage.stop(server)
