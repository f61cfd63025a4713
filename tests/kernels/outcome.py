"""What became of one feature or promise, as the guest tells it and the table shows it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

WORKS, LESS, ABSENT, FAILED = "works", "works with less", "not there", "failed"
NOT_TRIED = "not tried"


class Less(Exception):
    """It works, but for what the message says."""


class Absent(Exception):
    """It is not there, for the reason that DPM itself has printed."""


class Failed(Exception):
    """It does not do what it should."""


@dataclass
class Outcome:
    kernel: str  # as uname tells it
    environment: str  # "" is the guest as it begins
    subject: str
    source: str  # "" where there is no choice
    account: str
    verdict: str
    reason: str = ""
    seconds: float = 0

    def text(self) -> str:
        return f"{self.verdict}: {self.reason}" if self.reason else self.verdict

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def outcome_of(play: Callable[..., Any]) -> tuple[str, str]:
    """The verdict and the reason of a call."""
    try:
        play()
    except Less as less:
        return LESS, str(less)
    except Absent as absent:
        return ABSENT, str(absent)
    except Failed as failed:
        return FAILED, str(failed)
    except Exception as error:  # the guest goes on with the next
        return FAILED, f"{type(error).__name__}: {error}"
    return WORKS, ""
