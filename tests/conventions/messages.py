#!/usr/bin/env python3
"""Lists the sentences that the programs print and that the page shows, from the code.

A message is a text of the code with three words or more. Texts side by side are one, and so are those that "+" joins; a value
between them is shown as {}.

    messages.py [FOLDER]            a line for each: file:line: text
    messages.py --check [FOLDER]    also ends with 1 if a message or a page of docs/ has a word of printed_words.txt
"""

import argparse
import os
import pathlib
import re
import sys
from dataclasses import dataclass
from typing import Iterator

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NO_PRODUCT = ("tests/", "validation/", "bench/")
WORDS = pathlib.Path(__file__).with_name("printed_words.txt")
PAGES = re.compile(r"docs/.*\.md|docs/man/.*\.in|(?:.*/)?README\.md")

# What a file consists of: comments and texts; the rest is read letter by letter.
CPP = re.compile(r'''//[^\n]*|\#include[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)+'
    |R"(?P<tag>[^\s()\\]*)\((?P<raw>.*?)\)(?P=tag)"|"(?P<text>(?:[^"\\\n]|\\.)*)"''', re.S | re.X)
TYPESCRIPT = re.compile(r'''//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)*'
    |`(?P<raw>(?:[^`\\]|\\.)*)`|"(?P<text>(?:[^"\\\n]|\\.)*)"''', re.S | re.X)
JOINED = re.compile(r"\s*|\s*\+[^;{}]{0,160}\+\s*", re.S)
WORD = re.compile(r"(?<![\w/.<-])[A-Za-z][a-z']*(?![\w/(=])")
NO_SENTENCE = re.compile(r"SELECT |INSERT |CREATE |<(?:svg|div|html|text|g|path|rect)\b|[.#]\w+ *\{")


@dataclass(frozen=True)
class Message:
    path: str
    line: int
    text: str


def balanced(code: str) -> bool:
    """Whether the code between two texts is one operand: no comma and no bracket that belongs to what surrounds them."""
    depth = 0
    for letter in code:
        depth += (letter in "([") - (letter in ")]")
        if depth < 0 or (letter in ",?:" and depth == 0 and "::" not in code):
            return False
    return depth == 0


def plain(text: str) -> str:
    text = re.sub(r"\$\{[^{}]*\}", "{}", text)
    return re.sub(r"\\(.)", lambda escape: {"n": " ", "t": " "}.get(escape[1], escape[1]), text)


def texts_of(code: str, grammar: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Each text with the place where it begins; those that belong together are one."""
    begin, end, whole = 0, 0, ""
    for part in grammar.finditer(code):
        names = part.groupdict()
        text = names["raw"] if names["raw"] is not None else names["text"]
        if text is None:
            continue
        between = code[end:part.start()]
        if whole and JOINED.fullmatch(between) and balanced(between):
            whole += ("{}" if between.strip() else "") + plain(text)
        else:
            yield begin, whole
            begin, whole = part.start(), plain(text)
        end = part.end()
    yield begin, whole


def is_message(text: str) -> bool:
    return len(WORD.findall(text)) >= 3 and " " in text.strip() and NO_SENTENCE.search(text) is None


def files_of(folder: pathlib.Path) -> list[str]:
    """Without git, which refuses the tree of another account."""
    found = []
    for name, folders, files in os.walk(folder):
        at_root = pathlib.Path(name) == folder
        folders[:] = [sub for sub in folders if not sub.startswith(".") and not (at_root and sub in ("build", "out"))]
        found += [str((pathlib.Path(name) / file).relative_to(folder)) for file in files]
    return sorted(found)


def messages_of(folder: pathlib.Path) -> list[Message]:
    messages = []
    for path in files_of(folder):
        grammar = {".cpp": CPP, ".hpp": CPP, ".h": CPP, ".ts": TYPESCRIPT}.get(pathlib.Path(path).suffix)
        if grammar is None or path.startswith(NO_PRODUCT):
            continue
        code = (folder / path).read_text(encoding="utf-8")
        for begin, text in texts_of(code, grammar):
            if is_message(text):
                messages.append(Message(path, code.count("\n", 0, begin) + 1, " ".join(text.split())))
    return messages


@dataclass(frozen=True)
class Refused:
    words: re.Pattern[str]
    phrase: str
    instead: str
    right_with: list[str]

    def is_in(self, text: str) -> bool:
        return self.words.search(text) is not None and not any(part in text.lower() for part in self.right_with)


def refused_words() -> list[Refused]:
    rows = []
    for line in WORDS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            phrase, instead, *right = [cell.strip() for cell in line.split("|")]
            words = re.compile(rf"(?<![\w`/-]){re.escape(phrase)}(?![\w-])", re.I)
            rows.append(Refused(words, phrase, instead, [part.strip().lower() for part in right[0].split(",")] if right else []))
    return rows


def pages_of(folder: pathlib.Path) -> list[Message]:
    """Each line of the documents."""
    return [Message(path, number, line) for path in files_of(folder) if PAGES.fullmatch(path)
            for number, line in enumerate((folder / path).read_text(encoding="utf-8").splitlines(), 1)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=SOURCE)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    messages = messages_of(asked.folder)
    if not asked.check:
        for message in messages:
            print(f"{message.path}:{message.line}: {message.text}")
        return 0
    found = [f"{text.path}:{text.line}: '{row.phrase}'; write: {row.instead}"
             for text in messages + pages_of(asked.folder) for row in refused_words() if row.is_in(text.text)]
    print("\n".join([*found, f"{len(messages)} messages, {len(found)} refused words"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
