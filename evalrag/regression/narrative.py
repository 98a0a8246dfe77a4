"""The paragraph: data turned to text by a fixed grammar, the same for the same data (SPEC 8).

Four parts, each a sentence or two: what changed in the pipeline; what moved, stage by stage and
kind by kind, with n; the rows that broke, by name; one place to look and one change to try.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from evalrag.regression.catalogue import CATALOGUE, entry
from evalrag.schema.diff import Change, Mean, RowChange, Sentence, Topic
from evalrag.schema.words import Kind, Stage

BROKEN = (Change.BROKE, Change.NOW_FAILING)
NAMED = 5
_STILL = (Change.STILL_PASSING, Change.STILL_FAILING)
_OPEN = (Change.LOST, Change.STILL_UNDECIDED)
_WORST_FIRST = (Change.BROKE, Change.NOW_FAILING, Change.LOST, Change.FIXED, Change.RECOVERED)
TOLD_FROM = 0.05
"""Means that moved by less are in the table and not in the paragraph."""
_TOLD = (
    "context_recall",
    "context_precision",
    "current_precision",
    "rival_first",
    "faithfulness",
    "answer_checks",
    "answer_correctness",
)


def paragraph(
    changes: Sequence[RowChange],
    *,
    pipeline: Sequence[str],
    means: Sequence[Mean],
    details: Sequence[str] = (),
) -> tuple[Sentence, ...]:
    """The four parts as sentences; what has nothing to say is left out, but for the first three."""
    return (
        Sentence(topic=Topic.PIPELINE, text=_what_changed(pipeline, details)),
        _stages_moved(changes),
        *_means_moved(means),
        Sentence(topic=Topic.ROWS, text=_who_broke(changes)),
        *_where_to_look(changes),
    )


def _what_changed(pipeline: Sequence[str], details: Sequence[str]) -> str:
    known = [part for part in pipeline if not part.startswith("unknown")]
    unknown = [part for part in pipeline if part.startswith("unknown")]
    said = ["Nothing changed in the pipeline, as far as its fingerprint sees."]
    if known:
        named = f" ({'; '.join(details[:NAMED])})" if details else ""
        said = [f"Changed in the pipeline: {', '.join(known)}{named}."]
    if len(known) > 1:
        said.append("The causes are mixed: change one at a time to tell them apart.")
    if unknown:
        what = ", ".join(re.sub(r" \(.*\)$", "", p.removeprefix("unknown: ")) for p in unknown)
        said.append(f"Not known: {what} (evalrag check says how to make it known).")
    return " ".join(said)


def _stages_moved(changes: Sequence[RowChange]) -> Sentence:
    parts = tuple(_stage_moves(changes))
    text = f"Moved: {'; '.join(parts)}." if parts else "No stage moved on any row."
    return Sentence(topic=Topic.STAGES, text=text, parts=parts)


def _means_moved(means: Sequence[Mean]) -> Iterator[Sentence]:
    parts = tuple(_mean_moves(means))
    if parts:
        yield Sentence(topic=Topic.MEANS, text=f"Means: {'; '.join(parts)}.", parts=parts)


def _stage_moves(changes: Sequence[RowChange]) -> Iterator[str]:
    alike: dict[tuple[int, str], list[RowChange]] = {}
    for row in changes:
        alike.setdefault((id(row.stages), row.kind._value_), []).append(row)
    for stage in Stage:
        moved: dict[str, Counter[Kind]] = {}
        asked: Counter[Kind] = Counter()
        for rows in alike.values():
            change, kind = rows[0].stages.get(stage), rows[0].kind
            if change is None:
                continue
            asked[kind] += len(rows)
            if change in _WORST_FIRST:
                moved.setdefault(change.value, Counter())[kind] += len(rows)
        for change in _WORST_FIRST:
            if change.value in moved:
                kinds = _kinds(moved[change.value], asked)
                yield f"{stage} {change.value} on {kinds}"


def _kinds(found: Counter[Kind], asked: Counter[Kind]) -> str:
    return ", ".join(f"{found[kind]} of {asked[kind]} {kind}" for kind in Kind if found[kind])


def _mean_moves(means: Sequence[Mean]) -> Iterator[str]:
    several = len({mean.origin for mean in means}) > 1
    for metric in _TOLD:
        told = []
        for mean in means:
            if mean.metric != metric or mean.before is None or mean.after is None:
                continue
            if abs(mean.after - mean.before) < TOLD_FROM:
                continue
            origin = f" ({mean.origin})" if several else ""
            told.append(
                f"{mean.kind}{origin} {mean.before:.2f} -> {mean.after:.2f} (n = {mean.paired})"
            )
        if told:
            yield f"{metric} {', '.join(told)}"


def _who_broke(changes: Sequence[RowChange]) -> str:
    changes = [row for row in changes if row.change not in _STILL]
    broke = [row.id for row in changes if row.change in BROKEN]
    removed = [row.id for row in changes if row.change is Change.REMOVED]
    fixed = [row.id for row in changes if row.change is Change.FIXED]
    open_ = [row.id for row in changes if row.change in _OPEN]
    parts = [f"Broke: {names(broke)}." if broke else "No row broke."]
    if open_:
        parts.append(f"Could not be decided: {names(open_)}.")
    if removed:
        parts.append(f"Removed: {names(removed)}.")
    if fixed:
        parts.append(f"Fixed: {names(fixed)}.")
    return " ".join(parts)


def names(ids: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    listed = list(ids)
    shown = ", ".join(listed[:NAMED])
    more = len(listed) - NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def counted(n: int, noun: str) -> str:
    """How many of what: `1 row`, `2 rows`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _where_to_look(changes: Sequence[RowChange]) -> Iterator[Sentence]:
    code, n = main_diagnosis(changes)
    if code is None:
        return
    page, total = entry(code), sum(row.change in BROKEN for row in changes)
    where = f"{page.look} ({code} on {n} of {total} broken rows)"
    text = f"First look at: {where}. Try this: {page.change}."
    yield Sentence(topic=Topic.LOOK, text=text, parts=(where, page.change))


def main_diagnosis(changes: Iterable[RowChange]) -> tuple[str | None, int]:
    """The commonest diagnosis of the rows that broke, and its rows; of two, the catalogue's first.

    None where nothing broke that has one.
    """
    found = Counter(
        row.diagnosis_after for row in changes if row.change in BROKEN and row.diagnosis_after
    )
    order = {code: place for place, code in enumerate(CATALOGUE)}
    ranked = sorted(found.items(), key=lambda item: (-item[1], order.get(item[0], len(order))))
    return ranked[0] if ranked else (None, 0)
