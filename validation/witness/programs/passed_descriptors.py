"""Descriptors passed over a UNIX stream, between data, as tmux, D-Bus, Wayland and browsers pass them: recvmsg() ends at each."""

NEEDS = ["/usr/bin/python3"]
SHORT = True


def play(stage):
    stage.note("received", stage.run(["/usr/bin/python3", stage.parts / "passed_descriptors.py", 20 if stage.quick else 60]))
