"""What hosts are like: every function is a case of check_cluster."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

from running import Setting, Skip, expect, expect_same

ORDINARY_USER = 54321  # an id no account has, so that nothing of this machine's accounts is relied on


def by_name(setting: Setting) -> None:
    """Every host reaches every other by name over IPv4 and IPv6, and is who it says."""
    hosts = ["home", "red", "green", "blue"]
    ask = "echo $(uname -n) $b $v $(ssh $v $b \"uname -n; echo \\$SSH_CONNECTION\")"
    loop = f"for b in {' '.join(hosts)}; do for v in -4 -6; do {ask}; done; done"
    script = "".join(f"ssh {a} '{loop}'\n" for a in hosts)
    wanted = [(a, b, way, b) for a in hosts for b in hosts for way in ("-4", "-6")]
    lines = [line.split() for line in setting.output("3", script)]
    expect_same([tuple(line[:4]) for line in lines], wanted)
    for line in lines:
        expect((":" in line[4]) == (line[2] == "-6"), f"the wrong family of addresses: {line}")


def networks(setting: Setting) -> None:
    """With two networks every host has two addresses of each family, and is reached by all of them."""
    script = """for n in 1 2; do for v in -4 -6; do ssh $v red.lan$n 'echo $SSH_CONNECTION'; done; done
getent ahosts red | cut -d' ' -f1 | sort -u"""
    lines = setting.output("2 --networks 2", script)
    expect_same([line.split()[2] for line in lines[:4]], ["10.1.0.1", "fd00:1::1", "10.2.0.1", "fd00:2::1"])
    expect_same(lines[4:], ["10.1.0.1", "10.2.0.1", "fd00:1::1", "fd00:2::1"])


def exit_status(setting: Setting) -> None:
    """The command's status is the cluster's; its input and output are the cluster's."""
    expect_same(setting.run("1", "exit 7").status, 7)
    expect_same(setting.run("1", "kill -9 $$").status, 137)
    expect_same(setting.run("1", "ssh red exit 9").status, 9)
    expect_same(setting.run("1", "exec nonsense").status, 127)
    process = setting.start("1", "cat; ssh red cat")
    expect_same(process.communicate("words\n")[0], "words\n")


def refusals(setting: Setting) -> None:
    """Status 2, a message that names the word, and nothing started."""
    for words, message in {
        "": "how many hosts?", "0": "from 1 to 64, not 0", "65": "from 1 to 64, not 65", "three": "not 'three'",
        "3 --clok red=1s": "did you mean '--clock'?", "3 --clock red=soon": "a clock is OFFSET[,DRIFT]",
        "3 --clock pink=1s": "no host 'pink'", "3 --networks 0": "--networks", "3 --loss 101": "--loss",
        "3 4": "'4' is one word too many", "3 --user no-such-account": "--user",
    }.items():
        done = setting.run(words, "echo started")
        expect(done.status == 2 and message in done.errors and done.output == "", f"'{words}': {done}")


def own_folders(setting: Setting) -> None:
    """/tmp, /run, /dev/shm and /etc are the host's own; the folder the cluster was started in is not."""
    script = """for f in /tmp /run /dev/shm /etc; do
  ssh red "echo red > $f/of_red" && test ! -e $f/of_red || echo $f
done
ssh red "echo shared > $PWD/file"; cat file
ssh green 'cat /etc/hostname; ls -d /tmp/of_*' 2>/dev/null; ssh red 'ls -d /tmp/of_*'"""
    lines = setting.output("2", script)
    expect_same(lines, ["shared", "green", "/tmp/of_red"])
    expect_same((setting.folder / "file").read_text(), "shared\n")
    expect(not any(pathlib.Path(folder, "of_red").exists() for folder in ("/tmp", "/run", "/dev/shm", "/etc")),
           "a host's file appeared on the machine")


def own_rights(setting: Setting) -> None:
    """No user of a host may set the machine's clock (25) or load kernel modules (16), and no route leads out."""
    show = "grep CapBnd /proc/self/status"
    for line in setting.output("1", f"ssh home {show}; ssh red {show}; {show}"):
        expect(int(line.split()[1], 16) & (1 << 25 | 1 << 16) == 0, f"a host has {line}")
    # One route, and that to the hosts: 10.1.0.0 as the kernel writes it.
    routes = setting.output("1", "ssh red tail -n +2 /proc/net/route")
    expect_same([route.split()[:2] for route in routes], [["eth0", "0000010A"]])


