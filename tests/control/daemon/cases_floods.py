"""Strangers that open connections to a filter as fast as they can, and meters far away that come in all the same."""
import asyncio
import os
import subprocess
import sys
import threading

from cases_filters import TALK, create_filter, fetch, run_with, statistics
from control import Controller, Machine, Refused, wait_for

METERS = 5
ROUND_TRIP_S = 0.04
# Each holds many connections at a time and sends nothing over them.
STRANGER = """
import collections, resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (1200, 1200))
opened, count = collections.deque(), 0
while True:
    stranger = socket.socket()
    stranger.setblocking(False)
    stranger.connect_ex(("127.0.0.1", int(sys.argv[1])))
    opened.append(stranger)
    count += 1
    if len(opened) > 1000:
        opened.popleft().close()
    if count % 1000 == 0:
        print(count, flush=True)
"""


class FarAway:
    """A second address of a filter: what passes takes half the round trip in each direction. It connects from 127.0.0.2."""

    def __init__(self, port: int, round_trip_s: float) -> None:
        self.filter_port, self.delay_s, self.connections = port, round_trip_s / 2, 0
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, daemon=True)
        ready = threading.Event()
        self.loop.call_soon(lambda: self.loop.create_task(self._listen(ready)))
        self.thread.start()
        ready.wait()

    def _run(self) -> None:
        self.loop.run_forever()
        self.loop.close()

    async def _listen(self, ready: threading.Event) -> None:
        self.server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        ready.set()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        await asyncio.sleep(self.delay_s)  # the SYN; what comes with it arrives with the connection
        try:
            there = await asyncio.open_connection("127.0.0.1", self.filter_port, local_addr=("127.0.0.2", 0))
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._pass_on(reader, there[1], 0), self._pass_on(there[0], writer, self.delay_s))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first_delay_s: float) -> None:
        """What is read at once is the first flight, which has waited already."""
        delay_s = first_delay_s
        try:
            while data := await reader.read(65536):
                self.loop.call_later(delay_s, writer.write, data)
                delay_s = self.delay_s
        except OSError:
            pass
        self.loop.call_later(self.delay_s, writer.close)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


def case_meters_come_in(machine: Machine) -> None:
    """While strangers flood a filter, each new meter is authenticated at its first attempt or nearly so, however far away."""
    red = Controller(machine)
    made = create_filter(red)
    far = FarAway(made["address"]["port"], ROUND_TRIP_S)
    strangers = [subprocess.Popen([sys.executable, "-c", STRANGER, str(made["address"]["port"])], stdout=subprocess.PIPE, text=True)
                 for _ in range(2)]
    try:
        for stranger in strangers:
            assert stranger.stdout
            stranger.stdout.readline()
        address = made["address"] | {"port": far.port}
        for _ in range(METERS):
            red.on("release", run_with(red, {"address": address}, sys.executable, "-c", TALK, flags="send"))

        def sends() -> int:
            folder = machine.folder + f"/log{len(os.listdir(machine.folder))}"
            try:
                trace = statistics(machine, fetch(red, made["pid"], folder) + "/trace")
            except Refused:  # a file was replaced after it had been listed
                return 0
            return sum(line["count"] for line in trace["messages"])

        wait_for(lambda: sends() == METERS * 200, "the events of all meters", 30)
        attempts = far.connections
    finally:
        for stranger in strangers:
            stranger.kill()
            stranger.communicate()
    far.close()
    print(f"{METERS} meters took {attempts} attempts with a round trip of {ROUND_TRIP_S * 1000:.0f} ms")
    assert attempts <= 2 * METERS, attempts
    red.close()
