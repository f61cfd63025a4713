#!/usr/bin/python3
"""The states of real programs under four kinds of load are recognised: fewer than 1 % of the samples are not.

A compile job, a database under load, a shell pipeline, and a session in which little happens. A load of which the programs are
not installed is left out, with a message.
"""

import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from typing import Any

UNRECOGNISED_MAX = 0.01
SAMPLES_MIN = 50  # of threads
SAMPLED_S, INTERVAL_S = 3, 0.023
NOBODY = 65534

COMPILE = """
while :; do for part in 1 2 3; do
  printf '#include <map>\\n#include <string>\\nstd::map<std::string, int> words%s;\\nint main() { return words%s["a"]; }\\n' $part $part >$part.cpp
  g++ -O2 -o $part $part.cpp & done; wait; done
"""
PIPELINE = "while :; do seq 200000 | rev | sort | uniq -c | gzip | wc -c >/dev/null; done"
REDIS = """
redis-server --port 0 --unixsocket redis --save '' --appendonly yes --daemonize no >/dev/null &
until redis-cli -s redis ping >/dev/null 2>&1; do sleep 0.1; done
while :; do redis-benchmark -s redis -c 10 -n 20000 -q set a b >/dev/null; done
"""
# As the programs of a desktop do: wait for a bus, for files, for a time, for each other, for the user.
SESSION = """
mkfifo bus; touch log
tail -f log >/dev/null &
python3 -c 'import select; select.poll().poll(100000)' &
python3 -c 'import threading, time
threading.Thread(target=threading.Event().wait).start()
while True: time.sleep(0.2)' &
cat <bus & exec 3>bus
while :; do sleep 0.5; done &
cat
"""


def sample(dpm: str, script: str, folder: str) -> Any:
    """The script has a terminal, and nothing is typed."""
    user_side, terminal = pty.openpty()
    load = subprocess.Popen(["bash", "-c", script], cwd=folder, stdin=terminal, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, start_new_session=True)
    counts = os.path.join(folder, "counts")
    try:
        done = subprocess.run([dpm, "sample", "--of", "session", str(load.pid), "-i", str(INTERVAL_S), "--for", str(SAMPLED_S),
                               "-o", counts], capture_output=True, text=True, timeout=60)
    finally:
        end_session(load)
        os.close(user_side)
        os.close(terminal)
    if done.returncode != 0:
        sys.exit(f"dpm sample failed: {done.stderr}")
    told = subprocess.run([dpm, "sample", "report", counts, "--json"], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)


def end_session(load: subprocess.Popen[bytes]) -> None:
    os.killpg(load.pid, 9)
    load.wait()


def main() -> None:
    dpm = sys.argv[1]
    loads = {"compile job": ("g++", COMPILE), "database under load": ("redis-benchmark", REDIS),
             "shell pipeline": ("rev", PIPELINE), "idle session": ("python3", SESSION)}
    failed = False
    for name, (needs, script) in loads.items():
        if shutil.which(needs) is None:
            print(f"SKIPPED: {name}: {needs} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = sample(dpm, script, folder)
        threads = found["samples"] * found["threads_mean"]
        unknown = found["unrecognised"]
        ran = next((part["share"] for part in found["components"] if part["component"] == "CPU run"), 0)
        counted = found["exact"]["ran_s"] / found["exact"]["watched_s"]
        print(f"{name}: {unknown['count']} of {threads:.0f} samples of threads not recognised; ran {ran:.1%}, by the counters "
              f"{counted:.1%}; from {found['source']}")
        if threads < SAMPLES_MIN or unknown["share"] >= UNRECOGNISED_MAX:
            print(f"{name}: at least {SAMPLES_MIN} samples and less than {UNRECOGNISED_MAX:.0%} unrecognised expected: "
                  f"{json.dumps(unknown['evidence'])}")
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
