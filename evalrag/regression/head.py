"""What a reader has to know before the first number."""

from collections.abc import Iterator, Sequence

from evalrag.judging.measures import JUDGED
from evalrag.regression.narrative import names
from evalrag.regression.stages import undecidable
from evalrag.schema.brief import Result
from evalrag.schema.diff import RunDiff
from evalrag.schema.gate import Missing
from evalrag.schema.run import RunRecord
from evalrag.schema.words import Label, Split

TOO_MANY = 0.4
"""Share of unresolved claims above which the mean of faithfulness says nothing."""


def head(
    record: RunRecord,
    results: Sequence[Result],
    diff: RunDiff,
    *,
    missing: Sequence[Missing],
    left_out: Sequence[str],
    holdout_runs: int,
) -> Iterator[str]:
    """The notes that stand first in every report, after what was loosened."""
    yield from diff.notes
    yield from _selection(record, holdout_runs)
    if left_out:
        yield f"--no-baseline leaves out: {', '.join(left_out)}"
    for gate in missing:
        yield f"default gate not installed: {gate.name} ({gate.why}); {gate.unguarded}"
    merged = record.totals.get("merged", 0)
    if merged:
        yield f"{merged} rows came with a context alone: retrieval and ranking cannot be told apart"
    yield from _judge(record)
    empty = [result.id for result in results if undecidable(result.stages)]
    if empty:
        yield f"{len(empty)} rows have no stage that this plan can decide: {names(empty)}"
    if too_many_unresolved(results):
        yield (
            "more than 40% of the claims are unresolved, so no mean of faithfulness is shown; "
            "configure a model judge in the plan to have one"
        )
    flaky = [result.id for result in results if result.flaky]
    if flaky:
        yield f"flaky over {record.repeats} attempts: {names(flaky)}"
    for entry in record.quarantine:
        if entry.until >= record.day:
            yield f"{entry.row} is in quarantine until {entry.until}: {entry.reason}"


def _selection(record: RunRecord, holdout_runs: int) -> Iterator[str]:
    chosen = record.selection.words()
    if chosen:
        yield f"only some rows were asked for ({chosen})"
    if not record.selection.holdout and record.dataset.holdout:
        n = len(record.dataset.holdout)
        yield f"{n} holdout rows did not run; ask for them with --split {Split.HOLDOUT}"
    if record.selection.holdout and holdout_runs:
        times = "once" if holdout_runs == 1 else f"{holdout_runs} times"
        yield f"the holdout rows were looked at {times}; each look makes them less of a holdout"


def _judge(record: RunRecord) -> Iterator[str]:
    if record.judge is None or not record.generates:
        return
    silent = [name for name in JUDGED if name not in record.judge.offers and name != "refusal"]
    if silent:
        yield f"not measured by {record.judge.name}: {', '.join(silent)}"


def too_many_unresolved(results: Sequence[Result]) -> bool:
    """More than 40% of the run's claims are unresolved."""
    labels = [
        claim.label
        for result in results
        if result.verdicts is not None
        for claim in result.verdicts.claims
    ]
    unresolved = sum(label is Label.UNRESOLVED for label in labels)
    return bool(labels) and unresolved / len(labels) > TOO_MANY
