"""Many events: none may be lost without a report, and the meter's memory must not grow with their number."""

import shutil
import subprocess
from typing import Any

import supervisor
import table
from ways import Tools

# How much the supervisor may grow after the first tenth of a run: buffers that reach their size late, and no more.
GROWTH_KB_MAX = 2048
SETUP_EVENTS_MAX = 40  # processes that begin and end, sockets that are met
EVENTS_A_PAIR = 3      # SEND, RECEIVECALL, RECEIVE


class Recording:
    """The result of a run of call_loop under the recorder."""

    def __init__(self, ledger: supervisor.Ledger, calls: int, memory_kb: list[Any]) -> None:
        self.ledger, self.calls, self.memory_kb = ledger, calls, memory_kb
        self.growth_kb = supervisor.growth_kb(memory_kb)

    def is_exact(self) -> bool:
        """Whether every call of the program was recorded, once."""
        surplus = self.ledger.seen - self.calls // 2 * EVENTS_A_PAIR
        return self.ledger.is_exact() and 0 <= surplus <= SETUP_EVENTS_MAX

    def is_flat(self) -> Any:
        return self.growth_kb <= GROWTH_KB_MAX


def record(tools: Tools, kind: str, limit: str | float, options: Any = ()) -> Recording:
    """Runs `call_loop KIND LIMIT` under the recorder and watches the supervisor's memory."""
    folder = tools.folder()
    process = subprocess.Popen([str(tools.recorder), *options, str(folder / "trace"), str(tools.call_loop), kind, str(limit)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    memory_kb = supervisor.watch_memory(process, folder, 0.02)
    output, said = process.communicate()
    shutil.rmtree(folder)
    if process.returncode != 0 or not memory_kb:
        raise RuntimeError(f"call_loop {kind} {limit}: exit status {process.returncode}: {said}")
    return Recording(supervisor.Ledger(said), int(output.split()[1]), memory_kb)


def show(what: str, recording: Recording) -> None:
    table.verdict(f"{what}: {recording.ledger}, of {recording.calls} calls", recording.is_exact(), "exact")
    memory = recording.memory_kb
    table.verdict(f"{what}: the supervisor's memory is {memory[0]} kB at first, {memory[-1]} kB at last, and grew by "
                  f"{recording.growth_kb} kB after the first tenth", recording.is_flat(), f"<= {GROWTH_KB_MAX} kB")


def million(tools: Tools, events: Any) -> None:
    table.heading(f"{events} events: ledger and memory")
    for kind in ("tcp", "mixed"):
        show(kind, record(tools, kind, f"{events * 2 // EVENTS_A_PAIR}x"))


def soak(tools: Tools, seconds: float) -> None:
    table.heading(f"soak of {seconds:g} s at full load")
    show("tcp", record(tools, "tcp", seconds))
