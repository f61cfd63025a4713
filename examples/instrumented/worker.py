#!/usr/bin/python3
"""A Python program that can be seen from inside: it takes jobs in turn and forks a helper for the last one.

dpm script worker.events -- ./worker.py 5
"""

import os
import sys

import dpm_monitor

monitor = dpm_monitor.Monitor()
done = dpm_monitor.Integer(monitor, "main", "done", 0)


def work(job: int) -> int:
    with dpm_monitor.Point(monitor, "work", "working") as here:
        here.force(job)
        return sum(range(job * 1000))


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for job in range(jobs):
        work(job)
        done.value += 1
    if (helper := os.fork()) == 0:
        work(jobs)
        sys.exit(0)
    os.waitpid(helper, 0)
    print(f"{done.silent} jobs are done, and one by a helper")


if __name__ == "__main__":
    main()
