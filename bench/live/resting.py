"""A program of two processes that exchange messages, and sleep most of the time: work of which a page could take a share."""

import os
import socket
import time

ours, theirs = socket.socketpair()
if os.fork() == 0:
    ours.close()
    while data := theirs.recv(100):
        theirs.send(data)
    os._exit(0)
theirs.close()
began = time.monotonic()
for turn in range(150):
    for message in range(20):
        ours.send(b"x" * 100)
        ours.recv(100)
    time.sleep(0.009)
ours.close()
os.wait()
print(f"took {time.monotonic() - began:.6f} s")
