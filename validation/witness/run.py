#!/usr/bin/python3
"""Real programs, by DPM and by a second witness: run.py [--quick] [--plant ERROR] [--only PROGRAM] --dpm PROGRAM --result FILE."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import plants
import stage
from performances import Theatre, say
from verdict import document, markdown, try_program

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
QUICK = ("nbdkit", "own_echo", "shell_pipeline")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--quick", action="store_true", help=f"with less work; {' and '.join(QUICK)} only, unless others are named")
    arguments.add_argument("--plant", default="", help=f"make an error in what the trace says: {', '.join(plants.PLANTS)}")
    arguments.add_argument("--only", action="append", help="this program (may be repeated)")
    arguments.add_argument("--judge", action="store_true", help="end with status 1 if anything differs that is neither explained nor known")
    arguments.add_argument("--keep", help="a folder for what the runs leave")
    arguments.add_argument("--markdown", help="a file for the table, as documents have it")
    arguments.add_argument("--dpm", required=True)
    arguments.add_argument("--result")
    options = arguments.parse_args()
    if options.plant and options.plant not in plants.PLANTS:
        sys.exit(f"no error '{options.plant}' to plant here; there is {', '.join(plants.PLANTS)}")
    programs = {path.stem: path for path in sorted((HERE / "programs").glob("*.py"))}
    if unknown := set(options.only or []) - set(programs):
        sys.exit(f"no program {', '.join(sorted(unknown))}; there is {', '.join(programs)}")
    need("strace", "babeltrace2")
    dpm = pathlib.Path(options.dpm).resolve()
    if subprocess.run([dpm, "doctor"], capture_output=True, check=False).returncode != 0:
        skip("programs cannot be metered on this machine (dpm doctor says why)")
    tried = subprocess.run([dpm, "meter", "--summary", "--wait", "--", "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:  # as DPM_SOURCE asks for
        skip(tried.stderr.strip())
    with tempfile.TemporaryDirectory(prefix="dpm-witness-") as own:
        folder = pathlib.Path(options.keep or own)
        folder.mkdir(exist_ok=True)
        os.chmod(folder, 0o755)
        os.umask(0o022)  # some programs run as another account
        os.environ["LC_ALL"] = "C.UTF-8"  # what they print is read
        theatre = Theatre(dpm, folder, options.quick, plants.PLANTS.get(options.plant, plants.nothing))
        rows = []
        for name, path in programs.items():
            module = stage.load(path)
            if name not in (options.only or (QUICK if options.quick else programs)):
                continue
            rows.append(try_program(theatre, name, path, module))
            say(rows[-1].line())
            for text in rows[-1].texts():
                say(f"    {text}")
    compared = [row for row in rows if not row.skipped]
    if options.markdown:
        pathlib.Path(options.markdown).write_text(markdown(rows))
    if options.result and compared:
        pathlib.Path(options.result).write_text(document(rows))
    if not compared:
        skip("; ".join(row.skipped for row in rows))
    if options.judge:
        sys.exit(any(row.unknown() for row in compared))


def need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            skip(f"{program} is not installed")


def skip(why: str) -> None:
    say(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


main()
