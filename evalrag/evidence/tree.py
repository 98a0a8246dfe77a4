"""A row's evidences as trees over one flat list of leaves, so that each leaf is matched once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from evalrag.evidence.match import Carried, Leaf, leaf_of
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage


class Shape(Enum):
    LEAF = auto()
    ANY = auto()
    ALL = auto()


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf (by its index), one of several alternatives, or all of several parts."""

    shape: Shape
    leaf: int = -1
    parts: tuple["Node", ...] = ()

    def holds(self, flags: Sequence[bool]) -> bool:
        """True by what is true of each leaf."""
        if self.shape is Shape.LEAF:
            return flags[self.leaf]
        each = (part.holds(flags) for part in self.parts)
        return any(each) if self.shape is Shape.ANY else all(each)

    def share(self, shares: Sequence[float]) -> float:
        """The best of alternatives, the mean of parts."""
        if self.shape is Shape.LEAF:
            return shares[self.leaf]
        each = [part.share(shares) for part in self.parts]
        return max(each) if self.shape is Shape.ANY else sum(each) / len(each)

    def bearing(self, flags: Sequence[bool]) -> Iterator[int]:
        """The leaves that make it hold."""
        if self.holds(flags):
            if self.shape is Shape.LEAF:
                yield self.leaf
            for part in self.parts:
                yield from part.bearing(flags)

    def leaves(self) -> Iterator[int]:
        """All its leaves."""
        if self.shape is Shape.LEAF:
            yield self.leaf
        for part in self.parts:
            yield from part.leaves()

    def unmatchable(self, leaves: Sequence[Leaf], passages: Carried) -> str | None:
        """Why it can never be found: every alternative, or any part, cannot be matched."""
        if self.shape is Shape.LEAF:
            return leaves[self.leaf].unmatchable(passages)
        reasons = [part.unmatchable(leaves, passages) for part in self.parts]
        first = next((reason for reason in reasons if reason), None)
        return None if self.shape is Shape.ANY and None in reasons else first


@dataclass(slots=True)
class Forest:
    """Trees that share a list of leaves."""

    reading: Reading
    leaves: list[Leaf] = field(default_factory=list)

    def plant(self, evidences: Iterable[Evidence]) -> tuple[Node, ...]:
        """A tree for each evidence, its leaves added to the list."""
        return tuple(self._node(evidence) for evidence in evidences)

    def _node(self, evidence: Evidence) -> Node:
        if evidence.any_of is not None:
            return Node(Shape.ANY, parts=self.plant(evidence.any_of))
        if evidence.all_of is not None:
            return Node(Shape.ALL, parts=self.plant(evidence.all_of))
        self.leaves.append(leaf_of(evidence, self.reading))
        return Node(Shape.LEAF, len(self.leaves) - 1)


def carried(passages: Iterable[Passage]) -> Carried:
    """Which fields the passages carry, any of them."""
    has_id = has_doc = has_text = has_span = has_metadata = False
    for passage in passages:
        has_id = has_id or bool(passage.get("id"))
        has_doc = has_doc or passage.get("doc") is not None
        has_text = has_text or bool(passage.get("text"))
        has_span = has_span or passage.get("span") is not None
        has_metadata = has_metadata or bool(passage.get("metadata"))
    return Carried(has_id, has_doc, has_text, has_span, has_metadata)
