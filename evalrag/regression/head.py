"""What a reader has to know before the first number."""

from collections import Counter
from collections.abc import Iterator, Sequence

from evalrag.evidence.assess import UNMATCHED
from evalrag.evidence.match import LACKING
from evalrag.evidence.nearly import in_words
from evalrag.judging.measures import FREE, JUDGED, OPTIONAL
from evalrag.regression.ended import ended
from evalrag.regression.judging_notes import guard_notes, judging_notes
from evalrag.regression.narrative import counted, names
from evalrag.regression.stages import undecidable
from evalrag.regression.turns import failed_on_reuse
from evalrag.schema.brief import Result, whole
from evalrag.schema.diff import BROKEN, Change, RunDiff
from evalrag.schema.gate import GateResult, Missing, RowStatus
from evalrag.schema.result import Nearly
from evalrag.schema.run import RunRecord
from evalrag.schema.words import Label, Split

TOO_MANY = 0.4
"""Share of unresolved claims above which the mean of faithfulness says nothing."""

_MUCH_OPEN = "more than 40% of the claims are unresolved, so no mean of faithfulness is shown"
_OPEN = "evalrag show RUN ROW says of each why it is open"


def head(
    record: RunRecord,
    results: Sequence[Result],
    diff: RunDiff,
    *,
    missing: Sequence[Missing],
    left_out: Sequence[str],
    holdout_runs: int,
    unheld: Sequence[str],
    quiet: Sequence[str],
) -> Iterator[str]:
    """The notes that stand first in every report, after what was loosened."""
    assumed = record.totals.get("assumed", 0)
    if assumed:
        yield (
            f"context assumed on {counted(assumed, 'row')}: the pipeline does not say what it "
            "used, so the first candidates that fit the window count as seen by the model; return "
            "`context` to have it known"
        )
    if unheld:
        yield (
            f"broke, and no gate holds what broke: {names(unheld)}; to hold it, write a gate on "
            "stage.retrieval, stage.generation, stage.answer or outcome with must: not_break"
        )
    if quiet:
        yield f"a gate fails on rows of which every stage stands as it stood: {names(quiet)}"
    yield from _errors(results, record)
    yield from _nearly(results)
    yield from record.totals.get("remarks", ())
    yield from _reuse(results)
    yield from diff.notes
    yield from _selection(record, holdout_runs)
    if left_out:
        yield f"--no-baseline leaves out: {', '.join(left_out)}"
    for gate in missing:
        if gate.optional:
            continue
        yield f"default gate not installed: {gate.name} ({gate.why}); {gate.unguarded}"
    merged = record.totals.get("merged", 0)
    if merged:
        came = counted(merged, "row")
        yield f"{came} came with a context alone: retrieval and ranking cannot be told apart"
    yield from judging_notes(record, results)
    empty = [result.id for result in results if undecidable(result.stages)]
    if empty:
        verb = "has" if len(empty) == 1 else "have"
        yield (
            f"{counted(len(empty), 'row')} {verb} no stage that this plan can decide: "
            f"{names(empty)}"
        )
    if too_many_unresolved(results):
        rules = record.judge is None or "model" not in record.judge.details
        advice = "configure a model judge in the plan to have one" if rules else _OPEN
        yield f"{_MUCH_OPEN}; {advice}"
    flaky = [result.id for result in results if result.flaky]
    if flaky:
        yield f"flaky over {record.repeats} attempts: {names(flaky)}"
    yield from ended(record)


def background(
    record: RunRecord, results: Sequence[Result], missing: Sequence[Missing]
) -> Iterator[str]:
    """What the plan asks for, and the judge leaves out: said of every run, and news of none."""
    for entry in record.quarantine:
        if entry.until >= record.day:
            yield f"{entry.row} is in quarantine until {entry.until}: {entry.reason}"
    optional = [gate.name for gate in missing if gate.optional]
    if optional:
        yield f"default gates not installed, since no row asks for them: {', '.join(optional)}"
    yield from guard_notes(results)
    yield from _judge(record)


