#!/usr/bin/env python3
"""check_launchers.py DPM: `dpm control --launcher 'COMMAND with {machine}'`, with the recipes of docs/control.md.

The programs need not be installed: scripts of their names take exactly the words that the real ones would get, refuse
others, and start the rest as a container would: with a host name and a home of its own, few variables and the folder /.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "live/faults"))
from session import Session, Site, expect, wait_until

SKIPPED = 77
# The launcher, and the words that its program gets before those of the daemon's command.
RECIPES = {
    "kubectl": ("kubectl exec -i {machine} --", "exec -i $name --"),
    "docker": ("docker exec -i {machine}", "exec -i $name"),
    "podman": ("podman exec -i {machine}", "exec -i $name"),
    "lxc": ("lxc exec {machine} -T --", "exec $name -T --"),
    "lxc-attach": ("lxc-attach -n {machine} --", "-n $name --"),
}

OWN_NAME = "unshare --uts" if os.geteuid() == 0 else "unshare --map-current-user --keep-caps --uts"


class Containers(Site):
    """Two machines that a program named `kind` reaches."""

    def __init__(self, dpm: str, folder: pathlib.Path, kind: str) -> None:
        super().__init__(dpm, folder)
        self.options: list[str] = []
        self.kind, (self.launcher, words) = kind, RECIPES[kind]
        tests = "\n".join(
            f"[ \"$1\" = '{word}' ] || {{ echo \"{kind}: unknown word '$1'\" >&2; exit 2; }}\nshift" if word != "$name" else
            "name=$1; shift\ncase $name in red-[12]) ;; *) echo \"no container $name\" >&2; exit 1;; esac"
            for word in words.split())
        (folder / "bin").mkdir()
        self.write_program(f"bin/{kind}", f"""#!/bin/sh
{tests}
echo "$name" >>{folder}/entered
mkdir -p -m 700 {folder}/home-$name {folder}/run-$name
cd /
exec {OWN_NAME} sh -c 'hostname "$0" && exec "$@"' "$name" \\
  env -i HOME={folder}/home-$name XDG_RUNTIME_DIR={folder}/run-$name PATH={folder}:/usr/bin:/bin "$@"
""")
        self.env["PATH"] = f"{folder}/bin:{self.env['PATH']}"

    def control_command(self, program: str = "dpm") -> list[str]:
        return [self.dpm, "control", "--launcher", self.launcher, *self.options]


def write_dpm_link(folder: pathlib.Path, dpm: str) -> None:
    (folder / "dpm").unlink()
    (folder / "dpm").symlink_to(dpm)


def computation(site: Containers) -> None:
    session = Session(site)
    said = session.do("filter f1 red-1", "newjob talk", "setflags talk send receive",
                      "addprocess talk red-[1-2]=2 sh -c 'seq 1 1000 | sort | wc -l'", "startjob talk")
    expect(said.count("was created: identifier") == 5 and said.count("started.") == 4, said)
    for name in ("sh", "sh.2", "sh.3", "sh.4"):
        session.until(rf"(?m)^{name}: 1000$")
    session.do("wait", "rmjob talk", "getlog f1 log")
    ledger = site.ledger("log")
    expect(ledger["seen"] > 0 and ledger["lost"] == 0, ledger)
    said = session.do("newjob other", "add other red-[2-3] true")
    expect("process 'true' on red-2 was created" in said, said)
    expect("process 'true.2' on red-3 was not created: the connection to red-3 has ended: no container red-3" in said, said)
    expect(session.leave("stopjob other", "rmjob other", "bye") == 1, session.said)
    entered = sorted((site.folder / "entered").read_text().split())
    expect(entered == ["red-1", "red-2"], f"one connection to each machine, but: {entered}")
    print(f"{site.launcher}: 4 processes on 2 machines, ledger {ledger}")


def copied(site: Containers) -> None:
    """To machines without dpm; then it is there. One that cannot run it refuses and keeps nothing."""
    (site.folder / "dpm").unlink()
    session = Session(site)
    said = session.do("filter f1 red-1")
    expect("filter 'f1' was not created: the connection to red-1 has ended" in said, said)
    session.leave("bye")
    site.options = ["--copy-dpm"]
    for _ in range(2):
        session = Session(site)
        said = session.do("filter f2 red-1", "newjob talk", "add talk red-[1-2] true", "startjob talk", "wait")
        expect(said.count("was created") == 3 and said.count("started.") == 2, said)
        session.leave("rmjob talk", "bye")
        copies = [list((site.folder / f"home-red-{i}/.cache/dpm/bin").rglob("*")) for i in (1, 2)]
        expect([len(paths) for paths in copies] == [2, 2], copies)  # a folder, and the program in it
    copy = copies[0][-1] if copies[0][-1].is_file() else copies[0][0]
    copy.write_text("damaged")
    session = Session(site)
    said = session.do("filter f3 red-1")
    expect("was created" in said and copy.stat().st_size > 1000, said)
    session.leave("bye")
    broken = site.folder / "lib"  # it has the name of a library, and is not one
    broken.mkdir()
    (broken / "libfmt.so.9").write_text("")
    for path in site.folder.glob("home-red-*/.cache"):
        site.run("rm", "-r", path)
    program = site.folder / f"bin/{site.kind}"
    program.write_text(program.read_text().replace("env -i", f"env -i LD_LIBRARY_PATH={broken}"))
    session = Session(site)
    said = session.do("filter f4 red-1")
    expect("libfmt.so.9" in said and "cannot run there: it needs the same libraries" in said, said)
    session.leave("bye")
    left = [path for path in (site.folder / "home-red-1/.cache").rglob("*") if path.is_file()]
    expect(not left, f"a copy that cannot run stays: {left}")
    print(f"{site.launcher} --copy-dpm: copied, found again, mended, and refused where a library is missing")


def end_processes(folder: str) -> int:
    """The daemons of the containers, which nothing else ends: how many there were still."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if f"={folder}/".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                found += 1
                os.kill(int(pid), 9)
        except OSError:
            pass
    return found


def main() -> int:
    dpm = os.path.realpath(sys.argv[1])
    if subprocess.run([dpm, "doctor"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: programs cannot be metered here (dpm doctor)")
        return SKIPPED
    if not subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True).stdout.strip():
        print("SKIPPED: this machine has no address but that of loopback, at which other machines cannot reach a filter")
        return SKIPPED
    for kind in RECIPES:
        with tempfile.TemporaryDirectory(prefix="launchers-", ignore_cleanup_errors=True) as folder:
            try:
                site = Containers(dpm, pathlib.Path(folder), kind)
                write_dpm_link(site.folder, dpm)
                computation(site)
                if kind == "docker":
                    copied(site)
            finally:
                wait_until(lambda: end_processes(folder) == 0, "everything to end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
