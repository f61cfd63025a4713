#!/usr/bin/env python3
"""check_srun.py DPM: `dpm control --launcher srun` inside an allocation of a Slurm of its own, with two nodes red and green."""

import getpass
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "live/faults"))
from session import Session, Site, Skip, expect, wait_until

SKIPPED = 77
PROGRAMS = ("munged", "slurmctld", "slurmd", "salloc", "srun", "scancel", "sinfo")
CONFIGURATION = """ClusterName=dpm
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/slurm-state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
KillWait=2
NodeName=red NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cores}
NodeName=green NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cores}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm(Site):
    """Its daemons, and an allocation of both nodes."""

    def __init__(self, dpm: str, folder: pathlib.Path) -> None:
        super().__init__(dpm, folder)
        self.write_program("dpm", f"""#!/bin/sh
export HOME={folder}/home-$SLURMD_NODENAME XDG_RUNTIME_DIR={folder}/run-$SLURMD_NODENAME
export XDG_STATE_HOME={folder}/state-$SLURMD_NODENAME
mkdir -p -m 700 $HOME $XDG_RUNTIME_DIR
[ "$1" != meterd ] || set -- "$@" --machine $SLURMD_NODENAME
exec {shlex.quote(dpm)} "$@"
""")
        self.daemons: list[subprocess.Popen[bytes]] = []

    def control_command(self, program: str = "dpm") -> list[str]:
        return [self.dpm, "control", "--launcher", "srun", "--dpm", str(self.folder / program)]

    def begin(self) -> None:
        (self.folder / "slurm-state").mkdir()
        (self.folder / "munge.key").write_bytes(os.urandom(1024))
        (self.folder / "munge.key").chmod(0o600)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], ports=free_ports(3), user=getpass.getuser(), folder=self.folder,
            cores=len(os.sched_getaffinity(0))))
        self.env["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self.start("munged", "--foreground", "--force", *(f"--{name}={self.folder}/munge.{end}" for name, end in (
            ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))
        wait_until((self.folder / "munge.socket").exists, "munged")
        self.start("slurmctld", "-D")
        for node in ("red", "green"):
            self.start("slurmd", "-D", "-N", node)
        wait_until(self.is_up, "both nodes")
        allocation = subprocess.run(["salloc", "--no-shell", "-N2"], capture_output=True, text=True, env=self.env,
                                    timeout=60, check=True)
        self.env["SLURM_JOB_ID"] = allocation.stderr.split()[-1]

    def start(self, *command: str) -> None:
        with (self.folder / f"{command[0]}-{len(self.daemons)}.said").open("w") as said:
            self.daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=self.env))

    def is_up(self) -> bool:
        ended = [daemon.args for daemon in self.daemons if daemon.poll() is not None]
        if ended:
            said = "".join(path.read_text() for path in (*self.folder.glob("*.said"), *self.folder.glob("slurm*.log")))
            raise Skip(f"Slurm does not work here: {ended[0]!r} has ended: {said[-1000:]}")
        return self.run("sinfo", "--noheader", "--states=idle", "--format=%D", check=False).strip() == "2"

    def end(self) -> None:
        if "SLURM_JOB_ID" in self.env:
            self.run("scancel", self.env["SLURM_JOB_ID"], check=False)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(5)
            except subprocess.TimeoutExpired:  # it waits for steps, and their ends are no longer reported to it
                daemon.kill()
                daemon.wait()


def free_ports(count: int) -> list[int]:
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def computation(site: Slurm) -> None:
    """On both nodes, from addprocess to the log; and once more by another controller when the first is killed."""
    first = Session(site)
    said = first.do("filter f1 green", "newjob talk", "setflags talk send receive",
                    "addprocess talk red /bin/sh -c 'seq 1 1000 | sort | wc -l'", "addprocess talk green /bin/cat", "startjob talk")
    expect(said.count("started.") == 2, said)
    first.until("sh: 1000")
    first.until("DONE: process sh in job 'talk' terminated: reason: normal")
    first.kill()
    second = Session(site)
    wait_until(lambda: "process 'cat' was adopted into job 'talk'" in second.do("adopt red green"),
               "the daemons to see that the controller is gone")
    second.do("input talk cat words", "endinput talk cat")
    second.until("cat: words")
    second.until("DONE: process cat in job 'talk' terminated: reason: normal")
    said = second.do("rmjob talk", "getlog f1 log")
    expect(said.count("removed") == 2, said)
    ledger = site.ledger("log")
    print(f"ledger: {ledger}")
    expect(ledger["seen"] > 0 and ledger["lost"] == 0, ledger)
    expect(second.leave("bye") == 0, second.said)


def allocation_ends(site: Slurm) -> None:
    """What was started in it ends with it, and the controller says so."""
    session = Session(site)
    session.do("filter f2 green", "newjob long", "add long red /bin/cat", "startjob long")
    site.run("scancel", site.env["SLURM_JOB_ID"])
    session.until("LOST: machine red: ")
    session.kill()


def main() -> int:
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    dpm = os.path.realpath(sys.argv[1])
    if missing or os.geteuid() != 0:
        print("SKIPPED: " + (f"{missing[0]} is not installed" if missing else "only root can play nodes of Slurm"))
        return SKIPPED
    if subprocess.run([dpm, "doctor"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: programs cannot be metered here (dpm doctor)")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="srun-", ignore_cleanup_errors=True) as folder:
        site = Slurm(dpm, pathlib.Path(folder))
        try:
            site.begin()
            computation(site)
            allocation_ends(site)
        except Skip as why:
            print(f"SKIPPED: {why}")
            return SKIPPED
        finally:
            site.end()
            wait_until(lambda: end_processes(folder) == 0, "everything to end")  # and to write no more
    return 0


def end_processes(folder: str) -> int:
    """Slurm's end has ended them, or ends them soon: how many there were still."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if f"={folder}/".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                found += 1
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass
    return found


if __name__ == "__main__":
    sys.exit(main())
