"""Two runs laid beside each other: which rows, stages and metrics may be compared (SPEC 8)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalrag.judging.decided import PEOPLE, Decisions
from evalrag.judging.measures import JUDGED, UNJUDGED
from evalrag.regression.diagnosis import passed_before
from evalrag.regression.scoring import Scoring, decide_again, rescored
from evalrag.regression.stages import checks_decide
from evalrag.schema.brief import Result, whole
from evalrag.schema.diff import Relation
from evalrag.schema.digest import row_digest
from evalrag.schema.result import RowResult
from evalrag.schema.row import Row
from evalrag.schema.run import RunRecord
from evalrag.schema.trace import Trace
from evalrag.schema.words import Outcome, Split, Stage

Traces = Callable[[str], Sequence[Trace] | None]
"""The stored traces of a row of the baseline; None where it keeps none."""

_JUDGED_STAGES = (Stage.GENERATION, Stage.ANSWER)


@dataclass(slots=True, eq=False)
class Pair:
    """One id of either run. `old` is already scored with today's labels and thresholds.

    It is not written to once it is made.
    """

    id: str
    old: Result | None
    new: Result | None
    relation: Relation
    incomparable: frozenset[str] = frozenset()
    """Metrics, and stages as `stage.NAME`, that another judge or code decided."""
    note: str | None = None
    was: Outcome | None = None
    """The stored outcome of the baseline, before it was scored or decided again."""
    stored: Result | None = None
    """The baseline's row as it is stored, where its labels changed since."""

    @property
    def unchanged(self) -> bool:
        """The baseline stores the row as this run does, to the byte: one object is both."""
        return self.old is self.new and not self.incomparable

    @property
    def shown(self) -> Result:
        """The row as it is now, or as it was."""
        result = self.new if self.new is not None else self.old
        assert result is not None
        return result


def pair_runs(
    old: tuple[RunRecord, Iterable[Result]] | None,
    new: tuple[RunRecord, Iterable[Result]],
    *,
    rows: Mapping[str, Row],
    traces: Traces,
    scoring: Scoring,
    digests: Mapping[str, tuple[str, str]],
    decisions: Decisions,
) -> tuple[Pair, ...]:
    """Pair every id of either run, in this run's order and then the baseline's.

    `rows` and `digests` (row digest, asked digest) are today's dataset, for rows whose labels or
    ids changed; without them such rows count as edited, or as new and removed. `decisions` of
    people are read on both sides. Rows that a selection left out are in no pair, unless they were
    moved to the holdout split.
    """
    record, results = new
    if old is None:
        return tuple(Pair(r.id, None, r, Relation.NEW) for r in results)
    old_record, old_results = old
    before: dict[str, Result] = {result.id: result for result in old_results}
    settings = _Settings(
        rows=rows,
        traces=traces,
        scoring=scoring,
        digests=digests,
        decisions=decisions,
        decided=frozenset(decision.row for decision in decisions.standing),
        thresholds=old_record.thresholds != record.thresholds,
        matching=_reads_otherwise(old_record, record),
    )
    take, as_stored = before.pop, not settings.matching and not settings.thresholds
    pairs = [
        Pair(result.id, result, result, _SAME)
        if (held := take(result.id, None)) is result and as_stored
        else _pair(held, result, settings)
        for result in results
    ]
    pairs = _renamed(pairs, before, settings)
    left_out, holdout = set(record.dataset.left_out), set(record.dataset.holdout)
    for result in before.values():
        moved = result.id in holdout and result.about.get("split") != Split.HOLDOUT
        if result.id in left_out and not moved:
            continue
        note = "moved to the holdout split" if moved else None
        pairs.append(Pair(result.id, result, None, Relation.REMOVED, note=note))
    return tuple(pairs)


@dataclass(frozen=True, slots=True)
class _Settings:
    rows: Mapping[str, Row]
    traces: Traces
    scoring: Scoring
    digests: Mapping[str, tuple[str, str]]
    decisions: Decisions
    decided: frozenset[str]
    """Rows that people decided something about."""
    thresholds: bool
    """The thresholds differ: outcomes are derived again."""
    matching: bool
    """Evidence is matched or scored otherwise: retrieval is scored again from the traces."""


def _reads_otherwise(old: RunRecord, new: RunRecord) -> bool:
    return old.scoring != new.scoring or not old.reading.matches_as(new.reading)


