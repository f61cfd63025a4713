#!/usr/bin/python3
"""Runs a command in an environment: enter.py ENVIRONMENT COMMAND..."""

import os
import sys

import environments

if __name__ == "__main__":
    place = environments.named(sys.argv[1])
    if reason := environments.why_not(place):
        print(f"SKIPPED: {place.name} cannot be had here: {reason}")
        sys.exit(77)
    command = [*environments.entering(place), *sys.argv[2:]]
    os.execvp(command[0], command)
