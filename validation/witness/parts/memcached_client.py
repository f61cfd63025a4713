"""memcached_client.py PORT CONNECTIONS ROUNDS: sets and gets; prints what it got, and the server's own counters."""

import hashlib
import socket
import sys

port, connections, rounds = map(int, sys.argv[1:])
servers = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]
answers = hashlib.md5()


def ask(server: socket.socket, request: bytes, ending: bytes) -> bytes:
    server.sendall(request)
    answer = b""
    while not answer.endswith(ending):
        more = server.recv(65536)
        if not more:
            sys.exit("the server has ended")
        answer += more
    return answer


for number in range(rounds):
    for which, server in enumerate(servers):
        value = (b"%d-%d;" % (which, number)) * (1 + (number * 7 + which) % 40)
        key = b"k%d_%d" % (which, number % 50)
        answers.update(ask(server, b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value), b"\r\n"))
        answers.update(ask(server, b"get %s\r\n" % key, b"END\r\n"))
with socket.create_connection(("127.0.0.1", port)) as server:
    said = ask(server, b"stats\r\n", b"END\r\n")
counted = dict(line.split()[1:3] for line in said.decode().splitlines() if line.startswith("STAT"))
print("answers", answers.hexdigest())
print(*(f"{name}={counted[name]}" for name in ("bytes_read", "bytes_written", "total_connections")), f"answer={len(said)}")
