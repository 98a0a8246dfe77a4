"""How far a mean fell since the baseline, over the rows that both runs scored."""

import math
from dataclasses import dataclass, replace

from evalrag.regression.absolute import between
from evalrag.regression.measured import Measurable
from evalrag.regression.relative import EPSILON, Look, Looks, worse_by
from evalrag.schema.gate import Gate, GateStatus, RowStatus, Rule
from evalrag.schema.score import Scored, Unresolved


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the mean alone decides; `looks` still hold rows that fail or are open by themselves."""

    status: GateStatus
    message: str
    looks: Looks
    compared: int


def mean_drop(looks: Looks, rule: Rule, metric: Measurable, gate: Gate) -> Dropped:
    """Decide `mean_drop_at_most` by the best and the worst that unresolved rows can still be.

    A row counts with its own drop, also where it is far beyond the limit: the mean is what is
    held. Removed, vanished and errored rows are for the caller, as in every relative gate.
    """
    assert rule.value is not None
    low = high = 0.0
    compared = 0
    kept = []
    for pair, one in looks:
        drop = _drop(one, rule, metric, gate)
        if drop is not None:
            compared += 1
            low, high = low + drop[0], high + drop[1]
            one = replace(one, status=RowStatus.PASSED, why="counts in the mean")
        kept.append((pair, one))
    if not compared:
        return Dropped(GateStatus.UNDECIDED, "nothing could be compared", tuple(kept), 0)
    best, worst = low / compared, high / compared
    status = GateStatus.UNDECIDED
    if best > rule.value + EPSILON:
        status = GateStatus.FAILED
        kept = [(pair, _fell(one, rule, metric)) for pair, one in kept]
    elif worst <= rule.value + EPSILON:
        status = GateStatus.PASSED
    said = f"the mean got worse by {between(best, worst)} where {rule.value:g} is allowed"
    return Dropped(status, f"{said}, n = {compared}", tuple(kept), compared)


def _drop(one: Look, rule: Rule, metric: Measurable, gate: Gate) -> tuple[float, float] | None:
    """By how much a row got worse, at best and at worst; None where it does not count."""
    before, after = one.before, one.after
    if not isinstance(before, Scored) or one.status is RowStatus.HIDDEN:
        return None
    if isinstance(after, Scored) and one.compared:
        drop = worse_by(rule, metric, before.value, after.value)
        return drop, drop
    if not isinstance(after, Unresolved):
        return None
    low = after.low if after.low is not None else metric.low
    high = after.high if after.high is not None else metric.high
    ends = [
        worse_by(rule, metric, before.value, end) if end is not None else math.inf
        for end in (low, high)
    ]
    return (max(ends), max(ends)) if gate.on_unresolved == "fail" else (min(ends), max(ends))


def _fell(one: Look, rule: Rule, metric: Measurable) -> Look:
    before, after = one.before, one.after
    if (
        isinstance(before, Scored)
        and isinstance(after, Scored)
        and one.compared
        and worse_by(rule, metric, before.value, after.value) > EPSILON
    ):
        return replace(one, status=RowStatus.FAILED, why="got worse")
    return one
