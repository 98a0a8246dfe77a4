"""Markdown for a step's summary or a pull request's comment: the verdict first, all else by need.

It begins with a hidden marker that names the plan, by which one comment is found and updated. It
fits `limit` characters: lists are shortened until it does, and what is cut is counted. Tables have
few columns, since a phone shows two or three; what is long stands in a list.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evalrag.regression.catalogue import entry
from evalrag.regression.exits import quoted
from evalrag.regression.narrative import counted, names
from evalrag.regression.to_read import BAD, RowToRead, ToRead, of_verdict, passed_but
from evalrag.regression.verdict import outside_gates
from evalrag.reporters.answers import Part, sides
from evalrag.reporters.as_json import word
from evalrag.reporters.markdown_text import GAP, fenced, named, text
from evalrag.reporters.plain import safe
from evalrag.reporters.summary import answers_changed, cells
from evalrag.schema.answers import Wording
from evalrag.schema.diff import RunDiff, Topic
from evalrag.schema.gate import GateResult, GateStatus, RowStatus
from evalrag.schema.report import Report
from evalrag.schema.verdict import ExitCode, Verdict
from evalrag.schema.words import Kind, Outcome

LIMIT = 65_000
"""A comment takes 65,536 characters, and a workflow says a line or two around the report. A step's
summary takes 1 MiB."""
_OPEN, _FEW = 20, 5
"""Rows that are seen at once: below them stands where to look. A few more are not worth a click."""
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
_HELD = ((RowStatus.FAILED, ""), (RowStatus.UNDECIDED, ""), (RowStatus.WAIVED, " (waived)"))


@dataclass(frozen=True, slots=True)
class _Room:
    """Entries of a list, and characters of a line, of a name in it, and of a table's cell."""

    most: int
    line: int = 1_000
    name: int = 100
    cell: int = 300


_ROOMS = (*map(_Room, (1_000, 300, 100, 30, 10, 3, 1)), _Room(1, line=150, name=30, cell=40))
"""The first that fits is taken: one sign of a text takes up to 14 characters in Markdown."""


class Markdown:
    name = "markdown"

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def render(self, report: Report) -> str:
        for room in _ROOMS:
            drawn = "\n".join(_lines(report, room)) + "\n"
            if len(drawn) <= self._limit:
                break
        return drawn


def build(limit: int = LIMIT) -> Markdown:
    """`limit`: characters that it may take."""
    return Markdown(limit)


def marker(plan: str) -> str:
    """A comment that nobody sees, the same for every run of a plan and for no other plan."""
    name = re.sub(r"[^A-Za-z0-9.]+", "-", plan).strip("-")[:60]
    if name != plan or not name:
        name += f"-{hashlib.sha256(plan.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"<!-- evalrag:{name.lstrip('-')} -->"


def _lines(report: Report, room: _Room) -> Iterator[str]:
    verdict, record = report.verdict, report.record
    code = verdict.exit_code
    yield marker(record.plan)
    but = passed_but(verdict)
    sign = f"⚠️ {but}" if but else _SIGNS.get(code, word(code))
    yield f"## {sign}: {text(record.plan, 100)}"
    yield ""
    rows = counted(sum(sum(of.values()) for of in verdict.outcomes.values()), "row")
    if answers := answers_changed(verdict.diff):
        rows += f", {answers}"
    against = f"baseline {text(verdict.baseline, room.name)}" if verdict.baseline else "no baseline"
    yield f"evalrag run {text(verdict.run, room.name)}, {against}, {rows}, exit {int(code)}."
    changed = [sentence.text for sentence in verdict.diff.about(Topic.PIPELINE)]
    yield from _list("", (*changed, *verdict.reasons), room)
    yield from _list("Loosened since the baseline", verdict.diff.loosened, room)
    for listed in of_verdict(verdict):
        yield from _rows(listed, report, room)
    yield from _list("Know first", verdict.head, room)
    yield from _happened(verdict.diff, room)
    yield from _gates(verdict.gates, room)
    yield from _kinds(verdict)
    yield from _ending(report, room)


def _list(title: str, said: Sequence[str], room: _Room) -> Iterator[str]:
    if not said:
        return
    yield from ("", f"**{title}**") if title else ()
    yield ""
    for line in said[: room.most]:
        yield f"- {text(line, room.line)}"
    yield from _more(len(said), room, "- ")


def _happened(diff: RunDiff, room: _Room) -> Iterator[str]:
    """The paragraph; what it says of several stages or metrics stands a line each.

    What changed stands beside the verdict, where to look below the rows that broke.
    """
    said = diff.about(Topic.STAGES, Topic.MEANS, Topic.ROWS)
    if not said:
        return
    yield from ("", "**What happened**", "")
    for one in said[: room.most]:
        if not one.parts:
            yield f"- {text(one.text, room.line)}"
            continue
        yield f"- {_LISTS[one.topic]}"
        for part in one.parts:
            yield f"  - {_arrow(text(part, room.line))}"
    yield from _more(len(said), room, "- ")


_LISTS = {Topic.STAGES: "Moved:", Topic.MEANS: "Means:"}


def _arrow(drawn: str) -> str:
    """Of words of ours alone: `->` would be torn apart at the end of a line."""
    return drawn.replace(" -&gt; ", " → ")


def _more(total: int, room: _Room, sign: str = "") -> Iterator[str]:
    if total > room.most:
        yield f"{sign}and {total - room.most} more"


