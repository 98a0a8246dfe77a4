"""Markdown for a step's summary or a pull request's comment: the verdict first, all else by need.

It begins with a hidden marker that names the plan, by which one comment is found and updated. It
fits `limit` characters (65,536, which is a comment's): lists are shortened until it does, and what
is cut is counted.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from evalrag.regression.catalogue import entry
from evalrag.regression.narrative import counted, names
from evalrag.regression.to_read import BAD, ToRead, of_verdict
from evalrag.reporters.as_json import word
from evalrag.reporters.markdown_text import fenced, text
from evalrag.reporters.plain import safe
from evalrag.reporters.summary import cells
from evalrag.schema.gate import GateResult, GateStatus, RowStatus
from evalrag.schema.report import Report
from evalrag.schema.verdict import ExitCode, Verdict
from evalrag.schema.words import Kind, Outcome

LIMIT = 65_536
"""Characters that a comment takes; a step's summary takes 1 MiB."""
_MOST = (1_000, 300, 100, 30, 10, 3, 1)
"""Entries of a list, the longest that fits."""
_SIGNS = {
    ExitCode.PASSED: "✅ passed",
    ExitCode.FAILED: "❌ failed",
    ExitCode.UNDECIDED: "⚠️ undecided",
    ExitCode.NO_BASELINE: "⚠️ no baseline",
}
_OF_GATES = {
    GateStatus.PASSED: "✅",
    GateStatus.FAILED: "❌",
    GateStatus.UNDECIDED: "⚠️",
    GateStatus.NO_BASELINE: "⚠️",
    GateStatus.NOT_EVALUATED: "⏸️",
}


class Markdown:
    name = "markdown"

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def render(self, report: Report) -> str:
        for most in _MOST:
            drawn = "\n".join(_lines(report, most)) + "\n"
            if len(drawn) <= self._limit:
                break
        return drawn


def build(limit: int = LIMIT) -> Markdown:
    """`limit`: characters that it may take."""
    return Markdown(limit)


def marker(plan: str) -> str:
    """A comment that nobody sees, the same for every run of a plan and for no other plan."""
    name = re.sub(r"[^A-Za-z0-9.]+", "-", plan).strip("-")[:60]
    if name != plan:
        name += f"-{hashlib.sha256(plan.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"<!-- evalrag:{name.lstrip('-')} -->"


def _lines(report: Report, most: int) -> Iterator[str]:
    verdict, record = report.verdict, report.record
    code = verdict.exit_code
    yield marker(record.plan)
    yield f"## {_SIGNS.get(code, word(code))}: {text(record.plan, 100)}"
    yield ""
    rows = counted(sum(sum(of.values()) for of in verdict.outcomes.values()), "row")
    against = f"baseline {text(verdict.baseline)}" if verdict.baseline else "no baseline"
    yield f"evalrag run {text(verdict.run)}, {against}, {rows}, exit {int(code)}."
    yield from _list("", verdict.reasons, most)
    yield from _list("Loosened since the baseline", verdict.diff.loosened, most)
    yield from _first(verdict, most)
    yield from _list("Know first", verdict.head, most)
    yield from _list("What happened", verdict.diff.paragraph, most)
    yield from _gates(verdict.gates, most)
    yield from _kinds(verdict)
    yield from _ending(report)


def _list(title: str, said: Sequence[str], most: int) -> Iterator[str]:
    if not said:
        return
    yield from ("", f"**{title}**") if title else ()
    yield ""
    for line in said[:most]:
        yield f"- {text(line, 1_000)}"
    yield from _more(len(said), most, "- ")


def _more(total: int, most: int, sign: str = "") -> Iterator[str]:
    if total > most:
        yield f"{sign}and {total - most} more"


def _first(verdict: Verdict, most: int) -> Iterator[str]:
    for listed in of_verdict(verdict):
        yield from _rows(listed, verdict, most)


def _rows(listed: ToRead, verdict: Verdict, most: int) -> Iterator[str]:
    rows = listed.rows
    gates: dict[str, list[str]] = {}
    for gate in verdict.gates:
        for row in gate.rows:
            if row.status in (RowStatus.FAILED, RowStatus.UNDECIDED):
                gates.setdefault(row.id, []).append(gate.name)
    yield ""
    yield f"### {listed.title}: {len(rows)} of {counted(len(verdict.diff.changes), 'row')}"
    yield ""
    yield from _table(
        ("row", "kind", "stage", "diagnosis", "gates"),
        (
            (*cells(row), ", ".join(gates.get(row.change.id, ["none holds it"])))
            for row in rows[:most]
        ),
    )
    yield from ("", *_more(len(rows), most))
    found = (row.change.diagnosis_after for row in rows)
    codes = dict.fromkeys(code for code in found if code)
    for code in codes:
        page = entry(code)
        yield f"- **{text(code)}**: look at {page.look}. Try: {page.change}."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(text(cell, 300) for cell in row)} |"


def _gates(gates: Sequence[GateResult], most: int) -> Iterator[str]:
    yield from ("", "### Gates", "")
    if not gates:
        yield "none"
        return
    worst = (GateStatus.FAILED, GateStatus.NO_BASELINE, GateStatus.UNDECIDED)
    ordered = sorted(gates, key=lambda one: one.status not in worst)
    yield from _table(
        ("", "gate", "must", "result", "rows"),
        (
            (
                f"{_OF_GATES[gate.status]} {gate.status}",
                gate.name,
                f"{gate.metric} {gate.must}",
                gate.message,
                _named(gate),
            )
            for gate in ordered[:most]
        ),
    )
    yield from ("", *_more(len(gates), most))


def _named(gate: GateResult) -> str:
    said = []
    for status in (RowStatus.FAILED, RowStatus.UNDECIDED, RowStatus.WAIVED, RowStatus.HIDDEN):
        rows = gate.named(status)
        if rows:
            said.append(f"{status}: {names(safe(row.id, 100) for row in rows)}")
    return "; ".join(said)


def _kinds(verdict: Verdict) -> Iterator[str]:
    asked = (Outcome.PASS, *BAD)
    yield from ("", "### Kinds", "")
    yield from _table(
        ("kind", "rows", *asked),
        (
            (kind, str(sum(of.values())), *(str(of.get(outcome, 0)) for outcome in asked))
            for kind in map(str, Kind)
            if (of := verdict.outcomes.get(kind))
        ),
    )


def _ending(report: Report) -> Iterator[str]:
    commands = [*report.verdict.next, *([report.more] if report.more else [])]
    if commands:
        yield from ("", "Next:", "", *fenced(commands))
    if report.files:
        yield from ("", f"Whole report: {', '.join(text(path) for path in report.files)}")
