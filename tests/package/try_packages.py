#!/usr/bin/env python3
"""try_packages.py [RELEASE] [--machine NAME] [--again]: installs the Debian packages on fresh machines and does what trials.toml says.

A machine is a folder with Debian in it, which debootstrap fills once (build/try/RELEASE/base). What a machine has more, and what a trial
writes, are layers above it (overlayfs), so a second try starts at once from the same state. Steps run in a mount and a PID namespace of
their own: what they mount and start ends with them, however they end.

RELEASE is bookworm, trixie...; without it, that of this machine. The packages of this machine's release are those of build/release/packages.
Those of another release are built there first, from a copy of this tree, with that release's compiler and libraries. Mirror
and keys are those of this machine's apt.

--machine NAME tries one machine of trials.toml. --again forgets the layers, so that all is downloaded and built again.
Exit status: 0 all steps did what they should, 1 one did not, 2 nothing could be tried.
"""
import argparse
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from typing import Any
from dataclasses import dataclass, field

TREE = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = "build/release/packages"
# Of root, in the machines that are tried.
HOME = str(pathlib.Path("/", "root"))
# What steps find there beside the packages.
FILES = ["README.md", "tests/documents/run_documents.py"]
SECONDS_MAX = 600
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": HOME, "LANG": "C.UTF-8",
               "TERM": "dumb", "DEBIAN_FRONTEND": "noninteractive"}

# $1: the folder for the root; $2: its layers; $3: the command; then pairs SOURCE TARGET of folders that are seen there. /dev/shm is
# its own, because what is left there would outlive the namespaces. A "volatile" layer is not written to the disk at once, which
# dpkg asks for after each file: it would take most of the time, and what a machine loses here is made again.
ENTER = r"""
root="$1" layers="$2" command="$3"
shift 3
mount -t overlay overlay -o "volatile,$layers" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
while (( $# )); do
  mkdir -p "$root/$2"
  mount --bind "$1" "$root/$2"
  shift 2
done
exec chroot "$root" bash -euo pipefail -c "cd; $command"
"""


class CannotTry(Exception):
    """The trial cannot be made here; the text says why and what to do."""


def say(text: str) -> None:
    print(text, flush=True)


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# ---- where Debian comes from

@dataclass
class Mirror:
    """A line of apt's sources, for another release."""
    address: str
    suffix: str  # "-security" of "bookworm-security"
    component: str

    def line(self, release: str) -> str:
        return f"deb {self.address} {release}{self.suffix} {self.component}"


def mirrors(here: str) -> list[Mirror]:
    targets = output_of("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages", "Origin: Debian")
    found = []
    for line in targets.splitlines():
        address, codename, component = line.split()
        if codename == here or codename.startswith(here + "-"):
            found.append(Mirror(address, codename.removeprefix(here), component))
    if not any(mirror.suffix == "" and mirror.component == "main" for mirror in found):
        raise CannotTry(f"apt knows no mirror of Debian {here}: run apt-get update")
    return found


def apt_settings() -> str:
    """How apt reaches the mirrors from here, and that it asks no questions there."""
    reaching = [line for line in output_of("apt-config", "dump").splitlines() if line.startswith(("Acquire::http", "Acquire::Retries"))]
    return "\n".join(reaching + ['APT::Get::Assume-Yes "true";', 'APT::Install-Recommends "false";', ""])


# ---- machines

@dataclass
class Layers:
    """Folders above each other: the first is written, the others only read."""
    written: pathlib.Path
    below: list[pathlib.Path]

    def options(self) -> str:
        below = ":".join(str(folder) for folder in self.below)
        work = self.written.with_name(self.written.name + ".work")
        # The mark of a volatile layer is in here, and would refuse that it is mounted again.
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        return f"lowerdir={below},upperdir={self.written},workdir={work}"