def _rows(listed: ToRead, report: Report, room: _Room) -> Iterator[str]:
    rows = listed.rows
    held = _held(report)
    compared = report.verdict.baseline is not None
    yield ""
    yield f"### {listed.title}: {len(rows)} of {counted(len(report.verdict.diff.changes), 'row')}"
    yield ""
    told = [list(_said(row, compared, room)) for row in rows[: min(room.most, _SAID[1])]]
    yield from (line for lines in told[: _SAID[0]] for line in lines)
    if rest := told[_SAID[0] :]:
        title = f"What the bot said on {counted(len(rest), 'row')} below"
        yield from ("", f"<details><summary>{title}</summary>", "")
        yield from (*(line for lines in rest for line in lines), "", "</details>")
    yield ""
    shown = [
        _cells(row, held.get(row.change.id, ["none holds it"]), room.cell)
        for row in rows[: room.most]
    ]
    first = _OPEN if len(shown) > _OPEN + _FEW else len(shown)
    head = ("row", "kind", "stage", "diagnosis", "gates")
    yield from _table(head, shown[:first])
    if shown[first:]:
        yield from ("", f"<details><summary>{len(shown) - first} rows more</summary>", "")
        yield from (*_table(head, shown[first:]), "", "</details>")
    yield from ("", *_more(len(rows), room))
    codes = Counter(row.change.diagnosis_after for row in rows if row.change.diagnosis_after)
    for code, n in codes.most_common(room.most):
        page = entry(code)
        where = f"**{named(code, room.name)}** on {n} of {counted(len(rows), 'row')}"
        yield f"- {where}: look at {page.look}. Try: {page.change}."
    yield from _more(len(codes), room, "- ")


def _said(row: RowToRead, compared: bool, room: _Room) -> Iterator[str]:
    """The question and both answers, with the words struck out and underlined that changed."""
    change = row.change
    question = text(change.question or "its question is not stored", room.line)
    yield f"- **{named(change.id, room.cell)}**{GAP}: {question}"
    limit = min(room.line, _ANSWER)
    for told in sides(change, compared=compared, limit=limit):
        yield f"  - {told.name}: {f'*{told.note}*' if told.note else words(told.parts, limit)}"


def words(parts: Iterable[Part], limit: int) -> str:
    """Parts of an answer in HTML of ours, which GitHub leaves in a comment."""
    drawn = ""
    for part in parts:
        said = text(part.text, limit)
        first, last = part.text[:1].isspace(), part.text[-1:].isspace()
        tag = _TAGS.get(part.how)
        said = f"<{tag}>{said}</{tag}>" if tag and said else said
        gap = " " if first else "" if not drawn or drawn.endswith(" ") else GAP
        drawn += f"{gap}{said}{' ' if last and said else ''}"
    return drawn


_TAGS = {Wording.REMOVED: "del", Wording.ADDED: "ins"}
_ANSWER = 300
"""Characters of an answer."""
_SAID = (6, 50)
"""Rows of which the answers are seen at once, and at all; each also stands in the table."""


def _held(report: Report) -> dict[str, list[str]]:
    """By row: the gates that it fails, leaves open or is waived from; why it is outside them."""
    verdict = report.verdict
    held = {row: [why] for row, why in outside_gates(report.record, verdict.errored).items()}
    for gate in verdict.gates:
        for status, mark in _HELD:
            for row in gate.named(status):
                held.setdefault(row.id, []).append(f"{gate.name}{mark}")
    return held


def _cells(row: RowToRead, gates: Sequence[str], width: int) -> Iterator[str]:
    id, kind, stage, diagnosis = (text(cell, width) for cell in cells(row))
    yield from (id, kind, _arrow(stage), diagnosis, text(", ".join(gates), width))


def _table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """`rows` hold what is drawn already."""
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _gates(gates: Sequence[GateResult], room: _Room) -> Iterator[str]:
    yield from ("", "### Gates", "")
    if not gates:
        yield "none"
        return
    worst = (GateStatus.FAILED, GateStatus.NO_BASELINE, GateStatus.UNDECIDED)
    ordered = sorted(gates, key=lambda one: one.status not in worst)
    shown = ordered[: room.most]
    yield from _table(
        ("", "gate", "must", "result"),
        (
            (
                f"{_OF_GATES[gate.status]}\N{NO-BREAK SPACE}{gate.status}",
                text(gate.name, room.cell),
                text(f"{gate.metric} {gate.must}", room.cell),
                text(gate.message, room.cell),
            )
            for gate in shown
        ),
    )
    yield from ("", *_more(len(gates), room))
    for gate in shown:
        if said := _rows_of(gate, room.name):
            yield f"- **{named(gate.name, room.cell)}** {text(said, 25 * room.name)}"


def _rows_of(gate: GateResult, width: int) -> str:
    said = []
    for status in (RowStatus.FAILED, RowStatus.UNDECIDED, RowStatus.WAIVED, RowStatus.HIDDEN):
        rows = gate.named(status)
        if rows:
            said.append(f"{status}: {names(safe(row.id, width) for row in rows)}")
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


def _ending(report: Report, room: _Room) -> Iterator[str]:
    commands = [*report.verdict.next, *([report.more] if report.more else [])]
    if report.artifact:  # the run of these commands is on a machine that is no more
        kept = text(report.artifact, room.line)
        yield from ("", f"Whole report: {kept}. To have this run at hand:")
        commands = [f"evalrag run {quoted(report.record.plan_path or 'PLAN')}"]
        yield from ("", *fenced(commands))
        return
    if commands:
        yield from ("", "Next:", "", *fenced(commands))
    if report.files:
        files = [text(path, room.line) for path in report.files[: room.most]]
        more = "".join(f" {said}" for said in _more(len(report.files), room))
        yield from ("", f"Whole report: {', '.join(files)}{more}")
