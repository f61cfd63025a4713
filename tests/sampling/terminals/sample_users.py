#!/usr/bin/env python3
"""sample_users.py DPM FILE [USERS [SECONDS]]: users come to their terminals one after the other and work, and dpm sample counts their states.

It is the measurement of MON's figures: each user thinks at the prompt, compiles, reads a file that is not in memory, types into a
program, and sorts in the background. SECONDS is how long each number of users is sampled.
"""
import os
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from terminals import Program, Terminal

INTERVAL_S = 0.023
THINKS_S, TYPES_S = 1.0, 0.8
SOURCE = "#include <map>\n#include <string>\nstd::map<std::string, int> words;\nint main() { return words[\"a\"]; }\n"
BLOCKS = 64 << 20


class User(threading.Thread):
    def __init__(self, terminal: Terminal, folder: str) -> None:
        super().__init__()
        self.terminal, self.folder, self.goes_home = terminal, folder, threading.Event()

    def run(self) -> None:
        shell = Program(["bash", "--norc", "--noprofile", "-i"], self.terminal, self.folder)
        shell.await_text("ready> $")
        while not self.goes_home.is_set():
            time.sleep(THINKS_S)
            shell.do("g++ -c words.cpp")
            shell.do("dd if=blocks of=/dev/null bs=64k iflag=direct 2>/dev/null")
            shell.do("(seq 300000 | shuf | sort >sorted) 2>/dev/null &")
            since = len(shell.shown)
            shell.type("cat >note\n")
            time.sleep(TYPES_S)
            shell.type("seen\n\x04")
            shell.await_text("\n.*ready> $", since)
        shell.type("wait; exit\n")
        shell.end()


def prepare(folder: str) -> None:
    with open(os.path.join(folder, "words.cpp"), "w") as source:
        source.write(SOURCE)
    with open(os.path.join(folder, "blocks"), "wb") as blocks:
        blocks.write(os.urandom(BLOCKS))
        os.fsync(blocks.fileno())


def main() -> int:
    dpm, file = os.path.realpath(sys.argv[1]), sys.argv[2]
    users, each_s = int(sys.argv[3]) if len(sys.argv) > 3 else 4, float(sys.argv[4]) if len(sys.argv) > 4 else 12
    with tempfile.TemporaryDirectory(prefix="dpm-users-") as scratch:
        all_users = []
        for number in range(users):
            folder = os.path.join(scratch, str(number))
            os.mkdir(folder)
            prepare(folder)
            all_users.append(User(Terminal(), folder))
        names = ",".join(user.terminal.name for user in all_users)
        monitor = Program([dpm, "sample", "--of", "terminals", names, "-i", str(INTERVAL_S), "-o", os.path.abspath(file)])
        for user in all_users:
            user.start()
            end = time.monotonic() + each_s
            while time.monotonic() < end:
                monitor.read()
        monitor.type("q")
        monitor.end()
        for user in all_users:
            user.goes_home.set()
        for user in all_users:
            user.join()
    result: int = monitor.process.returncode
    return result


if __name__ == "__main__":
    sys.exit(main())
