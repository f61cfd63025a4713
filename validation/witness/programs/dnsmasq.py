"""dnsmasq, asked by dig over UDP and TCP (for which it forks) and by dnsperf."""

import re
from stage import Stage
from typing import Any

NEEDS = ["dnsmasq", "dig", "dnsperf"]
PORTS = ["dns"]
SHORT = True
OPEN = {"messages": "a datagram that comes while a receive finds none is missed",
        "counters": "a datagram that comes while a receive finds none is missed"}
NAMES = 400
TCP_QUERIES = 1


def prepare(folder: Any, _: Any) -> None:
    (folder / "hosts").write_text("".join(f"10.0.{i // 250}.{i % 250 + 1} host{i}.example.test\n" for i in range(NAMES)))
    (folder / "questions").write_text("".join(f"host{i}.example.test A\n" for i in range(NAMES)))


def play(stage: Stage) -> None:
    port, times = stage.port("dns"), 1 if stage.quick else 10
    server = stage.start(["dnsmasq", "--no-daemon", "-p", port, "--listen-address=127.0.0.1", "--bind-interfaces", "--no-resolv", "--no-hosts",
                          f"--addn-hosts={stage.prepared}/hosts", "--conf-file=/dev/null", "--log-queries", f"--log-facility={stage.folder}/queries",
                          "--user=root", "--pid-file="])
    stage.wait_for_port("dns", "udp")
    dig = ["dig", "+noall", "+answer", "@127.0.0.1", "-p", port]
    stage.note("dig", [stage.run([*dig, f"host{number}.example.test"]) for number in range(5)])
    stage.note("dig over TCP", stage.run([*dig, "+tcp", "host11.example.test"]))
    load = stage.run(["dnsperf", "-s", "127.0.0.1", "-p", port, "-d", stage.prepared / "questions", "-n", times, "-c", 4, "-T", 1, "-t", 60])
    stage.note("dnsperf", re.findall(r"Queries (?:completed|lost): +(\d+)", load))
    stage.stop(server)
    queries = (stage.folder / "queries").read_text().count("query[A]")
    stage.counter("queries in its log, by UDP", queries - TCP_QUERIES, program="dnsmasq", way="RECEIVE", service="udp datagrams", of="messages")
