"""Each format read back as its readers do, down to the text that people see."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import xmlschema
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from tests.reporters.sarif_schema import LOG

JUNIT = xmlschema.XMLSchema10(str(Path(__file__).parent / "junit.xsd"))
SARIF = Draft202012Validator(LOG)
GITHUB = MarkdownIt("gfm-like")
assert GITHUB.linkify is not None
GITHUB.linkify.set({"fuzzy_link": False})  # nor does GitHub take `report.md` for an address
COMMAND = re.compile(r"::([a-z-]+)(?: (.*?))?::(.*)")
DRAWN_BY_MARKDOWN = {
    *("h2", "h3", "p", "strong", "span", "ul", "li", "pre", "code"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


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
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.said = ""
        self.items: list[str] = []
        self._in_item = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        if tag == "li":
            self.items.append("")
            self._in_item = True

    def handle_endtag(self, tag: str) -> None:
        self._in_item = self._in_item and tag != "li"

    def handle_data(self, data: str) -> None:
        self.said += data
        if self._in_item:
            self.items[-1] += data


def markdown(text: str) -> Page:
    """The page that GitHub draws; whatever data said is in it as text alone."""
    tokens = GITHUB.parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    raw = [one.content.strip() for one in (*tokens, *inline) if one.type.startswith("html_")]
    assert re.fullmatch(r"<!-- evalrag:[\w.-]+ -->", raw[0])
    assert set(raw[1:]) <= {"<span>", "</span>"}
    page = Page(GITHUB.render(text))
    assert page.tags <= DRAWN_BY_MARKDOWN, page.tags
    assert page.attributes <= {("class", "language-text")}
    assert not re.search(r"[@#]\w|://|www\.|GH-\d|:\w+:", page.said.split("Next:")[0])
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


def junit(text: str) -> ElementTree.Element:
    JUNIT.validate(text)
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
