"""Which kernel packages are tried: the newest of each series that Debian offers. Pure."""

import re

# Not meta-packages (linux-image-6.12-amd64), nor those for clouds and real time, nor unsigned ones and symbols.
NAME = re.compile(r"^linux-image-(\d+)\.(\d+)\.(\d\S*)-amd64$")
OTHER_FLAVOUR = re.compile(r"-(cloud|rt|dbg|unsigned)\b")


def newest_of_each_series(found: str) -> dict[str, str]:
    """series ("6.1") -> package, by increasing series; `found` is what apt-cache search has printed."""
    newest: dict[tuple[int, int], tuple[list[int], str]] = {}
    for line in found.splitlines():
        package = line.split(" ", 1)[0]
        match = NAME.match(package)
        if not match or OTHER_FLAVOUR.search(package):
            continue
        series = (int(match[1]), int(match[2]))
        version = [int(number) for number in re.findall(r"\d+", match[3])]
        if series not in newest or version > newest[series][0]:
            newest[series] = (version, package)
    return {f"{major}.{minor}": newest[major, minor][1] for major, minor in sorted(newest)}
