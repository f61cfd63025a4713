"""A ring of Erlang processes that pass a token over TCP, on four schedulers."""

import subprocess
from stage import Stage
from typing import Any

NEEDS = ["erl", "erlc"]
VARIES = [("beam.smp .* (pipe|unix)|erl_child_setup .*|inet_gethost .* pipe", "how often schedulers wake one another is chance")]


def prepare(folder: Any, parts: Any) -> None:
    subprocess.run(["erlc", "-o", folder, parts / "ring.erl"], check=True)


def play(stage: Stage) -> None:
    stage.note("token", stage.run(["erl", "+S", "4:4", "-noshell", "-pa", stage.prepared, "-s", "ring", "main", 8,
                                   20 if stage.quick else 300], env={"HOME": str(stage.folder)}))
