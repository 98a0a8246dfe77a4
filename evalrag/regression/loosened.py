"""What has become easier since the baseline: said first in every report (SPEC 8)."""

from collections.abc import Iterator, Mapping, Sequence

from evalrag.regression.comparable import Pair
from evalrag.regression.narrative import counted
from evalrag.regression.where import equal, matches
from evalrag.schema.brief import Result, whole
from evalrag.schema.diff import Relation
from evalrag.schema.gate import Gate, Rule
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import RowResult
from evalrag.schema.row import LOOSE, default_forms
from evalrag.schema.run import RunRecord
from evalrag.schema.words import Form, Outcome

_LAX = {"fail": 0, "undecided": 1, "ignore": 2}


def loosened(
    old: RunRecord,
    new: RunRecord,
    *,
    old_gates: Sequence[Gate],
    new_gates: Sequence[Gate],
    pairs: Sequence[Pair],
    day: str,
) -> tuple[str, ...]:
    """A line for each thing that became easier to pass. `day` decides which waivers still hold."""
    return (
        *_gates(old_gates, new_gates),
        *_thresholds(old.thresholds, new.thresholds),
        *(f"no longer probed: {probe}" for probe in old.probes if probe not in new.probes),
        *_rows(old, new, pairs, new_gates),
        *_exceptions(new, day),
        *_errors(old, new),
    )


def _gates(old: Sequence[Gate], new: Sequence[Gate]) -> Iterator[str]:
    now = {gate.name: gate for gate in new}
    renamed = [gate for gate in new if gate.name not in {known.name for known in old}]
    for gate in old:
        if gate.name not in now:
            if not any(_same_but_name(other, gate) for other in renamed):
                yield f"gate {gate.name!r} is gone"
            continue
        for what in _weaker(gate, now[gate.name]):
            yield f"gate {gate.name!r}: {what}"


def _same_but_name(one: Gate, other: Gate) -> bool:
    return one.model_copy(update={"name": other.name}) == other


def _weaker(old: Gate, new: Gate) -> Iterator[str]:
    if old.metric != new.metric:
        yield f"looks at {new.metric}, not at {old.metric}"
        return
    if _narrower(old.where, new.where):
        yield "looks at fewer rows (`where` changed)"
    if new.tolerance > old.tolerance:
        yield f"tolerance {old.tolerance:g} -> {new.tolerance:g}"
    if _LAX[new.on_unresolved] > _LAX[old.on_unresolved]:
        yield f"on_unresolved {old.on_unresolved} -> {new.on_unresolved}"
    if new.allow_empty and not old.allow_empty:
        yield "may be empty now"
    rules = {rule.must: rule for rule in new.must}
    for rule in old.must:
        kept = rules.get(rule.must)
        if kept is None:
            yield f"no longer asks {rule}"
        elif _laxer(rule, kept):
            yield f"{rule} -> {kept}"


def _narrower(old: Mapping[str, object], new: Mapping[str, object]) -> bool:
    """Some row that the old `where` named may not be named by the new one."""
    for name, wanted in new.items():
        if name not in old:
            return True
        now = wanted if isinstance(wanted, list) else [wanted]
        then = old[name]
        before = then if isinstance(then, list) else [then]
        if any(not any(equal(option, other) for other in now) for option in before):
            return True
    return False


def _laxer(old: Rule, new: Rule) -> bool:
    if old.value is None or new.value is None:
        return False
    if old.must.endswith("at_least"):
        return new.value < old.value
    return new.value > old.value


def _thresholds(old: Thresholds, new: Thresholds) -> Iterator[str]:
    for name in Thresholds.model_fields:
        before, after = getattr(old, name), getattr(new, name)
        if after < before:
            yield f"threshold {name} {before:g} -> {after:g}"


