#!/usr/bin/env python3
"""make_site.py SOURCE SITE: the documentation as HTML pages that a browser reads from files, without a server or a network.

README.md, CHANGELOG.md and docs/*.md become pages. So does each Markdown file that a page links to, and each folder: its README.md, or a
list of its files. Other files that a page links to are copied. The site has the folders of the tree, and README.md is index.html there,
so links stay as they are but for the ends of their names. The list of pages beside each page is that of docs/README.md.

pandoc translates Markdown; it makes the anchors that GitHub makes. A browser may not fetch files from file://, but may run scripts from
there: so the index of the search is a script.

A site with a broken link is not written: the links are printed, and the exit status is 1.
"""
import concurrent.futures
import html
import json
import os
import pathlib
import re
import shutil
import string
import subprocess
import sys
import urllib.parse
from dataclasses import dataclass

sys.dont_write_bytecode = True
from check_site import check_site, is_elsewhere
from page_reader import Section, read_html

HERE = pathlib.Path(__file__).resolve().parent
ASSETS = [HERE / "site.css", HERE / "site.js", HERE / "search.js", HERE.parent.parent / "view/page/style/theme.css"]
# Each extension is named: those of pandoc's "gfm" differ between its versions.
MARKDOWN = "commonmark+pipe_tables+gfm_auto_identifiers+autolink_bare_uris+strikeout+task_lists"
INDEX = "search_index.js"


@dataclass
class Page:
    path: str  # in the site: docs/metering.html
    content: str  # HTML, with links of the site
    sections: list[Section]

    @property
    def title(self) -> str:
        return next((section.heading for section in self.sections if section.level == 1), self.path)


def site_path(source: pathlib.Path, path: str) -> str:
    """The path in the site of a file or folder of the tree."""
    if (source / path).is_dir():
        return os.path.normpath(f"{path}/index.html")
    return re.sub(r"\.md$", ".html", re.sub(r"(^|/)README\.md$", r"\1index.html", path))


def markdown_of(source: pathlib.Path, path: str) -> str:
    """The text of a page, or of a folder's README.md; of a folder without one, a list of its files."""
    place = source / path
    if not place.is_dir():
        return place.read_text(encoding="utf-8")
    if (place / "README.md").is_file():
        return (place / "README.md").read_text(encoding="utf-8")
    names = sorted(entry.name for entry in place.iterdir() if not entry.name.startswith((".", "__")))
    return f"# {path}\n\n" + "".join(f"- [`{name}`](<{name}>)\n" for name in names)


def translate(markdown: str) -> str:
    command = ["pandoc", "--from", MARKDOWN, "--to", "html5", "--wrap", "none", "--no-highlight", "--strip-comments"]
    return subprocess.run(command, input=markdown, capture_output=True, text=True, encoding="utf-8", check=True).stdout


def link_pages(source: pathlib.Path, path: str, content: str) -> tuple[str, set[str]]:
    """The HTML of a page with links of the site, and the files and folders of the tree that it links to."""
    folder = path if (source / path).is_dir() else os.path.dirname(path)
    linked = set()

    def rewrite(link: re.Match[str]) -> str:
        address = html.unescape(link[2])
        name, mark, anchor = address.partition("#")
        target = os.path.normpath(os.path.join(folder, urllib.parse.unquote(name)))
        if not name or is_elsewhere(address) or target.startswith("..") or not (source / target).exists():
            return link[0]
        linked.add(target)
        relative = os.path.relpath(site_path(source, target), os.path.dirname(site_path(source, path)) or ".")
        return f'{link[1]}="{html.escape(urllib.parse.quote(relative) + mark + anchor)}"'

    return re.sub(r'(<a href|<img src)="([^"]*)"', rewrite, content), linked


def is_page(source: pathlib.Path, path: str) -> bool:
    return path.endswith(".md") or (source / path).is_dir()


