"""Real programs on single cores of this machine: predicted from metered runs on one placement, then run on the others.

    run.py [--quick] [--plant metering] [--source ebpf] --dpm PROGRAM --result FILE

A claim describes a Study; everything here is the same for all. The truth is what unmetered runs take. Runs of all placements are
interleaved, in another sequence each time, and everything is repeated; medians and quartiles count.

Where it is permitted, runs are scheduled in real time (SCHED_RR), so that other load of the machine does not affect them: a prediction
is of the program alone.
"""

import argparse
import itertools
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

SKIPPED = 77
LIMIT_S = 120  # for any one run
# Between runs other processes catch up: the kernel gives them a twentieth of a second in each second, which must not
# fall into a run.
PAUSE_S = 0.15
# The least difference between the measured times of two placements for one of them to be the better one.
DIFFERENCE, QUICK_DIFFERENCE = 0.02, 0.1


class Missing(Exception):
    """This claim cannot be measured on this machine."""


@dataclass
class Placement:
    """`core_of` counts the machines 0, 1, ...; which CPUs these are is determined here."""
    name: str
    core_of: dict[str, int]  # by the process's name in the trace

    def on_one_core(self) -> bool:
        return len(set(self.core_of.values())) == 1


@dataclass
class Run:
    """The environment and placement that a run of the program is started with."""
    folder: pathlib.Path
    cpus: list[int]  # of the machines
    placement: Placement
    prefix: list[str]  # goes in front of what is to be measured: dpm meter, or nothing
    dpm: str

    def cpu(self, process: str) -> int:
        return self.cpus[self.placement.core_of[process]]

    def pinned(self, process: str, words: Sequence[object]) -> list[str]:
        return ["taskset", "-c", str(self.cpu(process)), *map(str, words)]


@dataclass
class Study:
    programs: list[str]  # that must be installed
    placements: list[Placement]
    traced_on: list[str]  # names of placements
    # Runs the program once, its processes where Run says, and returns how long it took in seconds.
    play: Callable[[Run], float]
    prepare: Callable[[pathlib.Path], None] = lambda folder: None
    repeats: int = 9
    over: str = "tcp"  # what its messages go over mostly
    # The order of receives: real sockets do not show what else a process would have taken, so only the recorded order
    # is safe.
    order: str = "recorded"
    processes: list[str] = field(default_factory=list)  # the computation; empty: what the trace says
    # The program whose messages, from the first to the last, take the time that play() returns; empty: the whole run
    # takes it.
    timed: str = ""


@dataclass
class Cell:
    """A placement, predicted from traces of another or the same."""
    traced: str
    predicted: str
    elapsed: list[float] = field(default_factory=list)
    elapsed_with_metering: list[float] = field(default_factory=list)
    P: list[float] = field(default_factory=list)


