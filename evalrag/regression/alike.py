"""Rows whose passages stand alike score alike: each such pattern is scored once.

Where evidence is chunk ids, a row's scores, stages and diagnoses follow from the places of its
gold in the list, whatever the ids are; and there are few patterns, however many rows. What names a
passage, or an answer, is never taken from a pattern. A law in `tests/laws` holds this against
scoring row by row.
"""

from collections.abc import Callable, Sequence
from typing import Any

from evalrag.evidence.chunks import chunk_labels
from evalrag.evidence.nearly import folded
from evalrag.evidence.validity import marks_old
from evalrag.schema.alike import Pattern
from evalrag.schema.result import Attempt
from evalrag.schema.row import Row
from evalrag.schema.rows import Golden, PlainRow, whole_row
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.words import Mark

MOST = 20_000
"""Patterns that are kept."""

_NOTHING_ELSE = {"candidates", "context", "told", "dropped", "merged", "seconds", "query"}
"""What a trace may say without changing a score."""

Places = tuple[tuple[int, tuple[int, ...]], ...]
"""Places of the relevant passages, from 0, each with the gold that it finds."""


class Patterns:
    """The patterns that were seen under one set of settings."""

    def __init__(
        self, reading: Reading, score: Callable[[Row, Trace], Attempt], *, generates: bool
    ) -> None:
        """`score` scores the first row of a pattern."""
        self._usable = not generates and not marks_old(reading)
        self._score = score
        self._known: dict[tuple[Any, ...], Pattern] = {}

    def of(self, golden: Golden, trace: Trace) -> tuple[Pattern, Sequence[str]] | None:
        """The row's pattern and its passages' ids; None where it has to be scored by itself."""
        if not self._usable or golden.labels != ("gold",):
            return None
        if isinstance(golden, Row) and any(evidence.any_of for evidence in golden.gold):
            return None
        if not _NOTHING_ELSE.issuperset(trace):
            return None
        candidates, context = trace["candidates"], trace["context"]
        size = len(context)
        if context != candidates[:size]:
            return None
        at = _by_id(candidates)
        if at is None:
            return None
        places = _relevant(golden, at)
        if places is None or _nearly_there(golden, at):
            return None
        key = (golden.kind._value_, _grades(golden), len(at), size, places)
        pattern = self._known.get(key)
        if pattern is None:
            if len(self._known) >= MOST:
                return None
            pattern = self._known[key] = Pattern(self._score(whole_row(golden), trace))
        return pattern, list(at)


def _by_id(candidates: Sequence[Passage]) -> dict[str, int] | None:
    """Where each passage stands, where each has an id of its own."""
    try:
        ids = [passage["id"] for passage in candidates]
    except KeyError:
        return None
    at = dict(zip(ids, range(len(ids)), strict=True))
    return at if len(at) == len(candidates) and "" not in at else None


def _relevant(golden: Golden, at: dict[str, int]) -> Places | None:
    """None where a rival was found, since diagnoses call it by its name."""
    if isinstance(golden, PlainRow):
        return _relevant_plainly(golden, at)
    labels = chunk_labels(golden)
    if labels is None:
        return None
    found = [chunk for chunk in labels.marks if chunk in at]
    if any(labels.marks[chunk] is not Mark.RELEVANT for chunk in found):
        return None
    return tuple(sorted([(at[chunk], labels.gold.get(chunk, ())) for chunk in found]))


def _nearly_there(golden: Golden, at: dict[str, int]) -> bool:
    """Gold that is missing stands among the ids in another writing, which its row has to say."""
    ids = [
        chunk
        for one in golden.gold
        for chunk in ([one] if isinstance(one, str) else [leaf.chunk for leaf in one.leaves()])
        if chunk is not None and chunk not in at
    ]
    return bool(ids) and not {folded(i) for i in ids}.isdisjoint(map(folded, at))


def _relevant_plainly(row: PlainRow, at: dict[str, int]) -> Places | None:
    """The same of a row in which no chunk stands twice."""
    for rivals in (row.superseded, row.near_miss):
        if rivals and not at.keys().isdisjoint(rivals):
            return None
    found: list[tuple[int, tuple[int, ...]]] = [
        (at[chunk], (place,)) for place, chunk in enumerate(row.gold) if chunk in at
    ]
    if row.acceptable:
        found += [(at[chunk], ()) for chunk in row.acceptable if chunk in at]
    found.sort()
    return tuple(found)


def _grades(golden: Golden) -> tuple[int, ...]:
    if isinstance(golden, PlainRow):
        return (1,) * len(golden.gold)
    return tuple([evidence.grade for evidence in golden.gold])
