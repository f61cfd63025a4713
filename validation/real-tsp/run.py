#!/usr/bin/env python3
"""A travelling salesman's controller and servers, over sockets, on one core and on two."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from native_programs import native_study
from real_programs import main

main(native_study("tsp", {"size": 8, "servers": 4},
                {"one-core": {"controller": 0, "server": 0},
                 "halves": {"controller": 0, "server": [0, 1]},
                 "three-apart": {"controller": 0, "server": [0, 1, 1, 1]},
                 "servers-apart": {"controller": 0, "server": 1}},
                traced_on=["one-core", "halves"], order="role"))
