"""What takes minutes: `./dev soak`. The last line that a case prints are its figures."""

import os
import pathlib
import subprocess
import time
from typing import Any

from cases_network import link_down
from cases_output import Noise
from programs import Talk
from session import Session, Site, Skip, expect, over_cluster, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHURN_S = 60 * float(os.environ.get("DPM_SOAK_MINUTES", "60"))
HOSTS, PROCESSES = 32, 200
START_MOST_S = 5
ANSWER_MOST_MS = 200


@over_cluster("3")
def soak_link(site: Site) -> None:
    """The filter's host is cut off for 30 seconds: longer than connections and launchers have patience."""
    link_down(site, 30)


@over_cluster("3")
def soak_collector(site: Site) -> None:
    """The process between meters and filter: said as well; what is not in the log is in a file of each meter's host."""
    session, talk = Session(site), Talk(site)
    talk.begin(session)
    site.kill("blue", site.on("blue", "pgrep -f 'dpm meterd --collect'").split())
    session.until("DONE: filter 'f1' on blue terminated: reason: its collector was killed")
    talk.go_on()
    questions = talk.end(session)
    session.do("rmjob talk", "getlog f1 log")
    ledger = site.ledger("log")
    left = {}
    for host, name in (("red", "answer"), ("green", "ask")):
        wait_until(lambda: f"{name} (process" in site.daemon_log(host), f"{host} to say where events are", 120)
        streams = list((site.folder / f"state-{host}/dpm/spool").glob("*.stream"))
        expect(len(streams) == 1, streams)
        site.run(site.dpm, "filter", "-o", f"left-{host}", "--json", given=streams[0])
        left[host] = site.ledger(f"left-{host}")["kept"]
    seen = ledger["kept"] + sum(left.values())
    print(f"{questions} questions; {ledger['kept']} events in the log, {left} left on the hosts")
    expect(seen >= 4 * questions, f"{questions} questions make more than {seen} events")
    expect(session.leave("bye") == 0, session.said)


