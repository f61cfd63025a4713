#!/usr/bin/python3
"""Prints how many seconds each way of waiting until an absolute time of day takes, if that time is 0.3 s from now."""

import ctypes
import time
from collections.abc import Callable

_WAIT_S = 0.3
_ABSOLUTE = 1
_libc = ctypes.CDLL(None)


class _Time(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def _soon() -> _Time:
    until_ns = time.time_ns() + round(_WAIT_S * 1e9)
    return _Time(until_ns // 10**9, until_ns % 10**9)


def _took_s(wait: Callable[[], object]) -> float:
    start_s = time.monotonic()
    wait()
    return time.monotonic() - start_s


# Zeros are a semaphore that was not posted, a condition that was not signalled, and a free mutex.
_semaphore, _condition, _mutex = (ctypes.create_string_buffer(128) for _ in range(3))
print(_took_s(lambda: _libc.sem_timedwait(_semaphore, ctypes.byref(_soon()))))
_libc.pthread_mutex_lock(_mutex)
print(_took_s(lambda: _libc.pthread_cond_timedwait(_condition, _mutex, ctypes.byref(_soon()))))
print(_took_s(lambda: _libc.clock_nanosleep(time.CLOCK_REALTIME, _ABSOLUTE, ctypes.byref(_soon()), None)))
