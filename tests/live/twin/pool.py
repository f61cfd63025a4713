# A thread accepts, and hands each connection to a thread of a pool over a queue, of which a meter sees nothing.
import os
import queue
import socket
import threading

CLIENTS, CONNECTIONS, WORKERS = 3, 5, 2
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
child = os.fork()
if child == 0:

    def client() -> None:
        for _ in range(CONNECTIONS):
            connection = socket.create_connection(("127.0.0.1", port))
            for number in range(4):
                connection.sendall(b"question %d" % number)
                connection.recv(100)
            connection.close()

    clients = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    os._exit(0)

handed_over: queue.Queue[socket.socket | None] = queue.Queue()


def work() -> None:
    while (connection := handed_over.get()) is not None:
        while data := connection.recv(100):
            sum(range(5000))
            connection.sendall(data)
        connection.close()


workers = [threading.Thread(target=work) for _ in range(WORKERS)]
for thread in workers:
    thread.start()
for _ in range(CLIENTS * CONNECTIONS):
    handed_over.put(listener.accept()[0])
for _ in range(WORKERS):
    handed_over.put(None)
for thread in workers:
    thread.join()
os.waitpid(child, 0)
