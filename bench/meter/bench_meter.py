#!/usr/bin/env python3
"""What metering costs: ratios of alternating runs on this machine, with the goals beside them. README.md says more."""

import argparse
import pathlib
import sys
from collections.abc import Callable

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True

import calls
import flood
import ledger
import nginx
import postgresql
import redis
import waiting
import ways


def main() -> None:
    sections: dict[str, Callable[[ways.Tools, argparse.Namespace], None]] = {
        "calls": lambda tools, asked: calls.recorded_calls(tools, asked.turns, asked.seconds),
        "kernel": lambda tools, asked: calls.calls_recorded_in_the_kernel(tools, asked.turns, asked.seconds),
        "nothing": lambda tools, asked: calls.what_costs_nothing(tools, asked.turns, asked.seconds),
        "waiting": lambda tools, asked: waiting.requests(tools, asked.turns),
        "redis": lambda tools, asked: redis.throughput(tools, asked.turns, asked.seconds),
        "nginx": lambda tools, asked: nginx.throughput(tools, asked.turns, asked.seconds),
        "postgresql": lambda tools, asked: postgresql.throughput(tools, asked.turns, asked.seconds),
        "ledger": lambda tools, asked: ledger.million(tools, asked.events),
        "soak": lambda tools, asked: ledger.soak(tools, asked.soak),
        "flood": lambda tools, asked: flood.floods(tools, asked.soak),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="of " + ", ".join(sections) + " (default: all)")
    parser.add_argument("--build", default=FOLDER.parents[1] / "build/release", help="the build folder")
    parser.add_argument("--turns", type=int, default=5, help="how often each way runs (default: 5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each run takes (default: 0.5)")
    parser.add_argument("--events", type=int, default=1_000_000, help="of the section ledger (default: a million)")
    parser.add_argument("--soak", type=float, default=10, metavar="SECONDS", help="of the sections soak and flood (default: 10)")
    asked = parser.parse_args()
    for section in asked.sections:
        if section not in sections:
            parser.error(f"no section '{section}' (there are: {', '.join(sections)})")
    with ways.Tools(asked.build) as tools:
        for section in asked.sections or sections:
            sections[section](tools, asked)


if __name__ == "__main__":
    main()
