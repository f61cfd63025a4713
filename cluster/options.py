"""Reads the words after `./dev cluster`, or refuses them. Pure."""

import argparse
import dataclasses
import difflib
import re
from typing import NoReturn

import plan

HOSTS_MAX = len(plan.COLOURS)
NETWORKS_MAX = 4

USAGE = f"""usage: ./dev cluster N [OPTION...] [-- COMMAND ARGUMENT...]
       ./dev cluster check

Makes N hosts (1 to {HOSTS_MAX}) named red, green, blue... on this machine, each with its own network address, name,
processes, sshd, /etc, /run and /tmp, and opens a shell on one more host, named home. When the shell or COMMAND ends,
or anything else ends it, everything is gone. The exit status is that of COMMAND.

  --clock HOST=OFFSET[,DRIFT]  HOST's clock is wrong: --clock red=+1.5s, --clock blue=-20ms,+50ppm; may be repeated
  --networks K                 K networks (1 to {NETWORKS_MAX}); every host has an address in each
  --delay MS                   what one host sends another takes so much longer
  --loss PERCENT               and is lost so often
  --user NAME                  root only: the shell or COMMAND is NAME's, who may log in on all hosts under that name
  check                        says whether this machine can have a cluster, and if not, why

Inside: ssh NAME goes to a host; `cluster` lists what can be done to hosts: cut them off, kill them, start them."""


class Refused(Exception):
    """The request cannot be performed: exit status 2."""


@dataclasses.dataclass(frozen=True)
class Options:
    count: int
    networks: int
    clocks: dict[str, plan.Clock]
    delay_ms: float
    loss_percent: float
    user: str | None
    command: list[str]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused(f"{message} (see ./dev cluster --help)")


def parse(words: list[str]) -> Options:
    command: list[str] = []
    if "--" in words:
        at = words.index("--")
        words, command = words[:at], words[at + 1:]
        if not command:
            raise Refused("after -- comes a command")
    parser = _Parser(prog="cluster", add_help=False, allow_abbrev=False)
    parser.add_argument("count", nargs="?")
    parser.add_argument("--clock", action="append", default=[])
    parser.add_argument("--networks", default="1")
    parser.add_argument("--delay", default="0")
    parser.add_argument("--loss", default="0")
    parser.add_argument("--user")
    known, unknown = parser.parse_known_args(words)
    _refuse_unknown(unknown)
    if known.count is None:
        raise Refused("how many hosts? (./dev cluster 3)")
    count = _whole("the number of hosts", known.count, HOSTS_MAX)
    return Options(count, _whole("--networks", known.networks, NETWORKS_MAX), _clocks(known.clock, count),
                   _amount("--delay", known.delay, 60_000), _amount("--loss", known.loss, 100), known.user, command)


def _refuse_unknown(words: list[str]) -> None:
    if not words:
        return
    word = words[0].partition("=")[0]
    if not word.startswith("-") or word == "-":
        raise Refused(f"'{word}' is one word too many; a command comes after --")
    close = difflib.get_close_matches(word, ["--clock", "--networks", "--delay", "--loss", "--user", "--help"], 1)
    raise Refused(f"no option '{word}'" + (f" (did you mean '{close[0]}'?)" if close else ""))


def _whole(what: str, text: str, most: int) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise Refused(f"{what} is a number from 1 to {most}, not '{text}'")
    number = int(text)
    if not 1 <= number <= most:
        raise Refused(f"{what} is from 1 to {most}, not {text}")
    return number


def _amount(what: str, text: str, most: float) -> float:
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) or float(text) > most:
        raise Refused(f"{what} is a number from 0 to {most}, not '{text}'")
    return float(text)


_UNITS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000}


def _clocks(words: list[str], count: int) -> dict[str, plan.Clock]:
    clocks = {}
    names = [host.name for host in plan.hosts(count, 1, {})]
    for word in words:
        name, _, value = word.partition("=")
        if name not in names:
            raise Refused(f"--clock {word}: there is no host '{name}' (there are: {' '.join(names)})")
        clocks[name] = _clock(word, value)
    return clocks


def _clock(word: str, value: str) -> plan.Clock:
    number = r"[+-]?[0-9]{1,12}(?:\.[0-9]{1,9})?"
    match = re.fullmatch(rf"({number})({'|'.join(_UNITS_NS)})(?:,({number})ppm)?", value)
    if match is None:
        raise Refused(f"--clock {word}: a clock is OFFSET[,DRIFT], as in red=+1.5s or red=-20ms,+50ppm")
    clock = plan.Clock(round(float(match[1]) * _UNITS_NS[match[2]]), float(match[3] or 0))
    if abs(clock.offset_ns) > 10 * 365 * 24 * _UNITS_NS["h"] or abs(clock.drift_ppm) > 100_000:
        raise Refused(f"--clock {word}: at most ten years and 100000 ppm")
    return clock
