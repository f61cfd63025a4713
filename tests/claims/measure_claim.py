#!/usr/bin/env python3
"""measure_claim.py DPM CLAIMS NAME: the quick form of a claim about real time can be measured by `dpm validate`.

Whether it holds says nothing on a machine that is busy testing, so only a broken claim fails.
"""

import json
import subprocess
import sys

SKIPPED = 77


def main() -> None:
    dpm, claims, name = sys.argv[1:]
    done = subprocess.run([dpm, "validate", name, "--quick", "--json", "--claims", claims], text=True, stdout=subprocess.PIPE, check=False)
    verdicts = {row["figure"]: row["verdict"] for row in json.loads(done.stdout or "[]")}
    print(json.dumps(verdicts, indent=1))
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    if done.returncode not in (0, 1) or not verdicts or "broken" in verdicts.values():
        sys.exit(f"dpm validate {name} --quick ended with status {done.returncode}")


main()
