#!/usr/bin/env python3
"""try_clones.py [--keep] [ENVIRONMENT...]: `./dev demo` and `./dev test` in a clone of the commit that is checked out, in each environment.

The clone is below /home. What the machine needs for it (an account, a locale) is made, and removed at the end. Logs are in
build/clones/ENVIRONMENT. It takes the time of a whole build and of all tests, once for each environment; ccache shortens the build.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from environments import ENVIRONMENTS, Environment

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / "build/clones"
ACCOUNT = "dpm-clone"
SUDOERS = pathlib.Path("/etc/sudoers.d/dpm-clone")
# What Debian gives an account that logs in.
PATHS = {"root": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "user": "/usr/local/bin:/usr/bin:/bin"}
PASSED_ON = re.compile("DPM_.*|.*_proxy")
LIMIT_S = 4 * 3600


class Skip(Exception):
    """This machine cannot have the environment; why not."""


@dataclasses.dataclass
class Outcome:
    """What came of one environment."""

    demo: str = "not run"
    passed: int = 0
    failed: list[str] = dataclasses.field(default_factory=list)
    skipped: dict[str, str] = dataclasses.field(default_factory=dict)  # "test: reason", and the reason
    complaint: str = ""

    def is_good(self) -> bool:
        return self.demo == "good" and self.passed > 0 and not self.failed and not self.complaint


def call(*words: object, **how: Any) -> str:
    result: str = subprocess.run([str(word) for word in words], check=True, text=True, stdout=subprocess.PIPE, **how).stdout
    return result


# ---- what the machine gets for a while

@contextlib.contextmanager
def locale_of(environment: Environment) -> Iterator[Any]:
    """The locale, compiled if the machine does not have it."""
    wanted = environment.locale.lower().replace("-", "")
    if wanted == "c" or wanted in call("locale", "-a").lower().replace("-", "").split():
        yield
        return
    language, charset = environment.locale.split(".")
    if not pathlib.Path("/usr/share/i18n/locales", language).exists():
        raise Skip(f"no source of the locale {language}: Debian's package locales is not installed")
    call("localedef", "-i", language, "-f", charset, environment.locale)
    try:
        yield
    finally:
        call("localedef", "--delete-from-archive", f"{language}.{charset.lower().replace('-', '')}")


@contextlib.contextmanager
def account_of(environment: Environment, home: pathlib.Path) -> Iterator[pwd.struct_passwd]:
    """The account that plays; a new one may use sudo without a password."""
    if environment.account == "root":
        yield pwd.getpwuid(0)
        return
    if shutil.which("sudo") is None:
        raise Skip("sudo is not installed")
    try:
        pwd.getpwnam(ACCOUNT)
        raise Skip(f"there is an account {ACCOUNT} already")
    except KeyError:
        pass
    call("useradd", "--no-create-home", "--home-dir", home, "--shell", "/bin/bash", ACCOUNT)
    try:
        SUDOERS.write_text(f"{ACCOUNT} ALL=(ALL) NOPASSWD: ALL\n")
        SUDOERS.chmod(0o440)
        yield pwd.getpwnam(ACCOUNT)
    finally:
        SUDOERS.unlink(missing_ok=True)
        end_processes(pwd.getpwnam(ACCOUNT).pw_uid)
        call("userdel", ACCOUNT, stderr=subprocess.DEVNULL)


def end_processes(user: int) -> None:
    """Those that an account has left."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid == user:
                os.kill(int(pid), signal.SIGKILL)


@contextlib.contextmanager
def home_of(environment: Environment, keep: bool) -> Iterator[pathlib.Path]:
    home = pathlib.Path(tempfile.mkdtemp(prefix="dpm clone " if " " in environment.folder else "dpm-clone-", dir="/home"))
    try:
        yield home
    finally:
        if keep:
            print(f"  kept: {home}")
        else:
            shutil.rmtree(home, ignore_errors=True)


def place_of(environment: Environment, home: pathlib.Path) -> pathlib.Path:
    """Where the clone comes to be: as deep as its path is to be long."""
    place = home / environment.folder
    while len(str(place)) + 101 < environment.length:
        place = place / (environment.folder + "-" * 100)[:100]
    missing = environment.length - len(str(place)) - 1
    return place / ("clone" + "-" * missing)[:missing] if missing > 0 else place


# ---- the clone

def make_clone(environment: Environment, home: pathlib.Path, account: pwd.struct_passwd) -> pathlib.Path:
    """As the account would make it: of what is committed, all files with the rights that its umask leaves."""
    place = place_of(environment, home)
    place.parent.mkdir(parents=True, exist_ok=True)
    # The account may not be able to read this tree, and git does not trust a tree of another account by default.
    call("git", "-c", "safe.directory=*", "clone", "--quiet", "--no-local", ROOT, place, umask=environment.umask)
    cache = pathlib.Path(os.environ.get("CCACHE_DIR", pathlib.Path.home() / ".cache/ccache"))
    if cache.is_dir():
        shutil.copytree(cache, home / ".cache/ccache", symlinks=True)
    call("chown", "-R", f"{account.pw_uid}:{account.pw_gid}", home)
    home.chmod(environment.home_mode)
    return place


