"""nbdkit with four threads; nbdcopy writes a megabyte over two connections, and reads it back over one."""

import hashlib
from stage import Stage

NEEDS = ["nbdkit", "nbdcopy"]
PORTS = ["nbd"]
SHORT = True


def play(stage: Stage) -> None:
    port, size = stage.port("nbd"), (1 << 20) * (1 if stage.quick else 16)
    block = hashlib.sha512(b"block").digest()
    source = b"".join(hashlib.sha512(block + bytes([number % 251])).digest() for number in range(size // 64))
    (stage.folder / "source").write_bytes(source)
    (stage.folder / "image").write_bytes(bytes(size))
    server = stage.start(["nbdkit", "-f", "-p", port, "-i", "127.0.0.1", "-t", "4", "file", stage.folder / "image"])
    stage.wait_for_port("nbd")
    address = f"nbd://127.0.0.1:{port}"
    stage.run(["nbdcopy", "--requests=4", "--connections=2", "source", address])
    stage.run(["nbdcopy", "--connections=1", "--synchronous", address, "back"])
    stage.note("what comes back", hashlib.sha256((stage.folder / "back").read_bytes()).hexdigest())
    stage.stop(server)
