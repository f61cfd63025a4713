"""Whether the pages of a site are complete: their links and anchors lead somewhere, and they load only files of the site."""
import os
import pathlib
import urllib.parse

from page_reader import PageReader, read_html


def is_elsewhere(address: str) -> bool:
    return bool(urllib.parse.urlsplit(address).scheme) or address.startswith("//")


def complaints_about_links(site: pathlib.Path, path: str, pages: dict[str, PageReader]) -> list[str]:
    complaints = []
    for address in pages[path].links + pages[path].loaded:
        if is_elsewhere(address):
            continue
        name, _, anchor = address.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(name))) if name else path
        if target.startswith("..") or not (site / target).is_file():
            complaints.append(f"{path}: link to '{name}', which does not exist")
        elif anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target].anchors:
            complaints.append(f"{path}: link to '#{anchor}' of {target}, which has no such heading")
    return complaints


def check_site(site: pathlib.Path) -> list[str]:
    """One sentence for each link that leads nowhere and for each file that is loaded from elsewhere."""
    pages = {str(file.relative_to(site)): read_html(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    complaints = []
    for path, page in pages.items():
        complaints += complaints_about_links(site, path, pages)
        complaints += [f"{path}: loads '{address}', which is not a file of the site" for address in page.loaded if is_elsewhere(address)]
    return complaints
