"""Objects of a Python program that 'dpm script' can see from outside: the library libdpm through its C interface (monitor.h).

    import dpm_monitor

    monitor = dpm_monitor.Monitor()                            # one in a process
    total = dpm_monitor.Integer(monitor, "main", "total", 0)   # the function, the name, the value
    total.value += 5                                           # integer_access, integer_assign
    with dpm_monitor.Point(monitor, "serve", "serving") as here:
        here.force(7)                                          # point_enter, point_forced, point_leave

A script knows the program by the name of its file: process P from worker.py. Without a monitor, and where the library is not
installed, the program runs as ever: Monitor.reason says why nothing is reported. os.fork() and threads need no call of their own.
DPM_LIBRARY chooses another library file.
"""

from __future__ import annotations

import atexit
import ctypes
import enum
import os
import sys
from typing import Any, TypeVar

INTEGER, POINT, SOCKET, SOCKET_SERVER = 1, 2, 3, 4
ASSIGN, ACCESS = 1, 2  # of an integer
ENTER, LEAVE, FORCED = 1, 2, 4  # of a point
SELF, NO_CHANGE, NONE = -1, -1, -2  # of setmeter()

_POINTER, _TEXT, _INT, _NUMBER, _VALUE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_int64
_PORT, _BYTES, _COUNT, _LONG, _UNSIGNED = ctypes.c_ushort, ctypes.c_size_t, ctypes.c_ssize_t, ctypes.c_long, ctypes.c_uint
_FUNCTIONS = {
    "monitor_open": (_POINTER, _INT, _TEXT),
    "monitor_close": (None, _POINTER),
    "monitor_is_connected": (_INT, _POINTER),
    "monitor_reason": (_TEXT, _POINTER),
    "object_declare": (_POINTER, _POINTER, _NUMBER, _TEXT, _TEXT, _INT),
    "record": (None, _POINTER, _POINTER, _NUMBER, _VALUE),
    "socket_server_new": (_POINTER, _POINTER, _TEXT, _TEXT),
    "socket_server_delete": (None, _POINTER),
    "socket_server_open": (_INT, _POINTER, _PORT, _INT),
    "socket_server_close": (None, _POINTER, _INT),
    "socket_server_port": (_PORT, _POINTER),
    "socket_new": (_POINTER, _POINTER, _TEXT, _TEXT),
    "socket_delete": (None, _POINTER),
    "socket_open": (_INT, _POINTER, _PORT, _TEXT, _INT),
    "socket_accept": (_INT, _POINTER, _POINTER, _INT),
    "socket_close": (None, _POINTER, _INT),
    "socket_write": (_COUNT, _POINTER, _TEXT, _BYTES, _INT),
    "socket_read": (_COUNT, _POINTER, _TEXT, _BYTES, _INT),
    "semaphore_new": (_POINTER, _POINTER, _TEXT, _TEXT),
    "semaphore_delete": (None, _POINTER),
    "semaphore_open": (_INT, _POINTER, _UNSIGNED, _TEXT),
    "semaphore_open_metered": (_INT, _POINTER, _UNSIGNED),
    "semaphore_close": (None, _POINTER),
    "semaphore_remove": (_INT, _TEXT),
    "semaphore_wait": (_INT, _POINTER, _INT),
    "semaphore_post": (_INT, _POINTER, _INT),
    "semaphore_count": (_INT, _POINTER),
    "message_queue_new": (_POINTER, _POINTER, _TEXT, _TEXT),
    "message_queue_delete": (None, _POINTER),
    "message_queue_open": (_INT, _POINTER, _TEXT, _LONG, _LONG, _INT),
    "message_queue_close": (None, _POINTER, _INT),
    "message_queue_remove": (_INT, _TEXT),
    "message_queue_send": (_INT, _POINTER, _TEXT, _BYTES, _UNSIGNED, _INT),
    "message_queue_receive": (_COUNT, _POINTER, _TEXT, _BYTES, _INT),
    "shared_memory_new": (_POINTER, _POINTER, _TEXT, _TEXT),
    "shared_memory_delete": (None, _POINTER),
    "shared_memory_open": (_INT, _POINTER, _TEXT, _BYTES, _INT),
    "shared_memory_close": (None, _POINTER, _INT),
    "shared_memory_remove": (_INT, _TEXT),
    "shared_memory_write": (_INT, _POINTER, _BYTES, _TEXT, _BYTES, _INT),
    "shared_memory_read": (_INT, _POINTER, _BYTES, _TEXT, _BYTES, _INT),
    "signal_new": (_POINTER, _POINTER, _TEXT, _TEXT, _INT),
    "signal_delete": (None, _POINTER),
    "signal_send": (_INT, _POINTER, _INT, _INT),
    "signal_receive": (_INT, _POINTER, _VALUE, _INT),
    "setmeter": (_INT, _INT, _INT, _INT),
}


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(os.environ.get("DPM_LIBRARY", "libdpm.so.0"), use_errno=True)
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, "dpm_" + name)
        function.restype, function.argtypes = result, arguments
    return library