def own_processes(setting: Setting) -> None:
    """A host sees its own processes only."""
    lines = setting.output("2", """ssh red 'sleep 300 </dev/null >/dev/null 2>&1 & ps -eo args' | grep -c '^sleep 300'
ssh green ps -eo args | grep -c '^sleep 300'; ps -eo args | grep -c '^sleep 300' || true""")
    expect_same(lines, ["1", "0", "0"])


def requests(setting: Setting) -> None:
    """Hosts are cut off and connected again, killed and started again."""
    quick = "ssh -o ConnectTimeout=1"
    lines = setting.output("2", f"""cluster link red down; {quick} red true 2>/dev/null || echo cut
cluster list | grep red
cluster link red up; ssh red uname -n
ssh green 'echo gone > /tmp/file; sleep 1000 </dev/null >/dev/null 2>&1 &'; cluster kill green
{quick} green true 2>/dev/null || echo dead; cluster list | grep green; ssh red cluster start green
ssh green 'uname -n; ls /tmp/file 2>/dev/null; ps -eo args | grep -c "^sleep 1000"' || true""")
    expect_same([line.split()[0] for line in lines], ["cut", "red", "red", "dead", "green", "green", "0"])
    expect(lines[1].endswith("cut off from lan1") and lines[4].endswith("killed"), f"the list says {lines}")
    for words, message in {
        "kill home": "home is where you are", "kill pink": "no host 'pink'", "link red sideways": "usage",
        "link red up 2": "the network is from 1 to 1", "start red": "red is running",
    }.items():
        done = setting.run("1", f"cluster {words}")
        expect(done.status == 2 and message in done.errors, f"cluster {words}: {done}")


def clock(setting: Setting) -> None:
    """A host's clock is wrong as told; waits on it last as long as they should."""
    _need_compiler()
    show = "echo $(date +%s.%N)"
    shutil.copy(pathlib.Path(__file__).parent / "timed_waits.py", setting.folder)
    waits = setting.folder / "timed_waits.py"
    script = f"{show}; ssh red '{show}'; ssh green '{show}'; ssh green {waits}; ssh red {waits}"
    lines = setting.output("2 --clock red=+1000s --clock green=-2h,+50000ppm", script)
    home, red, green, *waited = map(float, lines)
    # The times were read one after the other; a busy machine may need long for that.
    expect(1000 <= red - home < 1000 + 60, f"red's clock is {red - home} s ahead")
    expect(-7200 <= green - home < -7200 + 60, f"green's clock is {green - home} s ahead")
    expect(len(waited) == 6 and all(0.29 <= wait_s < 60 for wait_s in waited), f"waits of 0.3 s took {waited} s")
    if shutil.which("redis-cli"):  # its allocator looks at the clock before anything else
        expect("redis-cli" in setting.output("1 --clock red=+1s", "ssh red redis-cli --version")[0], "no redis-cli there")
    # The times of files are the machine's: they enclose those that red shows.
    script = """at() { touch /tmp/$1; stat -c %.Y /tmp/$1; }
at a; date +%s.%N; at b; sleep 2; at c; date +%s.%N; at d"""
    drifting = setting.output("1 --clock red=0s,+100000ppm", f"ssh red '{script}'")
    before, first, after, before_second, second, after_second = map(float, drifting)
    least_s, most_s = 1.1 * (before_second - after) - _FILE_TIME_S, 1.1 * (after_second - before) + _FILE_TIME_S
    expect(least_s <= second - first <= most_s, f"{second - first} s passed on red, not {least_s} to {most_s}")


# How far the time of a file may lag behind, generously: it is that of the kernel's last tick.
_FILE_TIME_S = 0.05


def _need_compiler() -> None:
    if shutil.which("gcc") is None:
        raise Skip("gcc is not installed, which makes wrong clocks")


def delay(setting: Setting) -> None:
    """Packets take longer where the kernel can do that; elsewhere a message says that it cannot."""
    done = setting.run("1 --delay 100", "for i in 1 2 3; do ssh red true; done")
    if "network emulator" in done.errors:
        expect(done.status == 2, f"refused with {done.status}")
        raise Skip("the kernel has no network emulator (sch_netem); the message about that is tested")
    start_s = time.monotonic()
    expect_same(setting.run("1 --delay 100", "ssh red true").status, 0)
    # At least: address, connection, versions, keys, authentication: five ways there and back.
    expect(time.monotonic() - start_s > 5 * 0.2, "the delay does not show")


