"""Each gate over its own rows: what failed, what is undecided, what was compared (SPEC 9)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evalrag.regression.absolute import rule_on
from evalrag.regression.catalogue import look_at
from evalrag.regression.comparable import Pair
from evalrag.regression.default_gates import LABELLED
from evalrag.regression.mean_drop import mean_drop
from evalrag.regression.measured import Costs, Measurable, measurable, measured, words
from evalrag.regression.narrative import counted
from evalrag.regression.relative import Look, Looks, look
from evalrag.regression.where import looked_at
from evalrag.schema.diff import Relation
from evalrag.schema.gate import Gate, GateResult, GateRow, GateStatus, RowStatus, Rule
from evalrag.schema.score import NotApplicable, Unresolved

_WORST = (GateStatus.FAILED, GateStatus.NO_BASELINE, GateStatus.UNDECIDED)
_ROW_WORST = (
    RowStatus.FAILED,
    RowStatus.UNDECIDED,
    RowStatus.HIDDEN,
    RowStatus.NOT_COMPARED,
    RowStatus.PASSED,
)


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What all gates of a run share."""

    baseline: bool
    """There is one to compare with."""
    partial: bool = False
    """Rows were selected, so that a gate without rows may have them elsewhere."""
    dataset_rows: Mapping[str, int] = field(default_factory=dict)
    """Gate name -> rows of the whole dataset that it looks at."""
    defaults: frozenset[str] = frozenset()
    """Names of default gates, which are installed only where they have rows."""
    waived: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(row, gate) -> reason, for waivers that still hold."""
    outside: Mapping[str, str] = field(default_factory=dict)
    """Row -> why it stands outside every gate: quarantined, or an error that is allowed."""
    retired: frozenset[str] = frozenset()
    costs: Mapping[str, Costs] = field(default_factory=dict)


def evaluate(gate: Gate, pairs: Sequence[Pair], settings: GateSettings) -> GateResult:
    """Decide one gate. A proven failure is a failure, whatever else is undecided."""
    metric = measurable(gate.metric)
    assert metric is not None, gate.metric
    looks_at = looked_at(gate.where)
    mine = [pair for pair in pairs if looks_at(pair.shown)] if gate.where else pairs
    if settings.partial and settings.retired:  # they are no rows of what was selected
        mine = [p for p in mine if p.new is not None or p.id not in settings.retired]
    inside = [p for p in mine if p.id not in settings.outside] if settings.outside else mine
    waived = {row for row, name in settings.waived if name == gate.name}
    rows = [pair for pair in inside if pair.id not in waived] if waived else inside
    set_aside = [pair for pair in inside if pair.id in waived] if waived else []
    left_out = tuple(_waived_row(pair, gate, metric, settings) for pair in set_aside)
    if not rows:
        return _empty(gate, settings, mine=len(mine), left_out=left_out)
    if gate.name in settings.defaults & LABELLED and not any(_asked(p, gate) for p in rows):
        return _empty(gate, settings, mine=0, left_out=left_out)
    results = [_rule(gate, rule, rows, metric, settings) for rule in gate.must]
    merged = _merge(gate, results, left_out, number=len(rows))
    if settings.partial and settings.baseline and _new_alone(rows, merged):
        return merged.model_copy(
            update={
                "status": GateStatus.NOT_EVALUATED,
                "message": "the selection left it new rows alone",
            }
        )
    return merged


def _new_alone(rows: Sequence[Pair], result: GateResult) -> bool:
    """It compared nothing, since no selected row was in the baseline; and no row fails it."""
    open_ = result.status is GateStatus.UNDECIDED and not result.named(RowStatus.UNDECIDED)
    return open_ and all(pair.relation is Relation.NEW for pair in rows)


def _asked(pair: Pair, gate: Gate) -> bool:
    """The gate's metric asks something of the row, or did."""
    both = (pair.old, pair.new)
    scores = [measured(result, gate.metric) for result in both if result is not None]
    return not all(isinstance(score, NotApplicable) for score in scores)


def _empty(
    gate: Gate, settings: GateSettings, *, mine: int, left_out: tuple[GateRow, ...]
) -> GateResult:
    if mine:
        status, message = GateStatus.UNDECIDED, "waivers or quarantine leave it no row"
    elif settings.partial and settings.dataset_rows.get(gate.name, 0):
        status, message = GateStatus.NOT_EVALUATED, "the selection left it no row"
    elif gate.allow_empty or gate.name in settings.defaults:
        status, message = GateStatus.NOT_EVALUATED, "no row, which the plan allows"
    elif settings.dataset_rows.get(gate.name, 0):
        status, message = GateStatus.NOT_EVALUATED, "its rows run only when asked for"
    else:
        status = GateStatus.FAILED
        message = "it matches no row of the dataset: mend `where`, or say `allow_empty: true`"
    return GateResult(
        name=gate.name,
        metric=gate.metric,
        must=", ".join(map(str, gate.must)),
        status=status,
        message=message,
        rows=left_out,
        waived=len(left_out),
    )


@dataclass(frozen=True, slots=True)
class _RuleResult:
    status: GateStatus
    message: str
    looks: Looks
    compared: int | None = None


def _rule(
    gate: Gate, rule: Rule, rows: Sequence[Pair], metric: Measurable, settings: GateSettings
) -> _RuleResult:
    if not rule.relative:
        present = [pair for pair in rows if pair.new is not None]
        scores = [
            (pair.id, measured(pair.new, metric.name, settings.costs.get(pair.id)))
            for pair in present
            if pair.new is not None
        ]
        ruling = rule_on(scores, gate, rule, metric)
        by_id = {pair.id: pair for pair in present}
        looks = tuple((by_id[row], found) for row, found in ruling.looks)
        return _RuleResult(ruling.status, ruling.message, looks)
    if not settings.baseline:
        return _RuleResult(
            GateStatus.NO_BASELINE, "compares with a baseline, and there is none", ()
        )
    looks = tuple(_looks(gate, rule, rows, metric, settings))
    if rule.must == "mean_drop_at_most":
        return _mean_drop(looks, rule, metric, gate)
    return _per_row(looks, gate)


