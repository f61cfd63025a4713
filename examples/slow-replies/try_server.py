#!/usr/bin/python3
"""try_server.py PORT BACKUP SERVER [WORD...]: starts the server, and asks it before, during and after a backup.

Some requests take 30 ms. For each it prints when it was made and how long its reply took. One that is slow while the backup runs is
what slow.events looks for:

    dpm script slow.events -o events --trace out -- ./try_server.py 7391 ./backup ./server --port 7391
    dpm events --script slow.events out
    ln -sf /usr/bin/redis-server server     # then, as root, the same with a redis that was not changed
    dpm script slow.events -o events2 --trace out2 -- ./try_server.py 7391 ./backup ./server --port 7391 --save '' --enable-debug-command yes
    dpm events --script slow.events out2
"""

import socket
import subprocess
import sys
import tempfile
import time
from typing import Any

SLOW_S = 0.03


def ask(port: int, line: str) -> Any:
    """The reply, and the milliseconds until it came."""
    began_s = time.monotonic()
    with socket.create_connection(("127.0.0.1", port)) as server:
        server.sendall(line.encode() + b"\r\n")
        reply = server.recv(100)
        return reply, (time.monotonic() - began_s) * 1000


def request(port: int, when: str, is_slow: bool) -> None:
    reply, took_ms = ask(port, f"DEBUG SLEEP {SLOW_S}" if is_slow else "PING")
    print(f"{when} {'slow' if is_slow else 'fast'} {took_ms:.3f} {reply.decode().strip()}", flush=True)


def wait_for(port: int) -> Any:
    while True:
        try:
            return ask(port, "PING")
        except ConnectionError:
            time.sleep(0.02)


def main() -> int:
    port, backup, server_words = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    server = subprocess.Popen(server_words, stdout=subprocess.DEVNULL)
    wait_for(port)
    for is_slow in (False, True):
        request(port, "before", is_slow)
    with tempfile.NamedTemporaryFile() as copy:
        running = subprocess.Popen([backup, copy.name], stdin=subprocess.PIPE)
        time.sleep(0.2)  # it has begun
        for is_slow in (False, True, False, True):
            assert running.stdin
            running.stdin.write(b"data")
            request(port, "during", is_slow)
        time.sleep(0.05)
        running.communicate()
    for is_slow in (True, False):
        request(port, "after", is_slow)
    with socket.create_connection(("127.0.0.1", port)) as last:
        last.sendall(b"SHUTDOWN NOSAVE\r\n")
    return server.wait()


if __name__ == "__main__":
    sys.exit(main())
