"""Recall turn by turn: a pipeline that searches once and never again is right at first."""

from collections.abc import Sequence
from math import fsum

from evalrag.regression.diagnosis import REUSED
from evalrag.schema.brief import Result
from evalrag.schema.score import Scored
from evalrag.schema.verdict import TurnRecall
from evalrag.schema.words import Kind, Outcome

RECALL = "context_recall"
Group = tuple[int, str, str]
"""Turn, kind and origin: rows of several kinds, or origins, have no mean together."""


def turn_of(result: Result) -> int:
    turn = result.about.get("turn", 1)
    return turn if isinstance(turn, int) else 1


def reuses(result: Result) -> bool:
    """Some attempt used the passages of an earlier turn again, and said so."""
    return any(
        warning.code == REUSED
        for attempt in (result.attempts or (result,))
        for warning in attempt.warnings
    )


def by_turn(results: Sequence[Result]) -> tuple[TurnRecall, ...]:
    """Recall of each turn, by kind and origin; nothing where no row has a history."""
    if not any("turn" in result.about for result in results):
        return ()
    groups: dict[Group, list[Result]] = {}
    for result in results:
        origin = str(result.about.get("origin", "human"))
        groups.setdefault((turn_of(result), result.kind.value, origin), []).append(result)
    kinds = [kind.value for kind in Kind]
    order = sorted(groups, key=lambda group: (group[2], group[0], kinds.index(group[1])))
    return tuple(_recall(group, groups[group]) for group in order)


def _recall(group: Group, rows: Sequence[Result]) -> TurnRecall:
    turn, kind, origin = group
    scores = [result.score(RECALL) for result in rows]
    values = [score.value for score in scores if isinstance(score, Scored)]
    return TurnRecall(
        turn=turn,
        kind=kind,
        origin=origin,
        rows=len(rows),
        scored=len(values),
        recall=fsum(values) / len(values) if values else None,
        reused=sum(map(reuses, rows)),
    )


def failed_on_reuse(results: Sequence[Result]) -> list[str]:
    """Rows that failed on passages of an earlier turn."""
    return [r.id for r in results if r.outcome is Outcome.FAIL and reuses(r)]
