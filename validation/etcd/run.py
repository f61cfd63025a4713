#!/usr/bin/python3
"""Three nodes of etcd on three hosts, and clients on a fourth that write, read, watch and compare."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
import system as systems
from validation import validate

WORKER = pathlib.Path(__file__).resolve().parent / "worker.py"


def _is_told(system: systems.System, client: str, ctl: list[str], watcher: systems.Part) -> bool:
    """Writes once; whether the watcher has reported a write of this key."""
    system.on(client, [*ctl, "put", "load/first", "value"])
    return '"load/first"' in watcher.all_words()


def play(system: systems.System) -> None:
    *nodes, client = system.hosts
    etcd, etcdctl = systems.program("etcd"), systems.program("etcdctl")
    members = ",".join(f"{host}=http://{host}:2380" for host in nodes)
    servers = []
    for host in nodes:
        address = system.address(host)
        servers.append(system.start(host, f"etcd-{host}", [
            etcd, "--name", host, "--data-dir", system.own_folder(host, "etcd"), "--initial-cluster", members,
            "--initial-advertise-peer-urls", f"http://{host}:2380", "--listen-peer-urls", f"http://{address}:2380",
            "--advertise-client-urls", f"http://{host}:2379", "--listen-client-urls", f"http://{address}:2379"]))
    endpoints = ",".join(f"http://{host}:2379" for host in nodes)
    health = [etcdctl, "--endpoints", endpoints, "endpoint", "health"]
    system.wait_until("etcd is healthy", lambda: system.on(client, health, check=False).returncode == 0)
    rounds = 300 if system.quick else 3000
    ctl = [etcdctl, "--endpoints", endpoints]
    # One Go client, which knows all nodes and watches every write; and one client of each node.
    watcher = system.start(client, "watcher", [*ctl, "watch", "--prefix", "--write-out=fields", "load/"])
    system.wait_until("the watcher watches", lambda: _is_told(system, client, ctl, watcher))
    workers = [system.start(client, f"worker-{host}", [WORKER, host, host, rounds]) for host in nodes]
    for worker in workers:
        if (status := worker.wait()) != 0:
            raise systems.Failed(f"a client ended with {status}:\n{worker.words()}")
    wanted = len(nodes) * rounds
    keys = system.on(client, [*ctl, "get", "--prefix", "--keys-only", "load/"]).stdout.split()
    if len(keys) != wanted + 1:
        raise systems.Failed(f"{wanted + 1} keys should have been written, and {len(keys)} are there")
    system.wait_until("the watcher has reported every write",
                      lambda: watcher.all_words().count('"Key" : "load/') > wanted)
    system.stop(watcher, "INT", expected=(130, 1))
    system.stop_all(servers, expected=(0, 143))


validate(__file__, ["etcd", "etcdctl"], play)