@over_cluster("3")
def soak_churn(site: Site) -> None:
    """Jobs come and go for an hour (DPM_SOAK_MINUTES): the controller's memory stays flat, and no process stays behind."""
    session = Session(site)
    session.do("filter f1 blue")
    began_s, rounds, memory_kb = time.monotonic(), 0, []
    while time.monotonic() < began_s + CHURN_S:
        rounds += 1
        said = session.do("newjob churn", "setflags churn send receive", *PROCESSES_OF_A_ROUND, "startjob churn",
                          "wait churn", "rmjob churn", patience_s=300)
        for words in ("terminated: reason: normal", "removed"):
            expect(said.count(words) == len(PROCESSES_OF_A_ROUND), said)
        session.take()
        memory_kb.append(rss_kb(session.process.pid))
        if rounds % 50 == 0:
            print(f"{rounds} rounds after {time.monotonic() - began_s:.0f} s: controller {memory_kb[-1]} kB", flush=True)
    # From the moment on when everything that is needed once has been.
    early = max(memory_kb[len(memory_kb) // 10:len(memory_kb) // 5])
    late = max(memory_kb[-len(memory_kb) // 10:])
    expect(not site.on("red", "pgrep -f 'meterd --supervis[e]'", check=False), "supervisors have stayed behind")
    daemon_kb = rss_kb(int(site.on("red", "pgrep -f 'dpm meterd --idl[e]'")), site, "red")
    collector_kb = rss_kb(int(site.on("blue", "pgrep -f 'dpm meterd --collec[t]'")), site, "blue")
    session.do("getlog f1 log", patience_s=300)
    ledger = site.ledger("log")
    expect(session.leave("bye") == 0, session.said)
    print(f"{rounds * len(PROCESSES_OF_A_ROUND)} processes in {CHURN_S / 60:g} min; controller {early} kB after a tenth "
          f"of it, {late} kB at the end; daemon {daemon_kb} kB; collector {collector_kb} kB; {ledger['seen']} events, "
          f"{ledger['lost']} lost")
    expect(late <= 1.02 * early + 128, "the controller's memory grows")
    expect(ledger["lost"] == 0, ledger)


PROCESSES_OF_A_ROUND = [f"add churn {host} /bin/sh -c 'echo hello | cat; echo error >&2'"
                        for host in ("red", "green", "blue")]


def rss_kb(pid: int, site: Site | None = None, host: str = "") -> int:
    path = f"/proc/{pid}/status"
    status = site.on(host, f"cat {path}") if site else open(path).read()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


@over_cluster("3")
def soak_output(site: Site) -> None:
    """`yes` in one job for an hour (DPM_SOAK_MINUTES): commands for another are answered, memory is flat, bytes are counted."""
    began_s, memory_kb, noise = time.monotonic(), [], Noise(site)
    while time.monotonic() < began_s + CHURN_S:
        noise.work()
        memory_kb.append(rss_kb(noise.session.process.pid))
        if noise.rounds % 100 == 0:
            print(f"{noise.rounds} rounds after {time.monotonic() - began_s:.0f} s: controller {memory_kb[-1]} kB; shown "
                  f"{noise.shown_bytes} bytes, cut {noise.cut_bytes}; slowest in ms: {noise.slowest_ms()}", flush=True)
        time.sleep(0.2)
    took_ms = sorted(took for all_times in noise.took_ms.values() for took in all_times)
    early = max(memory_kb[len(memory_kb) // 10:len(memory_kb) // 5])
    late = max(memory_kb[-len(memory_kb) // 10:])
    printed = noise.end()
    print(f"{len(took_ms)} commands in {CHURN_S / 60:g} min: median {took_ms[len(took_ms) // 2]:.1f} ms, 99.9 % within "
          f"{took_ms[len(took_ms) * 999 // 1000]:.0f} ms, slowest {took_ms[-1]:.0f} ms ({noise.slowest_ms()}); {printed} bytes = "
          f"{noise.shown_bytes} shown + {noise.cut_bytes} cut; controller {early} kB after a tenth of it, {late} kB at the end")
    expect(late <= 1.02 * early + 128, "the controller's memory grows")
    expect(took_ms[-1] <= ANSWER_MOST_MS, f"a command took {took_ms[-1]:.0f} ms")


@over_cluster(f"{HOSTS}")
def soak_hosts(site: Site) -> None:
    """32 hosts named by a range, 200 processes on them: `startjob` is done within 5 s."""
    session = Session(site)
    began_s = time.monotonic()
    session.do("filter f1 host1", "newjob many", "setflags many send receive", f"files host[1-{HOSTS}]", patience_s=300)
    connected_s = time.monotonic() - began_s
    began_s = time.monotonic()
    each, rest = divmod(PROCESSES, HOSTS)
    said = session.do(f"add many host[1-{HOSTS}]={each} /bin/cat", f"add many host[1-{rest}] /bin/cat", patience_s=300)
    created_s = time.monotonic() - began_s
    expect(said.count("was created") == PROCESSES, said)
    took_s: dict[str, Any] = {}
    for command, word in (("startjob", " started."), ("stopjob", " stopped."), ("startjob", " started.")):
        began_s = time.monotonic()
        said = session.do(f"{command} many", patience_s=300)
        took_s.setdefault(command, time.monotonic() - began_s)
        expect(said.count(word) == PROCESSES, said)
    time.sleep(5)  # what it took to start them is over
    busy_s, began_s = cpu_s_of_supervisors(site), time.monotonic()
    time.sleep(20)
    idle = (cpu_s_of_supervisors(site) - busy_s) / (time.monotonic() - began_s)
    session.do("stopjob many", patience_s=300)
    began_s = time.monotonic()
    said = session.do("rmjob many", patience_s=300)
    expect(said.count(" removed") == PROCESSES, said)
    took_s["rmjob"] = time.monotonic() - began_s
    expect(session.leave("bye") == 0, session.said)
    print(f"{PROCESSES} processes on {HOSTS} hosts: connected in {connected_s:.1f} s, created in {created_s:.1f} s, " +
          ", ".join(f"{command} {seconds:.1f} s" for command, seconds in took_s.items()) +
          f"; {PROCESSES} idle supervisors took {idle:.3f} of a core")
    expect(took_s["startjob"] <= START_MOST_S, f"startjob took {took_s['startjob']:.1f} s")


def cpu_s_of_supervisors(site: Site) -> float:
    """With their daemons; the cost of asking is theirs alone."""
    ticks = 0
    for host in site.hosts:
        for line in site.on(host, "cat /proc/[0-9]*/stat", check=False).splitlines():
            name, numbers = line.partition("(")[2].rpartition(")")[::2]
            ticks += sum(map(int, numbers.split()[11:13])) if name == "dpm" else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def soak_meter(site: Site) -> None:
    """The live meter alone at full load: ten minutes of the hour."""
    seconds, build = min(600.0, CHURN_S), pathlib.Path(site.dpm).parent
    said = site.run(ROOT / "tests/live/ledger/check_ledger.py", "--build", build, "--can-notify",
                    build / "tests/live/tools/can_notify", "--soak", seconds, patience_s=seconds + 600)
    print(" ".join(line.strip() for line in said.splitlines() if "tcp:" in line) or said)


def soak_connections(site: Site) -> None:
    """A million short connections, a hundred thousand pipes, twenty thousand processes: memory and speed stay."""
    build = pathlib.Path(site.dpm).parent
    said = []
    for kind, count, part in (("processes", 20_000, 5_000), ("pipes", 100_000, 10_000), ("connections", 1_000_000, 50_000)):
        text = site.run(ROOT / "tests/live/lifetimes/check_lifetimes.py", "--dpm", site.dpm, "--program",
                        build / "tests/live/tools/comings_and_goings", "--can-notify", build / "tests/live/tools/can_notify",
                        "--count", count, "--part", part, "--growth-percent-max", 5, kind, patience_s=3600)
        said += [line.strip() for line in text.splitlines() if line.startswith(f"{count} {kind}")]
    print("; ".join(said))


def soak_planted(site: Site) -> None:
    """Errors put in on purpose, three times each: a claim fails with each of them."""
    planted = [("file-system", "delays"), ("tsp", "delays"), ("real-pipeline", "metering"), ("real-redis", "metering"),
               ("real-postgresql", "metering")]
    for claim, plant in planted:
        for _ in range(3):
            done = subprocess.run([site.dpm, "validate", claim, "--plant", plant, "--claims", ROOT / "validation", "--json"],
                                  capture_output=True, text=True, timeout=3600, check=False)
            expect(done.returncode == 1, f"{claim} with {plant} ends with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-500:]}")
    print(f"{len(planted)} claims failed three times of three with an error planted")


def soak_unannounced(_: Site) -> None:
    """Programs of conformance in a process namespace, where no process is announced, ten times. What they do must be seen as elsewhere."""
    tests, build, rounds = ROOT / "tests/live", ROOT / "build/release", 10
    failed = []
    for number in range(rounds):
        for program in ("children", "processes"):
            done = subprocess.run([tests / "environments/enter.py", "pid", tests / "conformance/check_conformance.py", "--jobs", "1",
                                   "--dpm", build / "dpm", "--list-events", build / "tests/live/tools/list_events", "--can-notify",
                                   build / "tests/live/tools/can_notify", build / f"tests/live/conformance/conformance_{program}"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 77:
                raise Skip(done.stdout.strip())
            if done.returncode != 0:
                failed.append(f"{program}, round {number}:\n{done.stdout}{done.stderr}")
    print(f"{2 * rounds - len(failed)} of {2 * rounds} runs as elsewhere")
    expect(not failed, "\n".join(failed))


def soak_damaged(site: Site) -> None:
    """Every command on every kind of damaged trace, for as many minutes as DPM_SOAK_MINUTES says."""
    done = subprocess.run([ROOT / "tests/cli/damaged/check_damaged.py", "--dpm", site.dpm, "--source", ROOT, "--minutes", str(CHURN_S / 60)],
                          stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout)
    expect(done.returncode == 0, "a command fails on a damaged trace")


def soak_environments(_: Site) -> None:
    """Both sources in every environment, with the matrix of calls and what programs of conformance say, in process namespaces."""
    done = subprocess.run(["ctest", "--test-dir", ROOT / "build/release", "-C", "soak", "-R", "^live_environment_", "--output-on-failure"],
                          check=False)
    expect(done.returncode == 0, "an environment differs")


def soak_clones(_: Site) -> None:
    """Demo and all tests in clones elsewhere: other accounts, closed homes, spaces, locales, a container (DPM_SOAK_CLONES names some)."""
    done = subprocess.run([ROOT / "tests/clones/try_clones.py", *os.environ.get("DPM_SOAK_CLONES", "").split()], check=False)
    if done.returncode == 77:
        raise Skip("no clone could be tried here")
    expect(done.returncode == 0, "a clone behaves in another way")
