"""A kernel without CONFIG_SCHED_INFO, which has no /proc/PID/schedstat: dpm finds no such file."""

import pathlib

TITLE = "no /proc/PID/schedstat"
STAYS = False
TOUCHES = ("user notification", "CPU time")


def set_up() -> None:
    pass


undo = set_up


def variables(build: pathlib.Path) -> dict[str, str]:
    return {"LD_PRELOAD": str(build / "tests/kernels/libno_schedstat.so")}