class Lab:
    """The machines of one release, in build/try/RELEASE."""

    def __init__(self, release: str, here: str) -> None:
        self.release = release
        self.mirrors = mirrors(here)
        self.folder = TREE / "build" / "try" / release
        self.base = self.folder / "base"
        self.system = [self.folder / "lists", self.base]
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "root").mkdir(exist_ok=True)

    def make_base(self) -> None:
        done = self.folder / "base.done"
        if done.exists():
            return
        say(f"try: Debian {self.release}, from {self.mirrors[0].address} (debootstrap)")
        main = next(mirror for mirror in self.mirrors if mirror.suffix == "")
        log = self.folder / "base.log"
        with open(log, "wb") as to:
            status = subprocess.run(["debootstrap", "--variant=minbase", self.release, self.fresh("base"), main.address], stdout=to,
                                    stderr=subprocess.STDOUT, check=False).returncode
        if status != 0:
            raise CannotTry(f"debootstrap could not make Debian {self.release}: the end of {log} says why")
        (self.base / "etc/apt/sources.list").write_text("".join(mirror.line(self.release) + "\n" for mirror in self.mirrors), encoding="utf-8")
        (self.base / "etc/apt/apt.conf.d/90try").write_text(apt_settings(), encoding="utf-8")
        (self.base / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n", encoding="utf-8")
        # Services that Debian starts when they are installed are not started here.
        policy = self.base / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
        policy.chmod(0o755)
        # debootstrap left its own lists of packages; what all mirrors have is in a layer that belongs to every machine.
        if self.run(Layers(self.fresh("lists"), [self.base]), "apt-get update", log) != 0:
            raise CannotTry(f"apt could not reach the mirrors from the new system:\n{tail(log)}")
        done.touch()

    def fresh(self, name: str) -> pathlib.Path:
        """An empty layer."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / name).mkdir()
        return self.folder / name

    def run(self, layers: Layers, command: str, log: pathlib.Path, binds: dict[pathlib.Path, str] | None = None,
            seconds: float = SECONDS_MAX) -> int:
        """The status of a command in a machine; what it printed is added to `log`."""
        pairs = [word for source, target in (binds or {}).items() for word in (str(source), target)]
        with open(log, "ab") as to:
            try:
                return subprocess.run(
                    ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "bash", "-euc", ENTER, "enter",
                     self.folder / "root", layers.options(), command, *pairs],
                    stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.STDOUT, env=ENVIRONMENT, timeout=seconds, check=False).returncode
            except subprocess.TimeoutExpired:
                to.write(f"\nnot done after {seconds:.0f} s\n".encode())
                return 124

    def equipped(self, name: str, packages: list[str]) -> list[pathlib.Path]:
        """The layers of a machine with these packages, which are installed once."""
        if not packages:
            return self.system
        layer = self.folder / f"{name}.layer"
        done = self.folder / f"{name}.done"
        wanted = " ".join(packages)
        if not done.exists() or done.read_text(encoding="utf-8") != wanted or done.stat().st_mtime < (self.folder / "base.done").stat().st_mtime:
            say(f"try: {name}: installing {wanted}")
            log = self.folder / f"{name}.log"
            log.unlink(missing_ok=True)
            if self.run(Layers(self.fresh(layer.name), self.system), f"apt-get install {wanted} && apt-get clean", log, seconds=1800) != 0:
                raise CannotTry(f"{name}: the packages could not be installed: the end of {log} says why")
            done.write_text(wanted, encoding="utf-8")
        return [layer, *self.system]

    def build_packages(self) -> pathlib.Path:
        """Builds this tree there as it is, also what is not committed. Its build folder stays, for the next time."""
        source = self.folder / "source"
        source.mkdir(exist_ok=True)
        # The clone may belong to the user that called sudo, and git refuses another's without being told.
        list_files: list[str | pathlib.Path] = ["git", "-c", "safe.directory=*", "-C", TREE, "ls-files", "-z", "--cached", "--others",
                                                "--exclude-standard"]
        names = subprocess.run(list_files, capture_output=True, check=True).stdout
        tar: list[str | pathlib.Path] = ["tar", "-C", TREE, "--null", "--files-from=-", "--ignore-failed-read", "-c"]
        with subprocess.Popen(tar, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as packing:
            unpacking = subprocess.Popen(["tar", "-C", source, "-x"], stdin=packing.stdout)
            assert packing.stdin
            packing.stdin.write(names)
            packing.stdin.close()
            unpacking.wait()
        layer, log = self.folder / "builder", self.folder / "build.log"
        if not layer.exists():
            self.fresh("builder")
        log.unlink(missing_ok=True)
        jobs = os.environ.get("DPM_JOBS", "")
        say(f"try: building the packages in Debian {self.release}; progress is in {log}")
        command = f"cd /source && DPM_JOBS={shlex.quote(jobs)} ./dev package"
        if self.run(Layers(layer, self.system), command, log, {source: "/source"}, seconds=4 * 3600) != 0:
            raise CannotTry(f"the packages could not be built: {log} ends with\n{tail(log)}")
        return source / PACKAGES


def tail(log: pathlib.Path, lines: int = 40) -> str:
    text = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join("    " + line for line in text[-lines:])


# ---- what is left

def fingerprints(lab: Lab, layers: Layers, log: pathlib.Path) -> dict[str, str]:
    """What every path of the machine is: kind, rights, owner, target; of files in /etc their content; and of accounts and groups their names."""
    log.unlink(missing_ok=True)
    status = lab.run(layers, r"""find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run \) -prune -o -printf '%y %m %u %g %l\t%p\n'
        find /etc -xdev -type f ! -name 'passwd*' ! -name 'group*' ! -name '*shadow*' -exec md5sum {} + | sed 's/  /\t/;s/$/ (content)/'
        for file in /etc/passwd /etc/group; do sed "s|^\([^:]*\):.*|account\t$file: \1|" "$file"; done""", log)
    if status != 0:
        raise CannotTry(f"the files of the machine could not be listed: {tail(log)}")
    found = {}
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        what, _, path = line.partition("\t")
        found[path] = what
    return found


def left_behind(before: dict[str, str], after: dict[str, str], may_differ: list[str]) -> list[str]:
    def is_excused(path: str) -> bool:
        path = path.removesuffix(" (content)")
        return any(path.startswith(prefix) if prefix.endswith("/") else path == prefix for prefix in may_differ)

    paths = sorted(path for path in before.keys() | after.keys() if not is_excused(path) and before.get(path) != after.get(path))
    return [f"{'new' if path not in before else 'gone' if path not in after else 'changed'}: {path}" for path in paths]


# ---- trials

@dataclass
class Outcome:
    step: str
    verdict: str
    seconds: float = 0.0


@dataclass
class Trial:
    machine: dict[str, Any]
    outcomes: list[Outcome] = field(default_factory=list)

    def note(self, step: str, verdict: str, seconds: float) -> None:
        self.outcomes.append(Outcome(step, verdict, seconds))
        say(f"  {verdict:<9} {step} ({seconds:.1f} s)")


def complaints_about(step: dict[str, Any], status: int, printed: str) -> list[str]:
    complaints = [] if status == 0 else [f"it ended with status {status}"]
    complaints += [f"it did not print '{text}'" for text in step.get("prints", []) if text not in printed]
    complaints += [f"it printed '{text}'" for text in step.get("lacks", []) if text in printed]
    return complaints


def try_machine(lab: Lab, machine: dict[str, Any], may_differ: list[str], packages: pathlib.Path) -> Trial:
    name = machine["name"]
    trial = Trial(machine)
    below = lab.equipped(name, machine["packages"])
    layers = Layers(lab.fresh(f"{name}.trial"), below)
    home = lab.fresh(f"{name}.home")
    logs = lab.folder / f"{name}.logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    for file in FILES:
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TREE / file, home / file)
    (home / PACKAGES).mkdir(parents=True)
    for package in packages.glob("*.deb"):
        shutil.copy2(package, home / PACKAGES)
    binds = {home: HOME}

    say(f"{lab.release}, {name}: {machine['about']}")
    before = fingerprints(lab, layers, logs / "before")
    for number, step in enumerate(machine["step"], 1):
        log = logs / f"{number:02d}"
        start = time.monotonic()
        status = lab.run(layers, step["run"], log, binds)
        complaints = complaints_about(step, status, log.read_text(encoding="utf-8", errors="replace"))
        trial.note(step["name"], "FAILED" if complaints else "ok", time.monotonic() - start)
        if complaints:
            say(f"{tail(log)}\n    {'; '.join(complaints)}\n    look at: {step['look_at']}\n    all that it printed: {log}")
            if step.get("needed"):
                return trial
    start = time.monotonic()
    left = left_behind(before, fingerprints(lab, layers, logs / "after"), may_differ)
    trial.note("nothing is left", "FAILED" if left else "ok", time.monotonic() - start)
    for line in left:
        say(f"    {line}")
    return trial


def os_release() -> str:
    try:
        return platform.freedesktop_os_release()["VERSION_CODENAME"]
    except (OSError, KeyError) as error:
        raise CannotTry("this is not a Debian system: the packages are tried from one") from error


def try_all(options: argparse.Namespace) -> int:
    here = os_release()
    release = options.release or here
    if os.geteuid() != 0:
        raise CannotTry("root makes the machines: run it with sudo")
    missing = [tool for tool in ("debootstrap", "unshare", "apt-get") if shutil.which(tool) is None]
    if missing:
        raise CannotTry(f"not installed: {' '.join(missing)}")
    trials = tomllib.loads((TREE / "tests/package/trials.toml").read_text(encoding="utf-8"))
    machines = [machine for machine in trials["machine"] if options.machine in (None, machine["name"])]
    if not machines:
        raise CannotTry(f"no machine '{options.machine}' (there are: {' '.join(machine['name'] for machine in trials['machine'])})")
    if options.again:
        shutil.rmtree(TREE / "build/try" / release, ignore_errors=True)
    lab = Lab(release, here)
    lab.make_base()
    packages = TREE / PACKAGES if release == here else lab.build_packages()
    if not list(packages.glob("*.deb")):
        raise CannotTry(f"no packages in {packages}: run ./dev package")
    results = [try_machine(lab, machine, list(trials["may_differ"]), packages) for machine in machines]
    counts = {verdict: sum(outcome.verdict == verdict for trial in results for outcome in trial.outcomes) for verdict in ("ok", "FAILED")}
    say(f"Debian {release}: {counts['ok']} steps did what they should, {counts['FAILED']} did not")
    return 1 if counts["FAILED"] else 0


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("release", nargs="?")
    parser.add_argument("--machine")
    parser.add_argument("--again", action="store_true")
    try:
        return try_all(parser.parse_args())
    except CannotTry as reason:
        print(f"try: {reason}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
