"""What an HTML page holds, read as a browser would: its anchors, its links, the files that it loads, and its text by section."""
import html.parser
from dataclasses import dataclass, field

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
INLINE = {"a", "b", "bdi", "code", "del", "em", "i", "kbd", "mark", "s", "small", "span", "strong", "sub", "sup"}
WITHOUT_TEXT = {"script", "style"}


@dataclass
class Section:
    level: int  # of its heading: 1 to 6; 0 before the first one
    anchor: str
    heading: str
    text: str


@dataclass
class PageReader(html.parser.HTMLParser):
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=lambda: [Section(0, "", "", "")])

    def __post_init__(self) -> None:
        super().__init__()
        self._in_heading = False
        self._without_text = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif "src" in values or tag == "link":
            self.loaded.append(values.get("src", values.get("href", "")))
        if tag in HEADINGS:
            self.sections.append(Section(int(tag[1]), values.get("id", ""), "", ""))
        self._in_heading = self._in_heading or tag in HEADINGS
        self._without_text = tag in WITHOUT_TEXT
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        self._in_heading = self._in_heading and tag not in HEADINGS
        self._without_text = False
        self._separate(tag)

    def handle_data(self, data: str) -> None:
        if self._without_text:
            return
        if self._in_heading:
            self.sections[-1].heading += data
        else:
            self.sections[-1].text += data

    def _separate(self, tag: str) -> None:
        """Words of two paragraphs or cells are two words."""
        if tag not in INLINE:
            self.sections[-1].text += " "


def read_html(text: str) -> PageReader:
    reader = PageReader()
    reader.feed(text)
    reader.close()
    for section in reader.sections:
        section.text = " ".join(section.text.split())
        section.heading = " ".join(section.heading.split())
    return reader
