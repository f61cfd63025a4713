#!/usr/bin/python3
"""./dev cluster: N hosts in namespaces of this machine, a command or shell among them, and nothing left afterwards.

This process stays outside: it starts the caretaker, waits, and hands on what the terminal and others signal.
cluster/manual.md says how to use it and has the picture.
"""

import os
import signal
import socket
import sys
import termios

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import caretaker
import kernel
import options as choices
import plan
import requests_inside
import tools
import world as worlds

_KERNEL = 0x80  # si_code of a signal that the terminal sent; the command was sent it as well


def main(words: list[str]) -> int:
    if requests_inside.are_meant(words):
        return requests_inside.ask(words)
    if words in (["--help"], ["-h"]):
        print(choices.USAGE)
        return 0
    if words == ["check"]:
        return tools.check()
    only_names = words[:1] == ["packages"]
    if only_names and words[1:] in (["--help"], ["-h"], ["check"]):
        return 0
    options = choices.parse(words[1:] if only_names else words)
    if only_names:
        print(*tools.packages(options))
        return 0
    allowed = worlds.accounts(options)
    tools.need(options)
    return run(options, allowed)


def run(options: choices.Options, allowed: list[plan.Account]) -> int:
    """The cluster, from first to last."""
    privileged = os.geteuid() == 0
    terminal = termios.tcgetattr(0) if os.isatty(0) else None
    tools.enter_namespaces(privileged)
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ends = {number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
            if signal.getsignal(number) != signal.SIG_IGN}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ends | {signal.SIGCHLD})
    pid = os.fork()
    if pid == 0:
        ours.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        kernel.become(lambda: caretaker.live(options, allowed, privileged, its))
    its.close()
    ours.send(b"go")
    status = _wait(pid, ours, ends)
    if terminal is not None:
        # A killed shell may have left the terminal in its own process group, or in its line editor's mode.
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        try:
            os.tcsetpgrp(0, os.getpgrp())
            termios.tcsetattr(0, termios.TCSADRAIN, terminal)
        except (OSError, termios.error):
            pass  # the terminal is gone
    return status


def _wait(pid: int, channel: socket.socket, ends: set[signal.Signals]) -> int:
    """Waits until the caretaker has ended, and with it everything: the kernel lets a process 1 end last."""
    ended_by = 0
    while True:
        signalled = signal.sigwaitinfo(ends | {signal.SIGCHLD})
        if signalled.si_signo == signal.SIGCHLD:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done == pid:
                break
        elif not (_is_typed(signalled) and _is_running(channel)):
            ended_by = ended_by or signalled.si_signo
            os.kill(pid, signal.SIGKILL)
    if ended_by:
        return 128 + ended_by
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _is_typed(signalled: signal.struct_siginfo) -> bool:
    """Control-C and control-\\ reach the command itself, which may handle them."""
    return signalled.si_code == _KERNEL and signalled.si_signo in (signal.SIGINT, signal.SIGQUIT)


def _is_running(channel: socket.socket) -> bool:
    """Does the user's command run already?"""
    try:
        return bool(channel.recv(16, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except BlockingIOError:
        return False


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except choices.Refused as refused:
        print(f"cluster: {refused}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
