"""What an acceptance changes in a baseline, as data: outcomes, answers and scores of its rows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evalrag.schema.brief import Result
from evalrag.schema.run import Acceptance, Accepted
from evalrag.schema.words import Outcome

Scores = Mapping[str, Mapping[str, float]]
"""Row -> metric -> value."""


@dataclass(frozen=True, slots=True)
class ScoreMove:
    """One metric of the rows in which it moved."""

    metric: str
    before: float
    """Mean over these rows."""
    after: float
    rows: tuple[str, ...]
    worse: tuple[str, ...] = field(default=())
    """Those of them in which the value fell; of a metric that is better low, rose."""


def score_moves(before: Scores, now: Scores, *, better_low: Collection[str]) -> list[ScoreMove]:
    """Each metric that moved, with its rows; `before` holds the values that are not `now`'s.

    A row or a metric that is not there now is left out: nothing can be said of how far it moved.
    """
    moved: dict[str, list[tuple[str, float, float]]] = {}
    for row, scores in before.items():
        for metric, was in scores.items():
            value = now.get(row, {}).get(metric)
            if value is not None and value != was:
                moved.setdefault(metric, []).append((row, was, value))
    found = []
    for metric, rows in sorted(moved.items()):
        sign = -1 if metric in better_low else 1
        found.append(
            ScoreMove(
                metric,
                sum(was for _, was, _ in rows) / len(rows),
                sum(value for *_, value in rows) / len(rows),
                tuple(row for row, *_ in rows),
                tuple(row for row, was, value in rows if sign * value < sign * was),
            )
        )
    return found


def changed_scores(
    before: Mapping[str, Result], now: Iterable[Result], metrics: Collection[str]
) -> dict[str, dict[str, float]]:
    """The values before, of those `metrics` that a row had and has no longer at that value."""
    found: dict[str, dict[str, float]] = {}
    for result in now:
        old = before.get(result.id)
        if old is None or old is result:
            continue
        moved = {
            name: value
            for name, value in old.scores.items()
            if name in metrics and name in result.scores and result.scores[name] != value
        }
        if moved:
            found[result.id] = moved
    return found


def first_values(past: Scores, last: Scores, now: Sequence[Result]) -> dict[str, dict[str, float]]:
    """`past`, the first values so far, with those that moved for the first time.

    A value that is back where it was first is no move; a row that is gone has none.
    """
    found: dict[str, dict[str, float]] = {}
    for result in now:
        known = {**last.get(result.id, {}), **past.get(result.id, {})}
        moved = {name: value for name, value in known.items() if result.scores.get(name) != value}
        if moved:
            found[result.id] = moved
    return found


def movements(results: Sequence[Result], before: Mapping[str, str] | None) -> dict[str, list[str]]:
    """Rows whose outcome an acceptance turns, named by how; `before` is row -> outcome."""
    if before is None:
        return {}
    left = dict(before)
    found: dict[str, list[str]] = {}
    for result in results:
        was = left.pop(result.id, None)
        if was is None:
            found.setdefault("new", []).append(result.id)
        elif was != result.outcome:
            found.setdefault(f"{was} -> {result.outcome}", []).append(result.id)
    if left:
        found["removed"] = list(left)
    worse = f"{Outcome.PASS} -> {Outcome.FAIL}"
    return {key: found[key] for key in sorted(found, key=lambda k: (k != worse, k))}


def newest_acceptance(accepted: Accepted, rows: Iterable[str]) -> dict[str, Acceptance]:
    """Row -> the acceptance that its result came with: its age in the baseline."""
    found: dict[str, Acceptance] = {}
    missing = list(rows)
    for entry in reversed(accepted.history):
        taken = set(entry.taken) if entry.partial else set(missing) - set(entry.kept)
        found |= {row: entry for row in missing if row in taken}
        missing = [row for row in missing if row not in taken]
    return found
