"""Many runs of one plan side by side: each row's outcomes, and each kind's pass rate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evalrag.schema.brief import Result
from evalrag.schema.run import RunRecord
from evalrag.schema.words import Kind, Outcome

RESTLESS = 3
"""Turns between pass and fail from which a row is marked."""
_WORST = (Outcome.FAIL, Outcome.ERROR, Outcome.UNRESOLVED, Outcome.PASS)


@dataclass(frozen=True, slots=True)
class RowHistory:
    """One row through the runs, oldest first."""

    id: str
    kind: Kind
    outcomes: tuple[Outcome | None, ...]
    """None where it was not run."""
    flaky: bool
    """Attempts of one run did not agree, or two runs of the same thing did not."""

    @property
    def last(self) -> Outcome | None:
        """Its newest outcome."""
        return next((one for one in reversed(self.outcomes) if one is not None), None)

    @property
    def changed(self) -> bool:
        """It did not end alike in all runs that had it."""
        return len({*self.outcomes} - {None}) > 1

    @property
    def turns(self) -> int:
        """How often it passed and then failed, or the other way, from one run to the next."""
        decided = [one for one in self.outcomes if one in (Outcome.PASS, Outcome.FAIL)]
        return sum(old is not new for old, new in pairwise(decided))

    @property
    def restless(self) -> bool:
        """It turned three times or more: P F P F, whatever changed in between."""
        return self.turns >= RESTLESS

    @property
    def steady(self) -> bool:
        """It passed wherever it was run."""
        return not self.flaky and {*self.outcomes} <= {Outcome.PASS, None}


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows of a kind in one run."""

    passed: int = 0
    failed: int = 0
    unresolved: int = 0
    errored: int = 0

    @property
    def rows(self) -> int:
        return self.passed + self.failed + self.unresolved + self.errored


@dataclass(frozen=True, slots=True)
class History:
    """Runs of one plan, oldest first."""

    plan: str
    runs: tuple[RunRecord, ...]
    rows: tuple[RowHistory, ...]
    """Worst first: by the newest outcome, those that changed before those that did not."""
    kinds: Mapping[Kind, tuple[Counts, ...]]
    left_out: tuple[str, ...] = ()
    """Runs that are not here, and why."""


def history(
    plan: str, runs: Iterable[tuple[RunRecord, Sequence[Result]]], left_out: Sequence[str] = ()
) -> History:
    """Put runs side by side, oldest first. Rows are matched by id alone, as they are everywhere."""
    records: list[RunRecord] = []
    found: dict[str, list[tuple[int, Result]]] = {}
    for number, (record, results) in enumerate(runs):
        records.append(record)
        for result in results:
            found.setdefault(result.id, []).append((number, result))
    rows = [_row(id, seen, records) for id, seen in found.items()]
    rows.sort(key=_rank)
    kinds = {
        kind: tuple(_counts(rows, kind, number) for number in range(len(records)))
        for kind in Kind
        if any(row.kind is kind for row in rows)
    }
    return History(plan, tuple(records), tuple(rows), kinds, tuple(left_out))


def _rank(row: RowHistory) -> tuple[int, bool, str, str]:
    return _WORST.index(row.last or Outcome.PASS), not row.changed, row.kind.value, row.id


def _row(id: str, seen: Sequence[tuple[int, Result]], records: Sequence[RunRecord]) -> RowHistory:
    outcomes: list[Outcome | None] = [None] * len(records)
    for number, result in seen:
        outcomes[number] = result.outcome
    flaky = any(result.flaky for _, result in seen)
    moved = (
        old.outcome is not new.outcome
        and old.digest == new.digest
        and _same_thing(records[first], records[second])
        for (first, old), (second, new) in pairwise(seen)
    )
    return RowHistory(id, seen[-1][1].kind, tuple(outcomes), flaky or any(moved))


def _same_thing(one: RunRecord, other: RunRecord) -> bool:
    """Nothing is known to have changed between two runs, and nothing is unknown of them."""
    return (
        one.pipeline.digest == other.pipeline.digest
        and not one.pipeline.unknown
        and (one.judge.digest if one.judge else None)
        == (other.judge.digest if other.judge else None)
        and one.thresholds == other.thresholds
        and one.scoring == other.scoring
        and one.reading.matches_as(other.reading)
    )


def _counts(rows: Sequence[RowHistory], kind: Kind, number: int) -> Counts:
    outcomes = [row.outcomes[number] for row in rows if row.kind is kind]
    return Counts(
        *(
            outcomes.count(one)
            for one in (Outcome.PASS, Outcome.FAIL, Outcome.UNRESOLVED, Outcome.ERROR)
        )
    )
