# Workers that accept from one listener, greet, and answer until the client goes; clients with one connection after another.
import os
import socket

WORKERS, CONNECTIONS = 3, 6
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
children = []


def worker() -> None:
    for _ in range(CONNECTIONS):
        connection, _ = listener.accept()
        connection.sendall(b"220 hello\r\n")
        while data := connection.recv(4096):
            sum(range(5000))
            connection.sendall(data + data)
        connection.close()


def client() -> None:
    for _ in range(CONNECTIONS):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.recv(100)
        for size in range(1, 5):
            connection.sendall(b"x" * size)
            connection.recv(100)
        connection.close()


for role in [worker] * WORKERS + [client] * WORKERS:
    child = os.fork()
    if child == 0:
        role()
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
