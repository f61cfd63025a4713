#!/usr/bin/env python3
"""bench_scale.py [SECTION...]: analyses of larger and larger traces by one rank and by two, what SimGrid predicts for up to 1,024 nodes, and
what DPM says of its own run. Sections: sizes, compressed, nodes, own.

Times of dpm-mpi are from when MPI has started the ranks; memory is that of all ranks together. Two ratios are printed: of elapsed times,
which need two cores that nothing else uses, and of the CPU time of the rank that works longest. Sizes: DPM_SCALE_EVENTS (default
"1000000 10000000"); nodes: DPM_SCALE_NODES, which begin with 1 (default "1 2 16 64 256 1024"); traces are in DPM_SCALE_FOLDER, or the temporary
folder.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BUILD = Path(os.environ.get("DPM_BUILD", Path(__file__).resolve().parent.parent.parent / "build/release"))
SIZES = [int(size) for size in os.environ.get("DPM_SCALE_EVENTS", "1000000 10000000").split()]
COMMANDS = (["statistics"], ["queues"], ["parallelism", "--method", "none"])
TURNS = 3  # the least of them is printed; one for traces of more than 10^7 events
MANY_PROCESSES, MANY_MACHINES, REACH = 4096, 512, 4  # of the trace that is divided among many nodes; servers that a client asks
NODES = [int(count) for count in os.environ.get("DPM_SCALE_NODES", "1 2 16 64 256 1024").split()]
NODES_TWICE = 64  # more nodes take minutes to simulate, and are simulated once
SIMULATED_EVENTS = (1_000_000, 10_000_000)
EXTRAPOLATED_EVENTS = 10**11
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-1023" speed="1Gf" bw="1250MBps" lat="2us"/>
</platform>
"""
TIMES = re.compile(r"times of rank \d+: ([0-9.]+) s, ([0-9.]+) s of CPU time at work, ([0-9.]+) s in waiting, [0-9.]+ s to start, (\d+) kB")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


class Used:
    """What a run used: elapsed and CPU seconds, memory in MB."""

    def __init__(self, elapsed_s: float, cpu_s: float, memory_mb: float, printed: str) -> None:
        self.elapsed_s, self.cpu_s, self.memory_mb, self.printed = elapsed_s, cpu_s, memory_mb, printed


def least(turns: int, run: Callable[..., Any]) -> Used:
    runs = [run() for _ in range(turns)]
    return Used(min(r.elapsed_s for r in runs), min(r.cpu_s for r in runs), max(r.memory_mb for r in runs), runs[0].printed)


def ranks(count: int, words: list[Any]) -> Used:
    done = subprocess.run([*MPIRUN, "-n", str(count), BUILD / "dpm-mpi", *words, "--json"], capture_output=True, text=True,
                          env={**os.environ, "DPM_RANK_TIMES": "1"}, check=True)
    times = TIMES.findall(done.stderr)
    return Used(max(float(elapsed) for elapsed, *_ in times), max(float(work) for _, work, *_ in times),
                sum(int(kb) for *_, kb in times) / 1024, done.stdout)


