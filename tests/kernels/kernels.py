#!/usr/bin/env python3
"""kernels.py --build FOLDER: DPM on the kernels that Debian offers, one after the other, in a guest of qemu.

Prints a line for each feature and environment as it is tried, then the tables. --document FILE writes the tables between the marks of that
page. Exit status 0: all does what it should; 1: something failed; 77: no guest can run here, and the last line says why.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time
from collections.abc import Sequence

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "live/harness"))
import guest
import parts
import table
from outcome import FAILED, Outcome
from series import newest_of_each_series

ROOT = HERE.parent.parent
SKIPPED = 77
SOURCES, ACCOUNTS = ("ebpf", "notify"), ("root", "user")
# Of the quick form: what shows that the programs load, and that both sources see messages.
QUICK: dict[str, Sequence[str]] = {"features": ("redis", "sample"), "environments": ("plain",)}
LIMIT_S = 2 * 3600


def say(text: str) -> None:
    print(f"kernels: {text}", file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    features, environments = parts.load("features"), parts.load("environments")
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--build", type=pathlib.Path, required=True, help="the folder with dpm and the test programs")
    words.add_argument("--cache", type=lambda path: pathlib.Path(path).resolve(), default=ROOT / "build/kernels", help="where kernels are kept")
    words.add_argument("--series", action="append", help="such as 6.1; each one is tried unless some are named")
    words.add_argument("--features", nargs="*", choices=sorted(features), default=None)
    words.add_argument("--environments", nargs="*", choices=sorted(environments), default=None)
    words.add_argument("--source", action="append", choices=SOURCES, help="both unless one is named")
    words.add_argument("--account", action="append", choices=ACCOUNTS, help="both unless one is named")
    words.add_argument("--quick", action="store_true", help="a few features on the oldest kernel: some minutes")
    words.add_argument("--only-cached", action="store_true", help="fetch nothing")
    words.add_argument("--cores", type=int, default=1, help="of the guest")
    words.add_argument("--document", type=pathlib.Path, help="the page whose tables are written")
    words.add_argument("--result", type=pathlib.Path, help="all outcomes, as JSON")
    options = words.parse_args()
    fallback: dict[str, Sequence[str]] = {part: sorted(names) for part, names in {"features": features, "environments": environments}.items()}
    for part, names in (QUICK if options.quick else fallback).items():
        if getattr(options, part) is None:
            setattr(options, part, list(names))
    return options


def packages(options: argparse.Namespace) -> dict[str, str]:
    if options.only_cached:
        names = "\n".join(path.parent.name for path in sorted(options.cache.glob("*/ready")))
    else:
        names = subprocess.run(["apt-cache", "search", "^linux-image-[0-9].*amd64$"], capture_output=True, text=True, check=True).stdout
    found = newest_of_each_series(names)
    if options.series:
        missing = set(options.series) - set(found)
        if missing:
            raise guest.Missing(f"there is no kernel of the series {', '.join(sorted(missing))} (there are: {', '.join(found) or 'none'})")
        return {series: found[series] for series in options.series}
    if not found:
        raise guest.Missing("no kernel is offered here" if not options.only_cached
                            else f"no kernel is in {options.cache}: './dev kernels' fetches them")
    return dict(list(found.items())[:1]) if options.quick else found


def try_kernel(series: str, kernel: guest.Kernel, options: argparse.Namespace) -> list[Outcome]:
    plan = kernel.folder / "plan.json"
    plan.write_text(json.dumps({"build": str(options.build.resolve()), "features": options.features, "environments": options.environments,
                                "sources": options.source or list(SOURCES), "accounts": options.account or list(ACCOUNTS)}))
    say(f"{series}: starting {kernel.release}")
    outcomes, ended, began = [], False, time.monotonic()
    for line in guest.run_in_guest(kernel, [str(HERE / "play.py"), str(plan)], cores=options.cores, limit_s=LIMIT_S):
        if not line.startswith("{"):
            say(f"{series}: {line}")
            continue
        told = json.loads(line)
        ended = ended or "ended" in told
        if "verdict" in told:
            outcome = Outcome(**told)
            outcomes.append(outcome)
            what = " ".join(filter(None, (outcome.environment, outcome.subject, outcome.source, outcome.account)))
            say(f"{series}: {time.monotonic() - began:5.0f} s  {what}: {outcome.text()}")
    if not ended:
        outcomes.append(Outcome(kernel.release, "", "guest", "", "root", FAILED, f"it ended too early; its console is {kernel.folder}/console.log"))
    return outcomes


def main() -> int:
    options = arguments()
    try:
        guest.need_programs()
        outcomes: list[Outcome] = []
        for series, package in packages(options).items():
            kernel = guest.Kernel(package, options.cache)
            kernel.fetch(say)
            outcomes += try_kernel(series, kernel, options)
    except guest.Missing as missing:
        print(f"SKIPPED: {missing}")
        return SKIPPED
    whats = {name: (module.__doc__ or "").strip().splitlines()[0] for name, module in parts.load("features").items()}
    whats["guest"] = "The guest itself."
    titles = {name: module.TITLE for name, module in parts.load("environments").items()}
    tables = table.text_of(outcomes, whats, titles)
    print(tables)
    if options.result:
        options.result.write_text(json.dumps([one.as_dict() for one in outcomes], indent=1) + "\n")
    if options.document:
        options.document.write_text(table.with_tables(options.document.read_text(), tables))
        say(f"the tables are in {options.document}")
    failed = [one for one in outcomes if one.verdict == FAILED]
    say(f"{len(outcomes)} trials, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
