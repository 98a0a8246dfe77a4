"""What a report points at, worst first: for formats that have a place for each and room for few."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from evalrag.regression.catalogue import CATALOGUE, entry
from evalrag.regression.verdict import outside_gates
from evalrag.schema.diff import BROKEN, Change, RowChange
from evalrag.schema.gate import GateResult, GateRow, GateStatus, RowStatus
from evalrag.schema.report import Report
from evalrag.schema.verdict import ExitCode, Verdict
from evalrag.schema.words import Outcome


class Weight(StrEnum):
    ERROR = "error"
    """A reason why the run did not pass."""
    WARNING = "warning"
    """Nothing that a gate holds, and worth a look."""
    NOTE = "note"
    """Shown, since it must not be hidden: waived, in quarantine, failing as before."""


OTHERS = {
    "gate-failed": "A gate failed that looks at all of its rows together, or a row without a "
    "diagnosis failed one.",
    "undecided": "A gate, or the run, could not be decided. That is never a pass.",
    "errored": "The row could not be measured: the pipeline or the judge failed.",
    "no-baseline": "A gate compares with a baseline, and there is none that it can compare with.",
    "loosened": "Something became easier to pass since the baseline.",
    "broke": "A stage passed in the baseline and fails now.",
    "lost": "Decided in the baseline, and unresolved or errored now.",
    "removed": "In the baseline, and not in the dataset any more.",
    "not-passed": "The row did not pass. No gate holds it, or it is not worse than before.",
    "flaky": "The attempts of one run did not agree.",
    "waived": "The row may fail this gate to the end of a day, as the plan says.",
    "quarantined": "The row stands outside every gate to the end of a day, as the plan says.",
}
"""What a finding is called that no diagnosis explains."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at. `row`, `gate` and `said` are untrusted."""

    weight: Weight
    code: str
    """A diagnosis or warning of the catalogue, or a key of `OTHERS`."""
    said: str
    row: str | None = None
    """None where it is of the run as a whole."""
    kind: str | None = None
    gate: str | None = None
    look: str | None = None
    """Where to look, where a diagnosis says so."""


def findings(report: Report) -> list[Finding]:
    """All of them, worst first; at least one error where the exit code is not 0."""
    verdict = report.verdict
    changes = {change.id: change for change in verdict.diff.changes}
    outside = outside_gates(report.record, verdict.errored)
    found = [*_of_gates(verdict, changes)]
    rows = {one.row for one in found if one.weight is not Weight.NOTE}
    found += _of_errors(report, rows, outside, changes)
    if verdict.exit_code and not any(one.weight is Weight.ERROR for one in found):
        found += _of_run(verdict)
    found += [Finding(Weight.WARNING, "loosened", line) for line in verdict.diff.loosened]
    rows = {one.row for one in found}
    found += [
        one for c in changes.values() if c.id not in rows for one in _of_row(c, verdict, outside)
    ]
    found += _of_marks(verdict, changes)
    order = list(Weight)
    return sorted(found, key=lambda one: (order.index(one.weight), _later(one, changes)))


def _later(one: Finding, changes: Mapping[str, RowChange]) -> int:
    """Within a weight: the run, rows that broke, rows that failed, the rest."""
    if one.row is None:
        return 0
    change = changes.get(one.row)
    if change is not None and change.change in BROKEN:
        return 1
    return 3 if one.code in ("undecided", "errored") else 2


def _of_gates(verdict: Verdict, changes: Mapping[str, RowChange]) -> Iterator[Finding]:
    if verdict.exit_code is ExitCode.NO_BASELINE:
        yield from _of_run(verdict)
    for gate in verdict.gates:
        yield from _whole(gate)
        for row in gate.rows:
            yield from _of_gate_row(gate, row, changes.get(row.id))


def _whole(gate: GateResult) -> Iterator[Finding]:
    """The gate itself, where no row of it says the same."""
    for status, rows, code in (
        (GateStatus.FAILED, RowStatus.FAILED, "gate-failed"),
        (GateStatus.UNDECIDED, RowStatus.UNDECIDED, "undecided"),
    ):
        if gate.status is status and not gate.named(rows):
            said = f"{gate.metric} {gate.must}: {gate.message}"
            yield Finding(Weight.ERROR, code, said, gate=gate.name)