def _errors(results: Sequence[Result], record: RunRecord) -> Iterator[str]:
    """The commonest errors, each once, however many rows it cost."""
    found = Counter(_kind(result.error, record) for result in results if result.error is not None)
    for error, n in found.most_common(3):
        yield f"errored on {n} of {len(results)} rows: {error}"
    if len(found) > 3:
        yield f"and {counted(len(found) - 3, 'other error')}; evalrag show RUN ROW prints each"


def _kind(error: str, record: RunRecord) -> str:
    """An error without the evidence that it names, which is another one on each row.

    Where a field of passages is lacking that a function returns, it says to return it.
    """
    if not error.startswith(UNMATCHED):
        return error
    kind = error.partition(": ")[0]
    shown = record.pipeline.shown
    stage = shown.get("retriever", shown)
    use = stage.get("use") if isinstance(stage, dict) else None
    if isinstance(use, str) and ":" in use:
        for field, reason in LACKING.items():
            if kind == f"{UNMATCHED}{reason}":
                return f"{kind}: return `{field}` from {use}"
    return kind


def _nearly(results: Sequence[Result]) -> Iterator[str]:
    """Why evidence that is there by all looks is not found: once, however many rows it cost."""
    found: dict[tuple[str, str], list[tuple[str, Nearly]]] = {}
    missed = [r for r in results if any(one.code == "not-retrieved" for one in r.diagnoses)]
    for result in missed[:_READ]:
        there = [s["nearly"] for s in whole(result).evidence if "nearly" in s]
        for one in {(one["why"], one["field"]): one for one in there}.values():
            found.setdefault((one["why"], one["field"]), []).append((result.id, one))
    for rows in found.values():
        ids = [row for row, _ in rows]
        n = f"{counted(len(ids), 'row')} of {len(results)} not retrieved by name alone"
        yield f"{n}: {in_words(rows[0][1])} ({names(ids)}); correct the labels, or what is returned"


_READ = 500
"""Rows without their evidence that are read for what stands in its place."""


def _reuse(results: Sequence[Result]) -> Iterator[str]:
    reused = failed_on_reuse(results)
    if reused:
        yield (
            f"{counted(len(reused), 'row')} failed on passages of an earlier turn "
            f"(reused-context): {names(reused)}; --full shows recall turn by turn"
        )


def unheld(diff: RunDiff, gates: Sequence[GateResult]) -> tuple[str, ...]:
    """Rows that broke and that no gate fails or waits for: green without anybody's say-so."""
    held = {
        row.id
        for gate in gates
        for row in gate.rows
        if row.status in (RowStatus.FAILED, RowStatus.UNDECIDED, RowStatus.WAIVED)
    }
    return tuple(c.id for c in diff.changes if c.change in BROKEN and c.id not in held)


def fails_quietly(diff: RunDiff, gates: Sequence[GateResult]) -> tuple[str, ...]:
    """Rows that a relative gate fails although none of their stages changed."""
    failed = dict.fromkeys(
        row.id
        for gate in gates
        if gate.compared is not None
        for row in gate.named(RowStatus.FAILED)
    )
    still = {
        change.id
        for change in diff.changes
        if change.id in failed and change.change in (Change.STILL_PASSING, Change.STILL_FAILING)
    }
    return tuple(row for row in failed if row in still)


def _selection(record: RunRecord, holdout_runs: int) -> Iterator[str]:
    chosen = record.selection.words()
    if chosen:
        yield f"only some rows were asked for ({chosen})"
    if not record.selection.holdout and record.dataset.holdout:
        n = len(record.dataset.holdout)
        yield f"{counted(n, 'holdout row')} did not run; ask for them with --split {Split.HOLDOUT}"
    if record.selection.holdout and holdout_runs:
        times = "once" if holdout_runs == 1 else f"{holdout_runs} times"
        yield f"the holdout rows were looked at {times}; each look makes them less of a holdout"


def _judge(record: RunRecord) -> Iterator[str]:
    if record.judge is None or not record.generates:
        return
    asked = [name for name in JUDGED if name not in FREE | OPTIONAL]
    silent = [name for name in asked if name not in record.judge.offers]
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
