"""unbound with four threads at one UDP port, asked by dnsperf from four sockets."""

import re
from stage import Stage
from typing import Any

NEEDS = ["unbound", "unbound-control", "dnsperf", "dig"]
PORTS = ["dns"]
VARIES = [("^unbound-control RECEIVE|^unbound SEND unix$", "statistics have more digits or fewer"),
          ("^unbound (SEND|RECEIVE) (unix|pipe)", "the commands that its threads give one another when they end are taken in any number of calls")]
OPEN = {"division": "if a send is being made at each look at a UNIX stream, two receives may divide its bytes in another way",
        "cpu": "in one run of three, 4.5 ms of the time in which the kernel ends a process with several threads are missing"}
NAMES = 400


def prepare(folder: Any, _: Any) -> None:
    (folder / "questions").write_text("".join(f"host{i}.example.test A\n" for i in range(NAMES)))


def play(stage: Stage) -> None:
    port, times = stage.port("dns"), 1 if stage.quick else 10
    records = "".join(f'  local-data: "host{i}.example.test. A 10.0.{i // 250}.{i % 250 + 1}"\n' for i in range(NAMES))
    configuration = stage.folder / "configuration"
    configuration.write_text(f"""server:
  verbosity: 0
  num-threads: 4
  interface: 127.0.0.1
  port: {port}
  do-daemonize: no
  username: ""
  chroot: ""
  directory: "{stage.folder}"
  pidfile: ""
  use-syslog: no
  logfile: ""
  statistics-cumulative: yes
  extended-statistics: yes
  trust-anchor-signaling: no
  root-key-sentinel: no
  local-zone: "example.test." static
{records}remote-control:
  control-enable: yes
  control-interface: {stage.folder}/control
  control-use-cert: no
""")
    server = stage.start(["unbound", "-c", configuration, "-d"])
    stage.wait_for_port("dns", "udp")
    control = ["unbound-control", "-c", configuration]
    stage.run([*control, "status"])  # it answers when its threads do
    dig = ["dig", "+noall", "+answer", "@127.0.0.1", "-p", port]
    stage.note("dig", [stage.run([*dig, f"host{number}.example.test"]) for number in range(5)])
    load = stage.run(["dnsperf", "-s", "127.0.0.1", "-p", port, "-d", stage.prepared / "questions", "-n", times, "-c", 4, "-T", 1])
    stage.note("dnsperf", re.findall(r"Queries (?:completed|lost): +(\d+)", load))
    said = stage.run([*control, "stats_noreset"])
    queries = int(re.findall(r"total.num.queries=(\d+)", said)[0])
    for way in ("RECEIVE", "SEND"):
        stage.counter("total.num.queries", queries, program="unbound", way=way, service="udp datagrams", of="messages")
    stage.stop(server)
