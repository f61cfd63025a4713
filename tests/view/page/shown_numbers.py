"""Reads numbers as the page writes them, and compares them with those that the commands print."""
import re
from typing import Any

SCALES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "kB": 1e3, "MB": 1e6, "GB": 1e9, "B": 1, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "%": 0.01}


def number(text: str) -> float | None:
    """"7.54 k", "58 ms", "35 %", "1 071", "2 min 05 s": None if it is not a number."""
    clean = re.sub("[ \u2009\u202f]", "", text).replace("−", "-")
    long = re.fullmatch(r"(\d+)min(\d+)s", clean)
    if long:
        return int(long[1]) * 60 + int(long[2])
    match = re.fullmatch(r"(-?[\d.]+)([a-zA-Zµ%]*)(/s)?", clean)
    return float(match[1]) * SCALES[match[2]] if match and match[2] in SCALES else None


def whole_number(text: str) -> int:
    value = number(text)
    assert value is not None, text
    return int(value)


def is_near(text: str, expected: float, digits: int = 3) -> bool:
    """The text is the expected number, rounded to that many digits."""
    seen = number(text)
    return seen is not None and abs(seen - expected) <= 0.51 * 10 ** (1 - digits) * abs(expected) + 1e-12


def check_near(what: str, text: str, expected: float, digits: int = 3) -> None:
    assert is_near(text, expected, digits), f"{what}: '{text}' instead of {expected}"


def check_exact(what: str, text: Any, expected: Any) -> None:
    seen = float(re.sub(r"[^\d.e-]", "", text.replace("\u202f", "")))
    assert abs(seen - expected) <= 1e-9 * max(1, abs(expected)), f"{what}: '{text}' instead of {expected}"
