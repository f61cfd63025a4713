"""Process 1 of a cluster: starts its hosts, serves `cluster link` and the like, takes everything with it when it ends.

All processes of the hosts are its descendants in one process namespace, so the kernel kills them when it ends. The kernel
also kills it when the typed command ends, for whatever reason. With the last process, the namespaces end, and with them
interfaces, bridges, mounts and the folders in memory. Nothing is made elsewhere, so there is nothing to clean up.
"""

import dataclasses
import os
import selectors
import signal
import socket
import sys
import time

import host as hosts
import kernel
import plan
import switch
import world as worlds
from options import NETWORKS_MAX, Options, Refused

# Long, because a machine may be busy.
_START_LIMIT_S = 300


@dataclasses.dataclass
class Running:
    host: plan.Host
    pid: int
    channel: socket.socket
    cut: set[int]  # networks


class Caretaker:
    def __init__(self, world: worlds.World) -> None:
        self._world = world
        self._running: dict[str, Running] = {}

    def start(self, members: list[plan.Host]) -> None:
        """Starts all at once, so that they prepare themselves in parallel."""
        started = [self._fork(host) for host in members]
        switch.plug_in([(one.host, one.pid) for one in started])
        for one in started:
            one.channel.send(b"go")
        for one in started:
            one.channel.settimeout(_START_LIMIT_S)
            said = one.channel.recv(65536).decode(errors="replace")
            if said != "ready":
                raise OSError(0, said.removeprefix("failed ") or f"{one.host.name} died while it was started")
            self._running[one.host.name] = one
        options = self._world.options
        switch.impair(members, options.delay_ms, options.loss_percent)

    def _fork(self, host: plan.Host) -> Running:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = kernel.fork_apart(hosts.NAMESPACES, lambda: hosts.live(self._world, host, its))
        its.close()
        return Running(host, pid, ours, set())

    def run_command(self) -> int:
        """The user's command at home, until it ends; requests are served meanwhile. Returns its status."""
        home = self._running[plan.HOME]
        waker, woken = socket.socketpair()
        for end in (waker, woken):
            end.setblocking(False)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        requests = self._listen()
        watched = selectors.DefaultSelector()
        for source in (home.channel, woken, requests):
            watched.register(source, selectors.EVENT_READ)
        home.channel.send(b"run")
        while True:
            for key, _ in watched.select():
                if key.fileobj is home.channel:
                    said = home.channel.recv(64).decode()
                    signal.set_wakeup_fd(-1)  # the ends of hosts do not matter any more
                    return int(said.removeprefix("ended ")) if said else 1
                if key.fileobj is woken:
                    woken.recv(4096)
                    self._bury()
                else:
                    self._serve(requests.accept()[0])

    def _listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        path = f"{plan.SHARED}/control"
        listener.bind(path)
        user = self._world.accounts[0]
        os.chown(path, user.user, user.group)
        os.chmod(path, 0o600)
        listener.listen()
        return listener

    def _bury(self) -> None:
        ended = {pid for pid, _ in hosts.buried()}
        self._running = {name: one for name, one in self._running.items() if one.pid not in ended}

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                client.settimeout(5)
                words = client.recv(4096).decode(errors="replace").split()
                client.sendall(b"0 " + self._do(words).encode())
            except Refused as refused:
                client.sendall(f"2 {refused}".encode())
            except OSError as error:
                try:
                    client.sendall(f"1 {error.strerror or error}".encode())
                except OSError:
                    pass  # the asking process has ended

    def _do(self, words: list[str]) -> str:
        match words:
            case ["list"]:
                return "".join(self._describe(host) for host in self._world.members)
            case ["link", name, "up" | "down" as state]:
                return self._link(name, range(1, self._world.options.networks + 1), state)
            case ["link", name, "up" | "down" as state, network]:
                return self._link(name, [self._network(network)], state)
            case ["kill", name]:
                return self._kill(name)
            case ["start", name]:
                return self._start_again(name)
        raise Refused(f"'{' '.join(words)}' is not a request")

    def _describe(self, host: plan.Host) -> str:
        addresses = []
        for network in range(1, host.networks + 1):
            addresses.append(f"{host.address(network):<12}")
            if self._world.ipv6:
                addresses.append(f"{host.address6(network):<14}")
        one = self._running.get(host.name)
        state = "killed" if one is None else "up"
        if one is not None and one.cut:
            state = "cut off from " + ", ".join(f"lan{network}" for network in sorted(one.cut))
        clock = ""
        if host.clock != plan.Clock():
            clock = f"  clock {host.clock.offset_ns / 1e9:+g} s, {host.clock.drift_ppm:+g} ppm"
        return f"{host.name:<12}{''.join(addresses)}{state}{clock}\n"

    def _host(self, name: str) -> plan.Host:
        for host in self._world.members:
            if host.name == name:
                return host
        raise Refused(f"there is no host '{name}' (there are: {' '.join(host.name for host in self._world.members)})")

    def _alive(self, name: str) -> Running:
        host = self._host(name)
        if host.name not in self._running:
            raise Refused(f"{name} is killed (cluster start {name} starts it again)")
        return self._running[host.name]

    def _network(self, text: str) -> int:
        most = self._world.options.networks
        if text not in [str(network) for network in range(1, NETWORKS_MAX + 1)][:most]:
            raise Refused(f"the network is from 1 to {most}, not '{text}'")
        return int(text)

    def _link(self, name: str, networks: "range | list[int]", state: str) -> str:
        one = self._alive(name)
        for network in networks:
            if state == "down":
                switch.cut(one.host, network)
                one.cut.add(network)
            else:
                switch.mend(one.host, network)
                one.cut.discard(network)
        return ""

    def _kill(self, name: str) -> str:
        if name == plan.HOME:
            raise Refused("home is where you are; leave the shell to end it all")
        one = self._alive(name)
        # As if the power failed: its peers must not notice the end of its processes.
        switch.unplug(one.host)
        os.kill(one.pid, signal.SIGKILL)
        os.waitpid(one.pid, 0)
        one.channel.close()
        del self._running[name]
        return ""

    def _start_again(self, name: str) -> str:
        host = self._host(name)
        if name in self._running:
            raise Refused(f"{name} is running")
        switch.unplug(host)
        self.start([host])
        return ""


