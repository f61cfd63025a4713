"""nbd-server, a daemon that forks for each connection; nbdcopy writes and reads back."""

import hashlib
from stage import Stage

NEEDS = ["nbd-server", "nbdcopy"]
PORTS = ["nbd"]
HANDS_ON = "a child uses what its parent accepts"


def play(stage: Stage) -> None:
    port, size = stage.port("nbd"), (1 << 20) * (1 if stage.quick else 8)
    source = b"".join(hashlib.sha512(bytes([number % 251])).digest() for number in range(size // 64))
    (stage.folder / "source").write_bytes(source)
    (stage.folder / "image").write_bytes(bytes(size))
    (stage.folder / "configuration").write_text(
        f"[generic]\nport = {port}\nlistenaddr = 127.0.0.1\n[disk]\nexportname = {stage.folder}/image\n")
    stage.run(["nbd-server", "-C", stage.folder / "configuration", "-p", stage.folder / "pid"])
    stage.wait_for_port("nbd")
    address = f"nbd://127.0.0.1:{port}/disk"
    copy = ["nbdcopy", "--synchronous", "--connections=1"]
    stage.run([*copy, "source", address])
    stage.run([*copy, address, "back"])
    stage.note("what comes back", hashlib.sha256((stage.folder / "back").read_bytes()).hexdigest())
    stage.kill(int((stage.folder / "pid").read_text()))
