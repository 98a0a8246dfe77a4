"""Rows whose passages stand alike score alike: each such pattern is scored once.

Where evidence is chunk ids, a row's scores, stages and diagnoses follow from the places of its
gold in the list, whatever the ids are; and there are few patterns, however many rows. What names a
passage, or an answer, is never taken from a pattern. A law in `tests/laws` holds this against
scoring row by row.
"""

from collections.abc import Sequence
from operator import is_
from typing import Any

from evalrag.evidence.chunks import ChunkLabels, chunk_labels
from evalrag.evidence.validity import marks_old
from evalrag.schema.result import Attempt, Placed
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.words import Mark

MOST = 20_000
"""Patterns that are kept."""

Hits = tuple[tuple[int, tuple[int, ...]], ...]
"""Places of the relevant passages, from 0, each with the gold that it finds."""
Key = tuple[Any, ...]

_NOTHING_ELSE = {"candidates", "context", "told", "dropped", "merged", "seconds", "query"}
"""What a trace may say without changing a score."""


class Patterns:
    """The patterns that were seen under one set of settings."""

    def __init__(self, reading: Reading, *, generates: bool) -> None:
        self._usable = not generates and not marks_old(reading)
        self._known: dict[Key, Attempt] = {}

    def key(self, row: Row, trace: Trace) -> tuple[Key, Hits, list[str]] | None:
        """The row's pattern, its hits and ids; None where it has to be scored by itself."""
        if not self._usable or not row.gold or row.reference_facts:
            return None
        if not _NOTHING_ELSE.issuperset(trace):
            return None
        candidates, context = trace["candidates"], trace["context"]
        size = len(context)
        if size > len(candidates) or not all(map(is_, context, candidates)):
            return None
        labels = chunk_labels(row)
        ids = _ids(candidates)
        if labels is None or ids is None:
            return None
        hits = _hits(labels, ids)
        if hits is None:
            return None
        grades = tuple([evidence.grade for evidence in row.gold])
        return (row.kind, grades, len(ids), size, hits), hits, ids

    def known(self, key: Key) -> Attempt | None:
        return self._known.get(key)

    def keep(self, key: Key, attempt: Attempt) -> None:
        if len(self._known) < MOST:
            self._known[key] = attempt


def placed_like(ids: Sequence[str], hits: Hits, size: int) -> tuple[Placed | str, ...]:
    """The passages of a row by its pattern: what `placed_of` says of it."""
    found: list[Placed | str] = [
        {"id": name, "window": at} for at, name in enumerate(ids[:size], 1)
    ]
    found += ids[size:]
    for at, gold in hits:
        entry: Placed = {"id": ids[at], "mark": Mark.RELEVANT}
        if at < size:
            entry["window"] = at + 1
        if gold:
            entry["gold"] = list(gold)
        found[at] = entry
    return tuple(found)


def _ids(candidates: Sequence[Passage]) -> list[str] | None:
    """The passages' ids, where each has one of its own."""
    ids = [passage.get("id", "") for passage in candidates]
    distinct = set(ids)
    return ids if len(distinct) == len(ids) and "" not in distinct else None


def _hits(labels: ChunkLabels, ids: Sequence[str]) -> Hits | None:
    """None where a rival was found, since diagnoses call it by its name."""
    marks, gold = labels.marks, labels.gold
    hits = tuple([(at, gold.get(name, ())) for at, name in enumerate(ids) if name in marks])
    if any(marks[ids[at]] is not Mark.RELEVANT for at, _ in hits):
        return None
    return hits
