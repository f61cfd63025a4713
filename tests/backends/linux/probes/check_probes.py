#!/usr/bin/python3
"""Event scripts on programs that do not use libdpm: counts and values against what the programs say themselves."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "live/harness"))
from running import NOBODY, for_every_account

PATIENCE_S = 60


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def expect(holds: object, what: object) -> None:
    if not holds:
        raise Failed(what)


def wait_until(holds: Callable[..., Any], what: str) -> Any:
    end = time.monotonic() + PATIENCE_S
    while not (value := holds()):
        expect(time.monotonic() < end, f"waited in vain for {what}")
        time.sleep(.01)
    return value


class Site:
    def __init__(self, options: argparse.Namespace, folder: pathlib.Path) -> None:
        self.options, self.folder = options, folder
        self.environment = {**os.environ, "DPM_MONITOR_FOLDER": str(folder / "shared")}

    def command(self, script: str, *words: str) -> list[Any]:
        path = self.folder / "script.events"
        path.write_text(script)
        return [self.options.dpm, "script", "--json", "-o", str(self.folder / "events"), str(path), *words]

    def watch(self, script: str, *words: str) -> Any:
        """The events, the counts by event, and what else was printed."""
        (self.folder / "events").unlink(missing_ok=True)
        done = subprocess.run(self.command(script, "--", *words), env=self.environment, text=True, capture_output=True, timeout=PATIENCE_S)
        expect(done.returncode == 0, done.stderr)
        if "does not use libdpm: looking at functions" in done.stderr:
            raise Skipped(done.stderr)
        events = [json.loads(line) for line in (self.folder / "events").read_text().splitlines()]
        counts = {row["event"]: row for row in json.loads(done.stdout.splitlines()[-1])["events"]}
        return events, counts, done


def script_of(program: str, *events: tuple[str, str, str]) -> str:
    return f"process p from {program}\n" + "".join(f"event {name} is {action} on {place}\n" for name, action, place in events)


def case_counts(site: Site) -> None:
    """Every call is reported or counted as lost, in programs loaded anywhere and at fixed addresses, and in a library."""
    for program in ("anywhere", "fixed"):
        script = script_of(program, ("in", "point_enter", "it at *.p.served"), ("out", "point_leave", "it at *.p.served"),
                           ("library", "point_enter", "it at *.p.in_library"))
        _, counts, done = site.watch(script, str(site.options.programs / program), "20000")
        expect("20000 " in done.stdout, done.stdout)
        for event in ("in", "out", "library"):
            expect(counts[event]["seen"] == 20000 == counts[event]["reported"] + counts[event]["lost"], (program, counts))


def case_values(site: Site) -> None:
    """Arguments by name where there is debug information, by place where there is none, with their types."""
    for program, request, kind, result in (("anywhere", "request", "kind", "result:s32"), ("fixed", "arg1:s32", "arg2:s8", "result:s32")):
        script = script_of(program, ("request", "integer_access", f"{request} at *.p.served"), ("kind", "integer_access", f"{kind} at *.p.served"),
                           ("size", "integer_assign", "arg3 at *.p.served"), ("result", "integer_access", f"{result} at *.p.served"))
        events, _, _ = site.watch(script, str(site.options.programs / program), "4")
        values = {name: [e["value"] for e in events if e["event"] == name] for name in ("request", "kind", "size", "result")}
        expect(values == {"request": [-2, -1, 0, 1], "kind": [0, -1, -2, -3], "size": [7] * 4, "result": [4, 2, 0, -2]}, (program, values))


def case_unsigned(site: Site) -> None:
    """64 bits without a sign, as the script or the debug information says."""
    edges = [2**63, 2**64 - 1]
    for program, number in (("anywhere", "number"), ("fixed", "arg1:u64")):
        script = script_of(program, ("argument", "integer_access", f"{number} at *.p.wide"), ("result", "integer_access", "result:u64 at *.p.wide"))
        events, _, _ = site.watch(script, str(site.options.programs / program), "1")
        values = {name: [e["value"] for e in events if e["event"] == name] for name in ("argument", "result")}
        expect(values == {"argument": edges, "result": edges}, (program, values))


def case_mistakes(site: Site) -> None:
    script = script_of("anywhere", ("a", "point_enter", "it at *.p.serve"), ("b", "point_enter", "it at *.p.twice"),
                       ("c", "integer_access", "reqest at *.p.served"), ("d", "socket_open", "it at *.p.served"),
                       ("e", "point_forced", "no:such at *.p.*"))
    _, _, done = site.watch(script, str(site.options.programs / "anywhere"), "1")
    for said in ("no function 'serve' (did you mean 'served'?)", "twice is inlined at all 1 places",
                 "no argument 'reqest' (did you mean 'request'?)", "socket_open is of programs that use libdpm", "no:such"):
        expect(said in done.stderr, (said, done.stderr))


def case_breakpoints(site: Site) -> None:
    """The program's code is changed only at what is defined, and is as before when dpm was killed."""
    program = site.options.programs / "fixed"
    lines = [line.split() for line in subprocess.check_output(["nm", program], text=True).splitlines()]
    symbols = {words[2]: words[0] for words in lines if len(words) == 3}
    subject = subprocess.Popen([program, "forever"], stdout=subprocess.DEVNULL)

    def code(name: str) -> bytes:
        with open(f"/proc/{subject.pid}/mem", "rb") as memory:
            memory.seek(int(symbols[name], 16))
            return memory.read(8)

    def is_mapped() -> bool:
        try:
            return len(code("served")) == 8
        except OSError:  # Popen returns when exec has begun, and the program's code comes a moment later
            return False

    try:
        wait_until(is_mapped, "the program's code")
        before = code("served"), code("never")
        monitor = subprocess.Popen(site.command(script_of("fixed", ("in", "point_enter", "it at *.p.served"))), env=site.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: (site.folder / "events").exists() and (site.folder / "events").stat().st_size > 0, "events")
        expect(code("served")[:1] == b"\xcc" and code("never") == before[1], (code("served"), code("never")))
        monitor.kill()
        monitor.communicate()
        wait_until(lambda: code("served") == before[0], "the breakpoint to go")
        expect(subject.poll() is None, "the program goes on")
    finally:
        subject.kill()
        subject.wait()


