"""Prints the measurements: ratios first, with their goals and the numbers they come from."""

import statistics

median = statistics.median


class Goal:
    """The goal of a ratio: Goal("<=", 1.5)."""

    def __init__(self, relation, bound):
        self.relation, self.bound = relation, bound

    def met(self, value):
        return value <= self.bound if self.relation == "<=" else value >= self.bound

    def __str__(self):
        return f"{self.relation} {self.bound:g}x"


def heading(text):
    print(f"\n{text}", flush=True)


def ratio_of(numerators, denominators):
    """The median of the ratios of alternating runs, which other load on the machine disturbs equally."""
    return median([a / b for a, b in zip(numerators, denominators)])


def row(what, ratio, goal=None, details=""):
    verdict = "" if goal is None else ("reached" if goal.met(ratio) else "MISSED")
    print(f"  {what:<44} {ratio:>7.2f}x  {str(goal or ''):<8} {verdict:<8} {details}".rstrip(), flush=True)


def amount(what, value, unit, goal=None, details=""):
    verdict = "" if goal is None else ("reached" if goal.met(value) else "MISSED")
    bound = "" if goal is None else f"{goal.relation} {goal.bound:g} {unit}"
    print(f"  {what:<44} {value:>6.2f} {unit} {bound:<9} {verdict:<8} {details}".rstrip(), flush=True)


def note(text):
    print(f"  {text}", flush=True)


def verdict(what, reached, goal):
    print(f"  {what} ({goal}: {'reached' if reached else 'MISSED'})", flush=True)


def shares(what, rates, whole):
    """Each way's speed as a part of that of `whole`."""
    listed = [f"{way} {ratio_of(values, rates[whole]):.2f}" for way, values in rates.items() if way != whole]
    note(f"{what}: share of the {whole} speed: " + ", ".join(listed))
