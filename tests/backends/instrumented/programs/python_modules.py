"""Each module of dpm_monitor once: a parent and its child, as subject.cpp has them in C++."""

import os
import signal
import sys

import dpm_monitor

monitor = dpm_monitor.Monitor()
turn = dpm_monitor.Semaphore(monitor, "modules", "turn")
queue = dpm_monitor.MessageQueue(monitor, "modules", "queue")
memory = dpm_monitor.SharedMemory(monitor, "modules", "memory")
wake = dpm_monitor.Signal(monitor, "modules", "wake", signal.SIGUSR1)
path = f"/dpm-python-modules-{os.getpid()}"


def be_child() -> None:
    turn.wait()
    assert queue.receive() == b"first\0" and queue.receive() == b"second"
    assert memory.read(10, 7) == b"written"
    wake.send(os.getppid())


turn.open(0)
queue.open(path, 4, 64)
memory.open(path, 100)
child = os.fork()
if child == 0:
    try:
        be_child()
    finally:
        os._exit(sys.exc_info()[0] is not None)
memory.write(10, b"written")
queue.send(b"second")
queue.send(b"first\0", priority=1)
turn.post()
assert wake.receive(30) and not wake.receive(.001)
assert os.waitpid(child, 0)[1] == 0 and turn.count == 0
try:
    memory.write(99, b"12")
    sys.exit("written beyond the end")
except OSError:
    pass
with turn, memory, queue:
    pass
queue.remove(path)
memory.remove(path)
try:
    queue.remove(path)
    sys.exit("removed twice")
except FileNotFoundError:
    print("connected" if monitor.is_connected else monitor.reason)
