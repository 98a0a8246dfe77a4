"""Each format read back as its readers do, down to the text that people see."""

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import cmarkgfm
from cmarkgfm.cmark import Options
from jsonschema import Draft202012Validator

from tests.reporters.sarif_schema import LOG

SARIF = Draft202012Validator(LOG)
COMMAND = re.compile(r"::([a-z-]+)(?: (.*?))?::(.*)")
OURS = {
    *("h2", "h3", "p", "strong", "span", "ul", "li", "pre", "code"),
    *("del", "ins", "em"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
}
"""Tags that a report is drawn with."""
LEFT_BY_GITHUB = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "pre", "code", "div"),
    *("b", "i", "strong", "em", "ins", "del", "s", "strike", "sup", "sub", "tt", "small", "mark"),
    *("kbd", "q", "samp", "var", "abbr", "bdo", "cite", "dfn", "span", "time", "wbr", "a", "img"),
    *("ol", "ul", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tfoot", "caption"),
    *("tr", "td", "th", "ruby", "rt", "rp", "figure", "figcaption", "details", "summary"),
}
"""Tags that GitHub's sanitiser leaves in a comment; any other it takes out."""
FOUND_BY_GITHUB = re.compile(r"[@#]\w|://|www\.|GH-\d|:\w+:|\$", re.IGNORECASE)
"""What GitHub makes a name, an issue, an address, an image or mathematics of, in drawn text."""
RAW = "<!-- raw HTML omitted -->"
"""What stands for HTML that was written into Markdown, where none is let through."""


class Command(NamedTuple):
    """A workflow command as the runner takes it."""

    name: str
    properties: dict[str, str]
    data: str


def commands(text: str) -> list[Command]:
    """What the runner makes of a step's lines: codes are read back, other lines are log."""
    found = []
    for line in text.splitlines():
        assert not re.search(r"##[A-Za-z]*\[", line), line
        if not line.strip().startswith("::"):
            continue
        match = COMMAND.fullmatch(line)
        assert match is not None, line
        name, properties, data = match.groups()
        pairs = (part.split("=", 1) for part in (properties or "").split(",") if part)
        found.append(Command(name, {key: coded(value) for key, value in pairs}, coded(data)))
    assert {one.name for one in found} <= {"error", "warning", "notice"}
    assert {key for one in found for key in one.properties} <= {"file", "line", "title"}
    return found


def coded(text: str) -> str:
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text


class Page(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[tuple[str, str]] = set()
        self.said = ""
        self.plain = ""
        """All of it but what stands in a block of code or in a span."""
        self.items: list[str] = []
        self.spans: list[str] = []
        self.comments: list[str] = []
        self._in_item = self._in_span = self._in_code = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {(name, value or "") for name, value in attrs}
        if tag == "li":
            self.items.append("")
            self._in_item = True
        if tag == "span":
            self.spans.append("")
            self._in_span = True
        self._in_code = self._in_code or tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        self._in_code = self._in_code and tag != "pre"
        self._in_item = self._in_item and tag != "li"
        self._in_span = self._in_span and tag != "span"

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.said += data
        if self._in_item:
            self.items[-1] += data
        if self._in_span:
            self.spans[-1] += data
        elif not self._in_code:
            self.plain += data


def drawn(text: str, options: int = Options.CMARK_OPT_UNSAFE) -> str:
    """What GitHub's own library makes of a comment: raw HTML let through, ends of lines drawn."""
    options |= Options.CMARK_OPT_FOOTNOTES | Options.CMARK_OPT_HARDBREAKS
    return str(cmarkgfm.github_flavored_markdown_to_html(text, options))


def markdown(text: str) -> Page:
    """The page that GitHub draws; whatever data said is in it as text alone."""
    page = Page(drawn(text))
    assert set(page.tags) <= OURS & LEFT_BY_GITHUB, page.tags
    assert not page.attributes
    (marker,) = page.comments
    assert re.fullmatch(r" evalrag:[\w.-]+ ", marker)
    assert set(page.spans) <= {"$"}
    raw = 1 + 2 * sum(page.tags[tag] for tag in ("span", "details", "del", "ins"))
    assert drawn(text, 0).count(RAW) == raw, "all other HTML is from Markdown"
    assert FOUND_BY_GITHUB.findall(page.plain) == []
    return page


def page(text: str) -> Page:
    """A page of a whole site in one file: nothing in it that a hostile text brought along."""
    found = Page(text)
    names = {name for name, _ in found.attributes}
    assert not {name for name in names if name.startswith("on")}
    for name, value in found.attributes:
        if name in ("href", "src", "action", "formaction"):
            assert not value.strip().lower().startswith(("javascript:", "http", "//")), value
    assert "img" not in found.tags or ("src", "x") not in found.attributes
    return found


@cache
def _junit() -> Any:
    import xmlschema  # here, for it takes a second

    return xmlschema.XMLSchema10(str(Path(__file__).parent / "junit.xsd"))


def junit(text: str) -> ElementTree.Element:
    _junit().validate(text)
    return ElementTree.fromstring(text)


def sarif(text: str) -> dict[str, Any]:
    body = json.loads(text)
    SARIF.validate(body)
    (run,) = body["runs"]
    return run  # type: ignore[no-any-return]


def as_json(text: str) -> dict[str, Any]:
    commands(text)
    return json.loads(text)  # type: ignore[no-any-return]


READERS: dict[str, Callable[[str], Any]] = {
    "terminal": commands,
    "json": as_json,
    "junit": junit,
    "markdown": markdown,
    "github": commands,
    "sarif": sarif,
    "html": page,
}
