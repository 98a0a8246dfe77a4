"""JUnit XML: a suite a gate and a case a row that it looked at, so that a CI server names rows.

*failure*: a gate failed by that row. *error*: it could not be measured or decided. *skipped*:
waived, in quarantine, not compared, not evaluated. A first suite, `run`, holds the verdict itself:
whatever the exit code, a case is red where it is not 0.

Servers sort by `classname`, which they cut at its last dot, and take a case's name for unique in
its class: so a class is `GATE.KIND`, and a case is the row. GitLab shows the text of a result and
not its `message`, Jenkins both: so what a message says stands in the text as well.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from evalrag.regression.catalogue import entry
from evalrag.regression.default_gates import DEFAULTS
from evalrag.regression.narrative import counted
from evalrag.regression.verdict import outside_gates
from evalrag.regression.where import looked_at
from evalrag.reporters.as_json import word
from evalrag.reporters.findings import words
from evalrag.reporters.plain import disarmed, named, safe
from evalrag.schema.gate import Gate, GateResult, GateRow, GateStatus, RowStatus
from evalrag.schema.report import Report
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import ExitCode

_LINE = 2_000
"""Characters of one line that are kept."""
_OF_ROW = {RowStatus.FAILED: "failure", RowStatus.UNDECIDED: "error"}
"""Any other status of a row that a gate names is skipped."""
_OF_GATE = {
    GateStatus.FAILED: ("failure", RowStatus.FAILED),
    GateStatus.UNDECIDED: ("error", RowStatus.UNDECIDED),
    GateStatus.NO_BASELINE: ("error", None),
    GateStatus.NOT_EVALUATED: ("skipped", None),
}
"""What becomes of a gate, unless a row of that status says it already."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; without a result it passed."""

    group: str
    name: str
    result: str | None = None
    """failure, error or skipped."""
    type: str = ""
    message: str = ""
    lines: tuple[str, ...] = ()
    """The text, where it is more than the message."""


class Junit:
    name = "junit"

    def render(self, report: Report) -> str:
        return disarmed("\n".join(_file(report))) + "\n"


def build() -> Junit:
    return Junit()


def _file(report: Report) -> Iterator[str]:
    suites = [("run", [*_run(report)])]
    looks, kinds = _looks(report), {c.id: c.kind.value for c in report.verdict.diff.changes}
    for gate in report.verdict.gates:
        rows = {row: kind for row, kind in kinds.items() if looks(gate.name, row)}
        suites.append((gate.name, [*_gate(gate, rows, kinds)]))
    for missing in report.verdict.missing_gates:
        said = f"not installed: {missing.why}; {missing.unguarded}"
        case = Case(f"{missing.name}.gate", "the gate", "skipped", "not installed", said)
        suites.append((missing.name, [case]))
    suites += [*_left_out(report)]
    cases = [case for _, some in suites for case in some]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites name={_quoted(f'evalrag {report.record.plan}')} {_counts(cases)}>"
    for name, some in suites:
        skipped = sum(case.result == "skipped" for case in some)
        yield f'<testsuite name={_quoted(name)} {_counts(some)} skipped="{skipped}">'
        for case in some:
            yield from _case(case)
        yield "</testsuite>"
    yield "</testsuites>"


def _counts(cases: Sequence[Case]) -> str:
    failures, errors = (sum(case.result == name for case in cases) for name in ("failure", "error"))
    return f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'


def _case(case: Case) -> Iterator[str]:
    head = f"<testcase classname={_quoted(case.group)} name={_quoted(case.name)}"
    if case.result is None:
        yield f"{head}/>"
        return
    yield f"{head}>"
    said = f"<{case.result} type={_quoted(case.type)} message={_quoted(case.message)}"
    body = "\n".join(escape(safe(line, _LINE)) for line in case.lines or (case.message,))
    yield f"{said}>{body}</{case.result}>"
    yield "</testcase>"


def _quoted(text: str) -> str:
    return quoteattr(named(text, _LINE))


