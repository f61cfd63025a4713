#!/usr/bin/python3
"""The live page in a browser, with a server of made-up data: DPM_PAGE is the page. Arguments: words in the names of wanted cases."""
import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
import browser_suite

try:
    import websockets  # noqa: F401
except ImportError as missing:
    browser_suite.skip(f"{missing} (apt-get install python3-websockets)")

import browser_cases
from browser_page import Page

HERE, PAGE = browser_suite.HERE, os.environ["DPM_PAGE"]


class Server:
    """The mock server, as a process that a case can end and start again at the same address."""

    def __init__(self, *options: str) -> None:
        self.options = list(options)
        self.start()

    def start(self) -> None:
        process = subprocess.Popen([sys.executable, str(HERE / "mock_server.py"), PAGE, *self.options], stdout=subprocess.PIPE, text=True)
        assert process.stdout
        self.process: subprocess.Popen[str] | None = process
        self.address = process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), f"the mock server said '{self.address}'"
        port = self.address.split(":")[2].split("/")[0]
        if "--port" not in self.options:
            self.options += ["--port", port]

    def stop(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.communicate()
            self.process = None


class Servers:
    """What a case starts, and ends with it."""

    def __init__(self) -> None:
        self.servers: list[Server] = []

    def __call__(self, *options: str) -> Server:
        self.servers.append(Server(*options))
        return self.servers[-1]

    def end(self) -> None:
        for server in self.servers:
            server.stop()
        self.servers.clear()


sys.exit(browser_suite.run(browser_cases, sys.argv[1:], f"DPM_PAGE={PAGE} {sys.argv[0]}",
                           lambda browser, scratch: Page(browser, PAGE, HERE, scratch), lambda scratch: Servers()))
