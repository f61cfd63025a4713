"""Where a clone of this project is tried: one row an environment. Conditions that do not exclude each other share a row, because each
row builds everything and runs every test.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Environment:
    account: str  # "root", or "user": an account made for the clone, which may use sudo without a password
    home_mode: int  # of the folder above the clone
    folder: str  # the beginning of the clone's path in it
    length: int  # of the clone's whole path; 0: as it comes
    umask: int
    locale: str  # LANG
    container: bool = False  # namespaces for processes, mounts and networks: there, the kernel's process connector reports nothing


ENVIRONMENTS = {
    "user": Environment("user", 0o700, "a folder with spaces", 200, 0o077, "de_DE.UTF-8"),
    "root": Environment("root", 0o700, "clone", 0, 0o077, "C", container=True),
}
