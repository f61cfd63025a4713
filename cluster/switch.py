"""The network between the hosts: one bridge for each of the cluster's networks, in a namespace that holds nothing else.

No interface of the machine takes part, so no packet can leave the cluster.
"""

import os
import socket
import subprocess

import kernel
import plan
from options import Refused


def run_ip(lines: list[str], program: str = "ip") -> None:
    """Runs all `lines` by one call of ip (or tc)."""
    text = "".join(f"{line}\n" for line in lines)
    lend = None if os.getuid() == 0 else kernel.lend_capabilities
    words = [program, "-batch", "-"]
    done = subprocess.run(words, input=text, text=True, capture_output=True, check=False, preexec_fn=lend)
    if done.returncode != 0:
        raise OSError(0, f"{program}: {done.stderr.strip()}")


def install(networks: int) -> None:
    """The bridges, without delays for learning or for loop detection: there are no loops."""
    lines = ["link set lo up"]
    for network in range(1, networks + 1):
        lines += [f"link add lan{network} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                  f"link set lan{network} up"]
    run_ip(lines)


def plug_in(members: list[tuple[plan.Host, int]]) -> None:
    """A cable from each network to each host, which is given with the id of a process in its namespace.

    A host that is started again has the hardware addresses that its neighbours remember.
    """
    lines = []
    for host, pid in members:
        for network in range(1, host.networks + 1):
            cable = host.cable(network)
            lines += [f"link add {cable} type veth peer name eth{network - 1} "
                      f"address {host.hardware_address(network)} netns {pid}",
                      f"link set {cable} master lan{network} up"]
    run_ip(lines)


def impair(members: list[plan.Host], delay_ms: float, loss_percent: float) -> None:
    """Sets delay and loss of the packets to each host; from host to host a packet passes one such cable."""
    if delay_ms == 0 and loss_percent == 0:
        return
    effect = f"delay {delay_ms}ms loss {loss_percent}% limit 100000"
    try:
        run_ip([f"qdisc add dev {host.cable(network)} root netem {effect}"
                for host in members for network in range(1, host.networks + 1)], "tc")
    except OSError as error:
        raise Refused(f"--delay and --loss need the kernel's network emulator (sch_netem), which is not here: "
                      f"{error.strerror}") from error


def cut(host: plan.Host, network: int) -> None:
    """The switch passes no packets from or to this host's cable. Packets silently do not arrive."""
    run_ip([f"link set {host.cable(network)} nomaster"])


def mend(host: plan.Host, network: int) -> None:
    run_ip([f"link set {host.cable(network)} master lan{network}"])


def unplug(host: plan.Host) -> None:
    """Removes a host's remaining cables: the kernel itself removes them some time after the host's end."""
    for network in range(1, host.networks + 1):
        try:
            run_ip([f"link del {host.cable(network)}"])
        except OSError:
            if host.cable(network) in (name for _, name in socket.if_nameindex()):
                raise


def configure_host(host: plan.Host, ipv6: bool) -> None:
    """Called in the host's own namespace."""
    lines = ["link set lo up"]
    for network in range(1, host.networks + 1):
        interface = f"eth{network - 1}"
        lines.append(f"addr add {host.address(network)}/24 dev {interface}")
        if ipv6:
            # Our address is unique; checking that would take a second.
            lines.append(f"addr add {host.address6(network)}/64 dev {interface} nodad")
        lines.append(f"link set {interface} up")
    run_ip(lines)