def _looks(
    gate: Gate, rule: Rule, rows: Sequence[Pair], metric: Measurable, settings: GateSettings
) -> Iterator[tuple[Pair, Look]]:
    """A look a row; unchanged rows of one value are looked at once."""
    known: dict[float, Look] = {}
    for pair in rows:
        value = pair.new.scores.get(metric.name) if pair.unchanged and pair.new else None
        found = known.get(value) if value is not None else None
        if found is None:
            found = look(
                pair,
                gate,
                rule,
                metric,
                retired=pair.id in settings.retired,
                costs=settings.costs.get(pair.id),
            )
            if value is not None:
                known[value] = found
        yield pair, found


def _mean_drop(looks: Looks, rule: Rule, metric: Measurable, gate: Gate) -> _RuleResult:
    dropped = mean_drop(looks, rule, metric, gate)
    others = _per_row(dropped.looks, gate)
    if not dropped.compared:
        return replace(others, compared=0)
    worst = next(s for s in (*_WORST, GateStatus.PASSED) if s in (others.status, dropped.status))
    return _RuleResult(worst, dropped.message, dropped.looks, dropped.compared)


def _per_row(looks: Looks, gate: Gate) -> _RuleResult:
    found = [one for _, one in looks]
    counts = Counter([one.status._value_ for one in found])
    failed, undecided = counts[RowStatus.FAILED.value], counts[RowStatus.UNDECIDED.value]
    compared = sum(one.compared for one in found)
    ignored = 0
    if gate.on_unresolved == "ignore":
        both = [(one.before, one.after) for one in found]
        ignored = sum(any(isinstance(score, Unresolved) for score in two) for two in both)
    if failed:
        status = GateStatus.FAILED
    elif undecided or not (compared or ignored):
        status = GateStatus.UNDECIDED
    else:
        status = GateStatus.PASSED
    parts = [f"holds on {counted(compared, 'row')}"]
    if failed:
        verb = "fails" if failed == 1 else "fail"
        parts = [f"{failed} of {counted(len(found), 'row')} {verb}"]
    if undecided:
        parts.append(f"{undecided} undecided")
    if not compared and not failed and ignored and not undecided:
        parts = [f"nothing was decided: {counted(ignored, 'row')} unresolved, which it ignores"]
    elif not compared and not failed:
        parts = ["nothing could be compared with the baseline"]
    return _RuleResult(status, ", ".join(parts), looks, compared)


def _merge(
    gate: Gate,
    results: Sequence[_RuleResult],
    left_out: tuple[GateRow, ...],
    *,
    number: int,
) -> GateResult:
    status = next((s for s in _WORST if any(r.status is s for r in results)), GateStatus.PASSED)
    first, *others = results
    found = _worst_looks(results) if others else first.looks
    named = [_row(pair, one, gate) for pair, one in found if _named(one)]
    named.sort(key=lambda row: _ROW_WORST.index(row.status))
    looks = [one for _, one in found]
    relative = [result.compared for result in results if result.compared is not None]
    return GateResult(
        name=gate.name,
        metric=gate.metric,
        must=", ".join(map(str, gate.must)),
        status=status,
        message="; ".join(dict.fromkeys(result.message for result in results)),
        rows=(*named, *left_out),
        looked_at=number,
        compared=min(relative) if relative else None,
        at_floor=sum(one.at_floor for one in looks),
        unprotected=sum(one.fixed for one in looks),
        hidden=sum(one.status is RowStatus.HIDDEN for one in looks),
        waived=len(left_out),
    )


def _worst_looks(results: Sequence[_RuleResult]) -> tuple[tuple[Pair, Look], ...]:
    """Of what several rules say of a row, the worst."""
    worst: dict[str, tuple[Pair, Look]] = {}
    for result in results:
        for pair, one in result.looks:
            held = worst.get(pair.id)
            if held is None or _ROW_WORST.index(one.status) < _ROW_WORST.index(held[1].status):
                worst[pair.id] = (pair, one)
    return tuple(worst.values())


def _named(one: Look) -> bool:
    if one.status is RowStatus.PASSED:
        return False
    # A metric that asks nothing of the row, then and now, is not worth a name.
    return one.status is not RowStatus.NOT_COMPARED or not one.why.startswith("not applicable")


def _row(pair: Pair, one: Look, gate: Gate) -> GateRow:
    before, after = one.shown(gate.metric)
    if before is None and pair.old is not None and gate.metric not in pair.incomparable:
        before = words(measured(pair.old, gate.metric), gate.metric)
    diagnosis = pair.new.diagnosis if pair.new else None
    empty = pair.new.empty if pair.new else None
    return GateRow(
        id=pair.id,
        status=one.status,
        why=f"{one.why}; {empty}" if empty else one.why,
        before=before,
        after=after,
        diagnosis=diagnosis,
        look=look_at(diagnosis, gate.metric),
    )


def _waived_row(pair: Pair, gate: Gate, metric: Measurable, settings: GateSettings) -> GateRow:
    after = None if pair.new is None else measured(pair.new, metric.name)
    before = None if pair.old is None else measured(pair.old, metric.name)
    return GateRow(
        id=pair.id,
        status=RowStatus.WAIVED,
        why=settings.waived[pair.id, gate.name],
        before=words(before, gate.metric),
        after=words(after, gate.metric),
        diagnosis=pair.new.diagnosis if pair.new else None,
    )
