#!/usr/bin/python3
"""A Go program, statically linked: goroutines over TCP, UNIX sockets, UDP and pipes, while its runtime preempts itself by signals."""

import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import real_program
import running


def build(folder: Any) -> pathlib.Path:
    """The program's path. It is built here and not by CMake: the compiler may have been installed after the build was configured."""
    program = pathlib.Path(folder) / "go_program"
    environment = dict(os.environ, CGO_ENABLED="0", GOFLAGS="", GO111MODULE="off", GOCACHE=str(pathlib.Path(folder) / "go-cache"))
    subprocess.run(["go", "build", "-o", program, HERE / "go_program.go"], env=environment, check=True)
    return program


def play(session: real_program.Session) -> None:
    if not shutil.which("go"):
        running.skip("there is no Go compiler (golang-go)")
    program = build(session.options.build_folder)
    with session.meter_killed():
        done = session.run([str(program)], metered=True)
    session.note("results", (done.returncode, done.stdout))


real_program.main(play)
