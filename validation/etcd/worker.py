#!/usr/bin/python3
"""worker.py HOST NAME ROUNDS: writes keys to etcd by its JSON gateway on one connection, reads each back, and compares."""

import base64
import http.client
import json
import sys
from typing import Any


def main(host: str, name: str, rounds: int) -> None:
    connection = http.client.HTTPConnection(host, 2379, timeout=120)

    def ask(what: str, **words: str) -> dict[str, Any]:
        connection.request("POST", f"/v3/kv/{what}", json.dumps(words), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            sys.exit(f"Error: {what} {words}: {answer.status} {said!r}")
        result: dict[str, Any] = json.loads(said)
        return result

    for number in range(rounds):
        key, value = _encoded(f"load/{name}/{number}"), _encoded(f"value {number} " * 20)
        ask("put", key=key, value=value)
        found = ask("range", key=key)["kvs"][0]["value"]
        if found != value:
            sys.exit(f"Error: {name}/{number} is {found}")
    connection.close()
    print(f"{rounds} keys written and read")


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
