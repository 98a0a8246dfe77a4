"""Means, each with its denominator, per kind and origin; never over rows of several kinds."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from math import fsum
from typing import Any

from evalrag.regression.comparable import Pair
from evalrag.schema.brief import Result
from evalrag.schema.diff import Mean, Relation
from evalrag.schema.score import ABSENT, FAILED, NOT_APPLICABLE, UNRESOLVED
from evalrag.schema.words import Outcome, Stage


def means(pairs: Sequence[Pair], metrics: Sequence[str]) -> tuple[Mean, ...]:
    """The mean of each metric over the rows of each kind and origin that this run has.

    `value` is over all rows scored in this run; `before` and `after` are over the rows that both
    runs have, unedited and decided, so that a row added or lost moves neither.
    """
    groups: dict[tuple[str, str], list[tuple[Pair, int]]] = {}
    for pair, number in _alike(pairs):
        new = pair.shown
        groups.setdefault((new.kind._value_, _origin(new)), []).append((pair, number))
    return tuple(
        _mean(metric, kind, origin, members)
        for (kind, origin), members in sorted(groups.items())
        for metric in metrics
    )


def _alike(pairs: Sequence[Pair]) -> list[tuple[Pair, int]]:
    """Pairs that count alike, with their number: unchanged rows share what they have in common."""
    first: dict[tuple[Any, ...], Pair] = {}
    numbers: dict[tuple[Any, ...], int] = {}
    for pair in pairs:
        new = pair.new
        if new is None:
            continue
        if new.attempts or not pair.unchanged:
            key: tuple[Any, ...] = (id(pair),)
        else:
            key = (id(new.scores), id(new.reasons), new.kind, _origin(new) if new.about else None)
        if key in numbers:
            numbers[key] += 1
        else:
            numbers[key], first[key] = 1, pair
    return list(zip(first.values(), numbers.values(), strict=True))


def _origin(result: Result) -> str:
    return str(result.about.get("origin", "human"))


def _mean(metric: str, kind: str, origin: str, pairs: Sequence[tuple[Pair, int]]) -> Mean:
    values: list[tuple[float, int]] = []
    counts = dict.fromkeys((NOT_APPLICABLE, ABSENT, UNRESOLVED, FAILED), 0)
    both: list[tuple[float, float, int]] = []
    for pair, number in pairs:
        new, old = pair.new, pair.old
        assert new is not None
        single = new.scores.get(metric)
        if single is None:
            reason = new.reasons.get(metric)
            counts[reason["state"] if reason else NOT_APPLICABLE] += number
            continue
        value = attempt_mean(new, metric, single)
        values.append((value, number))
        if old is None or pair.relation is Relation.EDITED or metric in pair.incomparable:
            continue
        before = old.scores.get(metric)
        if before is not None:
            both.append((attempt_mean(old, metric, before), value, number))
    scored, paired = sum(n for _, n in values), sum(n for *_, n in both)
    return Mean(
        metric=metric,
        kind=kind,
        origin=origin,
        value=_total(values) / scored if values else None,
        scored=scored,
        eligible=sum(n for _, n in pairs) - counts[NOT_APPLICABLE],
        not_applicable=counts[NOT_APPLICABLE],
        absent=counts[ABSENT],
        unresolved=counts[UNRESOLVED],
        errored=counts[FAILED],
        before=_total((b, n) for b, _, n in both) / paired if both else None,
        after=_total((a, n) for _, a, n in both) / paired if both else None,
        paired=paired,
    )


def _total(values: Iterable[tuple[float, int]]) -> float:
    """The exact sum, rounded once, of each value as often as it stands."""
    return fsum(chain.from_iterable(repeat(value, number) for value, number in values))


def attempt_mean(result: Result, metric: str, single: float) -> float:
    """The mean over a row's attempts; with one attempt its value."""
    if not result.attempts:
        return single
    values = [a.scores[metric] for a in result.attempts if metric in a.scores]
    return fsum(values) / len(values) if values else single


def metric_names(results: Iterable[Result]) -> tuple[str, ...]:
    """Every metric that some row was scored on, in the order of first sight."""
    found: dict[str, None] = {}
    seen: set[tuple[int, int]] = set()
    for result in results:
        own = id(result.scores), id(result.reasons)
        if own in seen:
            continue
        seen.add(own)
        found.update(dict.fromkeys(result.scores))
        found.update(dict.fromkeys(result.reasons))
    return tuple(found)


def counts_by(
    results: Iterable[Result],
) -> tuple[Mapping[str, Mapping[str, int]], Mapping[str, Mapping[str, int]]]:
    """Rows by kind and outcome, and by stage and outcome."""
    kinds: dict[str, dict[str, int]] = {}
    stages: dict[str, dict[str, int]] = {}
    alike: dict[int, tuple[Mapping[Stage, Outcome], list[int]]] = {}
    for result in results:
        own = kinds.setdefault(result.kind._value_, {})
        own[result.outcome._value_] = own.get(result.outcome._value_, 0) + 1
        _, number = alike.setdefault(id(result.stages), (result.stages, [0]))
        number[0] += 1
    for decided, number in alike.values():
        for stage in Stage:
            outcome = decided.get(stage, Outcome.NA)
            found = stages.setdefault(stage.value, {})
            found[outcome.value] = found.get(outcome.value, 0) + number[0]
    return kinds, stages
