"""Several attempts at one row made one: what gates look at (SPEC 8, noise)."""

from collections import Counter
from collections.abc import Sequence
from math import inf
from statistics import median_high, median_low

from evalrag.regression.measured import measurable
from evalrag.regression.stages import outcome_of, row_outcome
from evalrag.schema.result import Attempt
from evalrag.schema.score import Absent, Failed, NotApplicable, Score, Scored, Unresolved, to_wire
from evalrag.schema.words import Direction, Outcome, Stage


def combine(attempts: Sequence[Attempt]) -> Attempt:
    """Lower median of each metric, majority of each stage (a tie fails), worst `hard_fail`.

    One attempt is itself. The texts and the diagnosis shown are those of the first attempt whose
    outcome is the combined one, so that what is read explains what was decided.
    """
    if len(attempts) == 1:
        return attempts[0]
    names = dict.fromkeys(n for a in attempts for n in (*a.scores, *a.reasons))
    scores = {name: _combined(name, [a.score(name) for a in attempts]) for name in names}
    numbers, reasons = to_wire(scores)
    decided = {
        stage: _majority([a.stages.get(stage, Outcome.NA) for a in attempts]) for stage in Stage
    }
    stages = {stage: found for stage, found in decided.items() if found is not Outcome.NA}
    outcome = outcome_of(stages)
    shown = _shown(attempts, outcome)
    decided_as: dict[str, object] = {"stages": stages, "outcome": outcome}
    if outcome in (Outcome.PASS, Outcome.ERROR):
        decided_as["diagnoses"] = ()
    return shown.model_copy(update={"scores": numbers, "reasons": reasons, **decided_as})


def _shown(attempts: Sequence[Attempt], outcome: Outcome) -> Attempt:
    """The first that ended so; where none did, the first that a cause is known of."""
    same = (attempt for attempt in attempts if attempt.outcome is outcome)
    caused = (attempt for attempt in attempts if attempt.diagnoses)
    return next(same, None) or next(caused, None) or attempts[0]


def flaky(attempts: Sequence[Attempt]) -> bool:
    return len({attempt.outcome for attempt in attempts}) > 1


def _majority(outcomes: Sequence[Outcome]) -> Outcome:
    """The outcome of more than half of those that are not `na`; without one, the worst."""
    asked = [outcome for outcome in outcomes if outcome is not Outcome.NA]
    if not asked:
        return Outcome.NA
    most, n = Counter(asked).most_common(1)[0]
    if n * 2 > len(asked):
        return most
    return row_outcome(asked)


def _combined(name: str, scores: Sequence[Score]) -> Score:
    known = measurable(name)
    worse_is_high = known is not None and known.direction is Direction.DOWN
    failed = [score for score in scores if isinstance(score, Failed)]
    bounds = [
        _bounds(score, known.low if known else None, known.high if known else None)
        for score in scores
        if isinstance(score, Scored | Unresolved | Absent)
    ]
    if name == "hard_fail":
        return _worst(bounds, failed, scores)
    if failed and len(failed) * 2 >= len(scores):
        return failed[0]
    if not bounds:
        return next((s for s in scores if isinstance(s, NotApplicable)), scores[0])
    middle = median_high if worse_is_high else median_low
    lows, highs = [low for low, _ in bounds], [high for _, high in bounds]
    low = None if None in lows else middle([v for v in lows if v is not None])
    high = None if None in highs else middle([v for v in highs if v is not None])
    if low == inf:
        return next(score for score in scores if isinstance(score, Absent))
    if low is not None and low == high:
        return Scored(low)
    why = "attempts that are unresolved could turn the median"
    return Unresolved(why, low, high, _judge_failed(scores))


def _worst(
    bounds: Sequence[tuple[float | None, float | None]],
    failed: Sequence[Failed],
    scores: Sequence[Score],
) -> Score:
    if any(low == 1.0 for low, _ in bounds):
        return Scored(1.0)
    if failed:
        return failed[0]
    if not bounds:
        return scores[0]
    if any(high != 0.0 for _, high in bounds):
        return Unresolved("an attempt is unresolved", 0.0, 1.0, _judge_failed(scores))
    return Scored(0.0)


def _judge_failed(scores: Sequence[Score]) -> bool:
    return any(isinstance(score, Unresolved) and score.judge_failed for score in scores)


def _bounds(
    score: Scored | Unresolved | Absent, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    if isinstance(score, Scored):
        return score.value, score.value
    if isinstance(score, Absent):  # worse than any position
        return inf, inf
    return (
        score.low if score.low is not None else low,
        score.high if score.high is not None else high,
    )
