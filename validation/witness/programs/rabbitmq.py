"""RabbitMQ, a publisher that takes its own messages back, and the daemon that knows its node's name."""

import os
from stage import Stage

NEEDS = ["/usr/lib/rabbitmq/bin/rabbitmq-server", "epmd", "/usr/lib/python3/dist-packages/pika"]
PORTS = ["amqp", "names", "distribution"]
VARIES = [("", "what Erlang nodes say to one another at their start and end depends on time")]


def play(stage: Stage) -> None:
    port = stage.port("amqp")
    programs, node = "/usr/lib/rabbitmq/bin", "witness@localhost"
    around = {"RABBITMQ_NODENAME": node, "RABBITMQ_NODE_PORT": str(port), "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
              "RABBITMQ_MNESIA_BASE": str(stage.folder / "mnesia"), "RABBITMQ_LOG_BASE": str(stage.folder / "log"),
              "RABBITMQ_ENABLED_PLUGINS_FILE": str(stage.folder / "plugins"), "RABBITMQ_CONFIG_FILE": str(stage.folder / "none"),
              "RABBITMQ_DIST_PORT": str(stage.port("distribution")), "ERL_EPMD_PORT": str(stage.port("names")),
              "ERL_EPMD_ADDRESS": "127.0.0.1", "HOME": str(stage.folder), "RABBITMQ_PID_FILE": str(stage.folder / "pid")}
    (stage.folder / "plugins").write_text("[].\n")
    names = stage.start(["epmd"], env=around)  # or the node starts one that stays
    stage.wait_for_port("names")
    server = stage.start([f"{programs}/rabbitmq-server"], env=around)
    stage.wait_for_port("amqp", limit_s=300)  # under both witnesses an Erlang node of this size starts slowly
    stage.note("client", stage.run(["/usr/bin/python3", stage.parts / "rabbitmq_client.py", port, 40 if stage.quick else 500]))
    os.kill(int((stage.folder / "pid").read_text()), 15)
    stage.wait(server)
    stage.stop(names)
