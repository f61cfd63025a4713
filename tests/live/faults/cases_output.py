"""Processes that print more than a user reads, and what the user does meanwhile."""

import re
import time

from session import Session, Site, expect, wait_until

NOISE = b"y\n"  # what `yes` prints
LINES = 2_000_000


class Noise:
    """A job 'noisy' that prints without end, and a job 'quiet' with which the user works."""

    def __init__(self, site: Site) -> None:
        self.site, self.session = site, Session(site)
        said = self.session.do("filter f1 blue", "newjob noisy", "newjob quiet", "setflags quiet send receive",
                               "add noisy red yes", "add quiet green cat", "startjob noisy", "startjob quiet")
        expect("'yes' started." in said and "'cat' started." in said, said)
        self.pid = self.session.pid_of("yes")
        self.shown_bytes = self.cut_bytes = self.rounds = 0
        self.took_ms: dict[str, list[float]] = {}

    def work(self) -> None:
        """A round of commands; each must be answered."""
        self.rounds += 1
        word = f"hello{self.rounds}"
        for command, answer in (("jobs", r"\d  quiet  f1"), ("jobs quiet", r"running  cat"),
                                (f"input quiet cat {word}", rf"(?m)^cat: {word}$"),
                                ("setflags quiet fork", "Process 'cat' : Flags set"), ("stopjob quiet", "'cat' stopped"),
                                ("startjob quiet", "'cat' started"), ("stopjob noisy", "'yes' stopped"),
                                ("startjob noisy", "'yes' started"), (f"newjob job{self.rounds}", ""),
                                (f"rmjob job{self.rounds}", "")):
            began_s = time.monotonic()
            begin = len(self.session.said)
            self.session.type(command, "" if answer else "help endinput")
            self.session.until(answer or "endinput <jobname>", begin)
            self.took_ms.setdefault(command.partition(" ")[0], []).append(1000 * (time.monotonic() - began_s))
            self.count()

    def slowest_ms(self) -> str:
        return ", ".join(f"{command} {max(times):.0f}" for command, times in self.took_ms.items())

    def count(self) -> None:
        said = self.session.take()
        self.shown_bytes += len(NOISE) * len(re.findall(r"(?m)^yes: y$", said))
        self.cut_bytes += sum(int(count) for count in re.findall(r"CUT: (\d+) bytes? that process yes", said))
        expect("LOST" not in said and "DONE" not in said, said)

    def printed_bytes(self) -> int:
        """By the kernel's count."""
        return int(re.findall(r"wchar: (\d+)", self.site.on("red", f"cat /proc/{self.pid}/io"))[0])

    def end(self) -> int:
        """Stops everything; what was printed."""
        expect("'yes' stopped" in self.session.do("stopjob noisy"), "stopjob")
        printed = self.printed_bytes()

        def is_counted() -> bool:
            self.count()
            return self.shown_bytes + self.cut_bytes >= printed

        wait_until(is_counted, f"{printed} bytes to be shown or counted")
        expect(self.shown_bytes + self.cut_bytes == printed, f"{self.shown_bytes} and {self.cut_bytes} of {printed}")
        said = self.session.do("stopjob quiet", "rmjob quiet", "rmjob noisy")
        expect(said.count(" removed") == 2, said)
        expect(self.session.leave("bye") == 0, self.session.said)
        return printed


def case_output_without_end(site: Site) -> None:
    """`yes` in one job: the commands for another one are answered, and every byte is shown or counted."""
    noise = Noise(site)
    end_s = time.monotonic() + 5
    while time.monotonic() < end_s:
        noise.work()
    expect(noise.end() > 0 and noise.cut_bytes > noise.shown_bytes, "too little was printed to be cut")


def case_output_into_a_file(site: Site) -> None:
    """More than is shown: a sink has all of it."""
    session = Session(site)
    session.do("filter f1 blue", "newjob count", f"add count red seq {LINES}", "sink all", "startjob count", "wait count", "sink")
    lines = [line.removeprefix("seq: ") for line in (site.folder / "all").read_text().splitlines() if line.startswith("seq: ")]
    expect(lines == [str(number) for number in range(1, LINES + 1)], f"{len(lines)} lines of {LINES}")
    expect("CUT" not in (site.folder / "all").read_text(), "the sink is cut")
    session.do("rmjob count")
    expect(session.leave("bye") == 0, session.said)
