#!/usr/bin/env python3
"""Passes meter messages on to the filter service of this machine, which makes traces of them below /var/lib/dpm-filter.

    filter f1 red to_service.py      # in dpm control; `systemctl enable --now dpm-filter.socket` on red comes first

$DPM_FILTER_SOCKET is the service's socket, if it is another one.
"""
import os
import socket
import sys

PIECE = 64 * 1024


def main() -> None:
    path = os.environ.get("DPM_FILTER_SOCKET", "/run/dpm-filter.socket")
    with socket.socket(socket.AF_UNIX) as service:
        try:
            service.connect(path)
            while piece := os.read(0, PIECE):
                service.sendall(piece)
            service.shutdown(socket.SHUT_WR)
            service.recv(1)  # the service closes it when the trace is complete
        except OSError as why:
            sys.exit(f"to_service.py: {path}: {why.strerror}")


main()
