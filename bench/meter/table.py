"""Prints the measurements: ratios first, with their goals and the numbers they come from."""

import statistics
from typing import Any

median = statistics.median


class Goal:
    """The goal of a ratio: Goal("<=", 1.5)."""

    def __init__(self, relation: str, bound: float) -> None:
        self.relation, self.bound = relation, bound

    def met(self, value: float) -> bool:
        return value <= self.bound if self.relation == "<=" else value >= self.bound

    def __str__(self) -> str:
        return f"{self.relation} {self.bound:g}x"


def heading(text: str) -> None:
    print(f"\n{text}", flush=True)


def ratio_of(numerators: list[float], denominators: list[float]) -> float:
    """The median of the ratios of alternating runs, which other load on the machine disturbs equally."""
    return median([a / b for a, b in zip(numerators, denominators)])


def row(what: str, ratio: float, goal: Goal | None = None, details: str = "") -> None:
    verdict = "" if goal is None else ("reached" if goal.met(ratio) else "MISSED")
    print(f"  {what:<44} {ratio:>7.2f}x  {str(goal or ''):<8} {verdict:<8} {details}".rstrip(), flush=True)


def amount(what: str, value: float, unit: str, goal: Goal | None = None, details: str = "") -> None:
    verdict = "" if goal is None else ("reached" if goal.met(value) else "MISSED")
    bound = "" if goal is None else f"{goal.relation} {goal.bound:g} {unit}"
    print(f"  {what:<44} {value:>6.2f} {unit} {bound:<9} {verdict:<8} {details}".rstrip(), flush=True)


def note(text: str) -> None:
    print(f"  {text}", flush=True)


def verdict(what: str, reached: bool, goal: str) -> None:
    print(f"  {what} ({goal}: {'reached' if reached else 'MISSED'})", flush=True)


def shares(what: str, rates: Any, whole: str) -> None:
    """Each way's speed as a part of that of `whole`."""
    listed = [f"{way} {ratio_of(values, rates[whole]):.2f}" for way, values in rates.items() if way != whole]
    note(f"{what}: share of the {whole} speed: " + ", ".join(listed))
