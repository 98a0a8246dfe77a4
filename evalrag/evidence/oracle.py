"""The passages that hold a row's gold: the context that a perfect retriever would give."""

from collections.abc import Iterable, Sequence

from evalrag.evidence.corpus import Asked
from evalrag.evidence.marks import Labels, alone, labels_of
from evalrag.evidence.match import NamedLeaf, Touch
from evalrag.evidence.tree import Node, Shape
from evalrag.evidence.validity import outdated
from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage

MOST = 20
"""Passages of a document that is the evidence as a whole."""


class NotAvailable(Exception):
    """Some gold can be put into no context; the message says which and why."""


def oracle_context(
    row: Row, sources: Sequence[Iterable[Passage]], reading: Reading
) -> list[Passage]:
    """Passages that find all of the row's gold, in the order of the gold.

    Args:
        row: a row with gold.
        sources: where to look, the best first: what the pipeline returned, then the corpus. A
            passage that is a rival of the row is never taken.
        reading: the plan's settings.

    Returns:
        Of each gold evidence the first passage that finds it alone, or those of one document and
        version that find it together; of a document, its first passages, `MOST` at most. A quote
        that is nowhere stands for itself, as a passage of its own words.

    Raises:
        NotAvailable: a chunk, a document or a span is in no source.
    """
    search = _Search(row, sources, reading)
    found: list[Passage] = []
    for node, evidence in zip(search.labels.gold, row.gold, strict=True):
        made = search.passages_of(node, evidence)
        if made is None:
            raise NotAvailable(f"no passage is known that holds {evidence.label()}")
        found += [passage for passage in made if passage not in found]
    return found


class _Search:
    """What the sources hold of each leaf of the row's gold."""

    def __init__(self, row: Row, sources: Sequence[Iterable[Passage]], reading: Reading) -> None:
        self.labels: Labels = labels_of(row, reading)
        self._leaves = self.labels.forest.leaves
        gold = [leaf for node in self.labels.gold for leaf in node.leaves()]
        asked = Asked({at: self._leaves[at] for at in gold})
        self._held: list[dict[int, list[tuple[Passage, Touch]]]] = []
        for source in sources:
            held: dict[int, list[tuple[Passage, Touch]]] = {}
            for passage in source:
                self._touch(passage, asked.by(passage), held, row, reading)
            self._held.append(held)

    def _touch(
        self,
        passage: Passage,
        leaves: Sequence[int],
        held: dict[int, list[tuple[Passage, Touch]]],
        row: Row,
        reading: Reading,
    ) -> None:
        touches = {at: t for at in leaves if (t := self._leaves[at].touch(passage)) is not None}
        if not touches or self._is_rival(passage, row, reading):
            return
        for at, touch in touches.items():
            held.setdefault(at, []).append((passage, touch))

    def _is_rival(self, passage: Passage, row: Row, reading: Reading) -> bool:
        touches = {
            at: t for at, leaf in enumerate(self._leaves) if (t := leaf.touch(passage)) is not None
        }
        return alone(self.labels, row, touches, old=outdated(passage, reading)).rival is not None

    def passages_of(self, node: Node, evidence: Evidence) -> list[Passage] | None:
        """Passages that make `node` hold; None where there are none."""
        if node.shape is Shape.LEAF:
            for held in self._held:
                found = self._finding(node.leaf, held.get(node.leaf, ()))
                if found:
                    return found
            return _own_words(evidence)
        inner = evidence.any_of if node.shape is Shape.ANY else evidence.all_of
        parts = [
            self.passages_of(part, said) for part, said in zip(node.parts, inner or (), strict=True)
        ]
        if node.shape is Shape.ANY:
            return next((part for part in parts if part is not None), None)
        if None in parts:
            return None
        return [passage for part in parts for passage in part or ()]

    def _finding(self, at: int, touches: Sequence[tuple[Passage, Touch]]) -> list[Passage] | None:
        leaf = self._leaves[at]
        whole = [passage for passage, touch in touches if touch.alone]
        if whole:
            document = isinstance(leaf, NamedLeaf) and leaf.field == "doc"
            return whole[:MOST] if document else whole[:1]
        for group in dict.fromkeys(touch.group for _, touch in touches):
            own = [(passage, touch) for passage, touch in touches if touch.group == group]
            taken: list[tuple[Passage, Touch]] = []
            for passage, touch in own:
                before = [t for _, t in taken]
                if leaf.share([*before, touch]) > leaf.share(before):
                    taken.append((passage, touch))
                if leaf.found([t for _, t in taken]):
                    return [p for p, _ in taken]
        return None


def _own_words(evidence: Evidence) -> list[Passage] | None:
    """A quote as a passage, of the document and with the metadata that it asks for."""
    if evidence.quote is None:
        return None
    passage: Passage = {"text": evidence.quote}
    if evidence.doc is not None:
        passage["doc"] = evidence.doc
    if evidence.metadata:
        passage["metadata"] = dict(evidence.metadata)
    return [passage]
