#!/usr/bin/env python3
"""A server and a client with many connections, each of which ends right after its last operation.

    brief_connections.py COUNT UNSEEN

The client sends 100 bytes and closes when it has 101; the server is told so by the end of the stream. The first UNSEEN
connections also send 50 bytes last by asynchronous I/O, which the meter does not record.
"""

import ctypes
import os
import socket
import sys

REQUEST_BYTES, UNSEEN_BYTES = 100, 50
IO_SETUP, IO_SUBMIT, IO_GETEVENTS = 206, 209, 208
PWRITE = 1


class Iocb(ctypes.Structure):
    """struct iocb of <linux/aio_abi.h>."""
    _fields_ = [("data", ctypes.c_uint64), ("key", ctypes.c_uint32), ("rw_flags", ctypes.c_int32), ("opcode", ctypes.c_uint16),
                ("priority", ctypes.c_int16), ("fildes", ctypes.c_uint32), ("buffer", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("offset", ctypes.c_int64), ("reserved", ctypes.c_uint64), ("flags", ctypes.c_uint32), ("result_fd", ctypes.c_uint32)]


class AsynchronousWriter:
    def __init__(self) -> None:
        self.syscall = ctypes.CDLL(None, use_errno=True).syscall
        self.context = ctypes.c_ulong(0)
        if self.syscall(IO_SETUP, 1, ctypes.byref(self.context)) != 0:
            raise OSError(ctypes.get_errno(), "io_setup")

    def write(self, fd: int, data: bytes) -> None:
        buffer = ctypes.create_string_buffer(data, len(data))
        operation = Iocb(opcode=PWRITE, fildes=fd, buffer=ctypes.addressof(buffer), bytes=len(data))
        operations = (ctypes.POINTER(Iocb) * 1)(ctypes.pointer(operation))
        if self.syscall(IO_SUBMIT, self.context, ctypes.c_long(1), operations) != 1:
            raise OSError(ctypes.get_errno(), "io_submit")
        events = ctypes.create_string_buffer(32)
        self.syscall(IO_GETEVENTS, self.context, ctypes.c_long(1), ctypes.c_long(1), events, None)


def answer(connection: socket.socket) -> None:
    try:
        while request := connection.recv(1000):
            connection.send(request + b"!")
    except OSError:
        pass  # the client does not wait for the answer to what it sent last


def main() -> None:
    count, unseen = int(sys.argv[1]), int(sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        for _ in range(count):
            connection, _ = listener.accept()
            with connection:
                answer(connection)
        os._exit(0)
    writer = AsynchronousWriter() if unseen > 0 else None
    for number in range(count):
        with socket.create_connection(listener.getsockname()) as connection:
            connection.send(b"x" * REQUEST_BYTES)
            connection.recv(1000)
            if writer is not None and number < unseen:
                writer.write(connection.fileno(), b"u" * UNSEEN_BYTES)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
