#!/usr/bin/env python3
"""The list of messages (messages.py) has the sentences of a small tree and nothing else, and refused words in them are found."""

import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).with_name("messages.py")

FILES = {
    "model/a.cpp": r'''#include "model/a one two three.hpp"
// A comment with "a text in quotes" is not a message.
constexpr char kKey[] = "two words";
const Error kError{"the trace has no "
                   "events: \"meter\" them"};
std::string text(int n) { return "there are " + std::to_string(n) + " events in it"; }
void both() { say("first of two texts", "second of two texts"); }
const char* schema = R"(CREATE TABLE a (b TEXT NOT NULL))";
''',
    "view/page/a.ts": "el.textContent = `${count} of ${arc.count} messages are shown`;\n",
    "tests/a.cpp": 'const char* text = "a test prints the least busy process";\n',
    "docs/a.md": "The message is in transit.\n",
}
LISTED = [
    'model/a.cpp:4: the trace has no events: "meter" them',
    "model/a.cpp:6: there are {} events in it",
    "model/a.cpp:7: first of two texts",
    "model/a.cpp:7: second of two texts",
    "view/page/a.ts:1: {} of {} messages are shown",
]
REFUSED = {
    "model/b.cpp": ('const char* text = "sent to the least "\n    "busy server";\n', "model/b.cpp:1: 'least busy'; write: least outstanding"),
    "docs/b.md": ("One.\nIt was on its way.\n", "docs/b.md:2: 'on its way'; write: in transit"),
}


def run(folder: pathlib.Path, *options: str) -> tuple[int, list[str]]:
    done = subprocess.run([sys.executable, PROGRAM, *options, folder], capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def plant(folder: pathlib.Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, text in FILES.items():
            plant(folder, path, text)
        assert run(folder) == (0, LISTED), run(folder)
        assert run(folder, "--check") == (0, ["5 messages, 0 refused words"]), run(folder, "--check")
        for path, (text, complaint) in REFUSED.items():
            plant(folder, path, text)
            status, lines = run(folder, "--check")
            assert status == 1 and complaint in lines, lines
            (folder / path).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
