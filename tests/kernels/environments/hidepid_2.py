"""/proc shows an account its own processes only."""

from settings import call

TITLE = "/proc with hidepid=2"
STAYS = False
TOUCHES = ("/proc", "user notification", "access to programs", "starts and ends", "running programs")


def set_up() -> None:
    call("mount", "-o", "remount,hidepid=2", "/proc")


def undo() -> None:
    call("mount", "-o", "remount,hidepid=0", "/proc")