def _greet(world: worlds.World, after_s: float) -> None:
    names = [host.name for host in world.members if host.name != plan.HOME]
    are = "are" if len(names) > 1 else "is"
    print(f"cluster: {', '.join(names)} {are} up after {after_s:.1f} s, and home, where you are.\n"
          f"cluster: ssh {names[0]} goes there; cluster lists what else; exit leaves and removes everything.",
          file=sys.stderr)


def live(options: Options, allowed: list[plan.Account], privileged: bool, parent: socket.socket) -> int:
    """Runs as the cluster's process 1. Returns the command's exit status."""
    started_s = time.monotonic()
    kernel.die_with_parent()
    if parent.recv(16) != b"go":
        return 1
    kernel.call_this_process("cluster")
    # Signals with default actions do not reach a process 1, but they reach the command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        kernel.unshare(kernel.NEW_MOUNTS | kernel.NEW_NAME | kernel.NEW_IPC | kernel.NEW_NETWORK)
        kernel.keep_mounts_to_ourselves()
        umask = os.umask(0o022)
        caretaker = Caretaker(world := worlds.make(options, allowed, privileged, umask))
        switch.install(options.networks)
        caretaker.start(world.members)
    except Refused as refused:
        print(f"cluster: {refused}", file=sys.stderr)
        return 2
    if not options.command and os.isatty(0):
        _greet(world, time.monotonic() - started_s)
    parent.send(b"running")
    return caretaker.run_command()