def _rows(
    old: RunRecord, new: RunRecord, pairs: Sequence[Pair], gates: Sequence[Gate]
) -> Iterator[str]:
    retired = {entry.row: entry.reason for entry in new.retired}
    for pair in pairs:
        if pair.unchanged:
            continue
        if pair.relation is Relation.REMOVED:
            if pair.note:
                yield f"row {pair.id} was {pair.note}"
            elif pair.id in retired:
                yield f"row {pair.id} is retired: {retired[pair.id]}"
            else:
                yield f"row {pair.id} was removed"
            continue
        if pair.old is None or pair.new is None:
            continue
        if pair.relation is Relation.RELABELLED and _falls_out(pair):
            yield (
                f"row {pair.id} passed in the baseline by its old labels, and what is stored there "
                f"{_ENDS[pair.old.outcome]} by the new ones, so that no gate sees what the row "
                "lost: read it, and correct the labels if they are wrong"
            )
        stored = pair.stored if pair.stored is not None else pair.old
        if stored.digest != pair.new.digest:
            for what in _asks_less(stored, pair.new):
                yield f"row {pair.id}: {what}"
        if pair.old.kind is not pair.new.kind:
            yield f"row {pair.id} moved from {pair.old.kind} to {pair.new.kind}"
            continue
        if pair.old.about.get("split") != "holdout" and pair.new.about.get("split") == "holdout":
            yield f"row {pair.id} was moved to the holdout split"
        left = [
            gate.name
            for gate in gates
            if matches(gate.where, pair.old) and not matches(gate.where, pair.new)
        ]
        if left:
            yield f"row {pair.id} is no longer looked at by {', '.join(map(repr, left))}"


def _exceptions(new: RunRecord, day: str) -> Iterator[str]:
    for waiver in new.waivers:
        if waiver.until >= day:
            yield (
                f"row {waiver.row} is waived from {waiver.gate!r} until {waiver.until}: "
                f"{waiver.reason}"
            )
    for entry in new.quarantine:
        if entry.until >= day:
            yield (
                f"row {entry.row} is in quarantine until {entry.until} ({entry.owner}): "
                f"{entry.reason}"
            )


def _falls_out(pair: Pair) -> bool:
    """The relabelled row failed by its new labels already, so that nothing can get worse.

    One that passes by them now lost nothing, and is fixed.
    """
    return (
        pair.was is Outcome.PASS
        and pair.old is not None
        and pair.old.outcome is not Outcome.PASS
        and pair.new is not None
        and pair.new.outcome is not Outcome.PASS
    )


def _asks_less(old: Result, new: Result) -> Iterator[str]:
    """What the labels of a row asked of it, and its new ones do not. `old` is as it was stored."""
    had, has = whole(old), whole(new)
    before, after = _expected(had), _expected(has)
    wider = [form.value for form in after if form not in before]
    if wider and had.kind is has.kind:
        yield f"expect allows {', '.join(wider)} too"
    now = set(has.asks)
    for field, name in LOOSE.items():
        gone = [one for one in had.asks if one.startswith(f"{field}:") and one not in now]
        if gone:
            yield f"{counted(len(gone), name)} taken out or changed"
    golds = [one.removeprefix("gold:") for one in had.asks if one.startswith("gold:")]
    fewer = len(had.evidence) - len(has.evidence)
    if fewer > 0 and has.error is None:
        yield f"{counted(fewer, 'gold evidence')} taken out"
    alternatives = {one for one in now if one.startswith("alternative:")}
    if (not golds and had.evidence and alternatives) or any(
        f"gold:{one}" not in now and f"alternative:{one}" in now for one in golds
    ):
        yield "gold made an alternative"
    elif golds and alternatives - set(had.asks) and any(o.startswith("alt") for o in had.asks):
        yield "gold has more alternatives"


def _expected(row: RowResult) -> Sequence[Form]:
    because = row.about.get("unanswerable_because")
    return row.expect or default_forms(row.kind, str(because) if because else None)


_ENDS = {Outcome.FAIL: "fails", Outcome.UNRESOLVED: "is unresolved", Outcome.ERROR: "errors"}


def _errors(old: RunRecord, new: RunRecord) -> Iterator[str]:
    if old.generates and not new.generates:
        yield "answers were judged in the baseline, and this run has none"
    if old.fail_on_loosened and not new.fail_on_loosened:
        yield "fail_on_loosened is off now"
    if new.repeats < old.repeats:
        yield f"run.repeats {old.repeats} -> {new.repeats}"
    for name in ("superseded_when", "valid_until", "version_key"):
        before, after = getattr(old.reading, name), getattr(new.reading, name)
        if before != after and (before or name == "version_key"):
            yield f"{name} {before} -> {after or 'none'}"
    if new.allow_errors > old.allow_errors:
        yield f"run.allow_errors {old.allow_errors} -> {new.allow_errors}"
    if new.reading.quote_coverage < old.reading.quote_coverage:
        yield (f"quote_coverage {old.reading.quote_coverage:g} -> {new.reading.quote_coverage:g}")
