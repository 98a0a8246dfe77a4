"""The fast path: rows whose evidence is chunk ids alone, or alternatives of chunk ids.

Nothing is normalised, prepared or added up: a passage is looked up by its id. Gives exactly what
the general way gives (a law in `tests/laws`), and leaves every row with something wrong to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evalrag.evidence.marks import Read
from evalrag.evidence.repeats import repeats
from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row
from evalrag.schema.trace import Passage
from evalrag.schema.words import Mark

Ids: TypeAlias = Mapping[str, tuple[int, ...]]
"""By chunk id: the indexes of the evidences that it finds."""


_RELEVANT = Mark.RELEVANT


@dataclass(slots=True)
class ChunkLabels:
    """A row's evidence, by chunk id."""

    gold: Ids
    marks: Mapping[str, Mark]
    """What each labelled chunk is; a gold one included."""
    number: int
    """How many gold evidences there are."""
    superseded: Ids
    olds: int = 0
    """How many superseded entries there are."""


def chunk_labels(row: Row) -> ChunkLabels | None:
    """The row's evidence by chunk id; None where it is not all chunk ids, clashes, or forbids."""
    gold = _ids(row.gold)
    if gold is None or row.forbidden:
        return None
    marks = dict.fromkeys(gold, _RELEVANT)
    if not row.acceptable and not row.superseded and not row.near_miss:
        return ChunkLabels(gold, marks, len(row.gold), {})
    superseded: Ids = {}
    for evidences, mark in (
        (row.acceptable, Mark.RELEVANT),
        (row.superseded, Mark.SUPERSEDED),
        (row.near_miss, Mark.NEAR_MISS),
    ):
        if not evidences:
            continue
        ids = _ids(evidences)
        if ids is None:
            return None
        if mark is Mark.SUPERSEDED:
            superseded = ids
        for chunk in ids:
            known = marks.setdefault(chunk, mark)
            if known is not mark and known is Mark.RELEVANT:
                return None
    return ChunkLabels(gold, marks, len(row.gold), superseded, len(row.superseded))


def read_chunks(labels: ChunkLabels, passages: Sequence[Passage]) -> Read:
    """Mark each place of a list, and say what the list holds of each gold."""
    ids = [passage.get("id") or "" for passage in passages]
    known, golds = labels.marks, labels.gold
    marks = [known.get(chunk, Mark.UNJUDGED) for chunk in ids]
    gold = [golds.get(chunk, ()) for chunk in ids]
    again = repeats(passages, ids)
    if again is not None:
        for at, repeated in enumerate(again):
            if repeated:
                marks[at], gold[at] = Mark.REPEAT, ()
    places = _places(gold, labels.number)
    olds: list[int | None] = []
    if labels.olds:
        superseded = [labels.superseded.get(chunk, ()) for chunk in ids]
        olds = _places(superseded, labels.olds)
    return _read(tuple(marks), tuple(gold), places, olds)


def _places(found: Sequence[tuple[int, ...]], number: int) -> list[int | None]:
    """Position, from 1, of the first passage that finds each evidence."""
    places: list[int | None] = [None] * number
    for at, indexes in enumerate(found):
        for index in indexes:
            if places[index] is None:
                places[index] = at + 1
    return places


def prefix(read: Read, length: int) -> Read:
    """What the first places of a list that was read hold: here a mark needs no later passage."""
    places, olds = (
        [p if p is not None and p <= length else None for p in found]
        for found in (read.completed_at, read.superseded_at)
    )
    return _read(read.marks[:length], read.gold[:length], places, olds)


def _read(
    marks: tuple[Mark, ...],
    gold: tuple[tuple[int, ...], ...],
    places: Sequence[int | None],
    olds: Sequence[int | None],
) -> Read:
    found = tuple([place is not None for place in places])
    covered = tuple([1.0 if one else 0.0 for one in found])
    return Read(marks, gold, found, covered, tuple(places), tuple(olds))


def _ids(evidences: Iterable[Evidence]) -> dict[str, tuple[int, ...]] | None:
    ids: dict[str, tuple[int, ...]] = {}
    for at, evidence in enumerate(evidences):
        chunk = evidence.chunk
        if chunk is not None and chunk not in ids and not evidence.metadata:
            ids[chunk] = (at,)
            continue
        for part in (evidence,) if evidence.any_of is None else evidence.any_of:
            if part.chunk is None or part.metadata:
                return None
            indexes = ids.get(part.chunk, ())
            if at not in indexes:
                ids[part.chunk] = (*indexes, at)
    return ids
