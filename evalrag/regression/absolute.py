"""Rules that need no baseline: a bound for each row, a total, a mean, a rate."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf

from evalrag.regression.measured import Measurable
from evalrag.regression.narrative import counted
from evalrag.regression.relative import EPSILON, Look
from evalrag.schema.gate import Gate, GateStatus, RowStatus, Rule
from evalrag.schema.score import Absent, Failed, NotApplicable, Score, Scored, Unresolved


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one rule decided over all its rows, and what it says of each."""

    status: GateStatus
    message: str
    looks: tuple[tuple[str, Look], ...]
    compared: int


def rule_on(
    scores: Sequence[tuple[str, Score]], gate: Gate, rule: Rule, metric: Measurable
) -> Ruling:
    """Decide an absolute rule by the best and the worst that the scores can still be.

    Args:
        scores: row id and score of every row that the gate looks at.
        gate: its `on_unresolved` says what an unresolved score counts as.
        rule: `at_least`, `at_most`, `total_at_most`, `mean_at_least` or `rate_at_least`.
        metric: its range bounds what is unresolved or errored.
    """
    assert rule.value is not None
    ranges = [(row, score, *_range(score, gate, rule, metric)) for row, score in scores]
    asked = [e for e in ranges if isinstance(e[1], Absent) or not isinstance(e[1], NotApplicable)]
    hidden = [e for e in asked if _is_open(e[1]) and gate.on_unresolved == "ignore"]
    counted = [entry for entry in asked if entry not in hidden]
    hides = tuple((e[0], Look(RowStatus.HIDDEN, _why(e[1]), None, e[1])) for e in hidden)
    if not counted:
        return Ruling(GateStatus.UNDECIDED, "no row of it has a value", hides, 0)
    if rule.must in ("at_least", "at_most"):
        return _each(counted, rule, hides)
    return _together(counted, rule, metric, hides)


_Entry = tuple[str, Score, float | None, float | None]


def _range(
    score: Score, gate: Gate, rule: Rule, metric: Measurable
) -> tuple[float | None, float | None]:
    match score:
        case Scored(value=value):
            return value, value
        case Absent():
            return inf, inf
        case Unresolved(low=low, high=high):
            low = low if low is not None else metric.low
            high = high if high is not None else metric.high
            if gate.on_unresolved == "fail" and _is_open(score):
                worst = high if rule.must in ("at_most", "total_at_most") else low
                return worst, worst
            return low, high
        case _:
            return metric.low, metric.high


def _is_open(score: Score) -> bool:
    """The judge looked, and could not decide. What it failed to give is no open verdict."""
    return isinstance(score, Unresolved) and not score.judge_failed


def _why(score: Score) -> str:
    match score:
        case Absent(reason=reason):
            return reason
        case Unresolved(reason=reason):
            return f"unresolved: {reason}"
        case Failed(reason=reason):
            return f"errored: {reason}"
        case _:
            return ""


def _each(entries: Sequence[_Entry], rule: Rule, hides: tuple[tuple[str, Look], ...]) -> Ruling:
    assert rule.value is not None
    looks: list[tuple[str, Look]] = []
    for row, score, low, high in entries:
        if rule.must == "at_least":
            fails = high is not None and high < rule.value - EPSILON
            holds = low is not None and low >= rule.value - EPSILON
        else:
            fails = low is not None and low > rule.value + EPSILON
            holds = high is not None and high <= rule.value + EPSILON
        found = RowStatus.PASSED if holds else RowStatus.FAILED if fails else RowStatus.UNDECIDED
        why = {RowStatus.PASSED: "holds", RowStatus.FAILED: f"not {_bound(rule)}"}
        looks.append((row, Look(found, why.get(found) or _why(score), None, score, True)))
    failed = sum(look.status is RowStatus.FAILED for _, look in looks)
    open_ = sum(look.status is RowStatus.UNDECIDED for _, look in looks)
    status = GateStatus.FAILED if failed else GateStatus.UNDECIDED if open_ else GateStatus.PASSED
    verb = "is" if len(looks) == 1 else "are"
    message = f"holds on {counted(len(looks) - open_, 'row')}"
    if failed:
        message = f"{failed} of {counted(len(looks), 'row')} {verb} not {_bound(rule)}"
    if open_:
        message += f", {open_} undecided"
    return Ruling(status, message, (*looks, *hides), len(looks))


def _bound(rule: Rule) -> str:
    side = "at least" if rule.must.endswith("at_least") else "at most"
    return f"{side} {rule.value:g}"


def _together(
    entries: Sequence[_Entry],
    rule: Rule,
    metric: Measurable,
    hides: tuple[tuple[str, Look], ...],
) -> Ruling:
    assert rule.value is not None
    low, high = _sum([e[2] for e in entries]), _sum([e[3] for e in entries])
    n = len(entries)
    if rule.must == "total_at_most":
        fails = low is not None and low > rule.value + EPSILON
        holds = high is not None and high <= rule.value + EPSILON
        total = f"total {between(low, high)} where at most {rule.value:g} is allowed"
        said = f"{total}, {counted(n, 'row')}"
    else:
        fails = high is not None and high / n < rule.value - EPSILON
        holds = low is not None and low / n >= rule.value - EPSILON
        name = "mean" if rule.must == "mean_at_least" else "rate"
        worst, best = None if low is None else low / n, None if high is None else high / n
        said = f"{name} {between(worst, best)} where at least {rule.value:g} is asked, n = {n}"
    status = GateStatus.PASSED if holds else GateStatus.FAILED if fails else GateStatus.UNDECIDED
    looks = tuple((e[0], _part(e, rule, status)) for e in entries)
    return Ruling(status, said, (*looks, *hides), n)


def _part(entry: _Entry, rule: Rule, status: GateStatus) -> Look:
    """What one row adds to a total, a mean or a rate that does not hold."""
    score = entry[1]
    if isinstance(score, Absent):
        return Look(RowStatus.FAILED, score.reason, None, score, True)
    if not isinstance(score, Scored):
        named = RowStatus.UNDECIDED if status is GateStatus.UNDECIDED else RowStatus.NOT_COMPARED
        if status is GateStatus.PASSED:
            named = RowStatus.PASSED
        return Look(named, _why(score), None, score, True)
    bad = score.value > 0.0 if rule.must == "total_at_most" else score.value < (rule.value or 0.0)
    if status is GateStatus.FAILED and bad:
        return Look(RowStatus.FAILED, "counts against it", None, score, True)
    return Look(RowStatus.PASSED, "holds", None, score, True)


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) if len(known) == len(values) else None


def between(low: float | None, high: float | None) -> str:
    """One number where the two ends meet, else both."""
    if low is not None and high is not None and abs(high - low) < EPSILON:
        return f"{low:.4g}"
    shown = ["?" if v is None else f"{v:.4g}" for v in (low, high)]
    return f"between {shown[0]} and {shown[1]}"
