"""The paragraph: data turned to text by a fixed grammar, the same for the same data (SPEC 8).

Four parts, each a sentence or two: what changed in the pipeline; what moved, stage by stage and
kind by kind, with n; the rows that broke, by name; one place to look and one change to try.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from evalrag.regression.catalogue import entry
from evalrag.regression.first_look import OF_CODE
from evalrag.schema.diff import BROKEN, Change, Look, Mean, Part, RowChange, Sentence, Topic
from evalrag.schema.words import Kind, Outcome, Stage

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
    causes: int = 1,
    look: Look | None = None,
) -> tuple[Sentence, ...]:
    """The four parts as sentences; what has nothing to say is left out, but for the first three."""
    return (
        Sentence(topic=Topic.PIPELINE, text=_what_changed(pipeline, details, causes)),
        _stages_moved(changes),
        *_means_moved(means),
        Sentence(topic=Topic.ROWS, text=_who_broke(changes)),
        *_where_to_look(look),
    )


def _what_changed(pipeline: Sequence[str], details: Sequence[str], causes: int) -> str:
    known = [part for part in pipeline if not part.startswith("unknown")]
    unknown = [part for part in pipeline if part.startswith("unknown")]
    said = ["Nothing changed in the pipeline, as far as its fingerprint sees."]
    if known:
        named = f" ({'; '.join(details[:NAMED])})" if details else ""
        said = [f"Changed in the pipeline: {', '.join(known)}{named}."]
    if len(known) > 1 and causes > 1:
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
    alike: dict[tuple[object, ...], list[RowChange]] = {}
    for row in changes:
        key = id(row.stages), row.kind._value_, row.change._value_, *row.outcomes.items()
        alike.setdefault(key, []).append(row)
    for stage in Stage:
        moved: dict[str, Counter[Kind]] = {}
        asked: Counter[Kind] = Counter()
        for rows in alike.values():
            change, kind = moved_as(rows[0], stage), rows[0].kind
            if change is None:
                continue
            asked[kind] += len(rows)
            if change in _WORST_FIRST:
                moved.setdefault(change.value, Counter())[kind] += len(rows)
        for change in _WORST_FIRST:
            if change.value in moved:
                kinds = _kinds(moved[change.value], asked)
                yield f"{stage} {change.value} on {kinds}"


def moved_as(row: RowChange, stage: Stage) -> Change | None:
    """What became of a stage; one that had nothing to decide before and fails now among them."""
    if row.outcomes.get(stage) == (Outcome.NA, Outcome.FAIL):
        return Change.BROKE if row.change is Change.BROKE else Change.NOW_FAILING
    return row.stages.get(stage)


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


_TRIES: Mapping[Part, tuple[str, str]] = {
    Part.REWRITER: ("the rewriter", "read the query beside the standalone question"),
    Part.INDEX: (
        "chunking, embeddings, hybrid search, filters",
        "search for the evidence's own words: if that finds it, the query is the fault",
    ),
    Part.HYGIENE: (
        "what the index holds: old versions, copies, filters",
        "see what now stands above the evidence, and take out or filter what is old",
    ),
    Part.TOP_K: ("top-k, the window", "fetch more candidates"),
    Part.RERANKER: ("the reranker", "run without it, and compare"),
    Part.WINDOW: ("the window: context_k, context_chars, the prompt builder", "widen the window"),
    Part.PROMPT: ("the generator and its prompt", "read an answer that changed beside its context"),
    Part.MODEL: ("the generator's model", "run the model of the baseline, and compare"),
    Part.PERMISSIONS: ("permissions and filters of the index", "filter in the search itself"),
    Part.LABELS: (
        "the labels, and the ids, documents and metadata that passages carry",
        "give both one spelling",
    ),
    Part.JUDGE: ("the judge", "mend the judge, then evalrag rescore RUN"),
}
"""Where to look, and what to try, where no diagnosis says it better."""


def _where_to_look(look: Look | None) -> Iterator[Sentence]:
    if look is None:
        return
    place, change = look_words(look)
    why = f"{look.stage} on {look.rows} of {counted(look.of, 'row')}"
    if look.code is not None:
        why = f"{look.code}, {why}"
    where = f"{place} ({why})"
    text = f"First look at: {where}. Try this: {change}."
    yield Sentence(topic=Topic.LOOK, text=text, parts=(where, change))


def look_words(look: Look) -> tuple[str, str]:
    """Where to look, and one change to try: of a setting that changed, to put it back."""
    place, change = _TRIES[look.part]
    if look.key is not None:
        return f"{place}: {look.key} changed", f"put {look.key.partition(' ')[0]} back, or {change}"
    if look.code is not None and OF_CODE.get(look.code, Part.PROMPT) is look.part:
        page = entry(look.code)
        return page.look, page.change
    return place, change
