"""Means, each with its denominator, per kind and origin; never over rows of several kinds."""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from evalrag.regression.comparable import Pair
from evalrag.schema.diff import Mean, Relation
from evalrag.schema.result import RowResult
from evalrag.schema.score import FAILED, NOT_APPLICABLE, UNRESOLVED
from evalrag.schema.words import Outcome, Stage


def means(pairs: Sequence[Pair], metrics: Sequence[str]) -> tuple[Mean, ...]:
    """The mean of each metric over the rows of each kind and origin that this run has.

    `value` is over all rows scored in this run; `before` and `after` are over the rows that both
    runs have, unedited and decided, so that a row added or lost moves neither.
    """
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        if pair.new is not None:
            key = (pair.new.kind.value, str(pair.new.about.get("origin", "human")))
            groups.setdefault(key, []).append(pair)
    return tuple(
        _mean(metric, kind, origin, members)
        for (kind, origin), members in sorted(groups.items())
        for metric in metrics
    )


def _mean(metric: str, kind: str, origin: str, pairs: Sequence[Pair]) -> Mean:
    values: list[float] = []
    counts = dict.fromkeys((NOT_APPLICABLE, UNRESOLVED, FAILED), 0)
    both: list[tuple[float, float]] = []
    for pair in pairs:
        new, old = pair.new, pair.old
        assert new is not None
        single = new.scores.get(metric)
        if single is None:
            reason = new.reasons.get(metric)
            counts[reason["state"] if reason else NOT_APPLICABLE] += 1
            continue
        value = attempt_mean(new, metric, single)
        values.append(value)
        if old is None or pair.relation is Relation.EDITED or metric in pair.incomparable:
            continue
        before = old.scores.get(metric)
        if before is not None:
            both.append((attempt_mean(old, metric, before), value))
    return Mean(
        metric=metric,
        kind=kind,
        origin=origin,
        value=fsum(values) / len(values) if values else None,
        scored=len(values),
        eligible=len(pairs) - counts[NOT_APPLICABLE],
        not_applicable=counts[NOT_APPLICABLE],
        unresolved=counts[UNRESOLVED],
        errored=counts[FAILED],
        before=fsum(b for b, _ in both) / len(both) if both else None,
        after=fsum(a for _, a in both) / len(both) if both else None,
        paired=len(both),
    )


def attempt_mean(result: RowResult, metric: str, single: float) -> float:
    """The mean over a row's attempts; with one attempt its value."""
    if not result.attempts:
        return single
    values = [a.scores[metric] for a in result.attempts if metric in a.scores]
    return fsum(values) / len(values) if values else single


def metric_names(results: Iterable[RowResult]) -> tuple[str, ...]:
    """Every metric that some row was scored on, in the order of first sight."""
    found: dict[str, None] = {}
    for result in results:
        found.update(dict.fromkeys(result.scores))
        found.update(dict.fromkeys(result.reasons))
    return tuple(found)


def counts_by(
    results: Iterable[RowResult],
) -> tuple[Mapping[str, Mapping[str, int]], Mapping[str, Mapping[str, int]]]:
    """Rows by kind and outcome, and by stage and outcome."""
    kinds: dict[str, dict[str, int]] = {}
    stages: dict[str, dict[str, int]] = {}
    for result in results:
        own = kinds.setdefault(result.kind.value, {})
        own[result.outcome.value] = own.get(result.outcome.value, 0) + 1
        for stage in Stage:
            outcome = result.stages.get(stage, Outcome.NA)
            found = stages.setdefault(stage.value, {})
            found[outcome.value] = found.get(outcome.value, 0) + 1
    return kinds, stages
