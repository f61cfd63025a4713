#!/usr/bin/env python3
"""play.py PLAN: what happens inside a guest. Tries features and environments in turn, and prints a line of JSON for each.

PLAN is a JSON file: the folder with dpm and the test programs, the features, sources, accounts and environments.
"""

import argparse
import json
import os
import pathlib
import sys
import time
import types
from collections.abc import Callable
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import parts
from outcome import Outcome, outcome_of
from site_of_guest import ACCOUNTS, Site

PLAIN = "plain"


class Player:
    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.kernel = os.uname().release
        self.plain: dict[str, dict[str, str]] = {}  # by account: what dpm doctor says before anything is set

    def tell(self, subject: str, site: Site, play: Callable[..., Any], environment: str = "") -> None:
        print(json.dumps({"begins": " ".join(filter(None, (environment, subject, site.source, site.account)))}), flush=True)
        began = time.monotonic()
        verdict, reason = outcome_of(play)
        outcome = Outcome(self.kernel, environment, subject, site.source, site.account, verdict, reason, round(time.monotonic() - began, 1))
        print(json.dumps(outcome.as_dict()), flush=True)

    def site(self, source: str, account: str, variables: dict[str, str] | None = None) -> Site:
        return Site(pathlib.Path(self.plan["build"]), source, account, variables)

    def play_features(self) -> None:
        features = parts.load("features")
        for name in self.plan["features"]:
            feature = features[name]
            for account in self.plan["accounts"]:
                for source in self.plan["sources"] if feature.HAS_SOURCE else [""]:
                    site = self.site(source, account)
                    self.tell(name, site, lambda site=site, feature=feature: feature.play(site))

    def play_environments(self) -> None:
        environments = parts.load("environments")
        for name in sorted(self.plan["environments"], key=lambda name: (environments[name].STAYS, name != PLAIN)):
            environment = environments[name]
            environment.set_up()
            for account in self.plan["accounts"]:
                self.keep_promises(name, environment, account)
            environment.undo()

    def keep_promises(self, name: str, environment: types.ModuleType, account: str) -> None:
        """What is as it is without the environment was tried there."""
        variables = environment.variables(pathlib.Path(self.plan["build"])) if hasattr(environment, "variables") else {}
        doctor = self.site("", account, variables)
        said: dict[str, Any] = {"checks": []}
        self.tell("doctor", doctor, lambda: said.update(doctor.ask_doctor()), name)
        verdicts = {check["check"]: check["verdict"] for check in said["checks"]}
        if name == PLAIN:
            self.plain[account] = verdicts
        for promise in parts.load("promises").values():
            is_new = verdicts.get(promise.CHECK) != self.plain.get(account, {}).get(promise.CHECK)
            if name == PLAIN or is_new or promise.CHECK in environment.TOUCHES:
                site = self.site("", account, variables)
                self.tell(promise.CHECK, site, lambda site=site, promise=promise: parts.keep_promise(promise, site, said), name)


def open_to_all(folder: pathlib.Path) -> None:
    """A build may be in the home of a user. Only the guest's copy changes."""
    for place in (folder, *folder.parents):
        place.chmod(place.stat().st_mode | 0o005)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("plan", type=pathlib.Path)
    player = Player(json.loads(words.parse_args().plan.read_text()))
    open_to_all(pathlib.Path(player.plan["build"]))
    print(json.dumps({"kernel": player.kernel, "accounts": list(ACCOUNTS)}), flush=True)
    player.play_features()
    player.play_environments()
    print(json.dumps({"ended": True}), flush=True)


main()