def two_at_once(setting: Setting) -> None:
    """Two clusters have the same names and addresses, and never meet; the end of one is not noticed by the other."""
    first = setting.start("2", "ssh red 'echo first > /tmp/who'; echo ready; read line; ssh red cat /tmp/who")
    expect_same(first.stdout.readline() if first.stdout else "", "ready\n")
    script = "ssh red 'cat /tmp/who 2>/dev/null; echo second > /tmp/who; cat /tmp/who'"
    expect_same(setting.output("2", script), ["second"])
    expect_same(first.communicate("go on\n")[0], "first\n")


def thirty_two(setting: Setting) -> None:
    """32 hosts start, and answer all at once. How long that takes is printed, not judged."""
    start_s = time.monotonic()
    expect_same(setting.run("32", "true").status, 0)
    print(f"32 hosts started and removed in {time.monotonic() - start_s:.1f} s")
    script = "for h in $DPM_CLUSTER; do ssh $h uname -n & done; wait; echo $DPM_CLUSTER | tr ' ' '\\n'"
    lines = setting.output("32", script)
    expect_same(len(set(lines[32:])), 32)
    expect_same(sorted(lines[:32]), sorted(lines[32:]))


def ordinary_user(setting: Setting) -> None:
    """Where the kernel allows user namespaces, root is not needed."""
    before: tuple[str, ...] = ()
    if os.getuid() == 0:
        shutil.copytree(setting.program.parent, setting.folder / "cluster")
        subprocess.run(["chmod", "-R", "a+rX", setting.folder / "cluster"], check=True)  # a clone with umask 077 is for its owner only
        setting = Setting(setting.folder / "cluster/cluster.py", setting.folder, None, None, None)
        before = ("setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups")
    environment = {"PATH": os.environ["PATH"], "HOME": "/", "LANG": "C"}
    script = "id -u; ssh red 'id -u; uname -n; grep CapEff /proc/self/status'; ssh -tt red tty 2>/dev/null"
    done = setting.run("2", script, before, environment)
    if "user namespaces" in done.errors and done.status == 2:
        raise Skip(done.errors.strip())
    user = str(ORDINARY_USER if before else os.getuid())
    expect_same(done.output.split(), [user, user, "red", "CapEff:", "0000000000000000", "/dev/pts/0"])


def another_account(setting: Setting) -> None:
    """Root can act as another user, who then logs in everywhere under that name and no other, whatever the umask, which the command keeps."""
    if os.getuid() != 0:
        raise Skip("needs root")
    os.umask(0o077)
    expect_same(setting.output("1", "umask"), ["0077"])
    done = setting.run("1 --user nobody", "id -un; ssh red id -un; ssh -l root red id -un; LC_ALL=C cat /run/cluster/keys/root")
    expect_same((done.status, done.output.split()), (1, ["nobody", "nobody"]))
    expect(done.errors.count("ermission denied") == 2, f"root's account or key can be had: {done.errors}")


def metered(setting: Setting) -> None:
    """dpm meters on a host: the trace names the host, and its times are those of the host's clock."""
    if not setting.dpm or not setting.list_events or not setting.can_notify:
        raise Skip("dpm is not built")
    _need_compiler()
    if setting.run("1", f"ssh red {shlex.quote(shlex.quote(setting.can_notify))}").status != 0:
        raise Skip("no metering here")
    out = setting.folder / "out"
    # --wait: the end of a cluster is the end of its supervisors too, and one that is killed has not written everything.
    command = f"{shlex.quote(setting.dpm)} meter --wait -o {out} -- sh -c \"echo word | cat\""
    ahead_s = 1e6
    if os.environ.get("DPM_SANITIZER"):
        print("REDUCED: a sanitizer's library has to be loaded before that of a wrong clock: the clock is right")
        ahead_s = 0
    setting.output(f"1 --clock red=+{ahead_s:.0f}s", f"ssh red {shlex.quote(command + ' 2>/dev/null')}")
    sys.path.insert(0, str(setting.program.parent.parent / "tests/live/harness"))
    import events
    trace = events.Trace(setting.list_events, out / "trace")
    machines = re.search(r'"machines": *\[(.*?)\]', (out / "trace/trace.json").read_text(), re.DOTALL)
    expect(machines is not None and '"red"' in machines[1], f"the trace's machine: {machines and machines[1]}")
    now_ns = time.time_ns()
    events_s = [(event.time_ns - now_ns) / 1e9 for event in trace.events]
    good = len(events_s) > 0 and all(ahead_s - 300 < event_s <= ahead_s for event_s in events_s)
    expect(good, f"events are {events_s} s ahead")
