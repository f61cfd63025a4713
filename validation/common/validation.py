"""The common part of the run scripts of real systems: the cluster around them, and the measurement of the merged trace.

    run.py [--quick] --dpm PROGRAM --result FILE

The script starts a test cluster, and itself once more inside it; the traces are left beside FILE. Exit status 0: FILE is written; 1: the
system did not work; 77: it cannot be tried on this machine, and the last line says why.

system.json beside the script:
    hosts                  how many
    clocks_ahead_s         hosts whose clocks are wrong, and by how much: what `dpm clocks` must find
    machines               that must be in the merged trace
    matched_between_least  messages between machines, so that a system without load is not measured; "quick" for --quick
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
from typing import Any
from collections.abc import Callable

from measured import result_of
from system import Failed, Missing, System, program

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLUSTER = ROOT / "cluster/cluster.py"
SKIPPED = 77


def validate(script: str, programs: list[str], play: Callable[[System], None],
             also: Callable[[], object] = lambda: None) -> None:
    """`script`: the file of the run script; play() has the system do its work, and raises Failed when its results are wrong.

    The programs must be installed; also() raises Missing when something else is not.
    """
    path = pathlib.Path(script).resolve()
    words = _options(path)
    expected = json.loads((path.parent / "system.json").read_text())
    # A sanitizer's library has to be loaded before that of a wrong clock.
    if os.environ.get("DPM_SANITIZER"):
        expected["clocks_ahead_s"] = {}
    os.environ["LC_ALL"] = "C.UTF-8"  # what programs print is read
    try:
        if words.inside:
            sys.exit(_inside(words, expected, play))
        for name in programs:
            program(name)
        also()
        sys.exit(_outside(path, words, expected))
    except Missing as missing:
        say(f"SKIPPED: {missing}")
        sys.exit(SKIPPED)
    except Failed as failed:
        say(str(failed))
        sys.exit(1)


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _options(script: pathlib.Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"validation/{script.parent.name}/run.py")
    parser.add_argument("--quick", action="store_true", help="with a second of load")
    parser.add_argument("--dpm", type=pathlib.Path, required=True, help="the program that meters")
    parser.add_argument("--result", type=pathlib.Path, required=True, help="the file to write; the traces are left beside it")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args()
    words.dpm, words.result = words.dpm.resolve(), words.result.resolve()
    return words


def _outside(script: pathlib.Path, words: argparse.Namespace, expected: dict[str, Any]) -> int:
    if not os.access(words.dpm, os.X_OK):
        raise Missing(f"there is no {words.dpm}: ./dev build")
    able = subprocess.run([CLUSTER, "check"], capture_output=True, text=True, check=False)
    if able.returncode != 0:
        raise Missing(able.stderr.strip() or able.stdout.strip())
    doctor = subprocess.run([words.dpm, "doctor"], capture_output=True, text=True, check=False)
    if doctor.returncode != 0:
        raise Missing(" ".join(f"no metering here: {doctor.stdout}".split()))
    if os.environ.get("DPM_SANITIZER"):
        say("REDUCED: a sanitizer's library has to be loaded before that of a wrong clock: the clocks are right")
    clocks = [word for host, seconds in expected["clocks_ahead_s"].items() for word in ("--clock", f"{host}={seconds:+}s")]
    again = [script, "--inside", "--dpm", words.dpm, "--result", words.result, *(["--quick"] if words.quick else [])]
    say(f"{expected['hosts']} hosts; the system starts on them, works and is stopped")
    # The cluster leaves its hosts the folder it is started in, even if that is in /tmp.
    return subprocess.run([CLUSTER, str(expected["hosts"]), *clocks, "--", sys.executable, *map(str, again)],
                          cwd=words.result.parent, check=False).returncode


def _inside(words: argparse.Namespace, expected: dict[str, Any], play: Callable[[System], None]) -> int:
    system = System(words.dpm, words.result.parent, words.quick)
    try:
        play(system)
    finally:
        system.end()
    say("its traces are merged and looked at")
    words.result.write_text(json.dumps(result_of(system, expected), indent=2))
    return 0
