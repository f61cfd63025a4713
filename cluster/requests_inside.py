"""`cluster` typed on a host: lists the hosts, cuts them off, kills them, starts them again."""

import os
import socket
import sys

import plan

_CONTROL = f"{plan.SHARED}/control"

_USAGE = """usage: cluster list                        the hosts, their addresses and how they are
       cluster link HOST down|up [NETWORK]   cuts a host off (of one network), or connects it again
       cluster kill HOST                     everything on it dies at once, as if the power failed
       cluster start HOST                    starts a killed host again"""

_WORDS = {"list": (1, 1), "link": (3, 4), "kill": (2, 2), "start": (2, 2)}


def are_meant(words: list[str]) -> bool:
    return words[:1] in [[word] for word in _WORDS] or (not words and os.path.exists(_CONTROL))


def ask(words: list[str]) -> int:
    if not words:
        print(_USAGE)
        words = ["list"]
    least, most = _WORDS[words[0]]
    if not least <= len(words) <= most or (words[0] == "link" and words[2] not in ("up", "down")):
        print(_USAGE, file=sys.stderr)
        return 2
    with socket.socket(socket.AF_UNIX) as control:
        try:
            control.connect(_CONTROL)
            control.sendall(" ".join(words).encode())
            answer = "".join(iter(lambda: control.recv(65536).decode(), ""))
        except FileNotFoundError:
            print(f"cluster: '{words[0]}' is for inside a cluster (./dev cluster 3)", file=sys.stderr)
            return 2
        except OSError as error:
            print(f"cluster: the cluster does not answer: {error.strerror}", file=sys.stderr)
            return 1
    status, _, text = answer.partition(" ")
    if status == "0":
        print(text, end="")
        return 0
    print(f"cluster: {text}", file=sys.stderr)
    return int(status or 1)
