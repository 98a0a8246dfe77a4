"""Evidence of which the chunker left a part outside: cut, and not merely alike."""

from collections.abc import Sequence

from evalrag.evidence.cuts import edges
from evalrag.evidence.match import Leaf, QuoteLeaf, SpanLeaf
from evalrag.evidence.quotes import EDGE, quote_of, text_of
from evalrag.evidence.tree import Forest
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage


def parted(evidence: Evidence, passages: Sequence[Passage], reading: Reading) -> bool:
    """A quote or span of it was cut, and the passages hold a part of it and not the rest.

    A twin with another number shares most of a quote, and is no part of it; neither is one of
    several chunks or documents that are asked for together.

    Args:
        evidence: a gold one that the passages together do not find.
        passages: what the model was given; `[]` is false.
        reading: the plan's settings.
    """
    forest = Forest(reading)
    forest.plant([evidence])
    return any(_holds_part(leaf, passage) for leaf in forest.leaves for passage in passages)


def _holds_part(leaf: Leaf, passage: Passage) -> bool:
    touch = leaf.touch(passage)
    if touch is None or touch.alone:
        return False
    if isinstance(leaf, SpanLeaf):
        return True
    if not isinstance(leaf, QuoteLeaf):
        return False
    cut = edges(quote_of(leaf.quote), text_of(passage.get("text") or ""))
    return any(size >= EDGE for _, size, _, _ in cut)
