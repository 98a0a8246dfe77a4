"""The rows that a person reads first: the same ones, in the same order, in every report."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from evalrag.regression.head import unheld
from evalrag.regression.unjudged import unjudged_words
from evalrag.schema.diff import BROKEN, Change, RowChange, RunDiff
from evalrag.schema.gate import GateResult, RowStatus
from evalrag.schema.verdict import ExitCode, Verdict
from evalrag.schema.words import Outcome

BAD = (Outcome.FAIL, Outcome.ERROR, Outcome.UNRESOLVED)


class RowToRead(NamedTuple):
    """A row, and what of it a gate holds where its stages do not say it."""

    change: RowChange
    metric: str = ""
    values: str = ""
    """The metric before and after, as the gate names them."""


class ToRead(NamedTuple):
    """Rows of one sort; at least one."""

    title: str
    rows: Sequence[RowToRead]
    change: Change | None = None
    """What a filter calls them; None where they have no change in common."""


def of_verdict(verdict: Verdict) -> tuple[ToRead, ...]:
    """What to read of a run."""
    waits = verdict.exit_code is ExitCode.UNDECIDED
    return to_read(verdict.diff, verdict.gates, verdict.errored if waits else ())


def to_read(
    diff: RunDiff, gates: Sequence[GateResult] = (), errored: Sequence[str] = ()
) -> tuple[ToRead, ...]:
    """Rows that broke, were lost, fail by new labels, failed a gate all the same, or wait for one.

    Without a baseline nothing can have broken: then they are the rows that do not pass. In a list
    rows that failed a gate stand first, and of these the ones of the commonest diagnosis. `errored`
    are rows that the exit code waits for although no gate may look at them.
    """
    failed, waiting = _named(gates, RowStatus.FAILED), _named(gates, RowStatus.UNDECIDED)
    waiting |= {row: waiting.get(row, ("", "")) for row in errored}
    order = _order(diff, failed)
    seen: set[str] = set()
    found: list[ToRead] = []
    for title, change, rows in _lists(diff, failed, waiting):
        fresh = [row for row in rows if row.change.id not in seen]
        seen.update(row.change.id for row in fresh)
        if fresh:
            found.append(ToRead(title, sorted(fresh, key=order), change))
    return tuple(found)


def _lists(
    diff: RunDiff, failed: dict[str, tuple[str, str]], waiting: dict[str, tuple[str, str]]
) -> Iterator[tuple[str, Change | None, Iterator[RowToRead]]]:
    changes = diff.changes
    if diff.baseline is None:
        yield "Did not pass", None, (RowToRead(c) for c in changes if c.after in BAD)
    else:
        yield "Broke", Change.BROKE, (RowToRead(c) for c in changes if c.change in BROKEN)
        yield "Lost", Change.LOST, (RowToRead(c) for c in changes if c.change is Change.LOST)
        yield "Fails under its new labels", None, map(_by_new_labels, fails_relabelled(diff))
    for title, rows in (("Failed a gate", failed), ("Undecided", waiting)):
        yield title, None, (RowToRead(c, *rows[c.id]) for c in changes if c.id in rows)


def fails_relabelled(diff: RunDiff) -> tuple[RowChange, ...]:
    """Rows that fail by labels that were changed since the baseline, which fails by them as well.

    No gate that compares can see them, and a mistake in a label is what they are most often.
    """
    return tuple(
        change
        for change in diff.changes
        if change.change is Change.RELABELLED and change.after is Outcome.FAIL
    )


def passed_but(verdict: Verdict) -> str | None:
    """What a run that passed is not drawn as a plain pass for; None where all is well."""
    if verdict.exit_code is not ExitCode.PASSED:
        return None
    if unheld(verdict.diff, verdict.gates):
        return "passed, but a row broke"
    if fails_relabelled(verdict.diff):
        return "passed, but a row fails under its new labels"
    said = unjudged_words(verdict)
    return f"passed, {said}" if said else None


def _by_new_labels(change: RowChange) -> RowToRead:
    stage = next((s for s, what in change.stages.items() if what is Change.STILL_FAILING), None)
    return RowToRead(change, stage.value, Outcome.FAIL.value) if stage else RowToRead(change)


def first_to_read(diff: RunDiff, gates: Sequence[GateResult]) -> str | None:
    """The first of them that failed a gate; None where no gate failed on a row that there is."""
    gone = {change.id for change in diff.changes if change.change is Change.REMOVED}
    failed = {row: of for row, of in _named(gates, RowStatus.FAILED).items() if row not in gone}
    listed = [row.change.id for part in to_read(diff, gates) for row in part.rows]
    return next((row for row in listed if row in failed), next(iter(failed), None))


def _named(gates: Sequence[GateResult], status: RowStatus) -> dict[str, tuple[str, str]]:
    """Rows that a gate names so, with the metric and its values of the first gate."""
    found: dict[str, tuple[str, str]] = {}
    for gate in gates:
        for row in gate.named(status):
            values = ""
            if row.before is not None or row.after is not None:
                values = f"{row.before or 'none'} -> {row.after or 'none'}"
            found.setdefault(row.id, (gate.metric, values))
    return found


def _order(
    diff: RunDiff, failed: dict[str, tuple[str, str]]
) -> Callable[[RowToRead], tuple[int, bool, bool]]:
    main = diff.look.code if diff.look is not None else None

    def place(row: RowToRead) -> tuple[int, bool, bool]:
        change = row.change
        worst = BAD.index(change.after) if change.after in BAD else len(BAD)
        return worst, change.id not in failed, main != (change.diagnosis_after or main)

    return place
