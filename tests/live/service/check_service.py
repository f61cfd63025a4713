#!/usr/bin/env python3
"""check_service.py DPM SOURCE: the units of the filter service, and what their ExecStart does with the events of a job.

This script stands in for systemd: it listens at a socket and starts the line of the unit for each connection.
"""
import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "control/daemon"))
from control import Machine

UNIT, SOCKET_UNIT = "dpm-filter@.service", "dpm-filter.socket"
PATIENCE = 120


def settings(path: str) -> dict[str, str]:
    """Every NAME=VALUE of a unit, the last one of a name."""
    lines = [line.strip() for line in open(path) if "=" in line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


class Service(threading.Thread):
    """Takes one connection, as the socket unit with Accept=yes does."""

    def __init__(self, folder: str, line: str) -> None:
        super().__init__(daemon=True)
        self.path, self.line = folder + "/service", line
        self.result: subprocess.CompletedProcess[bytes] | None = None
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()

    def run(self) -> None:
        connection, _ = self.listener.accept()
        with connection:
            self.result = subprocess.run(shlex.split(self.line), stdin=connection.fileno(), capture_output=True)


def check_units(dpm: str, source: str, folder: str) -> None:
    if not shutil.which("systemd-analyze"):
        return print("SKIPPED: systemd-analyze verify: it is not installed")
    for name in (UNIT, SOCKET_UNIT):
        text = open(f"{source}/packaging/systemd/{name}").read()
        with open(f"{folder}/{name}", "w") as file:
            file.write(text.replace("/usr/bin/dpm", f'"{dpm}"'))
    command = ["systemd-analyze", "verify", "--man=no", f"{folder}/{UNIT}", f"{folder}/{SOCKET_UNIT}"]
    verified = subprocess.run(command, capture_output=True, text=True)
    assert verified.returncode == 0 and UNIT not in verified.stderr + verified.stdout, verified
    # What a service may do on its machine, from 0 (nothing) to 10.
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=15", f"{folder}/{UNIT}"]
    rated = subprocess.run(command, capture_output=True, text=True)
    if "nrecognized option" in rated.stderr:
        return print("SKIPPED: this systemd-analyze rates no files")
    assert rated.returncode == 0, rated.stdout + rated.stderr


def check_events(dpm: str, source: str, folder: str) -> None:
    unit = settings(f"{source}/packaging/systemd/{UNIT}")
    assert unit["StandardInput"] == "socket" and unit["DynamicUser"] == "yes", unit
    assert settings(f"{source}/packaging/systemd/{SOCKET_UNIT}")["ListenStream"] == "/run/dpm-filter.socket"
    state = f"{folder}/{unit['StateDirectory']}"
    os.makedirs(state, mode=0o750)
    meanings = {"/usr/bin/dpm": shlex.quote(dpm), "${STATE_DIRECTORY}": state, "%i": "0-12-1000", "%b": "f00d"}
    line = unit["ExecStart"]
    for word, meaning in meanings.items():
        assert word in line, (word, line)
        line = line.replace(word, meaning)
    service = Service(folder, line)
    service.start()

    program = shlex.quote(f"{source}/examples/filters/to_service.py")
    script = [f"filter f1 local {program}", "newjob j f1", "setflags j all",
              "addprocess j local sh -c 'seq 1 2000 | sort -rn | wc -l'", "startjob j", "wait", "removejob j", "endfilter f1", "bye"]
    machine = Machine(dpm, folder)
    try:
        controlled = subprocess.run([dpm, "control", "--launcher", "local"], input="\n".join(script) + "\n", text=True,
                                    capture_output=True, env={**machine.env, "DPM_FILTER_SOCKET": service.path},
                                    timeout=PATIENCE)
    finally:
        machine.end()
    assert controlled.returncode == 0, controlled
    service.join(PATIENCE)
    assert service.result is not None and service.result.returncode == 0, (service.result, controlled)
    trace, = os.listdir(state)
    assert trace == "0-12-1000-f00d", trace
    found = json.loads(subprocess.run([dpm, "statistics", "--json", f"{state}/{trace}"], capture_output=True, check=True).stdout)
    ledger = found["ledger"]
    print("the service's trace:", ledger)
    assert ledger["seen"] == ledger["kept"] > 0, ledger


def main() -> int:
    dpm, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if subprocess.run([dpm, "doctor"], capture_output=True).returncode != 0:
        print("SKIPPED: programs cannot be metered here (dpm doctor)")
        return 77
    with tempfile.TemporaryDirectory(prefix="dpm-") as folder:
        check_units(dpm, source, folder)
        check_events(dpm, source, folder)
    print("the filter service's units are accepted, and its line makes a trace of what a job delivers")
    return 0


sys.exit(main())
