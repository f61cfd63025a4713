"""What all hosts of one cluster have in common, made before the first: accounts, keys, clocks, files of /etc."""

import dataclasses
import os
import pathlib
import pwd
import subprocess
import time

import folders
import kernel
import plan
from options import Options, Refused

_PROJECT = pathlib.Path(__file__).resolve().parent.parent
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"


@dataclasses.dataclass(frozen=True)
class World:
    options: Options
    members: list[plan.Host]
    accounts: list[plan.Account]  # that may log in; the first is the user's
    files: dict[str, str]  # of /etc
    shown: list[str]  # paths that stay visible wherever they lie
    run_folders: list[folders.RunFolder]
    ipv6: bool
    privileged: bool
    umask: int  # the user's; files of the cluster are for every account that may log in

    def environment(self, account: plan.Account) -> dict[str, str]:
        """The environment variables about the cluster, for an account."""
        return {
            "PATH": f"{plan.SHARED}/bin:{_PROJECT}/build/release:{PATH}",
            "XDG_RUNTIME_DIR": folders.runtime_folder(account.user),
            "DPM_SSH": "ssh -F /etc/ssh/ssh_config",
            "DPM_CLUSTER": " ".join(host.name for host in self.members if host.name != plan.HOME),
        }


def accounts(options: Options) -> list[plan.Account]:
    """The user's, and root's if we are root: may refuse."""
    own = _account(os.getuid())
    if options.user is None:
        return [own]
    if own.user != 0:
        raise Refused("--user is for root")
    try:
        entry = pwd.getpwnam(options.user)
    except KeyError as error:
        raise Refused(f"--user: there is no account '{options.user}'") from error
    wanted = plan.Account(entry.pw_name, entry.pw_uid, entry.pw_gid, entry.pw_dir)
    return [wanted] if wanted.user == own.user else [wanted, own]


def _account(user: int) -> plan.Account:
    try:
        entry = pwd.getpwuid(user)
    except KeyError:
        return plan.Account("user", user, os.getgid(), os.environ.get("HOME", "/"))
    return plan.Account(entry.pw_name, entry.pw_uid, entry.pw_gid, entry.pw_dir)


def make(options: Options, allowed: list[plan.Account], privileged: bool, umask: int) -> World:
    """Called by process 1 of the cluster in its own mounts; makes plan.SHARED."""
    run_folders = folders.folders_of_run()
    shown = [os.getcwd(), str(_PROJECT), allowed[0].folder, plan.SHARED]
    kernel.mount("proc", "/proc", kernel.MOUNT_NOSUID | kernel.MOUNT_NODEV | kernel.MOUNT_NOEXEC)
    ipv6 = os.path.exists("/proc/sys/net/ipv6")
    members = plan.hosts(options.count, options.networks, options.clocks)
    files = _files(members, allowed, ipv6, privileged)
    world = World(options, members, allowed, files, shown, run_folders, ipv6, privileged, umask)
    kernel.mount("tmpfs", "/run", kernel.MOUNT_NOSUID | kernel.MOUNT_NODEV, "mode=755")
    shared = pathlib.Path(plan.SHARED)
    for folder in ("keys", "authorized", "log", "bin", "etc"):
        (shared / folder).mkdir(parents=True)
    (shared / "bin/cluster").symlink_to(_PROJECT / "cluster/cluster.py")
    environments = {account.name: world.environment(account) for account in allowed}
    (shared / "sshd_config").write_text(plan.sshd_config(environments), encoding="ascii")
    _make_keys(shared, files, allowed)
    _make_clocks(shared, members)
    return world


def _files(members: list[plan.Host], allowed: list[plan.Account], ipv6: bool, privileged: bool) -> dict[str, str]:
    passwd = pathlib.Path("/etc/passwd").read_text(encoding="utf-8")
    for account in allowed:
        passwd = plan.etc_passwd(passwd, account)
    # No name server is asked for names that /etc/hosts lacks: there is no way out.
    files = {"hosts": plan.etc_hosts(members, ipv6), "resolv.conf": ""}
    files |= {"passwd": passwd, "ssh/ssh_config": plan.ssh_config()}
    if privileged:
        files["shadow"] = plan.etc_shadow(pathlib.Path("/etc/shadow").read_text(encoding="utf-8"))
    else:
        files["group"] = plan.etc_group(pathlib.Path("/etc/group").read_text(encoding="utf-8"))
    return files


def _make_keys(shared: pathlib.Path, files: dict[str, str], allowed: list[plan.Account]) -> None:
    # ssh-keygen refuses to work for an account that /etc/passwd does not know.
    passwd = shared / "etc/passwd"
    passwd.write_text(files["passwd"], encoding="utf-8")
    kernel.bind(str(passwd), "/etc/passwd")
    _make_key(shared / "host_key")
    (shared / "known_hosts").write_text(f"* {_public(shared / 'host_key')}", encoding="ascii")
    for account in allowed:
        key = shared / "keys" / account.name
        _make_key(key)
        (shared / "authorized" / account.name).write_text(_public(key), encoding="ascii")
        os.chown(key, account.user, account.group)


def _make_key(path: pathlib.Path) -> None:
    _run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "cluster", "-f", str(path)])


def _public(key: pathlib.Path) -> str:
    return key.with_name(key.name + ".pub").read_text(encoding="ascii")


def clock_library(host: plan.Host) -> str:
    return f"{plan.SHARED}/clock_{host.name}.so"


def _make_clocks(shared: pathlib.Path, members: list[plan.Host]) -> None:
    start_ns = time.monotonic_ns()
    for host in members:
        if host.clock != plan.Clock():
            # The compiler's temporary files must vanish with us, too.
            _run(["gcc", "-x", "c++", "-std=c++20", "-O2", "-shared", "-fPIC", "-fno-exceptions", "-fno-rtti",
                  "-fno-threadsafe-statics", f"-DOFFSET_NS={host.clock.offset_ns}LL",
                  f"-DDRIFT_PPB={round(host.clock.drift_ppm * 1000)}LL", f"-DSTART_NS={start_ns}LL",
                  str(_PROJECT / "cluster/shifted_clock.cpp"), "-o", clock_library(host)],
                 {**os.environ, "TMPDIR": str(shared)})


def _run(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise OSError(0, f"{command[0]}: {(done.stderr or done.stdout).strip()}")
