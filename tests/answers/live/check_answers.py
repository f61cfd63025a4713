#!/usr/bin/python3
"""dpm serve against the commands: check_answers.py DPM SOURCE. Of a trace that has ended, the page's numbers are those of dpm NAME --json."""

from __future__ import annotations

import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

DPM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def check(what: str, seen: object, expected: object) -> None:
    if seen != expected:
        failures.append(f"{what}: {str(seen)[:300]} instead of {str(expected)[:300]}")


def near(what: str, seen: Any, expected: Any, relative: float = 1e-9) -> None:
    if not abs(seen - expected) <= relative * max(abs(expected), 1e-12):
        failures.append(f"{what}: {seen} instead of {expected}")


def dpm(*arguments: str | pathlib.Path) -> subprocess.CompletedProcess[Any]:
    return subprocess.run([DPM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Served:
    """A running dpm serve."""

    def __init__(self, trace: pathlib.Path, *options: Any) -> None:
        self.process = subprocess.Popen([DPM, "serve", str(trace), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self) -> Served:
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        check("exit status", self.process.wait(60), 0)

    def ask(self, name: str, **parameters: Any) -> Any:
        query = urllib.parse.urlencode({key: json.dumps(value) for key, value in parameters.items()})
        try:
            with urllib.request.urlopen(f"{self.url}api/{name}?{query}", timeout=60) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return json.loads(error.read() or b"{}")

    def await_answer(self, name: str, **parameters: Any) -> dict[str, Any]:
        """The answer, when it has been computed."""
        end = time.time() + 60
        while time.time() < end:
            answer = self.ask(name, **parameters)
            if "computing" not in answer:
                result: dict[str, Any] = answer
                return result
            time.sleep(0.05)
        failures.append(f"{name} is not computed in a minute")
        return {}

    def await_end(self) -> Any:
        end = time.time() + 60
        while time.time() < end:
            described = self.ask("describe")
            if described["state"] != "recording" and described["read"] == 1:
                return described
            time.sleep(0.05)
        failures.append("the trace does not end")


def compare(what: str, trace: pathlib.Path) -> None:
    """The analyses word for word, and the sums over all time with the statistics."""
    with Served(trace) as served:
        served.await_end()
        for name in "statistics", "queues", "parallelism", "causality":
            printed = dpm(name, "--json", trace)
            answer = served.await_answer(name)
            if printed.returncode == 0:
                check(f"{what}: {name} is final", answer.pop("as_of", {}).get("is_final"), True)
                check(f"{what}: {name}", json.dumps(answer), json.dumps(json.loads(printed.stdout)))
            elif "error" not in answer:
                failures.append(f"{what}: {name} is refused by the command and answered by the page")
        told = json.loads(dpm("blame", "--json", trace).stdout)
        blame = served.await_answer("blame")
        check(f"{what}: blame", (blame["of"], blame["section"]["figures"][0]["caption"].split(". Each")[0]), (told["of"], told["sentence"]))
        of_one = served.await_answer("blame", of=served.ask("describe")["processes"][0]["id"])
        check(f"{what}: blame of a process", of_one["of"], served.ask("describe")["processes"][0]["name"])
        states = served.await_answer("states")
        if not ("error" in states or (states["samples"] > 0 and len(states["sections"]) == 2)):
            failures.append(f"{what}: states are {states}")
        statistics = json.loads(dpm("statistics", "--json", trace).stdout)
        traffic = served.ask("traffic")
        cpu_s = {process["process"]: process["cpu_s"] for process in statistics["processes"]}
        names = {process["id"]: process["name"] for process in served.ask("describe")["processes"]}
        near(f"{what}: CPU time", sum(traffic["cpu_s"]), sum(cpu_s.values()), 1e-6)
        pairs: dict[Any, Any] = {}
        for a, b, messages in zip(traffic["from"], traffic["to"], traffic["messages"]):
            pairs[names[a], names[b]] = pairs.get((names[a], names[b]), 0) + messages
        expected: dict[Any, Any] = {}
        for pair in statistics["messages"]:
            ends = pair["from"], pair["to"]
            if set(ends) <= set(names.values()):
                expected[ends] = expected.get(ends, 0) + pair["count"]
        check(f"{what}: messages", pairs, {ends: count for ends, count in expected.items() if count})
        ledger = served.ask("overview")["ledger"]
        check(f"{what}: ledger", {key: ledger[key] for key in ("seen", "kept", "lost")},
              {key: statistics["ledger"][key] for key in ("seen", "kept", "lost")})


def metrics(what: str, trace: pathlib.Path) -> None:
    """The sums for Prometheus are those of the statistics, by program; promtool reads them, and tries the example's alerts."""
    with Served(trace) as served:
        served.await_end()
        with urllib.request.urlopen(f"{served.url}metrics", timeout=60) as answer:
            text = answer.read().decode()
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    statistics = json.loads(dpm("statistics", "--json", trace).stdout)
    cpu_s: dict[str, float] = {}
    for process in statistics["processes"]:
        program = process["process"].partition("#")[0]
        cpu_s[program] = cpu_s.get(program, 0) + process["cpu_s"]
    for program, used_s in cpu_s.items():
        near(f"{what}: CPU time of {program}", float(values[f'dpm_program_cpu_seconds_total{{program="{program}"}}']), used_s, 1e-6)
    received = sum(float(value) for name, value in values.items() if name.startswith("dpm_program_messages_received_total"))
    check(f"{what}: RECEIVEs", received, float(values["dpm_messages_received_total"]))
    for program in cpu_s:
        check(f"{what}: waits of {program}", values[f'dpm_wait_seconds_bucket{{program="{program}",le="+Inf"}}'],
              values[f'dpm_wait_seconds_count{{program="{program}"}}'])
    if promtool := shutil.which("promtool"):
        told = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
        check(f"{what}: promtool check metrics", (told.returncode, told.stderr), (0, ""))


def alerts() -> None:
    promtool, example = shutil.which("promtool"), SOURCE / "examples/monitoring"
    if not promtool:
        print("SKIPPED: in part: promtool is not installed")
        return
    for words in (["check", "rules", "alerts.yml"], ["check", "config", "--syntax-only", "prometheus.yml"], ["test", "rules", "alerts_test.yml"]):
        told = subprocess.run([promtool, *words], cwd=example, capture_output=True, text=True)
        check(" ".join(words), told.returncode and told.stdout + told.stderr, 0)
    json.loads((example / "dashboard.json").read_text())


CAUSES = {"cpu_s": "its CPU time", "cpu_queue_s": "run-queue wait", "disk_s": "waits for the disk", "lock_s": "waits for locks",
          "timer_s": "waits for a timeout", "signal_s": "waits for signals", "other_s": "other waits", "not_split_s": "not split: not measured",
          "not_sampled_s": "not sampled", "not_seen_s": "not metered then", "on_its_way_s": "the message was in transit",
          "not_followed_s": "not followed further"}
WAITS = {"message": "waits for messages", "process_end": "waits for the end of processes", "thread_end": "waits for the end of processes",
         "signal": "waits for signals", "lock": "waits for locks", "room": "waits for readers of its data"}


def causes_of(tree: dict[str, Any]) -> dict[str, float]:
    causes: dict[str, float] = {}
    for cause, seconds in [(cause, tree[key]) for key, cause in CAUSES.items()] + [(WAITS[w["why"]], w["total_s"]) for w in tree["waits_for"]]:
        if seconds:
            causes[cause] = causes.get(cause, 0) + seconds
    return causes


def parts(what: str, trace: pathlib.Path) -> None:
    """What the lanes of a page did between two times, of a trace of one machine: the sums are those of the commands with these times."""
    with Served(trace) as served:
        end_s = served.await_end()["now_s"]
        some = [(process["id"], process["name"]) for process in served.ask("describe")["processes"] if not process["outside"]][:4]
        for from_share, to_share in (0.2, 0.7), (0.31, 0.32), (0.5, 0.5000001), (-0.1, 0.4), (0.6, 1.2):
            from_s, to_s = end_s * from_share, end_s * to_share
            times = f"--from={from_s!r}", f"--to={to_s!r}"
            here = f"{what} from {from_s} s to {to_s} s"
            answer = served.await_answer("statistics", from_s=from_s, to_s=to_s)
            answer.pop("as_of", None)
            check(f"{here}: statistics", json.dumps(answer), json.dumps(json.loads(dpm("statistics", "--json", trace, *times).stdout)))
            for number, name in some:
                told = json.loads(dpm("blame", "--json", trace, "--of", name, *times).stdout)
                causes = {one["cause"]: one["time_s"] for one in served.await_answer("blame", of=number, from_s=from_s, to_s=to_s)["causes"]}
                expected = causes_of(told["tree"])
                check(f"{here}: causes of {name}", sorted(causes), sorted(expected))
                for cause, seconds in expected.items():
                    near(f"{here}: {cause} of {name}", causes.get(cause, 0), seconds)
                all_s = sum(causes.values())
                check(f"{here}: all causes of {name} take {all_s} s", abs(all_s - (to_s - from_s)) <= 2e-9, True)
        cuts = [0, end_s * 0.3, end_s * 0.6, end_s + 1]
        whole = json.loads(dpm("statistics", "--json", trace).stdout)
        sums = [served.await_answer("statistics", from_s=a, to_s=b - 1e-9) for a, b in zip(cuts, cuts[1:])]
        for key in "sent", "sent_bytes", "received", "received_bytes":
            in_parts = sum(one[key] for part in sums for one in part["processes"])
            check(f"{what}: {key} of all parts", in_parts, sum(one[key] for one in whole["processes"]))
        cpu_s = [sum(one["cpu_s"] for one in part["processes"]) for part in [*sums, whole]]
        check(f"{what}: CPU time of all parts is not more than that of the whole: {cpu_s}", sum(cpu_s[:3]) <= cpu_s[3] + 1e-9, True)
        check(f"{what}: each part has its own CPU time: {cpu_s}", all(0 < one < cpu_s[3] for one in cpu_s[:3]), True)


def predictions(what: str, trace: pathlib.Path) -> None:
    with Served(trace) as served:
        served.await_end()
        placed = served.await_answer("placement")
        machines = [machine["name"] for machine in placed["machines"] if machine["accepts"]]
        movable = [process["name"] for process in placed["processes"] if not process["fixed"]]
        for machine in machines[:2]:
            machine_of = {process["name"]: process["machine"] for process in placed["processes"]}
            machine_of.update({name: machine for name in movable})
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(served.ask("placement_file", machine_of=machine_of).get("text", ""))
                file.flush()
                printed = json.loads(dpm("predict", trace, "--placement", file.name, "--json").stdout or "{}")
            quick = served.ask("predict", machine_of=machine_of)
            if "error" in quick or printed.get("elapsed_s") is None:
                failures.append(f"{what}: all on {machine}: {quick} instead of {printed}")
                continue
            near(f"{what}: all on {machine}", quick["elapsed_s"], printed["elapsed_s"])
            near(f"{what}: P on {machine}", quick["P"], printed["P"])
            whole = served.ask("predict", machine_of=machine_of, interval=True)
            near(f"{what}: the interval on {machine}", whole["high_elapsed_s"], printed["interval"]["high_elapsed_s"])
        served.ask("search")
        end = time.time() + 60
        while time.time() < end and not (best := served.ask("placement")["best"]):
            time.sleep(0.1)
        if not best or best["elapsed_s"] > placed["traced"]["elapsed_s"] * 1.0001:
            failures.append(f"{what}: the search finds {best}")
        check(f"{what}: an unknown machine", "error" in served.ask("predict", machine_of={movable[0]: "nowhere"}), True)


def one_machine(folder: pathlib.Path) -> pathlib.Path:
    """The office of the command line's tests, with all its processes on one machine."""
    scenario = json.loads((SOURCE / "tests/cli/fixtures/desk.json").read_text())
    scenario["machines"] = ["red"]
    for process in scenario["processes"]:
        process["machine"] = "red"
    del scenario["placements"], scenario["placement"]
    (folder / "one.json").write_text(json.dumps(scenario))
    check("dpm run on one machine", dpm("run", folder / "one.json", "--base-only", "-o", folder / "one").returncode, 0)
    return folder / "one"


LIVE = """
import os, socket, time
a, b = socket.socketpair()
if os.fork() == 0:
    a.close()
    while b.recv(100): b.send(b"answer")
    os._exit(0)
b.close()
for i in range(int(os.sys.argv[1])):
    a.send(b"x" * 50); a.recv(100); time.sleep(float(os.sys.argv[2]))
a.close()
os.wait()
"""


def live(folder: pathlib.Path) -> pathlib.Path:
    """A program that runs is seen to run, and its trace is waited for."""
    out = folder / "running"
    with subprocess.Popen([DPM, "serve", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        check("it says that it waits", "waiting" in process.stderr.readline(), True)
        metered = subprocess.Popen([DPM, "meter", "--no-wait", "-o", str(out), "--", "python3", "-c", LIVE, "300", "0.01"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        served = Served.__new__(Served)
        assert process.stdout
        served.url = process.stdout.readline().strip()
        counts = []
        end = time.time() + 60
        while time.time() < end:
            described = served.ask("describe")
            counts.append(sum(served.ask("traffic")["messages"]))
            if described["state"] == "ended":
                break
            time.sleep(0.2)
        metered.wait(60)
        check("the program is seen to run", sum(count not in (counts[0], counts[-1]) for count in counts) > 2, True)
        check("messages only become more, until it has ended", all(a <= b + 2 for a, b in zip(counts, counts[1:])), True)
        process.send_signal(signal.SIGINT)
    return out


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    ran = dpm("run", SOURCE / "scenarios/file-system/scenario.json", "-o", folder / "fs")
    check("dpm run", ran.returncode, 0)
    compare("file system", folder / "fs")
    metrics("file system", folder / "fs")
    alerts()
    predictions("file system", folder / "fs")
    parts("one machine", one_machine(folder))
    metered = dpm("meter", "-o", folder / "live", "--", "python3", "-c", LIVE, "200", "0")
    if metered.returncode != 0:
        print("SKIPPED: in part: this machine does not let a program be metered:", metered.stderr.splitlines()[-1])
    else:
        compare("live", folder / "live")
        metrics("live", folder / "live")
        parts("live", folder / "live")
        if dpm("merge", folder / "live", folder / "live", "-o", folder / "merged").returncode == 0:
            compare("merged", folder / "merged")
        compare("seen running", live(folder))
    damaged = folder / "damaged"
    subprocess.run(["cp", "-r", str(folder / "fs"), str(damaged)], check=True)
    for stream in (damaged / "trace/ctf").glob("*"):
        if stream.name != "metadata":
            data = bytearray(stream.read_bytes())
            data[len(data) // 2] ^= 255
            stream.write_bytes(data)
    compare("damaged", damaged)
    missing = dpm("serve", folder / "fs" / "report.html")
    check("what is not a trace is refused", missing.returncode, 2)

for failure in failures:
    print("FAILED", failure)
sys.exit(1 if failures else 0)
