"""A server and its client in one Python process, through dpm_monitor: sockets, an integer and a thread."""

import sys
import threading
from typing import Any

import dpm_monitor

monitor = dpm_monitor.Monitor(program="subject.py")
print("connected" if monitor.is_connected else monitor.reason)
if monitor.library is None:
    sys.exit(0)
request = dpm_monitor.SocketServer(monitor, "global", "request")
request.open()


def be_client(port: Any) -> None:
    count = dpm_monitor.Integer(monitor, "be_client", "count")
    with dpm_monitor.Socket(monitor, "be_client", "connect") as connect:
        connect.open(port, "127.0.0.1")
        connect.write(b"hello")
    count.value = 2**64 + 5
    count.value = -1
    dpm_monitor.Integer(monitor, "be_client", "big", signed=False).value = 2**64 - 1


client = threading.Thread(target=be_client, args=(request.port,))
client.start()
with dpm_monitor.Socket(monitor, "global", "connect") as connect:
    connect.accept(request)
    assert connect.read() == b"hello" and connect.read() == b""
client.join()
try:
    dpm_monitor.Socket(monitor, "global", "refused").open(1, "127.0.0.1")
    sys.exit("a connection to port 1")
except ConnectionRefusedError:
    pass
