"""php -S with three workers: each waits for connections at one socket."""

import re
from stage import Stage

NEEDS = ["php", "ab", "curl"]
PORTS = ["http"]
SHORT = True
WORKERS = 3


def play(stage: Stage) -> None:
    port, requests = stage.port("http"), 60 if stage.quick else 1000
    server = stage.start(["php", "-q", "-S", f"127.0.0.1:{port}", "-t", stage.parts / "www"], env={"PHP_CLI_SERVER_WORKERS": str(WORKERS)})
    stage.wait_for_port("http")
    address = f"http://127.0.0.1:{port}/index.php?n="
    stage.note("curl", [stage.run(["curl", "-s", f"{address}{20 * number}"]) for number in range(1, 6)])
    said = stage.run(["ab", "-q", "-n", requests, "-c", 4, f"{address}50"])
    stage.note("ab", re.findall(r"(?:Complete requests|Failed requests|Total transferred): +(\d+)", said))
    workers = stage.children_of(server)
    stage.kill(server)
    for worker in workers:
        stage.kill(worker)
    stage.wait(server)
