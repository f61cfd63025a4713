#!/usr/bin/env python3
"""Programs that lock themselves in with seccomp are as confined with a meter as without, and warnings name them."""

import argparse
import difflib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/live/harness")]
sys.dont_write_bytecode = True

import running

Account = dict[str, int | list[int]]
ROOT_ACCOUNT: Account = {}
NOBODY: Account = {"user": running.NOBODY, "group": running.NOBODY, "extra_groups": []}


def play(words: list[str], account: Account) -> tuple[int, str, str]:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, cwd="/", **account)  # type: ignore[call-overload]
    return done.returncode, done.stdout, done.stderr


class Checks:
    def __init__(self, asked: argparse.Namespace, source: str, account: Account) -> None:
        self.asked, self.source, self.account = asked, source, account
        self.failures = 0

    def metered(self, *command: str) -> tuple[int, str, str]:
        return play([self.asked.dpm, "meter", "--wait", "--summary", "--source", self.source, "--", *command], self.account)

    def expect(self, case: str, right: bool, *told: object) -> None:
        if right:
            return
        self.failures += 1
        print(f"{self.source}, {'root' if self.account is ROOT_ACCOUNT else 'nobody'}: {case}:", *told)

    def check_all(self) -> None:
        """Every way, place and deed, in one run."""
        status, output, _ = play([self.asked.lock_in], self.account)
        metered_status, metered_output, said = self.metered(self.asked.lock_in)
        changed = "".join(line for line in difflib.unified_diff(output.splitlines(True), metered_output.splitlines(True), "bare", "metered", n=3))
        self.expect("all", (status, output) == (metered_status, metered_output), status, metered_status, f"\n{changed}\n{said}")
        self.expect("all", "locked in\nread 5 bytes\nwrote\nended with 7" in output and "locked in\nkilled by 9" in output, output)
        self.expect("all", "could not lock itself in" not in said, said)

    def check_named(self, case: str, is_named: bool) -> None:
        _, _, said = self.metered(self.asked.lock_in, *case.split())
        named = "lock_in (" in said and "locked itself in (seccomp's strict mode)" in said
        self.expect(case, named == (is_named and self.source == "notify"), said)

    def check_listener(self) -> None:
        _, output, _ = play([self.asked.own_listener], self.account)
        _, metered_output, said = self.metered(self.asked.own_listener)
        self.expect("listener", output == "a listener\n", output)
        self.expect("listener", metered_output == ("EBUSY\n" if self.source == "notify" else output), metered_output)
        named = "own_listener (" in said and "asked for a seccomp listener of its own" in said
        self.expect("listener", named == (self.source == "notify"), said)

    def check_traced(self) -> None:
        """A thread that is traced already cannot be confined by us: the kernel refuses it, and a warning says so."""
        if not pathlib.Path("/usr/bin/strace").exists():
            print("REDUCED: there is no strace")
            return
        words = ["strace", "-f", "-o", "/dev/null", self.asked.lock_in, "prctl", "child", "answer"]
        _, output, said = self.metered(*words)
        self.expect("traced", "not locked in: errno 22" in output, output)
        self.expect("traced", "lock_in (" in said and "could not lock itself in" in said, said)

    def check(self) -> None:
        self.check_all()
        for case, is_named in (("prctl child end", True), ("seccomp thread open", True), ("own-filter-first child end", False)):
            self.check_named(case, is_named)
        self.check_listener()
        if self.source == "notify":
            self.check_traced()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--can-notify", required=True, help="the program can_notify")
    parser.add_argument("--lock-in", required=True, help="the program lock_in")
    parser.add_argument("--own-listener", required=True, help="the program own_listener")
    asked = parser.parse_args()
    running.need_notification(asked.can_notify)
    failures = 0
    with running.Workshop() as workshop:
        folder = workshop.folder()
        for name in ("dpm", "lock_in", "own_listener"):
            setattr(asked, name, running.for_every_account(getattr(asked, name), folder))
        ways = [("notify", ROOT_ACCOUNT)]
        if play([asked.dpm, "meter", "--source", "ebpf", "--summary", "--wait", "--", "true"], ROOT_ACCOUNT)[0] == 0:
            ways.append(("ebpf", ROOT_ACCOUNT))
        if os.geteuid() == 0:
            ways.append(("notify", NOBODY))
        for source, account in ways:
            checks = Checks(asked, source, account)
            checks.check()
            failures += checks.failures
    if failures:
        sys.exit(f"{failures} failures")
    print(f"{len(ways)} ways to meter")


if __name__ == "__main__":
    main()
