"""A server that forks for each connection and computes until its last call: what is exact must stay so, and planted errors must show."""

from stage import Stage
NEEDS = ["/usr/bin/python3"]
PORTS = ["echo"]
SHORT = True
HANDS_ON = "a child uses what its parent accepts"


def play(stage: Stage) -> None:
    port, connections = stage.port("echo"), 12 if stage.quick else 60
    server = stage.start(["/usr/bin/python3", stage.parts / "forking_server.py", port, connections])
    stage.wait_for_port("echo")
    stage.note("client", stage.run(["/usr/bin/python3", stage.parts / "echo_client.py", port, connections]))
    stage.note("the server's end", stage.wait(server))
