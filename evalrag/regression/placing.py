"""Where each passage and each evidence stood: what a stored row keeps instead of the texts."""

from collections.abc import Iterator, Mapping, Sequence
from operator import is_
from typing import Any, cast

from evalrag.evidence.assess import Assessment, assess
from evalrag.evidence.nearly import nearly
from evalrag.evidence.parted import parted
from evalrag.evidence.window import window
from evalrag.schema.result import Attempt, Placed, Sought
from evalrag.schema.row import Row
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage, Trace
from evalrag.schema.words import Mark


def placed_of(
    candidates: Sequence[Passage], context: Sequence[Passage], assessment: Assessment
) -> tuple[Placed | str, ...]:
    """Candidates in order with their place in the window, then what the context alone has."""
    size = len(context)
    if size <= len(candidates) and all(map(is_, context, candidates)):
        distinct = set(map(id, candidates))
        if len(distinct) == len(candidates):
            return tuple(_cut_at(size, candidates, assessment))
    entries = [
        _entry(passage, assessment.candidates[index], assessment.candidates_gold[index])
        for index, passage in enumerate(candidates)
    ]
    for position, place in enumerate(_same(candidates, context)):
        entry = _entry(
            context[position],
            assessment.context[position],
            assessment.context_gold[position],
            window=position + 1,
        )
        if place is None:
            entry["extra"] = True
            entries.append(entry)
        else:
            entries[place] = entry
    return tuple(_short(entry) for entry in entries)


def _same(candidates: Sequence[Passage], context: Sequence[Passage]) -> list[int | None]:
    """For each passage of the context, the candidate that it is; None where it is none of them.

    A passage that was shortened, merged or renamed on the way is another one, whatever its id says.
    """
    own: dict[int, int] = {}
    alike: dict[tuple[str | None, str | None], list[int]] = {}
    for index, passage in enumerate(candidates):
        own.setdefault(id(passage), index)
        alike.setdefault((passage.get("id"), passage.get("text")), []).append(index)
    taken: set[int] = set()
    found: list[int | None] = []
    for passage in context:
        first = own.get(id(passage))
        places = alike.get((passage.get("id"), passage.get("text")), [])
        options = places if first is None else [first, *places]
        place = next((index for index in options if index not in taken), None)
        if place is not None:
            taken.add(place)
        found.append(place)
    return found


def texts_of(attempt: Attempt, line: Mapping[str, Any]) -> list[Passage]:
    """The passages of a stored trace in the order of `attempt.passages`, `{}` where it has none.

    What the model was given is shown as it was given, and not as the candidate of that name.
    """
    candidates, context = line.get("candidates", ()), line.get("context", ())
    found: list[Passage] = []
    for index, entry in enumerate(attempt.passages):
        window = entry.get("window") if isinstance(entry, dict) else None
        seen: Any = index
        if window is not None and window <= len(context):
            seen = context[window - 1]
        if isinstance(seen, int):
            seen = candidates[seen] if seen < len(candidates) else {}
        found.append(seen)
    return found


def _cut_at(
    size: int, candidates: Sequence[Passage], assessment: Assessment
) -> Iterator[Placed | str]:
    """The usual case: the context is the first candidates."""
    for at, passage in enumerate(candidates):
        inside = at < size
        mark, gold = (
            (assessment.context[at], assessment.context_gold[at])
            if inside
            else (assessment.candidates[at], assessment.candidates_gold[at])
        )
        if mark is _UNJUDGED and not gold and "id" in passage:
            name = passage["id"]
            yield {"id": name, "window": at + 1} if inside else name
            continue
        yield _short(_entry(passage, mark, gold, window=at + 1 if inside else None))


_UNJUDGED = Mark.UNJUDGED


def _entry(
    passage: Passage, mark: Mark, gold: Sequence[int], *, window: int | None = None
) -> Placed:
    """Its keys in the order of their type, in which they are written."""
    entry: Placed = {}
    if "id" in passage:
        entry["id"] = passage["id"]
    elif "doc" in passage:
        entry["doc"] = passage["doc"]
    if mark is not _UNJUDGED:
        entry["mark"] = mark
    if window is not None:
        entry["window"] = window
    if gold:
        entry["gold"] = list(gold)
    return entry


def _short(entry: Placed) -> Placed | str:
    return entry["id"] if len(entry) == 1 and "id" in entry else entry


def sought_of(
    row: Row,
    trace: Trace,
    assessment: Assessment,
    reading: Reading,
    corpus: Sequence[int | None],
) -> tuple[Sought, ...]:
    reranked, handed = (
        _found_in_reranked(row, trace, reading),
        _found_in_handed(row, trace, reading),
    )
    found: list[Sought] = []
    # In the order of `Sought`, so that a row that is read and written again has the same bytes.
    for index in range(len(row.gold)):
        entry: Sought = {
            "candidates": assessment.found_in_candidates[index],
            "context": assessment.found[index],
            "covered": assessment.covered[index],
        }
        rank = assessment.candidate_completed_at[index]
        if rank is not None:
            entry["rank"] = rank
        if reranked is not None:
            entry["reranked"] = reranked[index]
        if handed is not None:
            entry["handed"] = handed[index]
        if not entry["context"]:
            entry |= _instead(row, index, trace, assessment, reading)
        matches = corpus[index] if index < len(corpus) else None
        if matches is not None:
            entry["corpus"] = matches
        found.append(entry)
    return tuple(found)


def _instead(
    row: Row, index: int, trace: Trace, assessment: Assessment, reading: Reading
) -> Sought:
    """What the model was given of a missing evidence, or in its place."""
    candidates, context = trace["candidates"], trace["context"]
    found: Any = {}
    if 0.0 < assessment.covered[index] < 1.0 and parted(row.gold[index], context, reading):
        found["split"] = True
    for at, mark in enumerate(assessment.context, start=1):
        if mark is Mark.SUPERSEDED and _of_one_document(row, index, context[at - 1]):
            found["replaced_by"] = at
            break
    if not assessment.found_in_candidates[index]:
        there = nearly(row.gold[index], candidates, reading)
        if there is not None:
            found["nearly"] = there
    return cast(Sought, found)


def _of_one_document(row: Row, index: int, old: Passage) -> bool:
    """A superseded passage is an old version of what this gold evidence names.

    Of the same document by its name. What a row lists as superseded is an old version of its gold,
    of all of it where it is of no gold's document.
    """
    docs = [{leaf.doc for leaf in gold.leaves()} for gold in row.gold]
    doc = old.get("doc")
    if doc is not None and any(doc in named for named in docs):
        return doc in docs[index]
    return bool(row.superseded)


def _found_in_reranked(row: Row, trace: Trace, reading: Reading) -> tuple[bool, ...] | None:
    """What the window would have held of the reranked list, had nothing cut it."""
    if "reranked" not in trace:
        return None
    seen = window(
        trace["reranked"], context_k=reading.context_k, context_chars=reading.context_chars
    )
    return assess(row, seen, seen, reading).found or None


def _found_in_handed(row: Row, trace: Trace, reading: Reading) -> tuple[bool, ...] | None:
    """What the generator had before its own prompt builder left something out."""
    if "handed" not in trace:
        return None
    seen = trace["candidates"][: trace["handed"]]
    return assess(row, seen, seen, reading).found or None