def _run(report: Report) -> Iterator[Case]:
    verdict, code = report.verdict, report.verdict.exit_code
    said = word(code)
    result = {ExitCode.PASSED: None, ExitCode.FAILED: "failure"}.get(code, "error")
    lines = (
        f"{said} (exit {int(code)})",
        *verdict.reasons,
        *verdict.head,
        *(f"next: {command}" for command in verdict.next),
    )
    message = "; ".join(verdict.reasons) or said
    yield Case("run.verdict", "verdict", result, f"exit {int(code)}", f"{said}: {message}", lines)
    for line in verdict.diff.loosened:
        yield Case("run.loosened", line, "skipped", "loosened", line)
    outside = outside_gates(report.record, verdict.errored)
    errored = set(verdict.errored)
    for row in report.results():
        group = f"run.{row.kind.value}"
        error = row.error or "it could not be measured"
        if row.id in outside:
            why = outside[row.id]
            lines = (why, error) if row.id in errored else ()
            yield Case(group, row.id, "skipped", "outside", why, lines)
        elif row.id in errored:
            yield Case(group, row.id, "error", "errored", error)


def _left_out(report: Report) -> Iterator[tuple[str, list[Case]]]:
    """Gates that were not asked, since nothing was to be compared with."""
    verdict, record = report.verdict, report.record
    known = {gate.name for gate in verdict.gates} | {one.name for one in verdict.missing_gates}
    gates = record.gates if record.gates is not None else [one.gate for one in DEFAULTS]
    for gate in gates:
        if gate.name not in known:
            said = "left out: it compares with a baseline, and nothing was compared"
            yield gate.name, [Case(f"{gate.name}.gate", "the gate", "skipped", "left out", said)]


def _looks(report: Report) -> Callable[[str, str], bool]:
    """Whether a gate looked at a row, by their names."""
    rows = report.results()
    outside = outside_gates(report.record, report.verdict.errored)
    found: dict[str, set[str]] = {}
    for gate in _written(report.record):
        looks = looked_at(gate.where)
        found[gate.name] = {row.id for row in rows if row.id not in outside and looks(row)}
    return lambda gate, row: row in found.get(gate, ())


def _written(record: RunRecord) -> Iterable[Gate]:
    yield from (default.gate for default in DEFAULTS)
    yield from record.gates or ()


def _gate(gate: GateResult, rows: dict[str, str], kinds: dict[str, str]) -> Iterator[Case]:
    """The rows that it names and those that passed; the gate itself where no row says it."""
    evaluated = gate.status in (GateStatus.PASSED, GateStatus.FAILED, GateStatus.UNDECIDED)
    told = {row.id for row in gate.rows}
    for row in gate.rows:
        yield _row(gate, row, kinds.get(row.id, "row"))
    if evaluated:
        for id, kind in rows.items():
            if id not in told:
                yield Case(f"{gate.name}.{kind}", id)
    result, status = _OF_GATE.get(gate.status, (None, None))
    if result is not None and not (status and gate.named(status)):
        said = f"{gate.metric} {gate.must}: {gate.message}"
        yield Case(f"{gate.name}.gate", "the gate", result, gate.status.value, said)
    elif not gate.rows and not rows:
        yield Case(f"{gate.name}.gate", "the gate")


def _row(gate: GateResult, row: GateRow, kind: str) -> Case:
    said = f"{row.status.value}: {words(row)}"
    lines = [said, f"{gate.metric} {gate.must}: {counted(gate.looked_at, 'row')} looked at"]
    if row.diagnosis:
        page = entry(row.diagnosis)
        lines += [f"{row.diagnosis}: {page.holds}", f"look at: {page.look}", f"try: {page.change}"]
    return Case(
        f"{gate.name}.{kind}",
        row.id,
        _OF_ROW.get(row.status, "skipped"),
        row.diagnosis or row.status.value,
        said,
        tuple(lines),
    )
