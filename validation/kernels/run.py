#!/usr/bin/env python3
"""run [--quick] --dpm PROGRAM --result FILE: the oldest kernel that Debian offers, in a guest."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FEATURES = ("redis", "acquire", "killed meter")
SKIPPED, SOMETHING_FAILED = 77, 1
LIMIT_S = 1800


def share_that_works(outcomes: list[dict[str, str]], source: str, account: str) -> float:
    """Percent."""
    these = [one["verdict"] == "works" for one in outcomes if (one["source"], one["account"], one["environment"]) == (source, account, "")]
    return 100 * sum(these) / len(these) if these else 0


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--quick", action="store_true")
    words.add_argument("--dpm", type=pathlib.Path, required=True)
    words.add_argument("--result", type=pathlib.Path, required=True)
    options = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = pathlib.Path(folder) / "outcomes.json"
        command = [str(ROOT / "tests/kernels/kernels.py"), "--build", str(options.dpm.resolve().parent), "--result", str(found), "--quick"]
        # A test fetches nothing.
        command += ["--only-cached", "--environments", "--features", "redis"] if options.quick else ["--features", *FEATURES]
        status = subprocess.run(command, timeout=LIMIT_S, check=False).returncode
        if status not in (0, SOMETHING_FAILED) or not found.exists():
            return status
        outcomes = json.loads(found.read_text())
    failed = [one for one in outcomes if one["verdict"] == "failed"]
    rows = [[" ".join(filter(None, (one["environment"], one["subject"], one["source"], one["account"]))), one["verdict"], one["reason"]]
            for one in outcomes]
    options.result.write_text(json.dumps({
        "figures": {"failed": len(failed), "ebpf_source": share_that_works(outcomes, "ebpf", "root"),
                    "notification": share_that_works(outcomes, "notify", "user"), "trials": len(outcomes)},
        "remarks": [f"the kernel was {outcomes[0]['kernel']}"],
        "tables": [{"title": "Trials", "columns": ["trial", "verdict", "reason"], "rows": rows}]}) + "\n")
    return 0


sys.exit(main())
