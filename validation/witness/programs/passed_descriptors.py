"""Descriptors passed over a UNIX stream, between data, as tmux, D-Bus, Wayland and browsers pass them: recvmsg() ends at each."""

from stage import Stage
NEEDS = ["/usr/bin/python3"]
SHORT = True


def play(stage: Stage) -> None:
    stage.note("received", stage.run(["/usr/bin/python3", stage.parts / "passed_descriptors.py", 20 if stage.quick else 60]))
