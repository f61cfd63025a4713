#!/usr/bin/env python3
"""check_new_claim.py DPM SOURCE

Claims about a user's system, outside of DPM's tree: of a scenario, of a trace and of a command. Each is made, measured, accepted, judged,
and fails when an error is planted. The verdicts of a run are the same as text, JSON, JUnit's XML and in the history.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

DPM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
SCENARIO = SOURCE / "scenarios/file-system/scenario.json"
COMMAND = ["sh", "-c", "seq 300000 | sort -n | gzip -1 >/dev/null"]
failures = 0


def check(what: str, holds: object) -> None:
    global failures
    if not holds:
        failures += 1
        print(f"new claim: {what}")


def dpm(*words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    texts = [str(word) for word in words]
    done = subprocess.run([DPM, *texts], text=True, capture_output=True, check=False)
    check(f"dpm {' '.join(texts)} ended with {done.returncode}, not {status}:\n{done.stdout}{done.stderr}", done.returncode == status)
    return done


def judge(name: str, *words: str, status: int = 0) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(dpm("validate", "--claims", "checks", name, "--quick", "--json", *words, status=status).stdout)
    return rows


def try_judged(name: str) -> None:
    """A claim whose figures are the same on each machine."""
    dpm("validate", "--claims", "checks", "--accept", name)
    check(f"{name} does not hold", all(row["verdict"] == "holds" for row in judge(name)))
    check(f"{name} holds with a planted error", any(row["verdict"] != "holds" for row in judge(name, "--plant", "predictions", status=1)))


def try_scenario() -> None:
    dpm("validate", "--claims", "checks", "--new", "files", "--scenario", SCENARIO)
    try_judged("files")


def try_trace() -> None:
    dpm("meter", "--wait", "-o", "metered", "--", *COMMAND)
    dpm("validate", "--claims", "checks", "--new", "recorded", "--trace", "metered")
    try_judged("recorded")


def try_command() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        print("new claim: not tried for a command: this machine has one CPU")
        return
    first, second = sorted(os.sched_getaffinity(0))[:2]
    dpm("validate", "--claims", "checks", "--new", "sorting", "--cpus", first, "--cpus", f"{first},{second}", "--", *COMMAND)
    dpm("validate", "--claims", "checks", "--accept", "sorting", "--quick")
    # Whether it holds says nothing on a machine that is busy testing.
    done = subprocess.run([DPM, "validate", "--claims", "checks", "sorting", "--quick", "--json"], text=True, capture_output=True, check=False)
    verdicts = [row["verdict"] for row in json.loads(done.stdout)]
    check(f"the command's claim cannot be measured: {done.stderr}", done.returncode in (0, 1) and len(verdicts) == 3 and "broken" not in verdicts)


def try_outputs() -> None:
    for commit in ("1f3a", "2b4c"):
        rows = judge("files", "--history", "history.jsonl", "--commit", commit, "--junit", f"{commit}.xml", "--report", f"{commit}.html")
        entry = json.loads(pathlib.Path("history.jsonl").read_text().splitlines()[-1])
        check("the history has another commit", entry["commit"] == commit)
        check("the history has other figures", entry["figures"]["files"] == {row["figure"]: row["obtained"] for row in rows})
        suite = xml.etree.ElementTree.parse(f"{commit}.xml").getroot().find("testsuite")
        check("JUnit has another number of figures", suite is not None and suite.get("tests") == str(len(rows)) and suite.get("failures") == "0")
    check("the page of one commit has a history", "Over commits" not in pathlib.Path("1f3a.html").read_text())
    check("the page of two commits has no history", "Over commits" in pathlib.Path("2b4c.html").read_text())
    judge("files", "--plant", "predictions", "--junit", "failed.xml", status=1)
    failed = xml.etree.ElementTree.parse("failed.xml").getroot()
    check("JUnit has no failure", failed.findall("testsuite/testcase/failure"))


def try_refusals() -> None:
    one_placement = pathlib.Path("one.json")
    one_placement.write_text(json.dumps({"name": "x", "placements": {"A": {}}}))
    pathlib.Path("history.bad").write_text('{"commit": 1}\n')
    refused: dict[str, list[str | pathlib.Path]] = {"exists already": ["--new", "files", "--scenario", SCENARIO],
               "fewer than two placements": ["--new", "one", "--scenario", one_placement],
               "is not a name of a claim": ["--new", "../x", "--scenario", SCENARIO],
               "of one thing": ["--new", "none"],
               "name two": ["--new", "c", "--cpus", "0", "--", "true"],
               "names no CPUs": ["--new", "c", "--cpus", "0", "--cpus", "two", "--", "true"],
               "there is no trace": ["--new", "t", "--trace", "nowhere"],
               "history.bad:1: not a line": ["files", "--history", "history.bad", "--commit", "1"],
               "does not belong into the history": ["files", "--plant", "predictions", "--history", "h", "--commit", "1"],
               "failed.xml exists": ["files", "--junit", "failed.xml"]}
    for why, words in refused.items():
        done = dpm("validate", "--claims", "checks", *words, status=2)
        check(f"{words} is refused, but not with '{why}': {done.stderr}", why in done.stderr)
    check("something refused has left files", sorted(path.name for path in pathlib.Path("checks").iterdir()) <= ["files", "recorded", "sorting"])


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dpm-claim-") as folder:
        os.chdir(folder)
        try_scenario()
        try_trace()
        try_command()
        try_outputs()
        try_refusals()
        os.chdir("/")
    if not failures:
        print("claims of a scenario, a trace and a command can be made, measured and judged")
    sys.exit(failures > 0)


main()