class MeterFlags(enum.IntFlag):
    """The events of a process that are metered (setmeter.h)."""

    SEND = 1 << 0
    RECEIVECALL = 1 << 1
    RECEIVE = 1 << 2
    MESSAGEQUEUED = 1 << 3
    CREATEPATH = 1 << 4
    DESTSOCKET = 1 << 5
    FORK = 1 << 6
    STARTPROCESS = 1 << 7
    STOPPROCESS = 1 << 8
    TERMPROC = 1 << 9
    ACCEPT = 1 << 10
    CONNECT = 1 << 11
    SOCKET = 1 << 12
    DUP = 1 << 13
    EXEC = 1 << 14
    GAP = 1 << 15
    WAIT = 1 << 16
    POINT = 1 << 17
    VALUE = 1 << 18
    SUMMARY = 1 << 19
    ALL = (1 << 20) - 1
    IMMEDIATE = 1 << 30


def setmeter(process: int = SELF, flags: int = NO_CHANGE, socket: int = NO_CHANGE) -> None:
    """Chooses which events of a metered process are recorded, and to which connected socket they go (setmeter.h). Needs no Monitor."""
    if _load().dpm_setmeter(process, flags, socket) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


class Monitor:
    """The link to the monitor. Further ones in the same process are not connected."""

    def __init__(self, connect: bool = True, program: str | None = None) -> None:
        """`program`: the name by which scripts know this program, in place of that of its file."""
        self.library: ctypes.CDLL | None = None
        self._reason = ""
        self.pointer: Any = None
        name = program or os.path.basename(sys.argv[0]) or "python3"
        try:
            self.library = _load()
        except (OSError, AttributeError) as why:
            self._reason = f"the library cannot be used: {why}"
            return
        self.pointer = self.library.dpm_monitor_open(bool(connect), name.encode())
        atexit.register(self._close)

    def _close(self) -> None:
        """At the end of the program. Objects that are still there are silent from now on."""
        pointer, self.pointer = self.pointer, None
        if self.library is not None:
            self.library.dpm_monitor_close(pointer)

    @property
    def is_connected(self) -> bool:
        return self.library is not None and self.pointer is not None and bool(self.library.dpm_monitor_is_connected(self.pointer))

    @property
    def reason(self) -> str:
        """Why it is not connected; empty when it is."""
        if self.library is None:
            return self._reason
        reason: bytes = self.library.dpm_monitor_reason(self.pointer)
        return reason.decode()


class _Named:
    """What has a name, and the function where it is declared. Without a monitor it is silent."""

    def __init__(self, monitor: Any, kind: Any, function: Any, name: Any, signed: bool = True) -> None:
        self._monitor = monitor
        self._object, self._wanted = None, ctypes.c_uint32(0)
        if monitor is not None and monitor.pointer is not None:
            self._object = monitor.library.dpm_object_declare(monitor.pointer, kind, function.encode(), name.encode(), signed)
            self._wanted = ctypes.c_uint32.from_address(self._object)

    def _happened(self, action: int, value: int) -> None:
        """Records the action if it is wanted. Of a number with more than 64 bits the lower ones are recorded."""
        if self._wanted.value & action and self._monitor.pointer is not None:
            self._monitor.library.dpm_record(self._monitor.pointer, self._object, action, value)


class Integer(_Named):
    """A whole number: each use of `value` is an integer_access, each assignment an integer_assign."""

    def __init__(self, monitor: Monitor, function: str, name: str, value: int = 0, signed: bool = True) -> None:
        """`signed`: whether its 64 bits have a sign. Without one they reach up to 2**64 - 1."""
        super().__init__(monitor, INTEGER, function, name, signed)
        self.silent = value  # used and changed without an event

    @property
    def value(self) -> int:
        self._happened(ACCESS, self.silent)
        return self.silent

    @value.setter
    def value(self, value: Any) -> None:
        self.silent = value
        self._happened(ASSIGN, value)

    def __index__(self) -> int:
        return self.value

    __int__ = __index__


class Point(_Named):
    """Where the program is: entered and left by 'with'."""

    def __init__(self, monitor: Monitor, function: str, name: str) -> None:
        super().__init__(monitor, POINT, function, name)

    def __enter__(self) -> Point:
        self._happened(ENTER, 0)
        return self

    def __exit__(self, *_: object) -> None:
        self._happened(LEAVE, 0)

    def force(self, value: int = 0) -> None:
        self._happened(FORCED, value)


Opened = TypeVar("Opened", bound="_Module")


