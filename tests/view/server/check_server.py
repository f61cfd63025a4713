#!/usr/bin/env python3
"""check_server.py SERVE_NUMBERS [CASE...]: attacks a small page server from outside. In each case something is refused and
counted, while a viewer beside it goes on getting answers."""
import os
import shlex
import sys
import threading
import time
import traceback
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases_access
import cases_http
import cases_page
import cases_sockets
import cases_tls
from viewer import Server, Viewer


class GoodViewer:
    """Asks all the time, in a thread of its own, and checks each answer."""

    def __init__(self, server: Server) -> None:
        self.viewer, self.over, self.answers = Viewer(server), False, 0
        self.failure: Exception | None = None
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self) -> None:
        try:
            while not self.over or self.answers == 0:
                number = self.answers % 50 + 1
                message = self.viewer.answer("numbers", count=number)
                assert message["arrays"]["u32"] == [1000 * at for at in range(number)], message
                self.answers += 1
                time.sleep(0.005)
        except Exception as failure:
            self.failure = failure

    def end(self) -> None:
        """After the attack: it has an answer that it asked for now."""
        self.over = True
        self.thread.join()
        if self.failure is None:
            assert self.viewer.answer("echo", last=True)["answer"]["params"] == {"last": True}
        self.viewer.close()
        if self.failure:
            raise AssertionError("the viewer beside the attack got no answers") from self.failure


def play(program: str, case: Any) -> None:
    server = Server(program, *getattr(case, "options", []))
    try:
        beside = GoodViewer(server) if getattr(case, "beside", True) else None
        try:
            case(server)
        finally:
            if beside:
                beside.end()
    finally:
        assert server.end() == 0, "the server did not end by itself"


def all_cases() -> list[Any]:
    groups = (cases_page, cases_access, cases_http, cases_sockets, cases_tls)
    return [value for group in groups for name, value in vars(group).items() if name.startswith("case_")]


def main() -> int:
    program, only = os.path.abspath(sys.argv[1]), sys.argv[2:]
    failed = 0
    for case in all_cases():
        name = case.__name__.removeprefix("case_")
        if only and name not in only:
            continue
        try:
            play(program, case)
            print(f"passed: {name}")
        except Exception:  # whatever it is, it is a failure of this case alone
            failed += 1
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED: {case.__doc__ or name}\n  again: {shlex.join([sys.argv[0], str(program), name])}")
        sys.stdout.flush()
    return 1 if failed else 0


sys.exit(main())
