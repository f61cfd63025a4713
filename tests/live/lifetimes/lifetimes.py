"""Things that come and go under the meter: what its memory and its CPU time are from part to part.

`comings_and_goings` (tests/live/tools) makes and ends them, and says after each part how long it took.
"""

import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class Part:
    """Up to the end of it: how many there have been. Of this part alone: memory of the supervisor, and times.

    `slowness`: what the same work took without a meter beside this part, relative to the whole run; 1 if that was not tried.
    """

    def __init__(self, count: int, elapsed_s: float, memory_kb: int, cpu_s: float) -> None:
        self.count, self.elapsed_s, self.memory_kb, self.cpu_s, self.slowness = count, elapsed_s, memory_kb, cpu_s, 1.0


class Lifetimes:
    def __init__(self, kind: str, parts: list[Part], said: str, messages: int) -> None:
        self.kind, self.parts, self.said, self.messages = kind, parts, said, messages

    def growth_kb(self, settled: int = 1) -> float:
        """What the memory grew by after the first parts, `settled` of them, when every table has reached its size.

        Of the last parts the one in the middle: where others keep the trace's writer from running, records wait for it.
        """
        return statistics.median(part.memory_kb for part in self.parts[settled:][-3:]) - self.parts[settled - 1].memory_kb

    def growth_percent(self) -> float:
        return 100 * self.growth_kb() / self.parts[0].memory_kb

    def early_and_late(self, value_of: Callable[[Part], float]) -> tuple[float, float]:
        """Medians of two fifths of the parts after the first, and of the last two fifths: a machine's speed differs from part to part."""
        some = max(1, 2 * (len(self.parts) - 1) // 5)
        return (statistics.median(map(value_of, self.parts[1:1 + some])), statistics.median(map(value_of, self.parts[-some:])))

    def speed_at_the_end(self) -> float:
        """Of the last parts, relative to the early ones: 1 is as fast."""
        early, late = self.early_and_late(lambda part: part.elapsed_s / part.slowness)
        return early / late

    def cpu_at_the_end(self) -> float:
        """Of the supervisor in the last parts, relative to the early ones."""
        early, late = self.early_and_late(lambda part: part.cpu_s / part.slowness)
        return late / early

    def ledger(self) -> str:
        return next((line for line in self.said.splitlines() if line.startswith("ledger:")), "no ledger: " + self.said)

    def lost(self) -> int | None:
        found = re.search(r"\+ (\d+) lost", self.ledger())
        return int(found.group(1)) if found else None

    def __str__(self) -> str:
        return (f"{self.parts[-1].count} {self.kind}: memory {self.parts[0].memory_kb} kB after {self.parts[0].count}, "
                f"{self.parts[-1].memory_kb} kB at the end, {self.growth_percent():+.1f} %; speed of the last parts "
                f"{self.speed_at_the_end():.3f} of the early ones, the meter's CPU time {self.cpu_at_the_end():.3f} of it; "
                f"{self.ledger()}")


def run(dpm: str | pathlib.Path, program: str | pathlib.Path, kind: str, count: int, part: int, show: Callable[[str], object] | None = None,
        folder: str | pathlib.Path | None = None, compared: int = 0) -> Lifetimes:
    """Meters `comings_and_goings KIND COUNT PART`.

    Memory is the median of samples in the second half of a part: single ones differ by what waits for the trace's writer.
    `compared`: that many without a meter before the first part and after each, while the metered program is stopped. A machine's speed
    changes by a tenth within minutes.
    """
    bare_s = [bare_time_s(program, kind, compared)] if compared else []
    own = folder or tempfile.mkdtemp(prefix="dpm-lifetimes-")
    out = pathlib.Path(own) / "out"
    process = subprocess.Popen([dpm, "meter", "--wait", "-o", str(out), "--", program, kind, str(count), str(part)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    parts, cpu_before_s, messages, stopped_s = [], 0.0, 0, 0.0
    memory = MemorySamples(find_supervisor(str(out)))
    assert process.stdout
    for line in process.stdout:
        done, elapsed_s, sent = line.split()
        messages = int(sent)
        cpu_s = cpu_time_s(memory.pid)
        parts.append(Part(int(done), float(elapsed_s) - stopped_s, memory.take_median_kb(), cpu_s - cpu_before_s))
        if compared and len(parts) < count // part:
            taken_s, stopped_s = while_stopped(first_process_of(program), lambda: bare_time_s(program, kind, compared))
            bare_s.append(taken_s)
        cpu_before_s = cpu_s
        if show:
            show(f"{done} {kind}: {parts[-1].elapsed_s:.2f} s, memory {parts[-1].memory_kb} kB, CPU {parts[-1].cpu_s:.2f} s")
        if len(parts) == count // part:
            break  # it ends now
    memory.stop()
    assert process.stderr
    said = process.stderr.read()
    process.wait()
    if process.returncode != 0 or len(parts) != count // part:
        raise RuntimeError(f"comings_and_goings {kind}: exit status {process.returncode}: {said}")
    if compared:
        bare_s.append(bare_time_s(program, kind, compared))
        for one, before_s, after_s in zip(parts, bare_s, bare_s[1:]):
            one.slowness = (before_s + after_s) / 2 / statistics.median(bare_s)
    if folder is None:
        shutil.rmtree(own)
    return Lifetimes(kind, parts, said, messages)


def bare_time_s(program: Any, kind: str, count: int) -> float:
    """How long that many take without a meter."""
    said = subprocess.run([program, kind, str(count), str(count)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout
    return float(said.split()[1])


def while_stopped(pid: int, work: Callable[..., Any]) -> Any:
    """What work() returns, and how long the process was stopped."""
    os.kill(pid, signal.SIGSTOP)
    begin_s = time.monotonic()
    try:
        return work(), time.monotonic() - begin_s
    finally:
        os.kill(pid, signal.SIGCONT)


class MemorySamples:
    """Reads a process's memory ten times a second."""

    def __init__(self, pid: int) -> None:
        self.pid, self._stopped = pid, threading.Event()
        self._samples: list[int] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while not self._stopped.wait(0.1):
            try:
                self._samples.append(resident_kb(self.pid))
            except OSError:
                return  # it has ended

    def take_median_kb(self) -> int:
        """Of the second half of the samples since the last time, and of one now."""
        samples, self._samples = self._samples, []
        return int(statistics.median(samples[len(samples) // 2:] + [resident_kb(self.pid)]))

    def stop(self) -> None:
        self._stopped.set()
        self._reader.join()


def find_supervisor(folder: str, patience_s: int = 10) -> int:
    """The supervisor of a run that begins now."""
    deadline_s = time.monotonic() + patience_s
    while time.monotonic() < deadline_s:
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "comm").read_text() == "dpm-meter\n" and folder.encode() in (process / "cmdline").read_bytes():
                    return int(process.name)
            except OSError:
                continue  # it has ended meanwhile
        time.sleep(0.02)
    raise RuntimeError("there is no supervisor")


def first_process_of(program: Any) -> int:
    """Of those that run this program, the one that began first: the others are its children."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.path.samefile(process / "exe", program):
                found.append((int(stat_fields(int(process.name))[19]), int(process.name)))
        except OSError:
            continue  # it has ended meanwhile, or is one of the kernel's
    return min(found)[1]


def resident_kb(pid: int) -> int:
    """Memory of its own, without the files it has mapped."""
    return int(re.findall(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[0])


def stat_fields(pid: int) -> list[str]:
    """From the third field of /proc/PID/stat on."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def cpu_time_s(pid: int) -> float:
    fields = stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND
