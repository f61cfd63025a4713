"""What is stopped, continued and killed by signals, where programs have no cgroups of their own."""
import cases_faults
import cases_processes
from collections.abc import Callable
from control import Machine
from typing import Any


def without_cgroups(case: Callable[..., Any]) -> Callable[..., Any]:
    def play(machine: Machine) -> None:
        machine.signals = True
        case(machine)
    play.__doc__, play.__name__ = case.__doc__, case.__name__
    return play


case_stop_and_start = without_cgroups(cases_processes.case_stop_and_start)
case_stopped_from_outside = without_cgroups(cases_processes.case_stopped_from_outside)
case_orphans = without_cgroups(cases_processes.case_orphans)
case_supervisor_killed = without_cgroups(cases_faults.case_supervisor_killed)
case_daemon_and_supervisor_killed = without_cgroups(cases_faults.case_daemon_and_supervisor_killed)
