#!/usr/bin/env python3
"""try_site.py SOURCE: the HTML pages of the documentation (./dev site) are complete, and those of a small tree with faults are refused.

Links are read here in another way than docs/site/check_site.py reads them. The search runs in node, where there is one.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

SKIPPED = 77
MOST_FOUND = 30  # sections, in search.js
SEARCH = """
const fs = require("fs"), vm = require("vm");
const context = vm.createContext({ window: {}, queries: JSON.parse(fs.readFileSync(0, "utf8")) });
for (const file of process.argv.slice(1)) vm.runInContext(fs.readFileSync(file, "utf8"), context);
console.log(vm.runInContext("JSON.stringify(queries.map((query) => findSections(window.searchIndex, query)))", context));
"""
# Path and text of the files of a tree with faults, and the complaints about it.
FAULTY = {
    "README.md": "# First\n[no page](docs/absent.md) [no heading](docs/a.md#absent) [a heading](docs/a.md#its-part-2)\n"
                 "[elsewhere](https://dpm.example)\n",
    "docs/a.md": "# A\n## Its `part`, 2\n![far](https://dpm.example/far.png) [outside](../../outside.txt) [no anchor](#none)\n",
}
COMPLAINTS = [
    "docs/a.html: link to '../../outside.txt', which does not exist",
    "docs/a.html: link to '#none' of docs/a.html, which has no such heading",
    "docs/a.html: loads 'https://dpm.example/far.png', which is not a file of the site",
    "index.html: link to 'docs/absent.md', which does not exist",
    "index.html: link to '#absent' of docs/a.html, which has no such heading",
]
# A tree without faults: a folder without README.md, a part's page, a name with a space, a link back, a document that no page links to.
SOUND = {
    "README.md": "# First\n[list](docs/README.md) [folder](examples) [part](part/README.md#for)\n",
    "docs/README.md": "# Pages\n\n**Use it**\n\n- [The \"A\"](a.md): all\n",
    "docs/a.md": "# A\n## One\nholds many calls; holds; holds\n## Two\nmany holds\n## Rest\n"
                 "`[](int x)` and [a file](<../examples/two words.txt>), [home](../README.md)\n",
    "docs/z.md": "# Not listed\n",
    "examples/two words.txt": "hello\n",
    "part/README.md": "# Part\n## For\n[back](../docs/a.md)\n",
    "part/not_linked.md": "# Not a page\n",
}
SOUND_SITE = {"index.html", "docs/index.html", "docs/a.html", "docs/z.html", "examples/index.html", "examples/two words.txt", "part/index.html",
              "search.js", "search_index.js", "site.css", "site.js", "theme.css"}
SOUND_LINKS = {
    "index.html": ["docs/index.html", "examples/index.html", "part/index.html#for"],
    "docs/a.html": ["../examples/two%20words.txt", "../index.html"],
}

failures: list[str] = []


def expect(is_so: bool, text: str) -> None:
    if not is_so:
        failures.append(text)


def make_site(source: pathlib.Path, tree: pathlib.Path, site: pathlib.Path) -> tuple[int, str]:
    command = [source / "docs/site/make_site.py", tree, site]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout


def plant(tree: pathlib.Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")


def files_of(site: pathlib.Path) -> set[str]:
    return {str(file.relative_to(site)) for file in site.rglob("*") if file.is_file()}


def main_part(page: str) -> str:
    return page[page.index("<main>"):page.index("</main>")]


def expect_links(site: pathlib.Path) -> int:
    """The number of links: each leads to a file, and to an anchor of it; nothing comes from the network."""
    pages = {path: (site / path).read_text(encoding="utf-8") for path in files_of(site) if path.endswith(".html")}
    count = 0
    for path, text in pages.items():
        for before, address in re.findall(r'<([^<>]*?)\b(?:href|src)="([^"]*)"', text):
            if re.match(r"https?:", address):
                expect(before.startswith("a "), f"{path} loads {address}")
                continue
            name, _, anchor = address.partition("#")
            target = (site / path).parent / name.replace("%20", " ") if name else site / path
            expect(target.is_file(), f"{path}: no file {address}")
            of_target = pages.get(os.path.relpath(target, site), "")
            expect(not anchor or f'id="{anchor}"' in of_target, f"{path}: no anchor {address}")
            count += 1
    for file in [*site.glob("*.css"), site / "site.js", site / "search.js"]:
        expect(not re.search(r"https?:|@import|url\(", file.read_text(encoding="utf-8")), f"{file.name} loads something")
    return count


def read_index(site: pathlib.Path) -> dict[str, list[list[str]]]:
    """Of each page, its sections: anchor, heading and text."""
    text = (site / "search_index.js").read_text(encoding="utf-8")
    return {path: sections for path, _, sections in json.loads(text.removeprefix("window.searchIndex = ").removesuffix(";\n"))}


def search(site: pathlib.Path, queries: list[str]) -> list[list[dict[str, str]]]:
    done = subprocess.run(["node", "-e", SEARCH, site / "search.js", site / "search_index.js"], input=json.dumps(queries), capture_output=True,
                          text=True, encoding="utf-8", check=True)
    found: list[list[dict[str, str]]] = json.loads(done.stdout)
    return found


def rarest_words(source: pathlib.Path, documents: list[str]) -> dict[str, str]:
    """Of each document a word of its prose that the fewest other documents have."""
    prose_of = {path: re.sub(r"<!--.*?-->|\]\([^)]*\)", "", (source / path).read_text(encoding="utf-8")) for path in documents}
    words_of = {path: set(re.findall(r"(?<![\w`/.#-])[a-z]{6,}(?=[ ,.])", prose)) for path, prose in prose_of.items()}
    documents_with = Counter(word for words in words_of.values() for word in words)
    return {path: min(words, key=lambda word: (documents_with[word], word)) for path, words in words_of.items()}


def try_project(source: pathlib.Path, site: pathlib.Path) -> None:
    status, printed = make_site(source, source, site)
    expect(status == 0, f"make_site.py ended with {status}: {printed}")
    if status != 0:
        return
    documents = ["README.md", "CHANGELOG.md", *(f"docs/{file.name}" for file in sorted((source / "docs").glob("*.md")))]
    page_of = {path: re.sub(r"\.md$", ".html", re.sub(r"README\.md$", "index.html", path)) for path in documents}
    index = read_index(site)
    for path, page in page_of.items():
        expect((site / page).is_file() and page in index, f"{path} is not a page, or not in the index")
    links = expect_links(site)
    words = rarest_words(source, documents)
    for path, word in words.items():
        expect(any(word in text.lower() or word in heading.lower() for _, heading, text in index.get(page_of[path], [])),
               f"the index of {path} lacks '{word}'")
    print(f"{len(index)} pages, {links} links, {len(words)} words looked for")
    if shutil.which("node") is None:
        print("node is not installed: the search was not run")
        return
    for (path, word), found in zip(words.items(), search(site, list(words.values()))):
        paths = {section["path"] for section in found}
        expect(page_of[path] in paths or len(found) == MOST_FOUND, f"a search for '{word}' does not find {path}, only {paths}")
        for section in found:
            of_page = (site / section["path"]).read_text(encoding="utf-8")
            expect(not section["anchor"] or f'id="{section["anchor"]}"' in of_page,
                   f"a search for '{word}' leads to '#{section['anchor']}' of {section['path']}")


def try_search(site: pathlib.Path) -> None:
    """Of the small tree: which sections a query finds, best first."""
    if shutil.which("node") is None:
        return
    cases: dict[str, list[str]] = {"": [], "int X": ["docs/a.html"], "part": ["part/index.html"], "absent": [], "part back": ["part/index.html"],
                                   "(": ["docs/a.html"], "first HOME": [], "first part": ["index.html"]}
    for (query, paths), found in zip(cases.items(), search(site, list(cases))):
        got = list(dict.fromkeys(section["path"] for section in found))
        expect(got[:len(paths)] == paths and bool(got) == bool(paths), f"a search for '{query}' finds {got}")
    for query, heading in {"many holds": "Two", "holds many": "One", "two": "Two"}.items():
        found = search(site, [query])[0]
        expect(bool(found) and found[0]["heading"] == heading, f"the first section with '{query}' is not '{heading}': {found}")


def try_small_trees(source: pathlib.Path, folder: pathlib.Path) -> None:
    site = folder / "small-site"
    plant(folder / "sound", SOUND)
    status, printed = make_site(source, folder / "sound", site)
    expect(status == 0, f"a sound tree ended with {status}: {printed}")
    if status != 0:
        return
    try_search(site)
    (site / "docs/old.html").write_text("of a page that is gone\n", encoding="utf-8")
    make_site(source, folder / "sound", site)
    expect(files_of(site) == SOUND_SITE, f"of a sound tree: {files_of(site)}")
    expect_links(site)
    for path, links in SOUND_LINKS.items():
        got = re.findall(r'href="([^"]*)"', main_part((site / path).read_text(encoding="utf-8")))
        expect(got == links, f"links of {path}: {got}")
    expect("The &quot;A&quot;" in (site / "docs/a.html").read_text(encoding="utf-8"), "docs/a.html does not list the pages of docs/README.md")

    plant(folder / "faulty", FAULTY)
    status, printed = make_site(source, folder / "faulty", site)
    expect(status == 1 and sorted(printed.splitlines()) == sorted(COMPLAINTS), f"a faulty tree ended with {status}: {printed}")
    expect(files_of(site) == SOUND_SITE, "a faulty tree replaced the site that was there")
    expect(not (folder / "small-site.new").exists(), "a faulty tree left files behind")

    plant(folder / "precious", {"letter.txt": "mine\n"})
    status, printed = make_site(source, folder / "sound", folder / "precious")
    expect(status == 2 and files_of(folder / "precious") == {"letter.txt"}, f"a folder with other files was replaced ({status}): {printed}")


def main() -> int:
    source = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("pandoc") is None:
        print("SKIPPED: pandoc is not installed (./dev site installs it)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try_small_trees(source, folder)
        try_project(source, folder / "site")
    for failure in failures:
        print(f"site: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
