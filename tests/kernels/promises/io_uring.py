"""No program can pass the meter by with io_uring."""

from site_of_guest import Site, expect

CHECK = "io_uring"
PROGRAM = """
import ctypes, sys
room = ctypes.create_string_buffer(120)
sys.exit(ctypes.CDLL(None).syscall(425, 1, room) >= 0)
"""


def play(site: Site) -> None:
    expect(site.run(["/usr/bin/python3", "-c", PROGRAM]).returncode == 0, "a ring was made")
