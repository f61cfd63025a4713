"""An echo server in Rust with a thread for each connection, and four clients in the same process."""

import subprocess
from stage import Stage
from typing import Any

NEEDS = ["rustc"]


def prepare(folder: Any, parts: Any) -> None:
    subprocess.run(["rustc", "-O", "-o", folder / "echo", parts / "echo.rs"], check=True, capture_output=True)


def play(stage: Stage) -> None:
    stage.note("sums", stage.run([stage.prepared / "echo", 60 if stage.quick else 1000], status=3))
