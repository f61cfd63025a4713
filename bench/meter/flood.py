"""As many events as two cores can make: the kernel source may lose records, and must count each; its memory must not grow."""

import re
import shutil
import subprocess
from typing import Any

import supervisor
import table
from ledger import EVENTS_A_PAIR, GROWTH_KB_MAX, SETUP_EVENTS_MAX
from ways import KERNEL, Tools

LOOPS = 2
WINDOW = "2s"  # of the trace that is kept: a minute of it would be gigabytes
EVENTS_A_SECOND = 1_000_000


def flood(tools: Tools, kind: str, seconds: float) -> Any:
    """LOOPS loops of calls at once under the kernel source: the calls they count, what the meter says, and its memory over time."""
    folder = tools.folder()
    loops = " & ".join([f"{tools.call_loop} {kind} {seconds}"] * LOOPS)
    words = [tools.dpm, "meter", "--source", "ebpf", "--wait", "--window", WINDOW, "-o", folder / "out", "--", "sh", "-c", f"{loops} & wait"]
    process = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    memory_kb = supervisor.watch_memory(process, folder, 0.1, limit_s=seconds)  # then it analyses what it has kept
    output, said = process.communicate()
    shutil.rmtree(folder)
    if process.returncode != 0 or not memory_kb:
        raise RuntimeError(f"call_loop {kind} {seconds}: exit status {process.returncode}: {said}")
    calls = sum(int(line.split()[1]) for line in output.splitlines() if re.fullmatch(r"[0-9.]+ \d+", line))
    return calls, supervisor.Ledger(said), memory_kb


def floods(tools: Tools, seconds: float) -> None:
    table.heading(f"{LOOPS} loops at once for {seconds:g} s, kernel source, --window {WINDOW}")
    if not tools.usable(KERNEL):
        return
    for kind in ("tcp", "unix", "pipe"):
        calls, ledger, memory_kb = flood(tools, kind, seconds)
        made = calls // 2 * EVENTS_A_PAIR
        is_counted = ledger.is_balanced() and 0 <= ledger.seen - made <= LOOPS * SETUP_EVENTS_MAX
        table.amount(f"{kind}: events made, millions a second", made / seconds / 1e6, "M/s", table.Goal(">=", EVENTS_A_SECOND / 1e6),
                     f"{ledger.lost / ledger.seen * 100:.2f} % lost")
        table.verdict(f"{kind}: {ledger}, of {made} that the loops made", is_counted, "each is kept or counted as lost")
        growth_kb = supervisor.growth_kb(memory_kb)
        table.verdict(f"{kind}: the meter's memory is {memory_kb[0]} kB at first, {memory_kb[-1]} kB at last, and grew by {growth_kb} kB after the "
                      f"first "
                      "tenth", growth_kb <= GROWTH_KB_MAX, f"<= {GROWTH_KB_MAX} kB")
