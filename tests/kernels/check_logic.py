#!/usr/bin/env python3
"""The parts of ./dev kernels that need no guest: which packages are tried, what outcomes become, and that each part is complete."""

import pathlib
import sys
import unittest
from collections.abc import Callable
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "live/harness"))
import parts
import table
from outcome import ABSENT, FAILED, LESS, WORKS, Absent, Failed, Less, Outcome, outcome_of
from series import newest_of_each_series


def raising(error: Exception) -> Callable[..., None]:
    def play(*_: object) -> None:
        raise error
    return play


class Promise:
    CHECK = "samples"

    def __init__(self, play: Callable[[object], None]) -> None:
        self.play = play


def doctor(verdict: str) -> dict[str, Any]:
    return {"checks": [{"check": "samples", "verdict": verdict, "found": "dpm sample looks in /proc"}]}


class Packages(unittest.TestCase):
    def test_the_newest_of_each_series_is_tried(self) -> None:
        found = newest_of_each_series("""\
linux-image-6.1.0-9-amd64 - Linux 6.1 for 64-bit PCs (signed)
linux-image-6.1.0-50-amd64 - Linux 6.1 for 64-bit PCs (signed)
linux-image-6.12.99+deb12-amd64 - Linux 6.12 for 64-bit PCs (signed)
linux-image-6.12.111+deb12-amd64 - Linux 6.12 for 64-bit PCs (signed)
""")
        self.assertEqual(found, {"6.1": "linux-image-6.1.0-50-amd64", "6.12": "linux-image-6.12.111+deb12-amd64"})

    def test_other_flavours_are_not(self) -> None:
        self.assertEqual(newest_of_each_series("""\
linux-image-6.12-amd64 - Linux for 64-bit PCs (meta-package)
linux-image-6.1.0-51-cloud-amd64 - Linux 6.1 for x86-64 cloud (signed)
linux-image-6.1.0-51-rt-amd64 - Linux 6.1 for 64-bit PCs, PREEMPT_RT (signed)
linux-image-6.1.0-51-amd64-dbg - Debug symbols
linux-image-6.1.0-51-amd64-unsigned - Linux 6.1 for 64-bit PCs
linux-image-amd64 - Linux for 64-bit PCs (meta-package)
"""), {})


class Outcomes(unittest.TestCase):
    def test_what_a_trial_raises_is_its_verdict(self) -> None:
        self.assertEqual(outcome_of(lambda: None), (WORKS, ""))
        self.assertEqual(outcome_of(raising(Less("from /proc"))), (LESS, "from /proc"))
        self.assertEqual(outcome_of(raising(Absent("no rights"))), (ABSENT, "no rights"))
        self.assertEqual(outcome_of(raising(Failed("2 messages"))), (FAILED, "2 messages"))
        self.assertEqual(outcome_of(raising(KeyError("x"))), (FAILED, "KeyError: 'x'"))

    def test_a_promise_is_kept_if_the_doctor_says_what_happens(self) -> None:
        parts.keep_promise(Promise(lambda site: None), None, doctor("good"))
        with self.assertRaises(Less):
            parts.keep_promise(Promise(raising(Failed("from /proc"))), None, doctor("note"))

    def test_a_promise_that_is_not_kept_is_a_failure_and_so_is_a_warning_that_is_false(self) -> None:
        with self.assertRaisesRegex(Failed, "good .*in truth: failed"):
            parts.keep_promise(Promise(raising(Failed("from /proc"))), None, doctor("good"))
        with self.assertRaisesRegex(Failed, "missing .*in truth: works"):
            parts.keep_promise(Promise(lambda site: None), None, doctor("missing"))

    def test_what_the_doctor_calls_less_than_good_may_work(self) -> None:
        with self.assertRaisesRegex(Less, "limited: dpm sample looks in /proc"):
            parts.keep_promise(Promise(lambda site: None), None, doctor("limited"))

    def test_a_check_that_the_doctor_has_not_is_a_failure(self) -> None:
        with self.assertRaisesRegex(Failed, "no check 'samples'"):
            parts.keep_promise(Promise(lambda site: None), None, {"checks": []})


class Tables(unittest.TestCase):
    OUTCOMES = [Outcome("6.1.0-50", "", "redis", "ebpf", "root", WORKS), Outcome("6.1.0-50", "", "redis", "ebpf", "user", ABSENT, "no | rights"),
                Outcome("6.12.1", "", "redis", "ebpf", "root", FAILED, "2 messages"),
                Outcome("6.1.0-50", "plain", "doctor", "", "root", WORKS), Outcome("6.1.0-50", "plain", "samples", "", "root", WORKS),
                Outcome("6.1.0-50", "plain", "samples", "", "user", LESS, "note: /proc"),
                Outcome("6.1.0-50", "plain", "/proc", "", "user", FAILED, "hidden")]

    def test_kernels_are_columns_and_each_feature_is_a_row_by_source_and_account(self) -> None:
        text = table.text_of(self.OUTCOMES, {"redis": "A server."}, {"plain": "as it begins"})
        self.assertIn("| feature | source | account | 6.1.0-50 | 6.12.1 |\n", text)
        self.assertIn("| redis | ebpf | root | works | failed: 2 messages |\n", text)
        self.assertIn("| redis | ebpf | user | not there: no / rights | not tried |\n", text)
        self.assertIn("- `redis`: A server.\n", text)

    def test_an_environment_says_what_the_doctor_said_and_what_happened(self) -> None:
        text = table.text_of(self.OUTCOMES, {"redis": "A server."}, {"plain": "as it begins"})
        self.assertIn("| 6.1.0-50 | as it begins | root | nothing | as it says, in 1 checks |\n", text)
        self.assertIn("| 6.1.0-50 | as it begins | user | samples note: /proc | /proc: hidden |\n", text)

    def test_the_tables_stand_between_the_marks_of_the_document(self) -> None:
        self.assertEqual(table.with_tables("a\n<!-- kernels -->\nold\n<!-- /kernels -->\nb\n", "new\n"),
                         "a\n<!-- kernels -->\nnew\n<!-- /kernels -->\nb\n")
        with self.assertRaises(ValueError):
            table.with_tables("a\n", "new\n")


class Parts(unittest.TestCase):
    def test_each_file_has_what_its_folder_needs(self) -> None:
        needed = {"features": ("HAS_SOURCE", "play"), "environments": ("TITLE", "STAYS", "TOUCHES", "set_up", "undo"), "promises": ("CHECK", "play")}
        for folder, names in needed.items():
            for part, module in parts.load(folder).items():
                with self.subTest(f"{folder}/{part}"):
                    self.assertTrue(module.__doc__)
                    for name in names:
                        self.assertTrue(hasattr(module, name), name)

    def test_the_page_has_every_feature_and_environment(self) -> None:
        page = (HERE.parent.parent / "docs/kernels.md").read_text()
        for name in parts.load("features"):
            self.assertIn(f"- `{name}`: ", page, "'./dev kernels' writes the page")
        for environment in parts.load("environments").values():
            self.assertIn(f"| {environment.TITLE} |", page, "'./dev kernels' writes the page")


if __name__ == "__main__":
    unittest.main()
