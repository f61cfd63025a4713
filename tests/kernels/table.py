"""What was found on each kernel, as the tables of docs/kernels.md. Pure."""

from typing import Any
from collections.abc import Iterable, Iterator

from outcome import FAILED, LESS, NOT_TRIED, WORKS, Outcome

BEGIN, END = "<!-- kernels -->\n", "<!-- /kernels -->\n"
LONGEST_REASON = 160


def _cell(text: str) -> str:
    text = " ".join(text.replace("|", "/").split())
    return text if len(text) <= LONGEST_REASON else text[:LONGEST_REASON - 1] + "…"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |\n"


def _unique(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def _features(outcomes: list[Outcome], whats: dict[str, str]) -> Iterator[str]:
    kernels = _unique(one.kernel for one in outcomes)
    yield _row(["feature", "source", "account", *kernels])
    yield "|---|---|---|" + "---|" * len(kernels) + "\n"
    found = {(one.subject, one.source, one.account, one.kernel): one for one in outcomes}
    for subject, source, account in _unique((one.subject, one.source, one.account) for one in outcomes):
        cells = [found.get((subject, source, account, kernel)) for kernel in kernels]
        yield _row([subject, source or "-", account, *(one.text() if one else NOT_TRIED for one in cells)])
    yield "\n"
    for subject in _unique(one.subject for one in outcomes):
        yield f"- `{subject}`: {whats[subject]}\n"


def _environments(outcomes: list[Outcome], titles: dict[str, str]) -> Iterator[str]:
    yield _row(["kernel", "environment", "account", "dpm doctor says, other than good", "what happened"])
    yield "|---|---|---|---|---|\n"
    for kernel, environment, account in _unique((one.kernel, one.environment, one.account) for one in outcomes):
        if all(one.verdict == NOT_TRIED for one in outcomes if (one.kernel, one.environment, one.account) == (kernel, environment, account)):
            yield _row([kernel, titles[environment], account, NOT_TRIED, NOT_TRIED])
            continue
        checks = [one for one in outcomes if (one.kernel, one.environment, one.account) == (kernel, environment, account)]
        lacking = "; ".join(f"{one.subject} {one.reason}" for one in checks if one.verdict == LESS)
        wrong = "; ".join(f"{one.subject}: {one.reason}" for one in checks if one.verdict == FAILED)
        kept = sum(one.verdict in (WORKS, LESS) for one in checks)
        yield _row([kernel, titles[environment], account, lacking or "nothing", wrong or f"as it says, in {kept} checks"])


def text_of(outcomes: list[Outcome], whats: dict[str, str], titles: dict[str, str]) -> str:
    features = [one for one in outcomes if not one.environment]
    checks = [one for one in outcomes if one.environment and one.subject != "doctor"]
    text = "## Features\n\n" + "".join(_features(features, whats))
    return text + "\n## Environments\n\n" + "".join(_environments(checks, titles)) if checks else text


def with_tables(document: str, tables: str) -> str:
    """The document with the tables between its two marks; ValueError if it lacks them."""
    begin, end = document.index(BEGIN) + len(BEGIN), document.index(END)
    return document[:begin] + tables + document[end:]
