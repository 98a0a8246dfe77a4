"""One evidence without alternatives, held against one passage and against several together."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, Protocol, TypeAlias

from evalrag.evidence.quotes import Cover, cover, quote_of, text_of, together
from evalrag.evidence.spans import Ranges, length, overlap, union
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage

Group: TypeAlias = Hashable
"""Document and version: cover adds up within one group and never over two."""


@dataclass(frozen=True, slots=True)
class Touch:
    """What one passage does for one leaf."""

    alone: bool
    """The passage finds the leaf by itself."""
    part: bool = True
    """What it shares is worth the name: rule 4 of the marks."""
    solid: bool = True
    """What it firmly covers is worth the name: rule 3 of the marks."""
    group: Group = None
    cover: Any = None
    """The leaf's own: a `Cover` of a quote, the ranges of a span."""


WHOLE = Touch(True)
LACKING: Mapping[str, str] = {
    "id": "no passage has an id",
    "doc": "no passage has a doc",
    "text": "no passage has a text",
    "span": "no passage carries a span",
    "metadata": "no passage has metadata",
}
"""Field -> why what needs it cannot be matched."""


class Leaf(Protocol):
    """A chunk, a doc, a quote, a span."""

    def touch(self, passage: Passage) -> Touch | None:
        """What the passage does for it; None for nothing."""

    def share(self, touches: list[Touch]) -> float:
        """The share, in [0, 1], that these touches of one group cover together."""

    def firm(self, touches: list[Touch]) -> float:
        """The share of it that counts for finding it."""

    def found(self, touches: list[Touch]) -> bool:
        """These touches of one group find it."""

    def unmatchable(self, passages: "Carried") -> str | None:
        """Why no such passages could ever match it; None where they could."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Which fields any passage of the row carries at all."""

    id: bool
    doc: bool
    text: bool
    span: bool
    metadata: bool


def equal(one: Any, two: Any) -> bool:
    """Equal as JSON values, where true is not 1."""
    return bool(one == two) and isinstance(one, bool) == isinstance(two, bool)


def has_all(passage: Passage, wanted: Mapping[str, Any]) -> bool:
    """Every wanted key is among the passage's metadata, with an equal value."""
    if not wanted:
        return True
    metadata = passage.get("metadata") or {}
    return all(key in metadata and equal(metadata[key], wanted[key]) for key in wanted)


def group_of(passage: Passage, version_key: str) -> Group:
    """The passage's document and version; without a doc, its id, or its text, is its document."""
    metadata = passage.get("metadata")
    version = metadata.get(version_key) if metadata else None
    name = version if version is None or isinstance(version, str) else repr(version)
    doc = passage.get("doc")
    if doc is not None:
        return ("doc", doc, name)
    key = passage.get("id")
    return ("id", key, name) if key else ("text", passage.get("text"), name)


@dataclass(frozen=True, slots=True)
class NamedLeaf:
    """A passage with this id, or any passage of this document: one of them finds it whole."""

    field: Literal["id", "doc"]
    name: str
    metadata: Mapping[str, Any]

    def touch(self, passage: Passage) -> Touch | None:
        same = passage.get(self.field) == self.name and has_all(passage, self.metadata)
        return WHOLE if same else None

    def share(self, touches: list[Touch]) -> float:
        return 1.0 if touches else 0.0

    firm = share

    def found(self, touches: list[Touch]) -> bool:
        return bool(touches)

    def unmatchable(self, passages: Carried) -> str | None:
        if passages.id if self.field == "id" else passages.doc:
            return None
        return LACKING[self.field]


@dataclass(frozen=True, slots=True)
class MetadataLeaf:
    """Any passage with this metadata: of what is forbidden alone."""

    metadata: Mapping[str, Any]

    def touch(self, passage: Passage) -> Touch | None:
        return WHOLE if has_all(passage, self.metadata) else None

    def share(self, touches: list[Touch]) -> float:
        return 1.0 if touches else 0.0

    firm = share

    def found(self, touches: list[Touch]) -> bool:
        return bool(touches)

    def unmatchable(self, passages: Carried) -> str | None:
        return None if passages.metadata else LACKING["metadata"]


@dataclass(frozen=True, slots=True)
class QuoteLeaf:
    """These words, in one document and version."""

    quote: str
    doc: str | None
    metadata: Mapping[str, Any]
    coverage: float
    version_key: str

    def touch(self, passage: Passage) -> Touch | None:
        text = passage.get("text")
        if not text or (self.doc is not None and passage.get("doc") != self.doc):
            return None
        if not has_all(passage, self.metadata):
            return None
        quote = quote_of(self.quote)
        seen = cover(quote, text_of(text))
        if seen is None:
            return None
        alone = quote.found(seen.settled(quote), self.coverage)
        group = group_of(passage, self.version_key)
        return Touch(alone, seen.part, seen.solid, group, seen)

    def share(self, touches: list[Touch]) -> float:
        quote = quote_of(self.quote)
        return quote.share(_together(touches).shown(quote))

    def firm(self, touches: list[Touch]) -> float:
        quote = quote_of(self.quote)
        return quote.share(_together(touches).settled(quote))

    def found(self, touches: list[Touch]) -> bool:
        quote = quote_of(self.quote)
        return quote.found(_together(touches).settled(quote), self.coverage)

    def unmatchable(self, passages: Carried) -> str | None:
        if not quote_of(self.quote).tokens:
            return "the quote has no words"
        if not passages.text:
            return LACKING["text"]
        return None if self.doc is None or passages.doc else LACKING["doc"]


def _together(touches: list[Touch]) -> Cover:
    return reduce(together, [touch.cover for touch in touches], Cover())


@dataclass(frozen=True, slots=True)
class SpanLeaf:
    """This range of characters of one document and version."""

    doc: str | None
    span: tuple[int, int]
    metadata: Mapping[str, Any]
    coverage: float
    version_key: str

    def touch(self, passage: Passage) -> Touch | None:
        held = passage.get("span")
        if held is None or passage.get("doc") != self.doc or not has_all(passage, self.metadata):
            return None
        part = overlap(self.span, (held[0], held[1]))
        if not part:
            return None
        alone = self._share(part) >= self.coverage
        return Touch(alone, True, True, group_of(passage, self.version_key), part)

    def share(self, touches: list[Touch]) -> float:
        none: Ranges = ()
        return self._share(reduce(union, (touch.cover for touch in touches), none))

    firm = share

    def found(self, touches: list[Touch]) -> bool:
        return self.share(touches) >= self.coverage

    def unmatchable(self, passages: Carried) -> str | None:
        if not passages.span:
            return LACKING["span"]
        return None if passages.doc else LACKING["doc"]

    def _share(self, ranges: Ranges) -> float:
        return length(ranges) / (self.span[1] - self.span[0])


def leaf_of(evidence: Evidence, reading: Reading) -> Leaf:
    """The leaf that an evidence without alternatives is."""
    about, settings = evidence.metadata, (reading.quote_coverage, reading.version_key)
    if evidence.chunk is not None:
        return NamedLeaf("id", evidence.chunk, about)
    if evidence.quote is not None:
        return QuoteLeaf(evidence.quote, evidence.doc, about, *settings)
    if evidence.span is not None:
        return SpanLeaf(evidence.doc, evidence.span, about, *settings)
    if evidence.doc is None:
        return MetadataLeaf(about)
    return NamedLeaf("doc", evidence.doc, about)