def collect(source: pathlib.Path) -> tuple[list[Page], set[str]]:
    """All pages, and the files that are copied beside them."""
    pages: dict[str, Page] = {}
    copied: set[str] = set()
    todo = sorted(str(file.relative_to(source)) for file in [*source.glob("*.md"), *source.glob("docs/*.md")])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as translators:
        while todo:
            found: set[str] = set()
            for path, content in zip(todo, translators.map(lambda path: translate(markdown_of(source, path)), todo)):
                content, linked = link_pages(source, path, content)
                pages[site_path(source, path)] = Page(site_path(source, path), content, read_html(content).sections)
                found |= {target for target in linked if is_page(source, target)}
                copied |= {target for target in linked if not is_page(source, target)}
            # A folder and its README.md are one page.
            of_page = {site_path(source, path): path for path in sorted(found)}
            todo = [path for page, path in of_page.items() if page not in pages]
    return list(pages.values()), copied


def groups_of(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The groups of docs/README.md, "**Use it**", with the name and the path of each page listed there as "- [Sampling](sampling.md): ..."."""
    groups: list[tuple[str, list[tuple[str, str]]]] = [("", [("DPM", "README.md")])]
    for line in text.splitlines():
        if heading := re.fullmatch(r"\*\*(.*)\*\*", line):
            groups.append((heading[1], []))
        elif page := re.match(r"- \[([^\]]*)\]\(([^)#:]*\.md)\)", line):
            groups[-1][1].append((page[1], os.path.normpath(f"docs/{page[2]}")))
    groups.append(("", [("All documentation", "docs/README.md"), ("Changelog", "CHANGELOG.md")]))
    return groups


def list_of_pages(source: pathlib.Path, page: Page) -> str:
    listed = source / "docs/README.md"
    lines = []
    for heading, entries in groups_of(listed.read_text(encoding="utf-8") if listed.is_file() else ""):
        lines += [f"<h2>{html.escape(heading)}</h2>"] if heading else []
        lines.append("<ul>")
        for name, path in entries:
            if not (source / path).is_file():
                continue
            target = site_path(source, path)
            address = os.path.relpath(target, os.path.dirname(page.path) or ".")
            here = ' aria-current="page"' if target == page.path else ""
            lines.append(f'<li><a href="{html.escape(address)}"{here}>{html.escape(name)}</a></li>')
        lines.append("</ul>")
    return "\n".join(lines)


def table_of_contents(page: Page) -> str:
    entries = [f'<li class="level-{section.level}"><a href="#{section.anchor}">{html.escape(section.heading)}</a></li>'
               for section in page.sections if section.level in (2, 3)]
    if len(entries) < 2:
        return ""
    return '<details class="contents"><summary>On this page</summary><ul>\n' + "\n".join(entries) + "\n</ul></details>"


def frame(source: pathlib.Path, page: Page) -> str:
    root = "../" * page.path.count("/")
    # A wide table scrolls by itself, so that the page does not.
    content = page.content.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
    # A browser breaks lines after hyphens, also after those of an option.
    content = re.sub(r"<code>([^<]{1,24})</code>", r'<code class="short">\1</code>', content)
    template = string.Template((HERE / "frame.html").read_text(encoding="utf-8"))
    return template.substitute(title=html.escape(page.title), root=root, pages=list_of_pages(source, page),
                               contents=table_of_contents(page), content=content)


def search_index(pages: list[Page]) -> str:
    """[path, title, [[anchor, heading, text]...]] of each page."""
    rows = [[page.path, page.title, [[section.anchor, section.heading, section.text] for section in page.sections if section.heading or section.text]]
            for page in pages]
    return "window.searchIndex = " + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ";\n"


def write(source: pathlib.Path, site: pathlib.Path, pages: list[Page], copied: set[str]) -> None:
    for page in pages:
        file = site / page.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(frame(source, page), encoding="utf-8")
    for path in copied:
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, site / path)
    for asset in ASSETS:
        shutil.copyfile(asset, site / asset.name)
    (site / INDEX).write_text(search_index(pages), encoding="utf-8")


def main() -> int:
    source, site = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if site.exists() and not (site / INDEX).is_file():
        print(f"make_site: {site} is there and is not a site of pages: nothing was written", file=sys.stderr)
        return 2
    pages, copied = collect(source)
    made = site.with_name(site.name + ".new")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    write(source, made, pages, copied)
    complaints = check_site(made)
    if complaints:
        print(*complaints, sep="\n")
        shutil.rmtree(made)
        return 1
    shutil.rmtree(site, ignore_errors=True)
    made.rename(site)
    print(f"{len(pages)} pages and {len(copied)} files that they link to: {site}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
