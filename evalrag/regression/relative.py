"""What a relative rule does with one row: the table of SPEC 9, cell by cell."""

from dataclasses import dataclass

from evalrag.regression.comparable import Pair
from evalrag.regression.measured import Costs, Measurable, measured, words
from evalrag.schema.diff import Relation
from evalrag.schema.gate import Gate, RowStatus, Rule
from evalrag.schema.score import Absent, Failed, NotApplicable, Score, Scored, Unresolved
from evalrag.schema.words import Direction

EPSILON = 1e-9
"""Two values closer than this are equal: less than any metric's step, more than rounding."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a rule says of one row."""

    status: RowStatus
    why: str
    before: Score | None = None
    after: Score | None = None
    compared: bool = False
    at_floor: bool = False
    fixed: bool = False

    def shown(self, name: str) -> tuple[str | None, str | None]:
        return words(self.before, name), words(self.after, name)


Looks = tuple[tuple[Pair, Look], ...]


def look(
    pair: Pair, gate: Gate, rule: Rule, metric: Measurable, *, retired: bool, costs: Costs | None
) -> Look:
    """Hold one row against its own past."""
    before = _score(pair, metric, old=True, costs=None)
    after = _score(pair, metric, old=False, costs=costs)
    if pair.relation is Relation.REMOVED:
        note = pair.note or "removed from the dataset"
        if retired:
            return Look(RowStatus.NOT_COMPARED, "retired", before)
        return Look(RowStatus.FAILED, note, before)
    if isinstance(after, Failed):
        return Look(RowStatus.UNDECIDED, f"errored: {after.reason}", before, after)
    found = _look(pair, gate, rule, metric, before, after)
    if isinstance(after, Unresolved) and after.judge_failed and not found.compared:
        # Nobody looked: no rule for what a judge leaves open is meant for it.
        return Look(RowStatus.UNDECIDED, f"the judge failed: {after.reason}", before, after)
    return found


def _look(
    pair: Pair,
    gate: Gate,
    rule: Rule,
    metric: Measurable,
    before: Score | None,
    after: Score | None,
) -> Look:
    if pair.relation is Relation.NEW:
        return _new(metric, after)
    if metric.name in pair.incomparable:
        if isinstance(after, NotApplicable) or isinstance(before, NotApplicable):
            return Look(RowStatus.NOT_COMPARED, "judged by another judge", before, after)
        return Look(RowStatus.UNDECIDED, "judged by another judge", before, after)
    found = _same(gate, rule, metric, before, after)
    if pair.relation is Relation.EDITED:
        return _edited(found)
    return found


def _score(pair: Pair, metric: Measurable, *, old: bool, costs: Costs | None) -> Score | None:
    result = pair.old if old else pair.new
    return None if result is None else measured(result, metric.name, costs)


def _new(metric: Measurable, after: Score | None) -> Look:
    if metric.name == "hard_fail" and after == Scored(1.0):
        return Look(RowStatus.FAILED, "new, and a failure is proven", None, after)
    return Look(RowStatus.NOT_COMPARED, "new: nothing to compare with", None, after)


def _edited(found: Look) -> Look:
    """An edited row proves nothing against its past, and what got worse is not waved through."""
    if found.status in (RowStatus.FAILED, RowStatus.UNDECIDED):
        why = f"edited, and worse than before ({found.why}): accept it to go on"
        return Look(RowStatus.UNDECIDED, why, found.before, found.after)
    if found.status is RowStatus.HIDDEN:
        return found
    return Look(RowStatus.NOT_COMPARED, "edited", found.before, found.after)


