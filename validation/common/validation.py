"""What the run scripts of real systems share: the cluster around them, and what is judged of the merged trace.

    run [--short] [--dpm PROGRAM] [-o FOLDER]

The script starts a test cluster, and itself once more inside it. Exit status 0: the claim holds; 1: it does not; 77: it cannot be
tried on this machine, and says why.

expected.json beside the script:
    hosts                  how many
    clocks_ahead_s         hosts whose clocks are wrong, and by how much: what `dpm clocks` must find out
    machines               that must be in the merged trace
    matched_share_least    of the messages between metered processes
    matched_between_least  messages between machines, so that a claim about nothing does not hold; "short" for --short
    baseline               what was measured when the README was written
"""

import argparse
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable

from system import Failed, Missing, System, program
from verdict import judge

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLUSTER = ROOT / "cluster/cluster"
SKIPPED = 77


def validate(script: str, programs: list[str], play: Callable[[System], None],
             also: Callable[[], object] = lambda: None) -> None:
    """`script`: the file of the run script; play() has the system do its work, and raises Failed when its results are wrong.

    The programs must be installed; also() raises Missing when something else is not.
    """
    path = pathlib.Path(script).resolve()
    words = _options(path)
    expected = json.loads((path.parent / "expected.json").read_text())
    try:
        if words.inside:
            sys.exit(_inside(words, expected, play))
        for name in programs:
            program(name)
        also()
        sys.exit(_outside(path, words, expected))
    except Missing as missing:
        print(f"SKIPPED: {missing}")
        sys.exit(SKIPPED)
    except Failed as failed:
        print(f"{path.parent.name}: {failed}")
        sys.exit(1)


def _options(script: pathlib.Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"validation/{script.parent.name}/run")
    parser.add_argument("--short", action="store_true",
                        help="with a second of load, in a folder that is removed if the claim holds")
    parser.add_argument("--dpm", type=pathlib.Path, default=ROOT / "build/release/dpm", help="the program dpm (default: the one built)")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="a new folder for the traces (default: out/validation-NAME)")
    parser.add_argument("--sanitizer", default="", help="that dpm is built with")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args()
    words.dpm = words.dpm.resolve()
    words.is_temporary = words.short and words.output is None
    if words.output is None:
        parent = pathlib.Path.cwd() if words.short else ROOT / "out"
        words.output = _unused(parent / f"validation-{script.parent.name}")
    return words


def _unused(folder: pathlib.Path) -> pathlib.Path:
    names = itertools.chain([folder], (folder.with_name(f"{folder.name}-{number}") for number in itertools.count(2)))
    return next(name for name in names if not name.exists())


def _outside(script: pathlib.Path, words: argparse.Namespace, expected: dict) -> int:
    if not os.access(words.dpm, os.X_OK):
        raise Missing(f"there is no {words.dpm}: ./dev build")
    able = subprocess.run([CLUSTER, "check"], capture_output=True, text=True, check=False)
    if able.returncode != 0:
        raise Missing(able.stderr.strip() or able.stdout.strip())
    doctor = subprocess.run([words.dpm, "doctor"], capture_output=True, text=True, check=False)
    if doctor.returncode != 0:
        raise Missing(f"no metering here: {doctor.stdout.strip()}")
    try:
        words.output.mkdir(parents=True)
    except FileExistsError:
        raise Failed(f"{words.output} exists already") from None
    if words.sanitizer:
        print("REDUCED: a sanitizer's library has to be loaded before that of a wrong clock: the clocks are right")
        expected["clocks_ahead_s"] = {}
    clocks = [word for host, seconds in expected["clocks_ahead_s"].items() for word in ("--clock", f"{host}={seconds:+}s")]
    again = [script, "--inside", "--dpm", words.dpm, "-o", words.output.resolve(), *(["--short"] if words.short else []),
             f"--sanitizer={words.sanitizer}"]
    # The cluster leaves its hosts the folder it is started in, even if that is in /tmp.
    status = subprocess.run([CLUSTER, str(expected["hosts"]), *clocks, "--", sys.executable, *map(str, again)],
                            cwd=words.output, check=False).returncode
    if words.is_temporary and status == 0:
        shutil.rmtree(words.output)
    return status


def _inside(words: argparse.Namespace, expected: dict, play: Callable[[System], None]) -> int:
    if words.sanitizer:
        expected["clocks_ahead_s"] = {}
    system = System(words.dpm, words.output, words.short)
    try:
        play(system)
    finally:
        system.end()
    return judge(system, expected)
