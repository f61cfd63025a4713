#!/bin/bash
# One process after the other: P is 1.
for _ in 1 2 3 4 5 6 7 8; do /usr/bin/python3 -c 'sum(range(2500000))'; done
for _ in 1 2 3 4; do echo x | cat >/dev/null; /usr/bin/python3 -c 'sum(range(2500000))'; done
