"""What is left behind: nothing, however a cluster ends. Every function is a case of check_cluster."""

import os
import pathlib
import pty
import signal
import subprocess

from running import Setting, expect, expect_same, wait_until

_KINDS = ("net", "mnt", "pid", "uts", "ipc")
_SCRIPT = "ssh red 'sleep 1000 </dev/null >/dev/null 2>&1 &'; cd /tmp; setsid sleep 1000 & echo ready; read line"


class _Machine:
    """What can be seen of the machine from outside a cluster."""

    def __init__(self) -> None:
        self.interfaces = sorted(os.listdir("/sys/class/net"))
        self.mounts = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8")
        # The first dpm that runs as root here makes its folder, and the first mount of a machine makes /run/mount. Both may be
        # another test's.
        self.folders = sorted(set(os.listdir("/run")) - {"dpm", "mount"})


def _children(pid: int) -> list[int]:
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in text.split()]


def _descendants(pid: int) -> list[int]:
    return [one for child in _children(pid) for one in (child, *_descendants(child))]


def _namespaces(pids: list[int]) -> set[str]:
    found = set()
    for pid in pids:
        for kind in _KINDS:
            try:
                found.add(os.readlink(f"/proc/{pid}/ns/{kind}"))
            except OSError:
                pass  # it has ended
    return found


class _Held:
    """Keeps the namespaces of these processes, so that no others get their numbers; processes in them do not matter."""

    def __init__(self, pids: list[int]) -> None:
        self._open = []
        for pid in pids:
            for kind in _KINDS:
                try:
                    self._open.append(os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC))
                except OSError:
                    pass  # it has ended

    def let_go(self) -> None:
        for one in self._open:
            os.close(one)


def _all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _wait_for_descendants(pid: int, least: int) -> None:
    wait_until(lambda: len(_descendants(pid)) >= least, lambda: "the cluster does not start")


def _wait_until_gone(made: set[str]) -> None:
    wait_until(lambda: not made & _namespaces(_all_pids()),
               lambda: f"namespaces {made & _namespaces(_all_pids())} have processes")


def _end_and_look(setting: Setting, words: str, end: "signal.Signals | None", status: int) -> None:
    """`end` is the signal sent to the process that was typed; None: its command ends."""
    before = _Machine()
    ours = _namespaces([os.getpid()])
    process = setting.start(words, _SCRIPT)
    expect_same(process.stdout.readline() if process.stdout else "", "ready\n")
    pids = _descendants(process.pid)
    made = _namespaces(pids) - ours
    # At least: one for each host, one for home and one for the switch.
    expect(len([one for one in made if one.startswith("net:")]) >= 4, f"too few namespaces were seen: {made}")
    if end is None:
        process.communicate("go on\n")
    else:
        process.send_signal(end)
    expect_same(process.wait(60), status)
    if process.stdout:
        process.stdout.close()
    _wait_until_gone(made)
    after = _Machine()
    expect_same(after.interfaces, before.interfaces)
    expect_same(after.mounts, before.mounts)
    expect_same(after.folders, before.folders)


def after_exit(setting: Setting) -> None:
    _end_and_look(setting, "2", None, 0)


def after_sigterm(setting: Setting) -> None:
    _end_and_look(setting, "2", signal.SIGTERM, 128 + signal.SIGTERM)


def after_sigint(setting: Setting) -> None:
    _end_and_look(setting, "2", signal.SIGINT, 128 + signal.SIGINT)


def after_sighup(setting: Setting) -> None:
    _end_and_look(setting, "2", signal.SIGHUP, 128 + signal.SIGHUP)


def after_kill_9(setting: Setting) -> None:
    _end_and_look(setting, "2", signal.SIGKILL, -signal.SIGKILL)


def after_kill_9_on_two_networks(setting: Setting) -> None:
    _end_and_look(setting, "3 --networks 2", signal.SIGKILL, -signal.SIGKILL)


def killed_while_starting(setting: Setting) -> None:
    """At whatever moment of its start a cluster is killed, nothing is left."""
    before = _Machine()
    ours = _namespaces([os.getpid()])
    for processes in (1, 2, 4, 6, 8):
        process = subprocess.Popen([setting.program, "4", "--", "sleep", "1000"], stdin=subprocess.DEVNULL)
        _wait_for_descendants(process.pid, processes)
        pids = _descendants(process.pid)
        held = _Held(pids)
        made = _namespaces(pids) - ours
        process.kill()
        process.wait(60)
        _wait_until_gone(made)
        held.let_go()
    after = _Machine()
    expect_same((after.interfaces, after.mounts, after.folders), (before.interfaces, before.mounts, before.folders))


def at_a_terminal(setting: Setting) -> None:
    """A shell with job control; control-C reaches the command and not the cluster; the end gives the terminal back."""
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # who starts the tests in the background ignores it
        # On a terminal of this kind bash says when it reads.
        os.environ.update(SHELL="/bin/bash", PS1="", HOME=str(setting.folder), TERM="xterm")
        os.execv(setting.program, [str(setting.program), "2"])
    said = heard = ""

    def hear(word: str) -> None:
        nonlocal said, heard
        while word not in said:
            said += os.read(terminal, 65536).decode(errors="replace").replace("\r", "")
        before, _, said = said.partition(word)
        heard += before + word

    def type_in(text: str) -> None:
        os.write(terminal, text.encode())

    def give_up(*_: object) -> None:
        raise AssertionError(f"waited in vain, and heard {heard!r} and then {said!r}")

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    reads = "\x1b[?2004h"  # the shell is back, and reads: what is typed before may be thrown away
    hear("red, green are up")
    type_in("echo at $(uname -n) $((40 + 2))\n")
    hear("at home 42")
    type_in("sh -c 'echo begun $((1 + 1)); exec sleep 1000'\n")
    hear("begun 2")
    type_in("\x03")
    hear("^C")
    hear(reads)
    type_in("echo status $?; sleep 1000 & jobs -l | wc -l; ssh -t red uname -n\n")
    hear("status 130")
    hear("\nred\n")
    hear(reads)
    type_in("exit 5\n")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    signal.alarm(0)
    os.close(terminal)
    expect_same(status, 5)
