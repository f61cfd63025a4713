"""ZeroMQ: a client, a broker and three workers, each a process with threads of the library's own."""

from stage import Stage
NEEDS = ["/usr/lib/python3/dist-packages/zmq"]
PORTS = ["front", "back"]
VARIES = [("^python.* tcp back", "which worker gets a request is chance"),
          ("^python.* tcp", "the library sends again what a full socket refuses, and connects again until the broker listens")]


def play(stage: Stage) -> None:
    stage.note("answers", stage.run(["/usr/bin/python3", stage.parts / "zeromq_parts.py", stage.port("front"), stage.port("back"),
                                     40 if stage.quick else 500]))