def _renamed(pairs: list[Pair], gone: dict[str, Result], settings: _Settings) -> list[Pair]:
    """Pair a new id with the row of the baseline that it is the new name of, and take that out.

    A row is renamed where its question, history, kind and labels are those of one row that is gone,
    and of one alone: two rows of one question are told apart by their ids.
    """
    fresh: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        if pair.relation is Relation.NEW and pair.new is not None:
            fresh.setdefault(pair.new.asked, []).append(place)
    lost: dict[str, list[Result]] = {}
    for result in gone.values():
        if result.asked in fresh and result.id not in settings.rows:
            lost.setdefault(result.asked, []).append(result)
    for asked, found in lost.items():
        places = fresh[asked]
        if len(found) != 1 or len(places) != 1:
            continue
        old, new = found[0], pairs[places[0]].new
        row = settings.rows.get(new.id) if new is not None else None
        if new is None or row is None:
            continue
        if row_digest(row.model_copy(update={"id": old.id}), asked=asked) == old.digest:
            pairs[places[0]] = _pair(old, new, settings)
            del gone[old.id]
    return pairs


def _pair(old: Result | None, new: Result, settings: _Settings) -> Pair:
    """`old` has another id where the row was renamed; then its labels are the same."""
    if old is None:
        return Pair(new.id, None, new, Relation.NEW)
    if old.asked != new.asked:
        return Pair(new.id, _decided(old, settings), new, Relation.EDITED, _incomparable(old, new))
    renamed = old.id != new.id
    relabelled = old.digest != new.digest and not renamed
    relation = Relation.RENAMED if renamed else Relation.SAME
    note, was = None, old.outcome
    had = old
    if relabelled or settings.matching:
        again = _scored_again(old, new.id, settings, relabelled=relabelled)
        if again is None:
            what = "evidence is matched otherwise"
            if relabelled:
                what = "labels changed"
            note = f"{what}, and {_why_not_again(new.id, settings)}"
            return Pair(
                new.id, _decided(old, settings), new, Relation.EDITED, _incomparable(old, new), note
            )
        if relabelled:
            relation = Relation.RELABELLED
        old = again
    elif settings.decided & {old.id, new.id}:
        again = _scored_again(old, new.id, settings, relabelled=False)
        old = again if again is not None else _decided(old, settings)
    else:
        old = _decided(old, settings)
    if (
        relation in (Relation.SAME, Relation.RENAMED)
        and old.outcome is Outcome.PASS
        and isinstance(new, RowResult)
    ):
        new = passed_before(new)
    stored = had if relabelled else None
    return Pair(new.id, old, new, relation, _incomparable(old, new), note, was, stored)


def _decided(old: Result, settings: _Settings) -> Result:
    return decide_again(whole(old), settings.scoring) if settings.thresholds else old


_SAME = Relation.SAME


def _scored_again(
    kept: Result, name: str, settings: _Settings, *, relabelled: bool
) -> Result | None:
    """The baseline's row by today's labels, which stand under `name`, and people's decisions."""
    row, digests = settings.rows.get(name), settings.digests.get(name)
    traces = settings.traces(kept.id)
    if row is None or digests is None or traces is None:
        return None
    old = whole(kept)
    if len(traces) != len(old.attempts or (old,)):
        return None
    digest, asked = digests
    decided = [
        settings.decisions.about(
            row, [passage.get("text", "") for passage in trace["context"]], trace.get("answer")
        )
        for trace in traces
    ]
    return rescored(
        old,
        row,
        traces,
        settings.scoring,
        digest=digest,
        asked=asked,
        relabelled=relabelled,
        decided=decided,
    )


def _why_not_again(row: str, settings: _Settings) -> str:
    if row not in settings.rows:
        return "the dataset file does not hold the rows of this run any more; run the plan again"
    return "the baseline keeps no trace to score again"


def _incomparable(old: Result, new: Result) -> frozenset[str]:
    """What two different judges, or versions of the code that reads forms, decided.

    A form that people decided is what any of them was to find: it is held against all.
    """
    before, after = old.verdicts, new.verdicts
    if before is None or after is None:
        return frozenset()
    names: set[str] = set()
    if before.judge != after.judge:
        names |= set(JUDGED) - UNJUDGED - {"refusal"}
        names |= {f"stage.{stage}" for stage in _JUDGED_STAGES} | {"outcome"}
        if checks_decide(old) and checks_decide(new):
            names.discard(f"stage.{Stage.ANSWER}")
    if len({before.form_by, after.form_by} - {None, PEOPLE}) > 1:
        names |= {"refusal", f"stage.{Stage.BOUNDARY}", "outcome"}
    return frozenset(names)
