"""One host: process 1 of its namespaces, from their making to their end.

It speaks with the caretaker over a socket of packets: it is told `go` when its cables are there, says `ready` when
its sshd listens, or what went wrong; home is then told `run` and says at last with which status the command ended.
When this process ends, everything on the host ends.
"""

import os
import pathlib
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import NoReturn

import folders
import kernel
import plan
import switch
import world as worlds

NAMESPACES = kernel.NEW_MOUNTS | kernel.NEW_NAME | kernel.NEW_IPC | kernel.NEW_PIDS | kernel.NEW_NETWORK


def live(world: worlds.World, host: plan.Host, channel: socket.socket) -> int:
    """Runs as the host's process 1, until killed."""
    _leave_callers_files(host, channel)
    try:
        sshd = _set_up(world, host, channel)
    except OSError as error:
        channel.send(f"failed {host.name}: {error.strerror or error}".encode())
        return 1
    channel.send(b"ready")
    _serve(world, channel, sshd)
    return 0


def _leave_callers_files(host: plan.Host, channel: socket.socket) -> None:
    """Only home has the user's terminal and files. 64 hosts must not hold open what is closed here."""
    os.closerange(3, channel.fileno())
    os.closerange(channel.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    if host.name != plan.HOME:
        os.setsid()
        null = os.open("/dev/null", os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)
        os.close(null)


def _set_up(world: worlds.World, host: plan.Host, channel: socket.socket) -> "subprocess.Popen[bytes]":
    files = {**world.files, "hostname": f"{host.name}\n"}
    if host.clock != plan.Clock():
        files["ld.so.preload"] = f"{worlds.clock_library(host)}\n"
    kernel.call_this_process(f"host {host.name}")
    socket.sethostname(host.name)
    folders.prepare(files, world.shown, world.run_folders, [(one.user, one.group) for one in world.accounts])
    _make_terminals(world.privileged)
    _allow_network(world)
    if channel.recv(16) != b"go":
        raise OSError(0, "the caretaker is gone")
    switch.configure_host(host, world.ipv6)
    # Not even root on a host may set the machine's clock or load kernel modules.
    for capability in (kernel.CAP_SYS_TIME, kernel.CAP_SYS_MODULE):
        kernel.forgo(capability)
    return _start_sshd(host)


def _make_terminals(privileged: bool) -> None:
    """In a user namespace the machine's terminals belong to a group we do not have: sshd could not give them away."""
    if not privileged:
        flags = kernel.MOUNT_NOSUID | kernel.MOUNT_NOEXEC
        kernel.mount("devpts", "/dev/pts", flags, "newinstance,ptmxmode=666,mode=620")
        kernel.bind("/dev/pts/ptmx", "/dev/ptmx")


def _allow_network(world: worlds.World) -> None:
    if world.ipv6:
        for scope in ("all", "default"):
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6").write_text("0", encoding="ascii")
    if not world.privileged:
        # Lets sshd listen at port 22 without being root.
        pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").write_text("0", encoding="ascii")


def _start_sshd(host: plan.Host) -> "subprocess.Popen[bytes]":
    # sshd starts itself again for each connection and wants to know where it is.
    program = shutil.which("sshd", path="/usr/sbin:/sbin:/usr/local/sbin")
    if program is None:
        raise OSError(0, "sshd is gone")
    log = pathlib.Path(plan.SHARED, "log", f"{host.name}.sshd")
    words = [program, "-D", "-f", f"{plan.SHARED}/sshd_config", "-E", str(log)]
    null = subprocess.DEVNULL
    sshd = subprocess.Popen(words, stdin=null, stdout=null, stderr=null, cwd="/", start_new_session=True)
    while not _port_22_listens():
        if sshd.poll() is not None:
            said = log.read_text(encoding="utf-8") if log.exists() else ""
            raise OSError(0, f"sshd ended with {sshd.returncode}: {said.strip()}")
        time.sleep(0.005)
    return sshd


def _port_22_listens() -> bool:
    with open("/proc/net/tcp", encoding="ascii") as table:
        return any(fields[1].endswith(":0016") and fields[3] == "0A" for fields in map(str.split, table))


def _serve(world: worlds.World, channel: socket.socket, sshd: "subprocess.Popen[bytes]") -> None:
    """Reaps orphans, as a process 1 must, and runs the user's command when told to."""
    command = 0
    waker, woken = socket.socketpair()
    for end in (waker, woken):
        end.setblocking(False)
    signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    watched = selectors.DefaultSelector()
    watched.register(channel, selectors.EVENT_READ)
    watched.register(woken, selectors.EVENT_READ)
    while True:
        for pid, status in buried():
            if pid == command:
                channel.send(f"ended {status}".encode())
            if pid == sshd.pid:
                sshd.returncode = status  # it has been waited for
        for key, _ in watched.select():
            if key.fileobj is woken:
                woken.recv(4096)
            elif channel.recv(16) == b"run":
                command = _run_command(world)
            else:
                return


def buried() -> list[tuple[int, int]]:
    """The children that have ended, with their exit status as in a shell."""
    ended = []
    try:
        while (one := os.waitpid(-1, os.WNOHANG))[0] != 0:
            status = os.waitstatus_to_exitcode(one[1])
            ended.append((one[0], 128 - status if status < 0 else status))
    except ChildProcessError:
        pass
    return ended


def _run_command(world: worlds.World) -> int:
    pid = os.fork()
    if pid == 0:
        kernel.become(lambda: _be_command(world))
    return pid


def _be_command(world: worlds.World) -> NoReturn:
    user = world.accounts[0]
    interactive = not world.options.command
    words = world.options.command or [os.environ.get("SHELL", "/bin/bash")]
    if interactive and os.isatty(0):
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored_by_python, signal.SIG_DFL)
    os.umask(world.umask)
    own = world.environment(user)
    path = own.pop("PATH").removesuffix(worlds.PATH) + os.environ.get("PATH", worlds.PATH)
    environment = {**os.environ, **own, "PATH": path}
    if world.privileged and user.user != 0:
        os.initgroups(user.name, user.group)
        os.setgid(user.group)
        os.setuid(user.user)
        environment |= {"HOME": user.folder, "USER": user.name, "LOGNAME": user.name}
    try:
        os.execvpe(words[0], words, environment)
    except OSError as error:
        print(f"cluster: {words[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)
