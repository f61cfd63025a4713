"""forking_server.py PORT CONNECTIONS: a child for each connection computes, echoes what comes, and says in a pipe how much it was.

The computing and the pipe make every process end in a call that is metered, a moment after most of its CPU time.
"""

import os
import socket
import sys

port, connections = map(int, sys.argv[1:])
total = 0
with socket.create_server(("127.0.0.1", port)) as listener:
    for _ in range(connections):
        connection, _ = listener.accept()
        said, says = os.pipe()
        child = os.fork()
        if child == 0:
            echoed = 0
            while data := connection.recv(65536):
                sum(range(14_000_000))
                connection.sendall(data)
                echoed += len(data)
            os.write(says, b"%d" % echoed)
            os._exit(0)
        connection.close()
        os.close(says)
        total += int(os.read(said, 100))
        os.close(said)
        os.waitpid(child, 0)
os.write(1, b"%d\n" % total)
os._exit(0)
