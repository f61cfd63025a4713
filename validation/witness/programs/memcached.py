"""memcached with four threads; a client that asks on four connections, one after the other."""

import re
from stage import Stage

NEEDS = ["memcached"]
PORTS = ["memcached"]
SHORT = True


def play(stage: Stage) -> None:
    port = stage.port("memcached")
    server = stage.start(["memcached", "-p", port, "-l", "127.0.0.1", "-U", "0", "-t", "4", "-u", "root"])
    stage.wait_for_port("memcached")
    said = stage.run(["/usr/bin/python3", stage.parts / "memcached_client.py", port, 4, 60 if stage.quick else 500])
    results, statistics = said.splitlines()
    stage.note("client", results)
    counted = dict(re.findall(r"(\w+)=(\d+)", statistics))
    stage.counter("bytes_read", int(counted["bytes_read"]), program="memcached", way="RECEIVE", service="tcp memcached", of="bytes")
    # The answer that says bytes_written is not yet in it.
    written = int(counted["bytes_written"]) + int(counted["answer"])
    stage.counter("bytes_written", written, program="memcached", way="SEND", service="tcp memcached", of="bytes")
    stage.counter("total_connections", int(counted["total_connections"]) - 1, program="memcached", of="accepts")
    stage.answer_varies("tcp memcached", int(counted["answer"]), "statistics hold times and the number of the process")
    stage.stop(server)
