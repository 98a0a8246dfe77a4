"""An accepted run, laid over the baseline that there is."""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalrag.errors import RunError
from evalrag.schema.brief import Result, whole
from evalrag.schema.result import RowResult
from evalrag.schema.run import MATCHING, RunRecord
from evalrag.stores.runs import StoredRun


@dataclass(frozen=True, slots=True)
class Merged:
    """What a baseline will hold after an acceptance."""

    record: RunRecord
    results: tuple[Result, ...]
    """Of every row what a verdict reads, in dataset order."""
    before: Mapping[str, Result]
    """What the baseline holds until then."""
    replaced: tuple[str, ...]
    """Rows that were taken from the run."""
    kept: tuple[str, ...]
    """Rows that are undecided in the run and keep their decided result of before."""
    run: StoredRun
    old: StoredRun | None

    def rows(self) -> Iterator[RowResult]:
        """The same rows whole. They are read anew, since all of them at once are a gigabyte."""
        replaced, stored = set(self.replaced), self.run.rows()
        for result in self.results:
            if result.id in replaced:
                yield next(row for row in stored if row.id == result.id)
            else:
                yield whole(result)

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """The traces of the rows, from where each row is."""
        replaced = set(self.replaced)
        for result in self.results:
            source = self.run if result.id in replaced else self.old or self.run
            yield from source.lines(result.id)


def merge(
    run: StoredRun,
    old: StoredRun | None,
    *,
    with_undecided: bool,
    only: Collection[str] | None = None,
) -> Merged:
    """Lay an accepted run over the baseline that there is.

    A run of all rows replaces everything; a run of selected rows (one without the holdout rows is
    one) replaces those rows and no other, as does a run of which `only` some rows are accepted. A
    row that is undecided in the run keeps its old decided result, unless `with_undecided`.

    Raises:
        RunError: some rows were selected, and the run was judged or decided by other rules than
            the rows that would stay.
    """
    before = {result.id: result for result in old.briefs_beside(run)} if old else {}
    ran = [result.id for result in run.briefs]
    new = {result.id: result for result in run.briefs if only is None or result.id in only}
    narrow = run.record.selection.narrow or only is not None
    if old is not None and narrow:
        _same_rules(run.record, old.record)
    kept = (
        ()
        if with_undecided
        else tuple(
            row
            for row, result in new.items()
            if not result.outcome.decided and row in before and before[row].outcome.decided
        )
    )
    left_out = set(run.record.dataset.left_out)
    held = {row: result for row, result in before.items() if narrow or row in left_out}
    held |= new | {row: before[row] for row in kept}
    results = [held[row] for row in in_order(ran, list(before)) if row in held]
    replaced = tuple(row for row in new if row not in kept)
    head = _head(run.record, old.record if old is not None and narrow else None, results)
    if old is not None and len(results) > len(replaced):
        head = _with_judges_of(head, old.record)
    return Merged(head, tuple(results), before, replaced, kept, run, old)


def in_order(ran: Sequence[str], held: Sequence[str]) -> list[str]:
    """The rows of a run and of a baseline, each once, in the order of the dataset.

    The run's order stands. A row that the baseline alone holds follows the one that it follows
    there; without one that the run has too, it stands first.
    """
    behind: dict[str | None, list[str]] = {}
    known, last = set(ran), None
    for row in held:
        if row in known:
            last = row
        else:
            behind.setdefault(last, []).append(row)
    found = list(behind.get(None, ()))
    for row in ran:
        found += [row, *behind.get(row, ())]
    return found


_RULES = ("scoring", "thresholds", "generates", "repeats")


def _same_rules(run: RunRecord, old: RunRecord) -> None:
    differs = [name for name in _RULES if getattr(run, name) != getattr(old, name)]
    differs += [n for n in MATCHING if getattr(run.reading, n) != getattr(old.reading, n)]
    if (run.judge and run.judge.digest) != (old.judge and old.judge.digest):
        differs.append("judge")
    if differs:
        command = f"evalrag run {shlex.quote(run.plan_path or 'PLAN')}"
        raise RunError(
            f"this run of some rows has another {', '.join(differs)} than the baseline, whose "
            "other rows would stay as they were decided",
            hint=f"run all rows, and accept that: {command}",
        )


def _head(record: RunRecord, old: RunRecord | None, results: Sequence[Result]) -> RunRecord:
    """The accepted run's head, said over all the rows that the baseline holds.

    Gates, waivers and the like of a run of some rows are not accepted with it: they stay `old`'s,
    so that what they loosen is still said by the next run of all rows.
    """
    held = {result.id for result in results}
    outcomes: dict[str, int] = {}
    for result in results:
        outcomes[result.outcome.value] = outcomes.get(result.outcome.value, 0) + 1
    left_out = tuple(row for row in record.dataset.left_out if row not in held)
    dataset = record.dataset.model_copy(update={"left_out": left_out})
    ruling = old if old is not None else record
    kept = {name: getattr(ruling, name) for name in _GATING}
    totals = {name: record.totals[name] for name in _JUDGED_BY if name in record.totals}
    totals |= {"rows": len(results), "outcomes": dict(sorted(outcomes.items()))}
    return record.model_copy(update={"dataset": dataset, "totals": totals, **kept})


def _with_judges_of(head: RunRecord, old: RunRecord) -> RunRecord:
    """The head of a baseline in which rows of the old one stay: both had their judges."""
    both = {
        name: sorted({*head.totals.get(name, ()), *old.totals.get(name, ())})
        for name in _JUDGED_BY
        if name in head.totals or name in old.totals
    }
    return head.model_copy(update={"totals": head.totals | both})


_JUDGED_BY = ("judge_models", "judge_unpinned")
"""What the head says of the models that were heard; a later run is held against it."""


_GATING = (
    "gates",
    "fail_on_loosened",
    "allow_errors",
    "waivers",
    "quarantine",
    "retired",
    "metrics",
)
