"""Two runs in, one diff out: every row's change, what was loosened, and what to know first."""

from collections.abc import Iterator, Sequence

from evalrag.regression.changes import Changes
from evalrag.regression.comparable import Pair
from evalrag.regression.first_look import first_look
from evalrag.regression.judging_notes import drift
from evalrag.regression.narrative import counted, names, paragraph
from evalrag.regression.pipeline_changes import (
    causes,
    changed_parts,
    pipeline_changes,
    pipeline_details,
)
from evalrag.schema.diff import NO_ANSWERS, Change, Mean, Relation, RowChange, RunDiff
from evalrag.schema.gate import GateResult
from evalrag.schema.run import RunRecord
from evalrag.schema.words import Kind, Outcome, Stage

_KINDS = {kind: place for place, kind in enumerate(Kind)}
_CHANGES = {change: place for place, change in enumerate(Change)}
_STILL = (Change.STILL_PASSING, Change.STILL_FAILING)
"""Decided then and now, at every stage: most rows, and there is nothing to note of them."""
_JUDGED = (Stage.GENERATION, Stage.BOUNDARY, Stage.ANSWER)


def compare(
    old: RunRecord | None,
    new: RunRecord,
    pairs: Sequence[Pair],
    *,
    means: Sequence[Mean] = (),
    gates: Sequence[GateResult] = (),
    loosened: Sequence[str] = (),
    read: Sequence[str] = (),
) -> RunDiff:
    """The diff as data. Changes stand by kind, worst first, then by id.

    `read` are notes that stand before its own: on the files that were read, and on the baseline.
    """
    changes = sorted(map(Changes().of, pairs), key=_order)
    pipeline = pipeline_changes(old, new) if old is not None else ()
    details = pipeline_details(old, new) if old is not None else ()
    changed = changed_parts(old, new) if old is not None else ()
    look = first_look(changes, pairs, gates, changed)
    return RunDiff(
        baseline=old.id if old is not None else None,
        run=new.id,
        changes=tuple(changes),
        pipeline_changes=pipeline,
        pipeline_details=details,
        loosened=tuple(loosened),
        notes=(*read, *_notes(old, new, pairs, changes, pipeline)),
        sentences=(
            paragraph(
                changes,
                pipeline=pipeline,
                means=means,
                details=details,
                causes=causes(old, new),
                look=look,
            )
            if old is not None
            else ()
        ),
        look=look,
        answers_compared=sum(map(_answered, changes)),
        answers_changed=sum(change.answers_differ for change in changes),
    )


def _answered(change: RowChange) -> bool:
    return change.compared and change.answers is not NO_ANSWERS


def _order(change: RowChange) -> tuple[int, int, str]:
    return _KINDS[change.kind], _CHANGES[change.change], change.id


def _notes(
    old: RunRecord | None,
    new: RunRecord,
    pairs: Sequence[Pair],
    changes: Sequence[RowChange],
    pipeline: Sequence[str],
) -> Iterator[str]:
    if old is None:
        return
    known = [part for part in pipeline if not part.startswith("unknown")]
    touched = [p for p in pairs if p.relation not in (Relation.SAME, Relation.RENAMED)]
    if known and touched:
        yield (
            f"the dataset and the pipeline ({', '.join(known)}) changed together: "
            "this diff mixes two causes"
        )
    yield from _judge(old, new, pairs)
    yield from drift(old, new)
    for relation in (Relation.RELABELLED, Relation.EDITED):
        found: dict[str, list[str]] = {}
        for pair in touched:
            if pair.relation is relation:
                found.setdefault(f" ({pair.note})" if pair.note else "", []).append(pair.id)
        for note, rows in found.items():
            yield f"{_rows(len(rows))} {relation}: {names(rows)}{note}"
    renamed = [f"{p.old.id} -> {p.id}" for p in pairs if p.old and p.relation is Relation.RENAMED]
    if renamed:
        yield f"{_rows(len(renamed))} renamed: {names(renamed)}"
    changes = [change for change in changes if change.change not in _STILL]
    failing = [c.id for c in changes if c.change is Change.NEW and c.after is Outcome.FAIL]
    if failing:
        yield f"{_rows(len(failing))} new and failing: {names(failing)}"
    now_failing = [c.id for c in changes if c.change is Change.NOW_FAILING]
    if now_failing:
        yield f"{_rows(len(now_failing))} undecided before and failing now: {names(now_failing)}"
    lost = [c for c in changes if _was_judged(c)]
    if lost:
        verb = (
            "was judged before and is not now"
            if len(lost) == 1
            else ("were judged before and are not now")
        )
        yield f"{counted(len(lost), 'row')} {verb}: {names(c.id for c in lost)}"


def _rows(n: int) -> str:
    return f"{counted(n, 'row')} {'is' if n == 1 else 'are'}"


def _was_judged(change: RowChange) -> bool:
    """Decided by a judge in the baseline, and undecided now, without an error of the pipeline."""
    if change.after is Outcome.ERROR or Change.LOST not in change.stages.values():
        return False
    return any(change.stages.get(stage) is Change.LOST for stage in _JUDGED)


def _judge(old: RunRecord, new: RunRecord, pairs: Sequence[Pair]) -> Iterator[str]:
    cut = [pair.id for pair in pairs if pair.incomparable]
    if cut:
        before = old.judge.name if old.judge else "no judge"
        after = new.judge.name if new.judge else "no judge"
        yield (
            f"judged by {before} before and by {after} now: judged metrics of "
            f"{_rows(len(cut))} not compared; judge both runs with one judge"
        )
