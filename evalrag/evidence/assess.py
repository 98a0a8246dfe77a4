"""Golden evidence held against what a pipeline returned for one row."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, NamedTuple

from evalrag.evidence.chunks import ChunkLabels, chunk_labels, prefix, read_chunks
from evalrag.evidence.corpus import matches, matches_in
from evalrag.evidence.marks import Alone, Labels, Read, alone, labels_of, read
from evalrag.evidence.match import Group, Touch, group_of
from evalrag.evidence.repeats import repeats
from evalrag.evidence.tree import carried
from evalrag.evidence.validity import marks_old, outdated
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage
from evalrag.schema.words import RIVALS, Mark

__all__ = ["Assessment", "assess", "matches", "matches_in"]

UNMATCHED = "evidence cannot be matched, "
"""What an error begins with that says why, and then of which evidence."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What every passage is for a row, and what became of each gold evidence.

    Tuples over the context and the candidates have a place for each passage, in order; tuples over
    gold have a place for each gold evidence.
    """

    error: str | None = None
    """Evidence that cannot be matched, or gold and rival on one passage: the rest is empty."""
    context: tuple[Mark, ...] = ()
    context_gold: tuple[tuple[int, ...], ...] = ()
    """The gold that each passage finds or adds cover to; not found gold that it covers in part."""
    candidates: tuple[Mark, ...] = ()
    """The candidates, read as if they were the context."""
    candidates_gold: tuple[tuple[int, ...], ...] = ()
    found: tuple[bool, ...] = ()
    covered: tuple[float, ...] = ()
    """Share of each gold that the context covers, in [0, 1]."""
    completed_at: tuple[int | None, ...] = ()
    """Position in the context, from 1, of the passage that completes each gold."""
    found_in_candidates: tuple[bool, ...] = ()
    candidate_completed_at: tuple[int | None, ...] = ()
    superseded_found: int = 0
    """Superseded entries found in the context, and documents (each version one) of passages there
    that are superseded by the plan alone."""
    forbidden: int = 0
    """Distinct passages of either list that find a forbidden entry."""
    documents: tuple[str | None, ...] = ()
    """Of each passage of the context, where a rival stands in it; else empty."""
    gold_at: tuple["GoldAt", ...] = ()
    """Of each gold evidence, where a rival stands in the context; else empty."""


class GoldAt(NamedTuple):
    """Where one gold evidence stands, for what competes with it."""

    place: int | None
    """Position in the context, from 1, of the first passage that finds it or adds cover to it;
    None where the context does not hold it."""
    documents: frozenset[str]
    """Documents that it names or was found in; empty where none is known."""


def assess(
    row: Row, candidates: Sequence[Passage], context: Sequence[Passage], reading: Reading
) -> Assessment:
    """Mark the passages of both lists and find the row's gold in them.

    Args:
        row: the golden row.
        candidates: what the retriever returned, in order; `[]` included.
        context: what the generator was given, in order; `[]` included.
        reading: the plan's settings and the run's day.

    Returns:
        The assessment; one with an error says nothing else.
    """
    seen = _seen(row, candidates, context, reading)
    if any(mark in RIVALS for mark in seen.context):
        documents = tuple(passage.get("doc") for passage in context)
        return replace(seen, documents=documents, gold_at=_gold_at(row, seen, candidates, context))
    return seen


def _seen(
    row: Row, candidates: Sequence[Passage], context: Sequence[Passage], reading: Reading
) -> Assessment:
    if not marks_old(reading):
        labels = chunk_labels(row)
        if labels is not None and _any_id(candidates, context):
            return _assess_chunks(labels, candidates, context)
    return _assess(labels_of(row, reading), row, candidates, context)


def _gold_at(
    row: Row, seen: Assessment, candidates: Sequence[Passage], context: Sequence[Passage]
) -> tuple[GoldAt, ...]:
    places: dict[int, int] = {}
    documents: list[set[str]] = [
        {leaf.doc for leaf in evidence.leaves() if leaf.doc is not None} for evidence in row.gold
    ]
    for passages, marks, golds, found in (
        (context, seen.context, seen.context_gold, seen.found),
        (candidates, seen.candidates, seen.candidates_gold, seen.found_in_candidates),
    ):
        for at, (passage, mark, indexes) in enumerate(
            zip(passages, marks, golds, strict=True), start=1
        ):
            for gold in indexes:
                if mark is not Mark.RELEVANT or not found[gold]:
                    continue
                if passages is context:
                    places.setdefault(gold, at)
                doc = passage.get("doc")
                if doc is not None:
                    documents[gold].add(doc)
    return tuple(
        GoldAt(places.get(gold, completed), frozenset(documents[gold]))
        for gold, completed in enumerate(seen.completed_at)
    )


def _assess_chunks(
    labels: ChunkLabels, candidates: Sequence[Passage], context: Sequence[Passage]
) -> Assessment:
    whole = read_chunks(labels, candidates)
    size = len(context)
    if size <= len(candidates) and all(map(is_, context, candidates)):
        return _assessment(whole, prefix(whole, size))
    return _assessment(whole, read_chunks(labels, context))


def _any_id(candidates: Sequence[Passage], context: Sequence[Passage]) -> bool:
    return any(passage.get("id") for passages in (candidates, context) for passage in passages)


def _assess(
    labels: Labels, row: Row, candidates: Sequence[Passage], context: Sequence[Passage]
) -> Assessment:
    leaves, reading = labels.forest.leaves, labels.forest.reading
    wrong = _unmatchable(labels, row, [*candidates, *context])
    if wrong is not None:
        return Assessment(error=wrong)
    pool = _Pool()
    lists = [pool.order(candidates), pool.order(context)]
    touched: list[dict[int, Touch]] = []
    judged: list[Alone] = []
    for passage in pool.passages:
        touches = {at: t for at, leaf in enumerate(leaves) if (t := leaf.touch(passage))}
        own = alone(labels, row, touches, old=outdated(passage, reading))
        if own.clash is not None:
            return Assessment(error=_named(own.clash, passage))
        touched.append(touches)
        judged.append(own)
    first, second = (read(labels, order, touched, judged) for order in lists)
    old = _old_documents(lists[1], second, pool.passages, judged, reading)
    forbidden = {
        order[at]
        for order, held in zip(lists, (first, second), strict=True)
        for at in held.forbidden
    }
    return replace(
        _assessment(first, second),
        superseded_found=_number(second.superseded_at) + old,
        forbidden=len(forbidden),
    )


def _old_documents(
    order: Sequence[int | None],
    held: Read,
    passages: Sequence[Passage],
    judged: Sequence[Alone],
    reading: Reading,
) -> int:
    """Documents, each version one, of which the list has passages that the plan calls superseded.

    One that the row's own labels speak of already, as gold or as superseded, is no second one.
    """
    old: set[Group] = set()
    known: set[Group] = set()
    for at, mark in zip(order, held.marks, strict=True):
        if at is None or mark not in (Mark.SUPERSEDED, Mark.RELEVANT):
            continue
        group = group_of(passages[at], reading.version_key)
        by_plan = mark is Mark.SUPERSEDED and not judged[at].listed
        (old if by_plan else known).add(group)
    return len(old - known)


def _number(places: Sequence[int | None]) -> int:
    return sum(place is not None for place in places)


def _assessment(candidates: Read, context: Read) -> Assessment:
    return Assessment(
        None,
        context.marks,
        context.gold,
        candidates.marks,
        candidates.gold,
        context.found,
        context.covered,
        context.completed_at,
        candidates.found,
        candidates.completed_at,
        _number(context.superseded_at),
    )


def _unmatchable(labels: Labels, row: Row, passages: Iterable[Passage]) -> str | None:
    """The first evidence of any list that no such passages could ever match."""
    passages = list(passages)
    if not passages:
        return None
    fields = carried(passages)
    for nodes, evidences in (
        (labels.gold, row.gold),
        (labels.acceptable, row.acceptable),
        (labels.superseded, row.superseded),
        (labels.near_miss, row.near_miss),
        (labels.forbidden, row.forbidden),
    ):
        for node, evidence in zip(nodes, evidences, strict=True):
            reason = node.unmatchable(labels.forest.leaves, fields)
            if reason is not None:
                return f"{UNMATCHED}{reason}: {evidence.label()}"
    return None


def _named(clash: str, passage: Passage) -> str:
    name = passage.get("id") or passage.get("doc")
    return f"{clash} (passage {name})" if name else clash


@dataclass(slots=True)
class _Pool:
    """The distinct passages of both lists, so that each is matched once.

    Equal in everything that matching reads, not by id alone: a context may hold a candidate's text
    cut short, and what the model saw is what counts.
    """

    passages: list[Passage] = field(default_factory=list)
    known: dict[Any, list[int]] = field(default_factory=dict)

    def order(self, passages: Sequence[Passage]) -> list[int | None]:
        """The index of each passage; None for a repeat within this list."""
        again = repeats(passages, [passage.get("id") or "" for passage in passages])
        return [
            None if again and again[at] else self._index(passage)
            for at, passage in enumerate(passages)
        ]

    def _index(self, passage: Passage) -> int:
        span = passage.get("span")
        key = (passage.get("id"), passage.get("doc"), passage.get("text"), span and tuple(span))
        for index in self.known.setdefault(key, []):
            if self.passages[index].get("metadata") == passage.get("metadata"):
                return index
        self.passages.append(passage)
        self.known[key].append(len(self.passages) - 1)
        return len(self.passages) - 1
