"""Java's HttpServer with four workers, and a Java client with four threads."""

import subprocess
from stage import Stage
from typing import Any

NEEDS = ["java", "javac"]
PORTS = ["http"]
VARIES = [("^java .* (unix|pipe)", "how often a selector is woken depends on which thread is ready"),
          ("^java .* tcp http", "which connection of its pool a client's thread gets is chance, and so is how many it opens")]


def prepare(folder: Any, parts: Any) -> None:
    subprocess.run(["javac", "-d", folder, parts / "HttpPart.java"], check=True)


def play(stage: Stage) -> None:
    java = ["java", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Dsun.net.httpserver.nodelay=true", "-cp", stage.prepared, "HttpPart"]
    server = stage.start([*java, "serve", stage.port("http")])
    stage.wait_for_port("http")
    stage.note("client", stage.run([*java, "ask", stage.port("http"), 4, 20 if stage.quick else 300]))
    stage.kill(server)
    stage.note("the server's end", stage.wait(server)[0])