def alone(words: list[Any]) -> Used:
    began = time.monotonic()
    program = subprocess.Popen([BUILD / "dpm", *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert program.stdout
    printed = program.stdout.read()
    _, status, used = os.wait4(program.pid, 0)
    program.returncode = status
    assert status == 0, words
    return Used(time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, printed)


def make_trace(folder: Any, events: int, *more: int, compress: bool = False) -> Any:
    trace = folder / f"trace-{events}"
    subprocess.run([BUILD / "bench/scale/make_scale_trace", *(["--compress"] if compress else []), trace, str(events), *map(str, more)], check=True)
    return trace


def bench_sizes(folder: Any) -> None:
    for events in SIZES:
        trace = make_trace(folder, events)
        turns = TURNS if events <= 10**7 else 1
        size = sum(file.stat().st_size for file in (trace / "ctf").iterdir())
        print(f"{events:>11} events: {size / events:.0f} bytes an event on disk, the index {(trace / 'index').stat().st_size / events:.2f}")
        for command in COMMANDS:
            words = [command[0], trace, *command[1:]]
            dpm, one, two = (least(turns, run) for run in (lambda: alone(words), lambda: ranks(1, words), lambda: ranks(2, words)))
            assert dpm.printed == one.printed == two.printed, f"{command}: not the same bytes"
            print(f"  {' '.join(command):30} dpm {dpm.elapsed_s:7.2f} s {dpm.memory_mb:6.0f} MB   1 rank {one.elapsed_s:7.2f} s "
                  f"{one.memory_mb:6.0f} MB   "
                  f"2 ranks {two.elapsed_s:7.2f} s {two.memory_mb:6.0f} MB   x {one.elapsed_s / two.elapsed_s:.2f} (CPU x "
                  f"{one.cpu_s / two.cpu_s:.2f})",
                  flush=True)
        windows(trace)
        shutil.rmtree(trace)


def bench_compressed(folder: Any) -> None:
    """Traces on disk compressed, larger ones than a disk has plain: all of each, and a hundredth of it by time and by process."""
    before: tuple[int, float] | None = None
    for events in SIZES:
        began = time.monotonic()
        trace = make_trace(folder, events, compress=True)
        size = sum(file.stat().st_size for file in (trace / "ctf").iterdir())
        print(f"{events:>11} events: {size / events:.1f} bytes an event on disk; written in {time.monotonic() - began:.1f} s")
        turns = TURNS if events <= 10**7 else 1
        middle_s = span_s(events) / 2
        used = least(turns, lambda: alone(["statistics", trace]))
        growth = f"   x {used.elapsed_s / before[1]:.2f} for x {events / before[0]:.0f} events" if before else ""
        print(f"  {'statistics':40} {used.elapsed_s:7.2f} s ({used.cpu_s:.2f} s of CPU time) {used.memory_mb:6.0f} MB{growth}", flush=True)
        before = events, used.elapsed_s
        for name, words in (("statistics, a hundredth of the time", ["--from", str(middle_s), "--to", str(middle_s * 1.02)]),
                            ("statistics, one process", ["--process", "process7"])):
            part = least(turns, lambda words=words: alone(["statistics", trace, *words]))
            print(f"  {name:40} {part.elapsed_s:7.2f} s ({part.cpu_s:.2f} s of CPU time) {part.memory_mb:6.0f} MB", flush=True)
        shutil.rmtree(trace)


def span_s(events: int) -> float:
    return float(subprocess.run([BUILD / "bench/scale/make_scale_trace", "--seconds", str(events)], capture_output=True, text=True,
                                check=True).stdout)


def windows(trace: Any) -> None:
    """The whole trace in ten windows of time, one after another."""
    tenth_s = span_s(int(trace.name.split("-")[1])) / 10
    used = [alone(["statistics", trace, "--from", str(tenth_s * i), "--to", str(tenth_s * (i + 1))]) for i in range(10)]
    print(f"  {'statistics, in ten windows':30} dpm {sum(one.elapsed_s for one in used):7.2f} s {max(one.memory_mb for one in used):6.0f} MB",
          flush=True)


def simulated_s(folder: Any, count: int, trace: Any) -> float | None:
    """The time that SimGrid predicts for that number of nodes, the lesser of two runs; of one, if there are many."""
    times = []
    for _ in range(2 if count <= NODES_TWICE else 1):
        done = subprocess.run(["smpirun", "-np", str(count), "-platform", folder / "cluster.xml", "--cfg=smpi/host-speed:1Gf",
                               "--cfg=smpi/display-timing:1", "--log=root.thresh:warning", "--log=smpi.thresh:info",
                               BUILD / "bench/scale/dpm-mpi-simulated", "statistics", trace, "--json"], capture_output=True, text=True, check=False)
        found = re.search(r"Simulated time: ([0-9.]+) seconds", done.stdout + done.stderr)
        if not found:
            print(f"SMPI: {count} ranks: {(done.stdout + done.stderr)[-300:]}")
            return None
        times.append(float(found[1]))
    return min(times)


def bench_nodes(folder: Any) -> None:
    built = subprocess.run(["ninja", "-C", BUILD, "dpm_mpi_simulated"], capture_output=True, text=True, check=False)
    if built.returncode != 0 or not shutil.which("smpirun"):
        print(f"SMPI: not built: {built.stdout[-200:]}")
        return
    (folder / "cluster.xml").write_text(PLATFORM)
    small, large = (make_trace(folder, events, MANY_PROCESSES, MANY_MACHINES, REACH) for events in SIMULATED_EVENTS)
    words = ["statistics", large]
    one, two = (least(TURNS, lambda count=count: ranks(count, words)) for count in (1, 2))
    first = None
    print(f"statistics of {MANY_PROCESSES} processes on {MANY_MACHINES} machines, as SMPI predicts; a time is F + E events")
    for count in NODES:
        small_s, large_s = simulated_s(folder, count, small), simulated_s(folder, count, large)
        if small_s is None or large_s is None:
            return
        event_s = (large_s - small_s) / (SIMULATED_EVENTS[1] - SIMULATED_EVENTS[0])
        fixed_s = large_s - event_s * SIMULATED_EVENTS[1]
        far_s = fixed_s + event_s * EXTRAPOLATED_EVENTS
        first = first or (large_s, far_s)
        print(f"  {count:>5} nodes: {large_s:8.4f} s for {SIMULATED_EVENTS[1]} events, x {first[0] / large_s:6.2f}   F {fixed_s * 1e3:7.2f} ms   "
              f"E {event_s * 1e9:8.3f} ns   10^11 events: {far_s:9.1f} s, x {first[1] / far_s:7.2f}", flush=True)
        if count == 2:
            predicted, measured = first[0] / large_s, one.elapsed_s / two.elapsed_s
            print(f"         measured with two ranks: x {measured:.2f} (CPU x {one.cpu_s / two.cpu_s:.2f}); predicted {predicted:.2f}, "
                  f"{(predicted / measured - 1) * 100:+.0f} %", flush=True)


def bench_own(folder: Any) -> None:
    """DPM meters two ranks of dpm-mpi, which talk over TCP, and says what holds them up."""
    trace, own = make_trace(folder, SIZES[0]), folder / "own"
    subprocess.run([BUILD / "dpm", "meter", "-o", own, "--", *MPIRUN, "-n", "2", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo",
                    "--mca", "mpi_yield_when_idle", "1", BUILD / "dpm-mpi", "parallelism", trace, "--method", "none"], check=True,
                    capture_output=True)
    for words in (["statistics", own], ["parallelism", own], ["blame", own, "--of", "dpm-mpi"]):
        done = subprocess.run([BUILD / "dpm", *words], capture_output=True, text=True, check=False)
        print(f"dpm {words[0]} of its own run:\n{done.stdout}{done.stderr}", flush=True)


SECTIONS = {"sizes": bench_sizes, "compressed": bench_compressed, "nodes": bench_nodes, "own": bench_own}


def main() -> None:
    for name in sys.argv[1:] or SECTIONS:
        with tempfile.TemporaryDirectory(dir=os.environ.get("DPM_SCALE_FOLDER")) as folder:
            SECTIONS[name](Path(folder))


if __name__ == "__main__":
    main()
