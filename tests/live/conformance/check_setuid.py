#!/usr/bin/python3
"""What becomes of a setuid program's privileges: metered by root it keeps them; metered by an ordinary user it runs without them,
which dpm says. Needs root, to make one."""

import argparse
import os
import pathlib
import shutil
import sys
from collections.abc import Sequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import expectation
import running


def privileges(folder: pathlib.Path, program: pathlib.Path, *, user: int | None = None, before: Sequence[str] = (),
               meter: str | None = None) -> tuple[list[str], str]:
    """Runs the program as `user`, or as root behind the command `before`: whether it became root, and what the meter said."""
    account = folder / "account"
    with open(account, "wb") as file:
        file.truncate(1 << 20)
    account.chmod(0o666)
    finished = running.run([*before, str(program), "privileges"], folder, meter=meter, user=user,
                           environment={"DPM_ACCOUNT": str(account)})
    _, results = expectation.read_account(account)
    return results[:1], finished.errors


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--can-notify", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    if os.geteuid() != 0:
        running.skip("only root can make a setuid program")
    root, unprivileged = ["main: the effective user is root = 1"], ["main: the effective user is root = 0"]
    failed = 0

    def check(what: str, seen: list[str] | bool, wanted: list[str] | bool) -> None:
        nonlocal failed
        failed += seen != wanted
        print(f"{'good' if seen == wanted else 'FAILED':7}{what}" + ("" if seen == wanted else f": {seen}, not {wanted}"))

    with running.Workshop() as workshop:
        options.dpm = running.for_every_account(options.dpm, workshop.path)
        running.need_notification(running.for_every_account(options.can_notify, workshop.path), running.NOBODY)
        program = pathlib.Path(shutil.copy(options.program, workshop.path / "setuid_program"))
        os.chown(program, 0, 0)
        program.chmod(0o4755)
        bare, _ = privileges(workshop.folder(), program, user=running.NOBODY)
        if bare != root:
            running.skip(f"setuid programs have no effect in {workshop.path.parent} (mounted nosuid?)")
        drop = ["setpriv", f"--reuid={running.NOBODY}", f"--regid={running.NOBODY}", "--clear-groups"]
        seen, _ = privileges(workshop.folder(), program, before=drop, meter=options.dpm)
        check("metered by root it keeps its privileges", seen, root)
        seen, said = privileges(workshop.folder(), program, user=running.NOBODY, meter=options.dpm)
        check("metered by an ordinary user it has none", seen, unprivileged)
        check("and dpm says so", "no_new_privs" in said, True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