def case_pid(site: Site) -> None:
    """Of two processes of a program, which run already, the chosen one; the command ends when it does."""
    program = str(site.options.programs / "fixed")
    chosen, other = (subprocess.Popen([program, "forever"], stdout=subprocess.DEVNULL) for _ in range(2))
    try:
        script = script_of("fixed", ("in", "point_enter", "it at *.p.served"))
        monitor = subprocess.Popen(site.command(script, "--pid", str(chosen.pid)), env=site.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        events = site.folder / "events"
        wait_until(lambda: events.exists() and events.read_text().count("\n") > 3, "events")
        chosen.kill()
        out, err = monitor.communicate(timeout=PATIENCE_S)
        expect(monitor.returncode == 0 and json.loads(out.splitlines()[-1])["programs"] == 1, (out, err))
        expect({json.loads(line)["pid"] for line in events.read_text().splitlines()} == {chosen.pid}, "only the chosen process")
    finally:
        for process in chosen, other:
            process.kill()
            process.wait()


def case_without_rights(site: Site) -> None:
    """An account that may not look is told what it can do, and nothing is left."""
    def be_nobody() -> None:
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    if os.geteuid() != 0:
        raise Skipped("not run as root")
    site.folder.chmod(0o755)
    os.umask(0o022)
    script = site.folder / "script.events"
    script.write_text(script_of("sleep", ("in", "point_enter", "it at *.p.main")))
    environment = {**site.environment, "DPM_MONITOR_FOLDER": f"/dev/shm/dpm-without-rights-{os.getpid()}"}
    dpm = for_every_account(site.options.dpm, site.folder)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([dpm, "script", *words, str(script)], env=environment, cwd="/", text=True, capture_output=True,
                              timeout=PATIENCE_S, preexec_fn=be_nobody)

    own = subprocess.Popen(["sleep", "100"], preexec_fn=be_nobody)
    roots = subprocess.Popen(["sleep", "100"])
    try:
        done = run("--pid", str(own.pid))
        expect(done.returncode == 2, done)
        for said in (f"process {own.pid} (sleep) does not use libdpm", "CAP_BPF", "dpm acquire", "dpm sample"):
            expect(said in done.stderr, (said, done.stderr))
        done = run("--pid", str(roots.pid))
        expect(done.returncode == 2 and f"process {roots.pid} belongs to root, and dpm runs as nobody" in done.stderr, done.stderr)
    finally:
        for process in own, roots:
            process.kill()
            process.wait()
        subprocess.run(["rm", "-rf", environment["DPM_MONITOR_FOLDER"]], check=True)


def case_program_killed(site: Site) -> None:
    """What a program did before it was killed is reported."""
    command = site.command(script_of("fixed", ("in", "point_enter", "it at *.p.served")), "--", str(site.options.programs / "fixed"), "forever")
    monitor = subprocess.Popen(command, env=site.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    events = site.folder / "events"
    wait_until(lambda: events.exists() and events.read_text().count("\n") > 1, "events")
    os.kill(json.loads(events.read_text().splitlines()[0])["pid"], signal.SIGKILL)
    out, _ = monitor.communicate(timeout=PATIENCE_S)
    counted = json.loads(out.splitlines()[-1])["events"][0]
    expect(monitor.returncode == 128 + signal.SIGKILL and counted["reported"] == len(events.read_text().splitlines()), counted)


def case_python(site: Site) -> None:
    """A static tracepoint of Debian's python3."""
    if not os.path.exists("/usr/bin/python3") or b"gc__start" not in pathlib.Path(os.path.realpath("/usr/bin/python3")).read_bytes():
        raise Skipped("/usr/bin/python3 has no static tracepoints")
    program = "import gc\ngc.disable(); gc.callbacks.append(lambda phase, _: phase == 'start' and print('gc'))\nfor _ in range(9): gc.collect()"
    script = script_of("python3", ("gc", "point_forced", "python:gc__start at *.p.*"))
    events, _, done = site.watch(script, "/usr/bin/python3", "-c", program)
    pids = {event["pid"] for event in events}
    counts = [sum(event["pid"] == pid for event in events) for pid in pids]
    expect(any(9 <= count <= 40 for count in counts) and done.stdout.count("gc\n") == 9, (counts, done.stdout))


def main() -> int | bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpm", required=True)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    cases = {name[len("case_"):]: case for name, case in globals().items() if name.startswith("case_")}
    failed = 0
    for name in options.cases or cases:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            try:
                cases[name](Site(options, pathlib.Path(folder)))
                print(f"good   {name}", flush=True)
            except Skipped as why:
                print(f"SKIPPED: {name}: {why}", flush=True)
                if name == "counts":
                    return 77
            except Failed as why:
                failed += 1
                print(f"FAILED {name}: {str(why)[:2000]}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