class Quartiles:
    def __init__(self, values: Sequence[float]) -> None:
        ordered = sorted(values)
        self.median = statistics.median(ordered)
        self.low, self.high = (ordered[round(share * (len(ordered) - 1))] for share in (0.25, 0.75))

    def beyond(self, value: float) -> float:
        """How far outside the quartiles a value is, relative to the median."""
        result: float = max(self.low - value, value - self.high, 0.0) / self.median
        return result


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def call(words: Sequence[object], folder: pathlib.Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command that must succeed. If it takes too long, or we are interrupted, its processes are killed."""
    command = [str(word) for word in words]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               cwd=folder, start_new_session=True, **options)
    try:
        out, errors = process.communicate(timeout=LIMIT_S)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {process.returncode}: {errors.strip()[-2000:]}")
    return subprocess.CompletedProcess(command, process.returncode, out, errors)


def program_of(name: str) -> str:
    return name.rpartition("#")[0] if "#" in name else name


def timed(words: Sequence[object], folder: pathlib.Path, **options: Any) -> float:
    begin = time.monotonic()
    call(words, folder, **options)
    return time.monotonic() - begin


class Laboratory:
    """This machine, its cores, and the programs of DPM."""

    def __init__(self, dpm: str, folder: pathlib.Path, quick: bool, source: str) -> None:
        self.dpm, self.folder, self.quick, self.source = str(pathlib.Path(dpm).resolve()), folder, quick, source
        self.cpus = sorted(os.sched_getaffinity(0))[:2]
        if len(self.cpus) < 2:
            raise Missing("two cores are needed, and there is one")
        if subprocess.run([self.dpm, "doctor"], capture_output=True, check=False).returncode != 0:
            raise Missing("programs cannot be metered on this machine (dpm doctor says why)")
        self.need_source()
        self.real_time = self._may_be_real_time()
        if quick and not self.real_time:
            raise Missing("a few runs say something only if they may be scheduled in real time (chrt -r 1), apart from other work")
        self._runs = itertools.count(1)

    def need_source(self) -> None:
        words: list[str | pathlib.Path] = [self.dpm, "meter", "--source", self.source, "--wait", "-o", self.folder / "tried", "--", "true"]
        tried = subprocess.run(words, capture_output=True, text=True, check=False)
        shutil.rmtree(self.folder / "tried", ignore_errors=True)
        if tried.returncode != 0:
            raise Missing(f"the source {self.source} cannot be used here: {tried.stderr.strip().splitlines()[0]}")

    @staticmethod
    def _may_be_real_time() -> bool:
        tried = subprocess.run(["chrt", "-r", "1", "true"], capture_output=True, check=False) if shutil.which("chrt") else None
        return tried is not None and tried.returncode == 0

    @staticmethod
    def turn_s() -> float:
        """How long a process runs while others of its priority are ready."""
        file = pathlib.Path("/proc/sys/kernel/sched_rr_timeslice_ms")
        return int(file.read_text()) / 1000 if file.exists() else 0.1

    def become_real_time(self) -> None:
        if self.real_time:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))

    def names(self, trace: pathlib.Path) -> list[str]:
        """The names of a trace's processes; those of one program are called postgres, postgres#2, ..."""
        said = json.loads(call([self.dpm, "statistics", trace, "--json"], self.folder).stdout)
        return [process["process"] for process in said["processes"]]

    def placement_file(self, placement: Placement, names: Sequence[str]) -> pathlib.Path:
        file = self.folder / f"{placement.name}.json"
        machines = [{"name": f"core{i}", "cpus": [cpu]} for i, cpu in enumerate(self.cpus)]
        processes = {name: f"core{placement.core_of[program_of(name)]}" for name in names if program_of(name) in placement.core_of}
        file.write_text(json.dumps({"name": placement.name, "machines": machines, "processes": processes}))
        return file

    def calibrate(self, over: str) -> pathlib.Path:
        file = self.folder / "calibration.json"
        amount = ["--repeat", 1, "--messages", 300] if self.quick else ["--repeat", 5, "--messages", 1000]
        call([self.dpm, "calibrate", "-o", file, "--over", over, "--only", "--source", self.source, "--cores", *self.cpus,
              *amount], self.folder)
        return file

    def measure(self, study: Study, placement: Placement) -> tuple[float, float]:
        """Elapsed time and CPU time of an unmetered run."""
        time.sleep(PAUSE_S)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        elapsed = study.play(Run(self.folder, self.cpus, placement, [], self.dpm))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def trace(self, study: Study, placement: Placement) -> tuple[float, pathlib.Path]:
        """Elapsed time of a metered run, and its trace."""
        time.sleep(PAUSE_S)
        trace = self.folder / f"traced-{next(self._runs)}"
        # A program on one core is metered on that core: its supervisor does not help it with another.
        cpus = self.cpus[:1] if placement.on_one_core() else self.cpus
        meter = [self.dpm, "meter", "--source", self.source, "--wait", "-o", str(trace), "--"]
        if self.source == "ebpf":
            # No call waits for this meter, so it runs where there is room, and after the program.
            ordinary, real_time = (["chrt", "-o", "0"], ["chrt", "-r", "1"]) if self.real_time else ([], [])
            prefix = [*ordinary, *meter, *real_time, "taskset", "-c", ",".join(map(str, cpus))]
            return study.play(Run(self.folder, self.cpus, placement, prefix, self.dpm)), trace
        # On two cores, the kernel moves the supervisor to the CPU of each call only if all are scheduled as usual.
        ordinary = ["chrt", "-o", "0"] if self.real_time and not placement.on_one_core() else []
        prefix = [*ordinary, "taskset", "-c", ",".join(map(str, cpus)), *meter]
        return study.play(Run(self.folder, self.cpus, placement, prefix, self.dpm)), trace

    def predict(self, study: Study, trace: pathlib.Path, calibration: pathlib.Path, traced: Placement,
                targets: Sequence[Placement]) -> list[dict[str, Any]]:
        names = self.names(trace)
        words = [self.dpm, "predict", trace, "--json", "--delays", calibration, "--traced-on", self.placement_file(traced, names)]
        for name in names:
            words += ["--process", name] if program_of(name) in study.processes else []
        words += ["--order", study.order]
        if self.real_time:
            words += ["--time-slice", self.turn_s()]
        for target in targets:
            words += ["--placement", self.placement_file(target, names)]
        found = json.loads(call(words, self.folder).stdout)
        return found if isinstance(found, list) else [found]


class Results:
    def __init__(self, study: Study, least_difference: float, planted: str = "") -> None:
        """Placements count as different if their times are, by more than the quartiles and by more than this share."""
        self.study, self.least_difference, self.planted = study, least_difference, planted
        self.elapsed: dict[str, list[float]] = {placement.name: [] for placement in study.placements}
        self.metered: dict[str, list[float]] = {name: [] for name in study.traced_on}
        self.P: dict[str, list[float]] = {placement.name: [] for placement in study.placements}
        self.cells = {(traced, target.name): Cell(traced, target.name) for traced in study.traced_on for target in study.placements}

    def add_prediction(self, traced: str, target: str, found: dict[str, Any]) -> None:
        cell = self.cells[traced, target]
        with_metering = found.get("taken_out", {}).get("with_it", found)
        cell.elapsed.append(self.time_of(with_metering if self.planted == "metering" else found))
        cell.P.append(found["P"])
        cell.elapsed_with_metering.append(self.time_of(with_metering))

    def time_of(self, prediction: dict[str, Any]) -> float:
        """The predicted time of the part of the run that is measured."""
        if not self.study.timed:
            return float(prediction["elapsed_s"])
        spans = {span["process"]: span for span in prediction["message_spans"]}
        return float(spans[self.study.timed]["last_message_s"] - spans[self.study.timed]["first_message_s"])

    def figures(self) -> dict[str, float]:
        """From traces on one core; and, as reverse_..., from traces on two."""
        on_one = {placement.name for placement in self.study.placements if placement.on_one_core()}
        one = [cell for cell in self.cells.values() if cell.traced in on_one]
        two = [cell for cell in self.cells.values() if cell.traced not in on_one]
        figures: dict[str, Any] = {}
        for prefix, cells in (("", one), ("reverse_", two)):
            beyond = [Quartiles(self.elapsed[cell.predicted]).beyond(statistics.median(cell.elapsed)) * 100 for cell in cells]
            figures |= {f"{prefix}elapsed_mean_error": statistics.mean(beyond), f"{prefix}elapsed_worst_error": max(beyond),
                        f"{prefix}elapsed_mean_error_of_medians": statistics.mean(map(self.error_of_median, cells)),
                        f"{prefix}elapsed_mean_error_with_metering": statistics.mean(map(self.error_with_metering, cells)),
                        f"{prefix}better_placement_named": self.better_named(cells)}
        # On the core that was traced, only the cost of metering can be wrong. On others the costs of waking may cancel it. What was
        # taken out is a share of two predictions from one trace: how steady the machine is does not matter.
        same = [cell for cell in one if cell.traced == cell.predicted]
        return figures | {"same_core_error": statistics.mean(map(self.error_of_median, same)),
                          "same_core_error_with_metering": statistics.mean(map(self.error_with_metering, same)),
                          "metering_removed": statistics.mean(map(self.metering_removed, same))}

    def error_of_median(self, cell: Cell) -> float:
        result: float = abs(statistics.median(cell.elapsed) / statistics.median(self.elapsed[cell.predicted]) - 1) * 100
        return result

    def error_with_metering(self, cell: Cell) -> float:
        result: float = abs(statistics.median(cell.elapsed_with_metering) / statistics.median(self.elapsed[cell.predicted]) - 1) * 100
        return result

    @staticmethod
    def metering_removed(cell: Cell) -> float:
        return (statistics.median(cell.elapsed_with_metering) / statistics.median(cell.elapsed) - 1) * 100

    def better_named(self, cells: Sequence[Cell]) -> float:
        """Of the pairs of placements that differ by more than their runs do: how often the better one was named, in percent."""
        named = pairs = 0
        for a, b in itertools.combinations(cells, 2):
            one, other = Quartiles(self.elapsed[a.predicted]), Quartiles(self.elapsed[b.predicted])
            far_apart = abs(one.median - other.median) > self.least_difference * min(one.median, other.median)
            if a.traced != b.traced or not far_apart or one.low <= other.high and other.low <= one.high:
                continue
            pairs += 1
            named += (statistics.median(a.elapsed) < statistics.median(b.elapsed)) == (one.median < other.median)
        return 100.0 * named / pairs if pairs else 100.0

    def document(self, figures: dict[str, float], remarks: list[str]) -> dict[str, Any]:
        rows, points = [], []
        for cell in self.cells.values():
            truth, predicted = Quartiles(self.elapsed[cell.predicted]), Quartiles(cell.elapsed)
            with_metering = statistics.median(cell.elapsed_with_metering)
            rows.append([cell.traced, cell.predicted, spread(truth), f"{predicted.median:.3f} s", error(predicted.median, truth.median),
                         error(with_metering, truth.median), f"{statistics.median(self.P[cell.predicted]):.2f}",
                         f"{statistics.median(cell.P):.2f}"])
            points.append({"x": truth.median, "y": predicted.median, "low": predicted.low, "high": predicted.high,
                           "label": f"{cell.predicted} from {cell.traced}"})
        metered = [[name, spread(Quartiles(self.elapsed[name])), spread(Quartiles(values))] for name, values in self.metered.items()]
        return {"figures": figures, "remarks": remarks,
                "tables": [{"title": "Elapsed time, predicted and measured",
                            "columns": ["traced on", "predicted for", "measured (quartiles)", "predicted", "error",
                                        "with metering left in", "P measured", "P predicted"], "rows": rows},
                           {"title": "What metering changes", "columns": ["placement", "unmetered", "metered"], "rows": metered}],
                "plots": [{"title": "Elapsed time", "kind": "predicted_against_measured", "x": "measured elapsed, s",
                           "y": "predicted elapsed, s", "series": [{"name": "real runs", "points": points}]}]}


def spread(of: Quartiles) -> str:
    return f"{of.median:.3f} s ({of.low:.3f} to {of.high:.3f})"


def error(predicted: float, measured: float) -> str:
    return f"{(predicted / measured - 1) * 100:+.1f} %"


def investigate(study: Study, laboratory: Laboratory, planted: str) -> Results:
    say("calibrating this machine")
    calibration = laboratory.calibrate(study.over)
    study.prepare(laboratory.folder)
    results = Results(study, QUICK_DIFFERENCE if laboratory.quick else DIFFERENCE, planted)
    if not laboratory.quick:
        say("one run of each, not counted")
        for placement in study.placements:
            laboratory.measure(study, placement)
    repeats = 1 if laboratory.quick else study.repeats
    for k in range(repeats):
        say(f"runs and predictions, {k + 1} of {repeats}")
        turn = k % len(study.placements)
        for placement in study.placements[turn:] + study.placements[:turn]:
            elapsed, cpu = laboratory.measure(study, placement)
            results.elapsed[placement.name].append(elapsed)
            results.P[placement.name].append(cpu / elapsed)
            if placement.name not in study.traced_on:
                continue
            metered, trace = laboratory.trace(study, placement)
            results.metered[placement.name].append(metered)
            for target, found in zip(study.placements, laboratory.predict(study, trace, calibration, placement, study.placements)):
                results.add_prediction(placement.name, target.name, found)
            shutil.rmtree(trace)
    return results


def open_to_programs(folder: str) -> None:
    """Some programs run as another account, and what they print is read: in English, with decimal points."""
    os.chmod(folder, 0o755)
    os.umask(0o022)
    os.environ["LC_ALL"] = "C.UTF-8"


def main(study: Study) -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--plant", default="", choices=["metering"], help="what metering costs is not taken out of predictions")
    arguments.add_argument("--source", default=os.environ.get("DPM_SOURCE", "notify"), choices=["notify", "ebpf"],
                           help="what meters the programs; default: $DPM_SOURCE, or notify")
    arguments.add_argument("--dpm", required=True)
    arguments.add_argument("--result", required=True)
    options = arguments.parse_args()
    try:
        for program in ["taskset", *study.programs]:
            if shutil.which(program) is None:
                raise Missing(f"{program} is not installed")
        with tempfile.TemporaryDirectory(prefix="dpm-real-") as folder:
            open_to_programs(folder)
            laboratory = Laboratory(options.dpm, pathlib.Path(folder), options.quick, options.source)
            laboratory.become_real_time()
            results = investigate(study, laboratory, options.plant)
    except Missing as missing:
        say(f"SKIPPED: {missing}")
        sys.exit(SKIPPED)
    remarks = ["scheduled in real time, apart from other work" if laboratory.real_time
               else "scheduled as everything else: other work of this machine has a part in the times"]
    figures = results.figures()
    if options.quick:
        figures = {name: figures[name] for name in ["better_placement_named"]}
    pathlib.Path(options.result).write_text(json.dumps(results.document(figures, remarks), indent=1) + "\n")
