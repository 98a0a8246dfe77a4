"""Evidence held against a whole corpus: is it there, and is it there once?"""

from collections.abc import Iterable, Mapping, Sequence

from evalrag.evidence.index import QuoteIndex
from evalrag.evidence.match import Group, Leaf, MetadataLeaf, NamedLeaf, QuoteLeaf, SpanLeaf, Touch
from evalrag.evidence.tree import Forest, Node, Shape
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage


def matches_in(evidence: Evidence, passages: Iterable[Passage], reading: Reading) -> int:
    """At how many distinct places of a corpus the evidence is found.

    Args:
        evidence: a gold, acceptable, superseded or near-miss evidence.
        passages: the corpus, in any order; read once.
        reading: the plan's settings.

    Returns:
        Passages for a chunk or a doc; documents in one version for a quote or a span; for `any_of`
        the alternatives that are found; for `all_of` the least of its parts, hence 0 unless each is
        found. 0 is missing content, a quote at 2 or more is ambiguous.
    """
    return matches([evidence], passages, reading)[0]


def matches(
    evidences: Sequence[Evidence], passages: Iterable[Passage], reading: Reading
) -> list[int]:
    """`matches_in` for many evidences, the corpus gone through once."""
    forest = Forest(reading)
    nodes = forest.plant(evidences)
    counts = [0] * len(forest.leaves)
    held: list[dict[Group, list[Touch]]] = [{} for _ in forest.leaves]
    asked = Asked(dict(enumerate(forest.leaves)))
    for passage in passages:
        for at in asked.by(passage):
            touch = forest.leaves[at].touch(passage)
            if touch is None:
                continue
            if touch.cover is None:
                counts[at] += 1
            else:
                held[at].setdefault(touch.group, []).append(touch)
    for at, leaf in enumerate(forest.leaves):
        counts[at] += sum(leaf.found(touches) for touches in held[at].values())
    return [_places(node, counts) for node in nodes]


def _places(node: Node, counts: Sequence[int]) -> int:
    if node.shape is Shape.LEAF:
        return counts[node.leaf]
    parts = [_places(part, counts) for part in node.parts]
    return sum(part > 0 for part in parts) if node.shape is Shape.ANY else min(parts)


class Asked:
    """Which leaves a passage can touch at all, by its id and doc."""

    def __init__(self, leaves: Mapping[int, Leaf]) -> None:
        self.chunks: dict[str, list[int]] = {}
        self.docs: dict[str, list[int]] = {}
        self.anything: list[int] = []
        quotes: dict[int, str] = {}
        for at, leaf in leaves.items():
            match leaf:
                case NamedLeaf(field="id", name=chunk):
                    self.chunks.setdefault(chunk, []).append(at)
                case NamedLeaf(name=doc) | QuoteLeaf(doc=str(doc)) | SpanLeaf(doc=str(doc)):
                    self.docs.setdefault(doc, []).append(at)
                case QuoteLeaf(quote=quote):
                    quotes[at] = quote
                case MetadataLeaf():
                    self.anything.append(at)
        self.quotes = QuoteIndex(quotes) if quotes else None

    def by(self, passage: Passage) -> list[int]:
        return [
            *self.anything,
            *self.chunks.get(passage.get("id") or "", ()),
            *self.docs.get(passage.get("doc") or "", ()),
            *(self.quotes.by(passage.get("text") or "") if self.quotes else ()),
        ]
