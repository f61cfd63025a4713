#!/usr/bin/python3
"""check_slow_replies.py --dpm DPM --programs FOLDER --example FOLDER: one script on a server that uses libdpm, and on a redis that was not
changed. What it reports live is what the client measured, and what dpm events finds again in the trace."""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
from typing import Any

LIMIT_MS = 10


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def expect(holds: object, what: object) -> None:
    if not holds:
        raise Failed(what)


def free_port() -> Any:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def high_level(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{") and '"when"' in line]


def check(options: argparse.Namespace, folder: Any, server: Any, more: list[Any]) -> None:
    port, trace, script = free_port(), folder / "trace", options.example / "slow.events"
    environment = {**os.environ, "DPM_MONITOR_FOLDER": str(folder / "shared")}
    words = [options.dpm, "script", "--json", "-o", str(folder / "events"), "--trace", str(trace), str(script), "--",
             str(options.example / "try_server.py"), str(port), str(options.programs / "backup"), str(server), "--port", str(port), *more]
    done = subprocess.run(words, env=environment, cwd=folder, text=True, capture_output=True, timeout=120)
    if "does not use libdpm: looking at functions" in done.stderr:
        raise Skipped(done.stderr)
    expect(done.returncode == 0, done.stderr)
    made = [line.split() for line in done.stdout.splitlines() if line.split()[0] in ("before", "during", "after")]
    expect(len(made) == 8 and all(reply in ("+PONG", "+OK") for _, _, _, reply in made), done.stdout)
    # A fast request may be slow on a busy machine: the client's time is an upper bound of the server's.
    surely = sum(when == "during" and kind == "slow" for when, kind, _, _ in made)
    at_most = sum(when == "during" and float(took_ms) >= LIMIT_MS for when, _, took_ms, _ in made)
    live = high_level(done.stderr)
    expect(surely <= len(live) <= at_most and surely == 2, (made, live, done.stderr))
    expect(all(event["when"] == "slow" and event["parts"][0]["event"] == "accepted" for event in live), live)
    again = subprocess.run([options.dpm, "events", "--json", "--script", str(script), str(trace)], env=environment, cwd=folder, text=True,
                           capture_output=True, timeout=120)
    found = high_level(again.stdout)

    def values(events: list[dict[str, Any]]) -> list[Any]:
        return [event["parts"][0]["value"] for event in events]

    expect(values(found) == values(live), (live, found, again.stderr))
    print(f"       {len(live)} of {len(made)} requests were slow while the backup ran: live and in the trace")


def case_instrumented(options: argparse.Namespace, folder: Any) -> None:
    check(options, folder, options.programs / "server", [])


def case_redis(options: argparse.Namespace, folder: Any) -> None:
    redis = shutil.which("redis-server")
    if redis is None:
        raise Skipped("redis-server is not installed")
    server = folder / "server"
    server.symlink_to(redis)
    check(options, folder, server, ["--save", "", "--enable-debug-command", "yes"])


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--example", required=True, type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    cases = {name[len("case_"):]: case for name, case in globals().items() if name.startswith("case_")}
    failed = 0
    for name in options.cases or cases:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            try:
                cases[name](options, pathlib.Path(folder))
                print(f"good   {name}", flush=True)
            except Skipped as why:
                print(f"SKIPPED: {name}: {str(why)[:500]}", flush=True)
            except Failed as why:
                failed += 1
                print(f"FAILED {name}: {str(why)[:3000]}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
