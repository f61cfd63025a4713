#!/usr/bin/python3
"""Three nginx on three hosts, haproxy in front of them on a fourth, and ab on a fifth, which asks haproxy."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
import system as systems
from validation import validate

CLIENTS = 8
PAGE = "what every server says\n" * 100
NGINX = """
pid {folder}/nginx.pid; error_log {folder}/error.log; daemon off; worker_processes 1;
events {{ }}
http {{
  access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen [::]:8000 ipv6only=off; root {folder}; }}
}}
"""
HAPROXY = """
global
  maxconn 100
defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
frontend clients
  bind :8000
  default_backend servers
backend servers
  balance roundrobin
{servers}
"""


def play(system: systems.System) -> None:
    *backends, proxy_host, client_host = system.hosts
    nginx, haproxy, ab = (systems.program(name) for name in ("nginx", "haproxy", "ab"))
    servers = []
    for host in backends:
        folder = system.own_folder(host, "nginx", for_nobody=True)
        system.write(host, folder / "page", PAGE)
        system.write(host, folder / "nginx.conf", NGINX.format(folder=folder))
        servers.append(system.start(host, f"nginx-{host}", [nginx, "-p", folder, "-c", folder / "nginx.conf"], as_nobody=True))
    lines = "\n".join(f"  server {host} {host}:8000" for host in backends)
    folder = system.own_folder(proxy_host, "haproxy")
    system.write(proxy_host, folder / "haproxy.cfg", HAPROXY.format(servers=lines))
    for host in backends:
        system.wait_for_port(client_host, host, 8000)
    proxy = system.start(proxy_host, "haproxy", [haproxy, "-db", "-f", folder / "haproxy.cfg"])
    system.wait_for_port(client_host, proxy_host, 8000)
    requests = 1000 if system.quick else 20000
    load = system.run(client_host, "ab", [ab, "-k", "-q", "-n", requests, "-c", CLIENTS, f"http://{proxy_host}:8000/page"])
    said = load.all_words()
    good = re.search(rf"Complete requests: +{requests}\n", said) and re.search(r"Failed requests: +0\n", said)
    if not good or "Non-2xx" in said:
        raise systems.Failed(f"ab:\n{said}")
    system.stop(proxy, "USR1")
    for server in servers:
        system.stop(server, "QUIT")


validate(__file__, ["nginx", "haproxy", "ab"], play)
