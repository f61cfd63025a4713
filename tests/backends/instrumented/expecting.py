"""What a case expects, at once or within a minute."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 60


class Failed(Exception):
    pass


def expect(holds: object, what: object) -> None:
    if not holds:
        raise Failed(what)


def wait_until(holds: Callable[..., Any], what: str) -> Any:
    end = time.monotonic() + PATIENCE_S
    while not (value := holds()):
        expect(time.monotonic() < end, f"waited in vain for {what}")
        time.sleep(.01)
    return value
