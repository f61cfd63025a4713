"""nginx with one worker under wrk: 32 connections that ask for a small file again and again."""

import re
import shutil
import subprocess

import table
from server import Server, free_port, rates_in_turns
from ways import BPFTRACE, KERNEL, METERED, PERF, STRACE, Tools, UNMETERED

CONFIGURATION = """daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr;
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; location / {{ root {folder}; }} }} }}
"""


def start(tools: Tools, way: str) -> Server:
    port, folder = free_port(), tools.folder()
    (folder / "page").write_text("x" * 600)
    configuration = folder / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, port=port))
    return Server(tools.command(way, ["nginx", "-e", "stderr", "-c", configuration], folder), port)


def requests_per_second(port: int, seconds: float) -> float:
    done = subprocess.run(["wrk", "-t", "1", "-c", "32", "-d", f"{max(1, round(seconds))}s", f"http://127.0.0.1:{port}/page"],
                          capture_output=True, text=True, timeout=600, check=True)
    return float(re.findall(r"^Requests/sec:\s+([\d.]+)", done.stdout, re.MULTILINE)[0])


def throughput(tools: Tools, turns: int, seconds: float) -> None:
    table.heading("nginx under wrk -c 32, server metered: requests a second")
    missing = [tool for tool in ("nginx", "wrk") if shutil.which(tool) is None]
    if missing:
        return table.note(f"skipped: {missing[0]} is not installed")
    ways = [way for way in (UNMETERED, KERNEL, BPFTRACE, METERED, STRACE, PERF) if tools.usable(way)]
    rates = rates_in_turns(ways, turns, lambda way: start(tools, way),
                           lambda server: {"requests": requests_per_second(server.port, seconds)})["requests"]
    if KERNEL in rates:
        table.row(f"{KERNEL} / {UNMETERED}", table.ratio_of(rates[KERNEL], rates[UNMETERED]), table.Goal(">=", 0.9),
                  f"{table.median(rates[KERNEL]):.0f} against {table.median(rates[UNMETERED]):.0f}")
    table.shares("wrk", rates, UNMETERED)