def command_in(environment: Environment, account: pwd.struct_passwd, words: list[str]) -> list[str]:
    if account.pw_uid != 0:
        words = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--init-groups", *words]
    if environment.container:
        words = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net",
                 "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *words]
    return words


def run_in(environment: Environment, clone: pathlib.Path, home: pathlib.Path, account: pwd.struct_passwd, log: pathlib.Path,
           *words: str) -> int:
    variables = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
    variables |= {"HOME": str(home), "PATH": PATHS[environment.account], "LANG": environment.locale, "USER": account.pw_name,
                  "LOGNAME": account.pw_name, "SHELL": "/bin/bash"}
    with log.open("w") as file:
        process = subprocess.Popen(command_in(environment, account, list(words)), cwd=clone, env=variables, stdin=subprocess.DEVNULL,
                                   stdout=file, stderr=subprocess.STDOUT, umask=environment.umask, start_new_session=True)
        try:
            return process.wait(LIMIT_S)
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise


def play(name: str, environment: Environment, keep: bool) -> Outcome:
    outcome, logs = Outcome(), LOGS / name
    logs.mkdir(parents=True, exist_ok=True)
    with locale_of(environment), home_of(environment, keep) as home, account_of(environment, home) as account:
        clone = make_clone(environment, home, account)
        print(f"  {name}: {clone} ({len(str(clone))} characters), logs in {logs}", flush=True)
        try:
            status = run_in(environment, clone, home, account, logs / "demo.log", "./dev", "demo")
            outcome.demo = "good" if status == 0 and (clone / "out/demo/report.html").exists() else f"status {status}"
            if outcome.demo == "good":
                run_in(environment, clone, home, account, logs / "test.log", "./dev", "test")
                read_results((logs / "test.log").read_text(errors="replace"), outcome)
        except subprocess.TimeoutExpired:
            outcome.complaint = f"not done after {LIMIT_S} s"
    return outcome


def read_results(text: str, outcome: Outcome) -> None:
    """What ./dev test prints at its end."""
    for line in text.splitlines():
        if line.startswith("failed: "):
            outcome.failed.append(line.removeprefix("failed: "))
        elif line.startswith("skipped: "):
            what = line.removeprefix("skipped: ")
            outcome.skipped[what] = what.partition(": ")[2]
    counts = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped\Z", text.rstrip(), re.MULTILINE)
    if counts is None:
        outcome.complaint = f"the tests have no result: {text.splitlines()[-1:]}"
        return
    outcome.passed = int(counts[1])
    unexplained = [what for what, why in outcome.skipped.items() if why in ("", "it gives no reason")]
    if unexplained:
        outcome.complaint = f"skipped without a reason: {', '.join(unexplained)}"


# ---- the table

def show(outcomes: dict[str, Outcome]) -> None:
    """A row an environment; then the failures, and the skips that are not in all of them."""
    width = max(len(name) for name in outcomes)
    print(f"  {'clone':{width}}  demo  tests")
    for name, outcome in outcomes.items():
        print(f"  {name:{width}}  {outcome.demo}  {outcome.passed} passed, {len(outcome.failed)} failed, {len(outcome.skipped)} skipped"
              + (f"; {outcome.complaint}" if outcome.complaint else ""))
    everywhere = set.intersection(*(set(outcome.skipped) for outcome in outcomes.values()))
    for name, outcome in outcomes.items():
        for what in outcome.failed:
            print(f"  {name}: failed: {what}")
        for what in outcome.skipped:
            if what not in everywhere or len(outcomes) == 1:
                print(f"  {name}: skipped: {what}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leave the clones where they are")
    parser.add_argument("environment", nargs="*", help=", ".join(ENVIRONMENTS))
    words = parser.parse_args()
    if unknown := [name for name in words.environment if name not in ENVIRONMENTS]:
        parser.error(f"no environment '{unknown[0]}' (there are: {', '.join(ENVIRONMENTS)})")
    if os.geteuid() != 0:
        print("SKIPPED: only root can make accounts and namespaces for clones: sudo ./dev soak clones")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    outcomes, began_s, skipped = {}, time.monotonic(), []
    for name in words.environment or ENVIRONMENTS:
        try:
            outcomes[name] = play(name, ENVIRONMENTS[name], words.keep)
        except Skip as why:
            skipped.append(f"{name}: {why}")
    for reason in skipped:
        print(f"SKIPPED: {reason}")
    if not outcomes:
        return SKIPPED
    show(outcomes)
    LOGS.joinpath("outcomes.json").write_text(json.dumps({name: dataclasses.asdict(outcome) for name, outcome in outcomes.items()}, indent=1))
    good = sum(outcome.is_good() for outcome in outcomes.values())
    print(f"{good} of {len(outcomes)} clones: demo and all tests well, in {(time.monotonic() - began_s) / 60:.0f} min"
          + (f"; {len(skipped)} skipped" if skipped else ""))
    return 0 if good == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