class _Module:
    """An object of a module of the library, which does the work itself (modules.h)."""

    prefix = ""

    def __init__(self, monitor: Monitor, function: str, name: str, *more: int) -> None:
        if monitor.library is None:
            raise OSError(monitor.reason)
        self._library, self._monitor = monitor.library, monitor
        self.pointer = self._call("new", monitor.pointer, function.encode(), name.encode(), *more, of=())
        if not self.pointer:
            raise MemoryError

    def _call(self, name: str, *arguments: Any, of: tuple[()] | None = None) -> Any:
        first = (self.pointer,) if of is None else of
        return getattr(self._library, f"dpm_{self.prefix}_{name}")(*first, *arguments)

    def _checked(self, name: str, *arguments: int | bool | bytes | ctypes.Array[ctypes.c_char] | None, of: tuple[()] | None = None) -> Any:
        result = self._call(name, *arguments, of=of)
        if result < 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        return result

    def close(self, report: bool = True) -> None:
        self._call("close", report)

    def __enter__(self: Opened) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # At the end of the program the monitor is gone first, and the system closes the rest.
        if getattr(self, "pointer", None) and self._monitor.pointer is not None:
            self._call("delete")


class _Shared(_Module):
    """What processes share by a path, "/name"."""

    def remove(self, path: str) -> None:
        """Takes the name away. What is shared goes when the last process has closed it."""
        self._checked("remove", path.encode(), of=())


class SocketServer(_Module):
    prefix = "socket_server"

    def open(self, port: int = 0, report: bool = True) -> None:
        self._checked("open", port, report)

    @property
    def port(self) -> Any:
        return self._call("port")


class Socket(_Module):
    prefix = "socket"

    def open(self, port: Any, host: str = "localhost", report: bool = True) -> None:
        self._checked("open", port, host.encode(), report)

    def accept(self, server: Any, report: bool = True) -> None:
        """Waits for a client of the server."""
        self._checked("accept", server.pointer, report)

    def write(self, data: Any, report: bool = True) -> None:
        self._checked("write", data, len(data), report)

    def read(self, most: int = 65536, report: bool = True) -> bytes:
        buffer = ctypes.create_string_buffer(most)
        count = self._checked("read", buffer, most, report)
        return buffer.raw[:count]


class Semaphore(_Shared):
    """A counting semaphore. Processes that open the same path share it; without one it belongs to this process and its forks."""

    prefix = "semaphore"

    def open(self, count: int, path: str | None = None) -> None:
        """`path` is "/name". A semaphore that exists keeps its count."""
        self._checked("open", count, None if path is None else path.encode())

    def open_metered(self, count: int) -> None:
        """For this process and its forks. Each operation is a message of one unit in the trace of dpm meter, also where nothing waits."""
        self._checked("open_metered", count)

    def close(self, report: bool = True) -> None:
        """No event, whatever `report` is: a semaphore has none for this."""
        self._call("close")

    def wait(self, report: bool = True) -> None:
        self._checked("wait", report)

    def post(self, report: bool = True) -> None:
        self._checked("post", report)

    @property
    def count(self) -> Any:
        return self._call("count")


class MessageQueue(_Shared):
    """A queue that keeps the bounds of messages. Those of a higher priority come first."""

    prefix = "message_queue"

    def __init__(self, monitor: Monitor, function: str, name: str) -> None:
        super().__init__(monitor, function, name)
        self._longest = 0

    def open(self, path: str, messages_most: int = 10, bytes_most: int = 8192, report: bool = True) -> None:
        """`path` is "/name". A queue that exists keeps its limits."""
        self._checked("open", path.encode(), messages_most, bytes_most, report)
        self._longest = bytes_most

    def send(self, data: Any, priority: int = 0, report: bool = True) -> None:
        self._checked("send", data, len(data), priority, report)

    def receive(self, most: int | None = None, report: bool = True) -> bytes:
        """`most` is at least the queue's longest message; that is what open() said."""
        buffer = ctypes.create_string_buffer(self._longest if most is None else most)
        count = self._checked("receive", buffer, len(buffer), report)
        return buffer.raw[:count]


class SharedMemory(_Shared):
    """Memory that processes share by name."""

    prefix = "shared_memory"

    def open(self, path: str, size: int, report: bool = True) -> None:
        """`path` is "/name". Memory that exists keeps its contents, and grows if it is smaller."""
        self._checked("open", path.encode(), size, report)

    def write(self, offset: int, data: Any, report: bool = True) -> None:
        self._checked("write", offset, data, len(data), report)

    def read(self, offset: int, size: int, report: bool = True) -> bytes:
        buffer = ctypes.create_string_buffer(size)
        self._checked("read", offset, buffer, size, report)
        return buffer.raw


class Signal(_Module):
    """A signal that is waited for as a message is: it stays blocked in this thread and in those that it starts later."""

    prefix = "signal"

    def __init__(self, monitor: Monitor, function: str, name: str, number: int) -> None:
        super().__init__(monitor, function, name, number)

    def close(self, report: bool = True) -> None:
        """It has nothing to close, and stays blocked."""

    def send(self, process: int, report: bool = True) -> None:
        self._checked("send", process, report)

    def receive(self, within_s: float, report: bool = True) -> bool:
        """False when none came within the time."""
        return bool(self._call("receive", int(within_s * 1e9), report) == 0)
