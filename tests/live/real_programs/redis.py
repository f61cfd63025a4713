#!/usr/bin/python3
"""A Redis server is metered: what its own clients find out about it, a benchmark's load, and a value of a megabyte."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program

COMMANDS = """SET greeting hello
GET greeting
INCRBY counter 41
INCR counter
RPUSH list a b c d
LRANGE list 0 -1
SADD set x y z
SCARD set
HSET hash field value
HGETALL hash
EVAL "return redis.call('incrby', KEYS[1], 100)" 1 counter
MULTI
INCR counter
INCR counter
EXEC
BLPOP nothing 0.2
SETRANGE big 1000000 end
STRLEN big
DBSIZE
WRONG command
"""


def play(session: real_program.Session) -> None:
    port = real_program.free_port()
    server = session.start(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir",
                            str(session.folder)])
    session.wait_for_port(port)
    client = ["redis-cli", "-p", str(port)]
    done = session.run(client, input=COMMANDS.encode())
    session.note("what the client sees", (done.returncode, done.stdout, done.stderr))
    done = session.run([*client, "--raw", "GETRANGE", "big", "0", "-1"])
    session.note("a value of a megabyte", (done.returncode, len(done.stdout), done.stdout[-4:]))
    results, requests = set(), 0
    for _ in session.rounds():
        done = session.run(["redis-benchmark", "-p", str(port), "-n", "10000", "-c", "20", "-t", "set,incr,lpush", "-q"])
        results.add((done.returncode, "rror" in done.stdout + done.stderr))
        requests += 10000
    session.note("redis-benchmark", results)
    done = session.run(client, input=b"GET counter:__rand_int__\nLLEN mylist\nGET greeting\n")
    session.note("afterwards", (done.returncode, done.stdout == f"{requests}\n{requests}\nhello\n"))
    session.note("the server's end", session.stop(server))


real_program.main(play, needs=["redis-server", "redis-cli", "redis-benchmark"])