def _same(
    gate: Gate, rule: Rule, metric: Measurable, before: Score | None, after: Score | None
) -> Look:
    match before, after:
        case ((Unresolved() | Failed()), Scored()):
            return _first_time(metric, before, after)
        case Scored(), Scored():
            return _compare(gate, rule, metric, before, after)
        case Scored(), Absent(reason=reason):
            return Look(RowStatus.FAILED, f"{reason} now", before, after, compared=True)
        case Absent(), (Scored() | Absent()):
            found = isinstance(after, Scored)
            why = "found now" if found else "holds"
            return Look(RowStatus.PASSED, why, before, after, True, at_floor=not found, fixed=found)
        case Scored(), NotApplicable(reason=reason):
            return _vanished(metric, before, after, reason)
        case Scored(), Unresolved():
            return _unresolved(gate, rule, metric, before, after)
        case _:
            return Look(RowStatus.NOT_COMPARED, _why_not(before), before, after)


def _why_not(before: Score | None) -> str:
    match before:
        case Unresolved():
            return "unresolved in the baseline"
        case Failed():
            return "errored in the baseline"
        case NotApplicable(reason=reason):
            return f"not applicable in the baseline ({reason})"
        case _:
            return "not in the baseline"


def _first_time(metric: Measurable, before: Score, after: Scored) -> Look:
    """Undecided in the baseline: what fails now, nobody has accepted."""
    proven = metric.name == "hard_fail" and after.value == 1.0
    if proven or (metric.stage and after.value == 0.0):
        return Look(
            RowStatus.FAILED,
            "undecided in the baseline, and a failure is proven now",
            before,
            after,
        )
    return Look(RowStatus.NOT_COMPARED, _why_not(before), before, after)


def worse_by(rule: Rule, metric: Measurable, before: float, after: float) -> float:
    """How far a value moved the wrong way; negative where it got better."""
    if rule.must == "not_rise" or metric.direction is Direction.DOWN:
        return after - before
    return before - after


def _at_floor(rule: Rule, metric: Measurable, before: float) -> bool:
    rises = rule.must == "not_rise" or metric.direction is Direction.DOWN
    worst = metric.high if rises else metric.low
    return worst is not None and before == worst


def _compare(gate: Gate, rule: Rule, metric: Measurable, before: Scored, after: Scored) -> Look:
    worse = worse_by(rule, metric, before.value, after.value)
    floor = _at_floor(rule, metric, before.value)
    if worse > gate.tolerance + EPSILON:
        verb = "rose" if after.value > before.value else "dropped"
        why = "broke" if metric.stage else verb
        return Look(RowStatus.FAILED, why, before, after, compared=True)
    return Look(
        RowStatus.PASSED,
        "holds",
        before,
        after,
        compared=True,
        at_floor=floor,
        fixed=worse < -EPSILON,
    )


def _vanished(metric: Measurable, before: Scored, after: Score, reason: str) -> Look:
    if metric.stage:
        return Look(RowStatus.PASSED, f"not asked now ({reason})", before, after)
    if metric.judged:
        return Look(RowStatus.UNDECIDED, f"had a value, and has none now ({reason})", before, after)
    return Look(
        RowStatus.FAILED, f"had a value, and is not applicable now ({reason})", before, after
    )


def _unresolved(
    gate: Gate, rule: Rule, metric: Measurable, before: Scored, after: Unresolved
) -> Look:
    """By bounds: a proven drop fails, one that cannot be holds, the rest is for the gate to say."""
    rises = rule.must == "not_rise" or metric.direction is Direction.DOWN
    worst = after.high if rises else after.low
    best = after.low if rises else after.high
    worst = worst if worst is not None else (metric.high if rises else metric.low)
    best = best if best is not None else (metric.low if rises else metric.high)
    slack = gate.tolerance + EPSILON
    if best is not None and worse_by(rule, metric, before.value, best) > slack:
        return Look(RowStatus.FAILED, "worse whatever is unresolved", before, after, compared=True)
    if worst is not None and worse_by(rule, metric, before.value, worst) <= slack:
        return Look(
            RowStatus.PASSED,
            "holds whatever is unresolved",
            before,
            after,
            compared=True,
            at_floor=_at_floor(rule, metric, before.value),
        )
    status = {
        "undecided": RowStatus.UNDECIDED,
        "fail": RowStatus.FAILED,
        "ignore": RowStatus.HIDDEN,
    }[gate.on_unresolved]
    return Look(status, f"unresolved: {after.reason}", before, after)
