"""A computation that knows itself what it has done: `ask` puts questions to `answer` until there is a file `enough`.

Both check what they read, so that a byte that is lost, doubled or changed is an exit status. Each line they print is one
message, too.
"""

import itertools
import json
import re
import socket
import sys
import time

from session import Session, Site, expect, wait_until

ANSWER = """#!PYTHON
import socket, sys
listener = socket.create_server(("", int(sys.argv[1])))
print("listening", flush=True)
connection, _ = listener.accept()
answered = 0
while question := connection.recv(100):
    if question != b"question %08d" % answered:
        sys.exit(f"question {answered} was {question}")
    connection.sendall(question.upper())
    answered += 1
print("answered", answered, flush=True)
"""
ASK = """#!PYTHON
import os, socket, sys, time
host, port, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
connection = socket.create_connection((host, port))
asked = 0
while not os.path.exists("enough"):
    question = b"question %08d" % asked
    connection.sendall(question)
    answer = connection.recv(100)
    if answer != question.upper():
        sys.exit(f"the answer to {asked} was {answer}")
    asked += 1
    with open("asked.new", "w") as file:
        file.write(str(asked))
    os.rename("asked.new", "asked")  # who reads it finds a number
    time.sleep(pause)
connection.close()
print("asked", asked, flush=True)
"""


def free_port() -> int:
    with socket.create_server(("", 0)) as probe:
        result: int = probe.getsockname()[1]
        return result


class Talk:
    """A job 'talk' whose `answer` runs on red and `ask` on green; its filter 'f1' on blue."""

    def __init__(self, site: Site, pause_s: float = 0.002) -> None:
        self.site, self.pause_s = site, pause_s
        for name, text in (("answer", ANSWER), ("ask", ASK)):
            site.write_program(name, text.replace("PYTHON", sys.executable + " -S"))
        # A host's ports are its own; here, others may have one.
        self.host, self.port = ("red", 7000) if site.hosts else ("127.0.0.1", free_port())

    def begin(self, session: Session, filter_words: str = "filter f1 blue", job: str = "talk") -> None:
        said = session.do(filter_words, f"newjob {job}", f"setflags {job} send receive receivecall accept connect",
                          f"addprocess {job} red answer {self.port}", f"startjob {job}")
        expect("'answer' started." in said, said)
        session.until("answer: listening")
        said = session.do(f"addprocess {job} green ask {self.host} {self.port} {self.pause_s}", f"startjob {job}")
        expect("'ask' started." in said, said)
        self.go_on()

    def asked(self) -> int:
        try:
            return int((self.site.folder / "asked").read_text())
        except FileNotFoundError:
            return 0

    def go_on(self, questions: int = 200) -> None:
        """Waits until it has done that much more: it lives."""
        wanted = self.asked() + questions
        wait_until(lambda: self.asked() >= wanted, f"question {wanted} to be asked")

    def enough(self) -> None:
        (self.site.folder / "enough").touch()

    def end(self, session: Session) -> int:
        """How many questions were asked and answered: both programs have ended well, and say the same."""
        self.enough()
        for name in ("ask", "answer"):
            session.until(rf"DONE: process {name} in job '\w+' terminated: reason: normal")
        counts = {name: int(re.findall(rf"^{name}: {name}ed (\d+)$", session.said, re.MULTILINE)[-1])
                  for name in ("ask", "answer")}
        expect(counts["ask"] == counts["answer"], counts)
        return counts["ask"]

    def expect_whole(self, trace: str, questions: int) -> None:
        """Every message is in the trace, and nothing was lost."""
        ledger = self.site.ledger(trace)
        print(f"{questions} questions; ledger: {ledger['seen']} seen, {ledger['lost']} lost")
        expect(ledger["lost"] == 0 and ledger["seen"] == ledger["kept"] + ledger["filtered"], ledger)
        messages = self.site.messages(trace)
        for ends in (("ask", "answer"), ("answer", "ask")):
            expect(messages.get(ends) == questions, f"{messages.get(ends)} messages {ends}, not {questions}: {messages}")

    def expect_counted(self, trace: str, questions: int, why: str) -> None:
        """The log can be read; what is missing in it stands beside it, with the reason, to the last event."""
        kept, delivered = self.site.ledger(trace)["kept"], self.expect_account(trace, questions, why)
        expect(kept <= delivered, (kept, delivered))

    def whole_account(self, session: Session, filter_name: str) -> str:
        """A log fetched after every meter has sent its account, which the collector does not await when the filter has ended."""
        fetched = itertools.count()

        def whole() -> str:
            trace = f"log{next(fetched)}"
            session.do(f"getlog {filter_name} {trace}")
            meters = json.loads((self.site.folder / trace / "delivered.json").read_text())["meters"]
            return trace if all(meter["ended"] for meter in meters) else ""

        return str(wait_until(whole, f"the farewells of what {filter_name} metered"))

    def expect_account(self, trace: str, questions: int, why: str) -> int:
        """How many events were delivered: the rest was lost for this reason alone."""
        delivered = json.loads((self.site.folder / trace / "delivered.json").read_text())
        expect({meter["name"] for meter in delivered["meters"]} == {"ask", "answer"}, delivered)
        for meter in delivered["meters"]:
            lost = {loss["reason"]: loss["events"] for loss in meter["losses"]}
            print(f"{questions} questions; {meter['name']}: {meter['seen']} seen, {meter['delivered']} delivered, lost {lost}")
            expect(meter["ended"] and list(lost) == [why], meter)
            expect(meter["seen"] == meter["delivered"] + sum(lost.values()), meter)
            # Each question is sent and received, and each answer; receives have calls before them.
            expect(meter["seen"] >= 3 * questions, meter)
        return sum(meter["delivered"] for meter in delivered["meters"])

    def stands_still(self) -> int:
        """Questions so far, if none was asked for a while."""
        asked = self.asked()
        time.sleep(1)
        return asked if self.asked() == asked else 0
