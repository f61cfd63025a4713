#!/usr/bin/env python3
"""check_strace.py DPM

Programs run under strace, and strace under the meter, so both record the same run. What dpm import makes of the log has the same messages
and bytes, by sender and receiver, and the same processes, as the meter's trace.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

DPM = sys.argv[1]
REDIS = """redis-server --port 0 --unixsocket ./socket --save "" >/dev/null & until [ -S socket ]; do sleep .05; done
redis-benchmark -s ./socket -c 5 -n 300 -t get,set -q; redis-cli -s ./socket shutdown nosave; wait"""
PROGRAMS = {
    "a pipeline": ("sh", "seq 2000 | sort -n | tail -1; echo a | cat | wc -c"),
    "redis over a UNIX socket": ("redis-server", REDIS),
    "redis over TCP": ("redis-server", REDIS.replace("--port 0 --unixsocket ./socket", "--port 7471").replace(
        "[ -S socket ]", "redis-cli -p 7471 ping >/dev/null 2>&1").replace("-s ./socket", "-p 7471")),
    "python: fork, socketpair, sendmsg": ("python3", """exec python3 -c '
import os, socket
a, b = socket.socketpair()
if os.fork() == 0:
    for n in range(200):
        b.sendmsg([bytes(n), b"x"])
    os._exit(3)
b.close()
total = 0
while True:
    data = a.recv(64)
    if not data: break
    total += len(data)
os.wait()
assert total == 200 * 199 // 2 + 200
'"""),
}


def messages(trace: str) -> Any:
    """Messages and bytes by sender and receiver; and how many processes had each name."""
    done = subprocess.run([DPM, "statistics", trace, "--json"], check=True, capture_output=True, text=True)
    result = json.loads(done.stdout)

    def plain(name: str) -> str:
        return name.split("#")[0]

    traffic = sorted((plain(m["from"]), plain(m["to"]), m["count"], m["bytes"]) for m in result["messages"]
                     if not m["from"].startswith("outside") and not m["to"].startswith("outside"))
    return traffic, result["ledger"]


def may_meter() -> bool:
    done = subprocess.run([DPM, "meter", "--source", "ebpf", "-o", "try", "--", "true"], capture_output=True, text=True)
    return done.returncode == 0


failures = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    if shutil.which("strace") is None or not may_meter():
        print("SKIPPED: needs strace, and an account that may use the kernel source")
        sys.exit(77)
    for number, (name, (needs, script)) in enumerate(PROGRAMS.items()):
        if shutil.which(needs) is None:
            print(f"SKIPPED: {name}: {needs} is not installed")
            continue
        log, metered, imported = (f"{kind}{number}" for kind in ("log", "metered", "imported"))
        subprocess.run([DPM, "meter", "--source", "ebpf", "-o", metered, "--", "strace", "-f", "-ttt", "-yy", "-o", log,
                        "sh", "-c", script], check=True, capture_output=True)
        subprocess.run([DPM, "import", log, "--from", "strace", "-o", imported], check=True, capture_output=True)
        expected, (found, ledger) = messages(metered)[0], messages(imported)
        if found != expected or not found or ledger["lost"] != 0:
            failures += 1
            print(f"{name}: the meter has {expected}, the log of strace {found}, lost {ledger['lost']}")
        else:
            print(f"{name}: {sum(row[2] for row in found)} messages")
sys.exit(1 if failures else 0)
