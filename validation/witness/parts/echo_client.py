"""echo_client.py PORT CONNECTIONS: as many connections, four at a time; each sends some bytes and takes them back."""

import hashlib
import os
import socket
import sys

port, connections = map(int, sys.argv[1:])
answers = hashlib.md5()
for begin in range(0, connections, 4):
    opened = [socket.create_connection(("127.0.0.1", port)) for _ in range(begin, min(begin + 4, connections))]
    for which, connection in enumerate(opened):
        connection.sendall(b"m" * (1 + (begin + which) * 37 % 4000))
        connection.shutdown(socket.SHUT_WR)
    for connection in opened:
        with connection:
            while data := connection.recv(65536):
                answers.update(data)
print(connections, answers.hexdigest(), flush=True)
os._exit(0)  # the end of an interpreter takes longer than all of this
