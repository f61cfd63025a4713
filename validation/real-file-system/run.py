#!/usr/bin/env python3
"""The file system's servers, its users and its disk, over sockets, on one core and on two."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from native_programs import native_study
from real_programs import main

PROCESSES = ["disk_interface", "buffer_manager", "directory_manager", "request_interpreter", "user", "name_server", "disk"]


def second(*processes: str) -> dict[str, int | list[int]]:
    return {process: int(process in processes) for process in PROCESSES}


main(native_study("file-system", {"users": 4, "requests": 3},
                {"one-core": second(),
                 "disk-apart": second("disk"),
                 "halves": second("disk_interface", "buffer_manager", "disk"),
                 "servers-apart": second("disk_interface", "buffer_manager", "directory_manager", "request_interpreter")},
                traced_on=["one-core", "halves"]))
