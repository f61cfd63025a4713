"""passed_descriptors.py COUNT: 100 bytes, 10 with a descriptor, 200 bytes, COUNT times; prints how much each recvmsg() took."""

import os
import socket
import sys

ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
ready, begin = os.pipe()
if os.fork() == 0:
    theirs.close()
    for _ in range(int(sys.argv[1])):
        ours.sendall(b"x" * 100)
        socket.send_fds(ours, [b"F" * 10], [0])
        ours.sendall(b"y" * 200)
    os.write(begin, b"b")
    os._exit(0)
ours.close()
os.read(ready, 1)  # all of it is waiting, so that what a call takes depends on the descriptors alone
taken = []
while True:
    data, descriptors, _, _ = socket.recv_fds(theirs, 65536, 4)
    for descriptor in descriptors:
        os.close(descriptor)
    if not data:
        break
    taken.append(len(data))
os.wait()
print(sum(taken), *taken)
