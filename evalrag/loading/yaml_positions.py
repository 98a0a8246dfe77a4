"""One YAML document with the place of every key: a small, unsurprising part of YAML 1.2.

`yes`, `on`, `12:30` and `2026-11-30` are texts here, as they look; only true, false, null and
decimal, octal (0o7) and hexadecimal (0x1F) numbers are not. Refused: tags, keys that stand twice
or are no text, merge keys, several documents, aliases that blow up, infinities.
"""

import codecs
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from evalrag.loading.show import KeyPath, clean

MAX_BYTES = 1_000_000
MAX_DEPTH = 40
MAX_ALIASED = 10_000
"""Values that all aliases together may repeat."""

Place: TypeAlias = tuple[int, int]
"""Line and column, from 1."""
Complaint: TypeAlias = tuple[str, Place | None, KeyPath]
"""What is wrong, where in the text, and at which key path."""

_NUMBER = re.compile(
    r"(?P<int>[-+]?(?:0|[1-9][0-9]*))|0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
)
_WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LONGEST_NUMBER = 64
_BREAKS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class YamlError(Exception):
    """The text is no YAML that is read here, and nothing of it can be used."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message, self.place = message, place


@dataclass(slots=True)
class Document:
    """A document's value, and what is known of the places in it."""

    value: Any = None
    places: dict[KeyPath, Place] = field(default_factory=dict)
    """Of a key where there is one, of the value otherwise."""
    plain: set[KeyPath] = field(default_factory=set)
    """Scalars that are written without quotes."""
    complaints: list[Complaint] = field(default_factory=list)


def scalar(text: str) -> str | int | float | bool | None:
    """What a scalar without quotes means. Digits with a leading zero, or too many, are a text."""
    if text in _WORDS:
        value: bool | None = _WORDS[text]
        return value
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    match found.lastgroup if found else None:
        case "int":
            return int(text)
        case "octal":
            return int(text[2:], 8)
        case "hex":
            return int(text[2:], 16)
        case "float":
            return float(text) if math.isfinite(float(text)) else text
    return text


def read(data: bytes) -> Document:
    """The document that `data` holds. Problems that leave a value are in its `complaints`.

    Raises:
        YamlError: it cannot be read at all.
    """
    text = _decoded(data)
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
    except YamlError:
        raise
    except yaml.reader.ReaderError as error:
        message = f"the character U+{int(error.character):04X} may not stand in YAML"
        raise YamlError(message, _place_of(text, error.position)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if mark is not None and text[max(mark.index - 1, 0) : mark.index + 1] == "${":
            message = "inside {...} and [...], a ${NAME} stands in quotes"
            raise YamlError(message, (mark.line + 1, mark.column)) from None
        raise YamlError(_plain(error), _place(mark)) from None
    except (ValueError, OverflowError):  # "\U00110000" has no character
        raise YamlError("an escape stands for no character", _place(loader.get_mark())) from None
    document = Document()
    if root is not None:
        document.places[()] = _place(root.start_mark)
        document.value = _Values(document).of(root, ())
    return document


class _Loader(yaml.SafeLoader):
    """Composes nodes alone, and stops at what would make them large, deep or typed."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "tag", None) is not None:
            tag = clean(str(event.tag).replace("tag:yaml.org,2002:", "!!"))
            raise YamlError(f"tags such as {tag} are not read: drop it", _place(event.start_mark))
        if self.depth >= MAX_DEPTH:
            raise YamlError(f"nested more than {MAX_DEPTH} levels deep", _place(event.start_mark))
        self.depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Values:
    """Turns nodes into values, and notes places and complaints on the way."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._aliased = 0

    def of(self, node: yaml.Node, path: KeyPath) -> Any:
        if id(node) in self._seen:
            self._aliased += 1
            if self._aliased > MAX_ALIASED:
                raise YamlError("aliases repeat too much: write it out", _place(node.start_mark))
        self._seen.add(id(node))
        if id(node) in self._open:
            raise YamlError("an alias stands inside what it names", _place(node.start_mark))
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        self._open.add(id(node))
        value: Any
        if isinstance(node, yaml.MappingNode):
            value = self._mapping(node, path)
        else:
            value = self._list(node, path)
        self._open.discard(id(node))
        return value

    def _complain(self, message: str, node: yaml.Node, path: KeyPath) -> None:
        self._document.complaints.append((message, _place(node.start_mark), path))

    def _scalar(self, node: yaml.ScalarNode, path: KeyPath) -> Any:
        text: str = node.value
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            self._complain("an escape is half of a surrogate pair", node, path)
            return ""
        if node.style is not None:
            return text
        self._document.plain.add(path)
        value = scalar(text)
        if value == text and (_NOT_FINITE.fullmatch(text) or _overflows(text)):
            self._complain(f"{clean(text)} is not a finite number", node, path)
        return value

    def _list(self, node: yaml.Node, path: KeyPath) -> list[Any]:
        values = []
        for i, item in enumerate(node.value):
            self._document.places[(*path, i)] = _place(item.start_mark)
            values.append(self.of(item, (*path, i)))
        return values

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key is None:
                continue
            inner = (*path, key)
            if key in values:
                line, _ = self._document.places[inner]
                message = f'the key "{clean(key)}" stands twice: first in line {line}'
                self._complain(message, key_node, inner)
                continue
            self._document.places[inner] = _place(key_node.start_mark)
            values[key] = self.of(value_node, inner)
        return values

    def _key(self, node: yaml.Node, path: KeyPath) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self._complain("a key is a text, not a list or a mapping", node, path)
            return None
        text: str = node.value
        if node.style is None and text == "<<":
            self._complain(
                "merge keys (<<) are not read: write the keys out, or share a whole block",
                node,
                path,
            )
            return None
        if node.style is None and not isinstance(scalar(text), str):
            self._complain(f"the key {clean(text) or 'null'} is no text: quote it", node, path)
            return None
        if any("\ud800" <= c <= "\udfff" for c in text):
            self._complain("an escape is half of a surrogate pair", node, path)
            return None
        return text


def _overflows(text: str) -> bool:
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    return found is not None and found.lastgroup == "float"


def _place(mark: Any) -> Place:
    return (mark.line + 1, mark.column + 1)


def _place_of(text: str, index: int) -> Place:
    """Line and column of a character, with lines as YAML counts them."""
    before = text[:index]
    ends = [found.end() for found in _BREAKS.finditer(before)]
    return len(ends) + 1, len(before) - (ends[-1] if ends else 0) + 1


def _decoded(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise YamlError(f"the file is larger than {MAX_BYTES:,} bytes")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise YamlError("this file is UTF-16: save it as UTF-8", (1, 1))
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        byte = data[error.start]
        raise YamlError(
            f"not UTF-8: byte 0x{byte:02X}; save the file as UTF-8", _place_of(before, len(before))
        ) from None


def _plain(error: yaml.MarkedYAMLError) -> str:
    problem = str(error.problem or error.context or "not YAML")
    if "\\t" in problem or "'\t'" in problem:
        return "a tab cannot indent YAML: use spaces"
    if "another document" in problem:
        return "one document is read: drop everything from the second --- on"
    if "mapping values are not allowed" in problem:
        return 'not YAML: a ":" is not expected here; check the indentation, or quote the text'
    context = f" ({error.context})" if error.context and error.context != problem else ""
    return clean(f"not YAML: {problem}{context}", 300)
