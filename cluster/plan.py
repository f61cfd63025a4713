"""The plan of a cluster: names, addresses, and the text of every file that follows from them. Pure."""

import dataclasses

# In the order of the examples: red, green, blue first.
COLOURS = (
    "red green blue yellow orange purple cyan magenta brown pink lime teal navy olive maroon silver "
    "gold violet indigo crimson coral salmon khaki orchid plum turquoise azure beige ivory lavender tan aqua "
    "amber apricot auburn bronze burgundy carmine cerise cerulean charcoal chartreuse cobalt copper cream ebony "
    "emerald fuchsia gray jade lemon lilac mauve mint mustard ochre peach pearl periwinkle rose ruby rust sapphire "
    "scarlet"
).split()

# The host of the user's shell; like the others, but not counted.
HOME = "home"

# Shared by all hosts of a cluster, and visible only to them: keys, configuration, the caretaker's socket.
SHARED = "/run/cluster"

_HOME_NUMBER = 200


@dataclasses.dataclass(frozen=True)
class Clock:
    """How a host's clock differs from the machine's: its offset at the start, and its drift."""

    offset_ns: int = 0
    drift_ppm: float = 0.0


@dataclasses.dataclass(frozen=True)
class Host:
    name: str
    number: int
    networks: int
    clock: Clock = Clock()

    def address(self, network: int) -> str:
        return f"10.{network}.0.{self.number}"

    def address6(self, network: int) -> str:
        return f"fd00:{network}::{self.number}"

    def hardware_address(self, network: int) -> str:
        return f"02:00:00:00:{network:02x}:{self.number:02x}"

    def cable(self, network: int) -> str:
        """The switch's end of the cable to this host; the host's own end is eth0, eth1..."""
        return f"port{self.number}.{network}"


@dataclasses.dataclass(frozen=True)
class Account:
    """A user who may log in on every host."""

    name: str
    user: int
    group: int
    folder: str


def hosts(count: int, networks: int, clocks: dict[str, Clock]) -> list[Host]:
    """Home first, then `count` colours."""
    numbered = [(HOME, _HOME_NUMBER), *((name, number) for number, name in enumerate(COLOURS[:count], start=1))]
    return [Host(name, number, networks, clocks.get(name, Clock())) for name, number in numbered]


def etc_hosts(members: list[Host], ipv6: bool) -> str:
    """Each host's name, or host1, host2..., means all its addresses; NAME.lan1, NAME.lan2 mean those in one network."""
    lines = ["127.0.0.1 localhost"]
    if ipv6:
        lines.append("::1 localhost ip6-localhost ip6-loopback")
    for host in members:
        for network in range(1, host.networks + 1):
            names = f"{host.name} {host.name}.lan{network}"
            if host.name != HOME:
                names += f" host{host.number}"
            lines.append(f"{host.address(network)} {names}")
            if ipv6:
                lines.append(f"{host.address6(network)} {names}")
    return "\n".join(lines) + "\n"


def ssh_config() -> str:
    """For every host and every account that has a key here, without questions."""
    return f"""Host *
  IdentityFile {SHARED}/keys/%u
  IdentityAgent none
  IdentitiesOnly yes
  PreferredAuthentications publickey
  BatchMode yes
  UserKnownHostsFile {SHARED}/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  UpdateHostKeys no
  LogLevel ERROR
  ConnectTimeout 20
"""


def sshd_config(environments: dict[str, dict[str, str]]) -> str:
    """Without PAM, and with files of the cluster alone: the machine's own ssh accounts and keys open nothing here.

    `environments` has the variables of each account that may log in.
    """
    text = f"""Port 22
HostKey {SHARED}/host_key
AuthorizedKeysFile {SHARED}/authorized/%u
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PidFile none
MaxStartups 1000
MaxSessions 1000
PrintMotd no
PrintLastLog no
AcceptEnv LANG LC_*
Subsystem sftp internal-sftp
"""
    for account, environment in environments.items():
        settings = " ".join(f'"{name}={value}"' for name, value in environment.items())
        text += f"Match User {account}\n  SetEnv {settings}\n"
    return text


def etc_passwd(passwd: str, account: Account) -> str:
    """The machine's accounts; the one given is made one that can log in, because ssh refuses accounts without a shell."""
    kept = []
    for line in passwd.splitlines():
        fields = line.split(":")
        if len(fields) != 7 or fields[0] != account.name:
            kept.append(line)
        elif fields[6].rpartition("/")[2] not in ("nologin", "false"):
            return passwd
    kept.append(f"{account.name}:x:{account.user}:{account.group}::{account.folder}:/bin/bash")
    return "\n".join(kept) + "\n"


def etc_group(group: str) -> str:
    """Without the group tty: an sshd that is not root would try to give terminals to it, and fail."""
    return "\n".join(line for line in group.splitlines() if not line.startswith("tty:")) + "\n"


def etc_shadow(shadow: str) -> str:
    """No account is locked, none has a password: without PAM sshd refuses locked accounts, even with a key."""
    lines = []
    for line in shadow.splitlines():
        name, _, rest = line.partition(":")
        lines.append(f"{name}:*:{rest.partition(':')[2]}")
    return "\n".join(lines) + "\n"
