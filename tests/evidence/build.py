"""Short ways to write rows and passages."""

from typing import Any

from evalrag.evidence.assess import Assessment, assess
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage
from evalrag.schema.words import Mark

RELEVANT, PARTIAL, UNJUDGED = Mark.RELEVANT, Mark.PARTIAL, Mark.UNJUDGED
REPEAT, SUPERSEDED, NEAR_MISS = Mark.REPEAT, Mark.SUPERSEDED, Mark.NEAR_MISS


def row(*gold: Any, **fields: Any) -> Row:
    """A happy-path row, unless another kind is given."""
    about = {"id": "r", "kind": "happy-path", "question": "?", "gold": list(gold)} | fields
    return Row.model_validate(about)


def text(words: str, doc: str | None = "refunds", **fields: Any) -> Passage:
    """A passage with a text; its id is the text, unless another is given."""
    passage: dict[str, Any] = {"id": words, "text": words} | fields
    if doc is not None:
        passage["doc"] = doc
    return passage  # type: ignore[return-value]


def chunk(name: str, **fields: Any) -> Passage:
    """A passage that is an id alone."""
    passage: dict[str, Any] = {"id": name} | fields
    return passage  # type: ignore[return-value]


def seen(golden: Row, *passages: Passage, **reading: Any) -> Assessment:
    """The row held against these passages, as candidates and as context."""
    return assess(golden, passages, passages, Reading(**reading))


def quoted(quote: str, *passages: Passage, **reading: Any) -> Assessment:
    """One gold quote without a doc held against these passages."""
    return seen(row({"quote": quote}), *passages, **reading)