def _of_gate_row(gate: GateResult, row: GateRow, change: RowChange | None) -> Iterator[Finding]:
    kind = change.kind.value if change else None
    said = words(row)
    if row.status is RowStatus.FAILED:
        code = row.diagnosis or "gate-failed"
        if change is not None and change.change is Change.REMOVED:
            code = "removed"
        yield Finding(Weight.ERROR, code, said, row.id, kind, gate.name, row.look)
    elif row.status is RowStatus.UNDECIDED:
        yield Finding(Weight.ERROR, "undecided", said, row.id, kind, gate.name, row.look)
    elif row.status is RowStatus.WAIVED:
        yield Finding(Weight.NOTE, "waived", said, row.id, kind, gate.name, row.look)


def words(row: GateRow) -> str:
    """What it was and is, and why a gate says what it says."""
    if row.before is None and row.after is None:
        return row.why
    return f"{row.before or 'none'} -> {row.after or 'none'}: {row.why}"


def _of_errors(
    report: Report,
    named: set[str | None],
    outside: Mapping[str, str],
    changes: Mapping[str, RowChange],
) -> Iterator[Finding]:
    """Errored rows that no gate names: they too decide the run, unless something allows them."""
    wanted = {row for row in report.verdict.errored if row not in named}
    errors = {r.id: r.error for r in report.results() if r.id in wanted} if wanted else {}
    for row in report.verdict.errored:
        if row in wanted:
            change = changes.get(row)
            weight = Weight.WARNING if row in outside else Weight.ERROR
            said = errors.get(row) or "it could not be measured"
            said += f" ({outside[row]})" if row in outside else ""
            yield Finding(weight, "errored", said, row, change.kind.value if change else None)


def _of_run(verdict: Verdict) -> Iterator[Finding]:
    code = {ExitCode.NO_BASELINE: "no-baseline", ExitCode.FAILED: "gate-failed"}
    for reason in verdict.reasons or ("the run did not pass",):
        yield Finding(Weight.ERROR, code.get(verdict.exit_code, "undecided"), reason)


def _of_row(change: RowChange, verdict: Verdict, outside: Mapping[str, str]) -> Iterator[Finding]:
    """A row that no gate names."""
    id, kind, code = change.id, change.kind.value, change.diagnosis_after
    after = change.after.value if change.after else "gone"
    said = f"{change.before.value if change.before else 'new'} -> {after}"
    look = entry(code).look if code else None
    if id in outside:
        yield Finding(Weight.NOTE, "quarantined", f"{said}: {outside[id]}", id, kind, look=look)
    elif change.change is Change.REMOVED:
        yield Finding(Weight.WARNING, "removed", "in the baseline, and not here", id, kind)
    elif change.change in BROKEN:
        yield Finding(
            Weight.WARNING, code or "broke", f"{said}: no gate holds it", id, kind, None, look
        )
    elif change.change is Change.LOST:
        yield Finding(Weight.WARNING, "lost", said, id, kind, None, look)
    elif change.after in (Outcome.FAIL, Outcome.ERROR, Outcome.UNRESOLVED):
        new = verdict.baseline is None or change.change is Change.NEW
        weight = Weight.WARNING if new else Weight.NOTE
        yield Finding(weight, code or "not-passed", said, id, kind, None, look)


def _of_marks(verdict: Verdict, changes: Mapping[str, RowChange]) -> Iterator[Finding]:
    """Marks and warnings, which stand beside any outcome."""
    for row in verdict.flaky:
        change = changes.get(row)
        kind = change.kind.value if change else None
        yield Finding(Weight.WARNING, "flaky", OTHERS["flaky"], row, kind)
    for code, rows in verdict.warnings.items():
        page = entry(code)
        for row in rows:
            change = changes.get(row)
            as_before = change is not None and code in change.warnings_before
            weight = Weight.NOTE if as_before else Weight.WARNING
            kind = change.kind.value if change else None
            yield Finding(weight, code, page.holds, row, kind, None, page.look)


def meaning(code: str) -> str:
    """What a code of a finding stands for, in a sentence or two."""
    if code in OTHERS and code not in CATALOGUE:
        return OTHERS[code]
    return entry(code).holds
