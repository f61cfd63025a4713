"""As the guest begins: cgroups of version 2, and what the kernel has without settings."""

TITLE = "as it begins"
STAYS = False
TOUCHES = ()


def set_up() -> None:
    pass


undo = set_up
