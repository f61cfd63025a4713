"""make -j2 of a few C files: a tree of compilers, assemblers and a linker, with pipes of a jobserver."""

from stage import Stage
NEEDS = ["make", "gcc"]
SHORT = True
VARIES = [("^make (SEND|RECEIVE) pipe", "how often a token of the jobserver changes hands depends on which compiler ends first")]
FILES = 4
MAKEFILE = """CFLAGS = -O1 -pipe
objects := $(patsubst %.c,%.o,$(wildcard *.c))
all: program
program: $(objects)
	$(CC) -o $@ $^
"""


def play(stage: Stage) -> None:
    files = FILES if stage.quick else 10 * FILES
    for number in range(files):
        body = "".join(f"int f{number}_{k}(int x) {{ return x * {k + number} + {k}; }}\n" for k in range(100))
        (stage.folder / f"part{number}.c").write_text(f"#include <stdio.h>\n{body}")
    calls = " + ".join(f"f{number}_7({number})" for number in range(files))
    declared = "".join(f"int f{number}_7(int);" for number in range(files))
    (stage.folder / "main.c").write_text(f'#include <stdio.h>\n{declared}\nint main(void) {{ printf("%d\\n", {calls}); return 0; }}\n')
    (stage.folder / "Makefile").write_text(MAKEFILE)
    stage.run(["make", "-s", "-j2"])
    stage.note("the program prints", stage.run(["./program"]))
