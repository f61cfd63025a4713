"""A ring of Erlang processes that pass a token over TCP, on four schedulers."""

import subprocess

NEEDS = ["erl", "erlc"]
VARIES = [("beam.smp .* (pipe|unix)|erl_child_setup .*|inet_gethost .* pipe", "how often schedulers wake one another is chance")]


def prepare(folder, parts):
    subprocess.run(["erlc", "-o", folder, parts / "ring.erl"], check=True)


def play(stage):
    stage.note("token", stage.run(["erl", "+S", "4:4", "-noshell", "-pa", stage.prepared, "-s", "ring", "main", 8,
                                   20 if stage.quick else 300], env={"HOME": str(stage.folder)}))
