#!/usr/bin/python3
"""Python's multiprocessing: a pool, queues and a manager, whose processes talk over pipes and UNIX sockets."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "harness"))
import real_program

PROGRAM = """
import hashlib, multiprocessing as mp, os, signal, sys

def work(n):
    return n, hashlib.md5(str(n).encode() * 1000).hexdigest()

def echo(inbox, outbox):
    for item in iter(inbox.get, None):
        outbox.put(item * 2)

def everything():
    said = []
    with mp.Pool(4) as pool:
        results = pool.map(work, range(1500), chunksize=7)
    said.append(hashlib.md5(repr(results).encode()).hexdigest())
    inbox, outbox = mp.Queue(), mp.Queue()
    child = mp.Process(target=echo, args=(inbox, outbox))
    child.start()
    for i in range(300):
        inbox.put("x" * i)
    said.append(sum(len(outbox.get()) for i in range(300)))
    inbox.put(None)
    child.join()
    said.append(child.exitcode)
    with mp.Manager() as manager:
        shared = manager.dict()
        shared.update({i: i * i for i in range(50)})
        said.append(sum(shared.values()))
    victim = mp.Process(target=echo, args=(mp.Queue(), mp.Queue()))
    victim.start()
    victim.kill()
    victim.join()
    said.append(victim.exitcode)
    return said

def main():
    mp.set_start_method(sys.argv[1])
    first = everything()
    print(first)
    open("progress", "w").close()
    last = False
    while not last:
        last = os.path.exists("struck")
        again = everything()
        if again != first:
            sys.exit(f"another time: {again}")

if __name__ == "__main__":
    main()
"""


def play(session: real_program.Session) -> None:
    program = session.folder / "program.py"
    program.write_text(PROGRAM)
    for method in ("fork", "spawn"):
        with session.meter_killed():
            done = session.run(["/usr/bin/python3", str(program), method], metered=True)
        session.note(f"results of {method}", (done.returncode, done.stdout))


real_program.main(play, needs=["/usr/bin/python3"])
