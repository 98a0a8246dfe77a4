"""The report on a terminal: verdict, what was loosened, the paragraph, gates with their rows."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from evalrag.reporters.as_json import word
from evalrag.reporters.drawing import command_line, draw, hanging, lines, title
from evalrag.reporters.plain import number, safe
from evalrag.reporters.spending import spending
from evalrag.schema.diff import Change, Mean
from evalrag.schema.gate import GateResult, GateRow, GateStatus, RowStatus
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import ExitCode, Verdict
from evalrag.schema.words import Kind, Outcome, Stage

_SIGNS = {
    GateStatus.PASSED: ("ok  ", "green"),
    GateStatus.FAILED: ("FAIL", "bold red"),
    GateStatus.UNDECIDED: ("??  ", "yellow"),
    GateStatus.NOT_EVALUATED: ("--  ", "dim"),
    GateStatus.NO_BASELINE: ("??  ", "yellow"),
}
_ROWS_A_GATE = 10
_TOLD = (
    "context_recall",
    "evidence_coverage",
    "context_precision",
    "current_precision",
    "reciprocal_rank",
    "rival_first",
    "faithfulness",
    "hard_fail",
    "answer_correctness",
    "refusal",
)


def render(verdict: Verdict, record: RunRecord, *, width: int = 80, color: bool = False) -> str:
    """The whole report as text."""
    return draw(_parts(verdict, record), width=width, color=color)


def _parts(verdict: Verdict, record: RunRecord) -> Iterator[RenderableType]:
    yield from _verdict(verdict, record)
    yield from lines("Loosened since the baseline", verdict.diff.loosened, "bold yellow")
    yield from lines("Know first", verdict.head, "bold")
    yield from lines("What happened", verdict.diff.paragraph, "bold")
    yield from _changes(verdict)
    yield from gate_parts(verdict)
    yield from _outcomes(verdict)
    yield from _stages(verdict)
    yield from _cells(verdict)
    yield from _means(verdict)
    yield from _named("Diagnoses (first that fits)", verdict.diagnoses)
    yield from _named("Warnings", verdict.warnings)
    yield from spending(verdict.spent)
    yield Text()
    for command in verdict.next:
        yield command_line(command)


def _verdict(verdict: Verdict, record: RunRecord) -> Iterator[RenderableType]:
    style = {ExitCode.PASSED: "bold green", ExitCode.FAILED: "bold red"}
    against = f"baseline {verdict.baseline}" if verdict.baseline else "no baseline"
    rows = sum(sum(counts.values()) for counts in verdict.outcomes.values())
    yield Text(f"{safe(record.plan)}: run {verdict.run}, {against}, {rows} rows")
    code = verdict.exit_code
    yield Text(f"{word(code).upper()} (exit {int(code)})", style=style.get(code, "bold yellow"))
    for reason in verdict.reasons:
        yield Padding(Text(safe(reason)), (0, 0, 0, 2))


def gate_parts(verdict: Verdict) -> Iterator[RenderableType]:
    yield title("Gates")
    if not verdict.gates:
        yield hanging("- ", Text("none"))
    for gate in verdict.gates:
        sign, style = _SIGNS[gate.status]
        said = Text()
        said.append(safe(gate.name), style=style)
        said.append(f"  {gate.metric} {gate.must}: {safe(gate.message)}{_counts(gate)}")
        yield hanging(f"{sign} ", said)
        yield from _gate_rows(gate)


def _counts(gate: GateResult) -> str:
    parts = []
    if gate.at_floor:
        parts.append(f"{gate.at_floor} failed it before and cannot get worse")
    if gate.unprotected:
        parts.append(f"{gate.unprotected} got better: accept to hold them")
    if gate.hidden:
        parts.append(f"{gate.hidden} unresolved, which it ignores")
    if gate.waived:
        parts.append(f"{gate.waived} waived")
    return f" ({'; '.join(parts)})" if parts else ""


def _gate_rows(gate: GateResult) -> Iterator[RenderableType]:
    quiet = (RowStatus.NOT_COMPARED, RowStatus.HIDDEN)
    loud = [row for row in gate.rows if row.status not in quiet]
    for row in loud[:_ROWS_A_GATE]:
        yield hanging("  ", Text(_gate_row(row)), indent=5)
    if len(loud) > _ROWS_A_GATE:
        yield hanging("  ", Text(f"and {len(loud) - _ROWS_A_GATE} more"), indent=5)
    failed = gate.named(RowStatus.FAILED)
    places = {row.diagnosis: row.look for row in failed if row.diagnosis and row.look}
    for diagnosis, look in places.items():
        yield hanging("  ", Text(f"{diagnosis}: look at {look}", style="dim"), indent=5)
    for status, said in ((RowStatus.HIDDEN, "ignored"), (RowStatus.NOT_COMPARED, "not compared")):
        ids = [row.id for row in gate.named(status)]
        if ids:
            more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
            line = f"{said}: {safe(', '.join(ids[:5]))}{more}"
            yield hanging("  ", Text(line, style="dim"), indent=5)


def _gate_row(row: GateRow) -> str:
    values = ""
    if row.before is not None or row.after is not None:
        values = f"  {safe(row.before or 'none')} -> {safe(row.after or 'none')}"
    status = "" if row.status is RowStatus.FAILED else f" [{row.status}]"
    diagnosis = f"; {row.diagnosis}" if row.diagnosis else ""
    return f"{safe(row.id)}{status}{values}  {safe(row.why)}{diagnosis}"


def _changes(verdict: Verdict) -> Iterator[RenderableType]:
    counts = verdict.diff.counts()
    if verdict.baseline is None or not counts:
        return
    yield title("Rows against the baseline")
    yield hanging("", Text(", ".join(f"{n} {name}" for name, n in counts.items())))
    quiet = (Change.STILL_PASSING, Change.STILL_FAILING, Change.STILL_UNDECIDED)
    order = list(Change)
    loud = [change for change in verdict.diff.changes if change.change not in quiet]
    loud.sort(key=lambda change: order.index(change.change))
    for change in loud[:30]:
        stages = [f"{stage} {what}" for stage, what in change.stages.items() if what not in quiet]
        detail = f" ({', '.join(stages)})" if stages else ""
        if change.diagnosis_after and change.change is not Change.FIXED:
            detail += f" {change.diagnosis_after}"
        if change.note:
            detail += f" {safe(change.note)}"
        yield hanging("", Text(f"{change.change}: {safe(change.id)}{detail}"), indent=4)
    if len(loud) > 30:
        yield hanging("", Text(f"and {len(loud) - 30} more"), indent=4)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right", no_wrap=index == 0)
    return table


def _outcomes(verdict: Verdict) -> Iterator[RenderableType]:
    asked = (Outcome.PASS, Outcome.FAIL, Outcome.UNRESOLVED, Outcome.ERROR)
    table = _table("kind", "rows", *asked)
    for kind in Kind:
        counts = verdict.outcomes.get(kind.value)
        if counts:
            cells = [str(counts.get(outcome.value, 0)) for outcome in asked]
            table.add_row(kind.value, str(sum(counts.values())), *cells)
    yield title("Kinds")
    yield Padding(table, (0, 0, 0, 2))


def _stages(verdict: Verdict) -> Iterator[RenderableType]:
    asked = (Outcome.PASS, Outcome.FAIL, Outcome.UNRESOLVED, Outcome.ERROR, Outcome.NA)
    table = _table("stage", *asked)
    for stage in Stage:
        counts = verdict.stages.get(stage.value, {})
        if any(name != Outcome.NA.value for name in counts):
            table.add_row(stage.value, *(str(counts.get(o.value, 0)) for o in asked))
    yield title("Stages")
    yield Padding(table, (0, 0, 0, 2))


def _cells(verdict: Verdict) -> Iterator[RenderableType]:
    yield title("Reading table (recall by faithfulness)")
    for cell in verdict.cells:
        shown = ", ".join(cell.rows[:6])
        more = f" and {len(cell.rows) - 6} more" if len(cell.rows) > 6 else ""
        yield hanging(f"{len(cell.rows):>3}  ", Text(f"{cell.cell}: {cell.reading}"))
        yield hanging("", Text(f"{safe(shown)}{more}", style="dim"), indent=7)


def _means(verdict: Verdict) -> Iterator[RenderableType]:
    hide = any("claims are unresolved" in line for line in verdict.head)
    for origin in sorted({mean.origin for mean in verdict.means}):
        own = [m for m in verdict.means if m.origin == origin]
        kinds = [kind.value for kind in Kind if any(m.kind == kind.value for m in own)]
        table = _table("mean", *kinds)
        for metric in _TOLD:
            cells = {m.kind: m for m in own if m.metric == metric}
            if hide and metric == "faithfulness":
                continue
            if any(m.scored or m.unresolved or m.errored for m in cells.values()):
                table.add_row(metric, *(_mean(cells.get(kind)) for kind in kinds))
        if table.row_count:
            yield title(
                f"Means of {origin} rows (rows scored/rows eligible; ^ v since the baseline)"
            )
            yield Padding(table, (0, 0, 0, 2))


def _mean(mean: Mean | None) -> str:
    if mean is None or not mean.eligible:
        return "n/a"
    if mean.value is None:
        return f"? (0/{mean.eligible})"
    sign = ""
    if mean.before is not None and mean.after is not None and mean.before != mean.after:
        sign = "^" if mean.after > mean.before else "v"
    part = "" if mean.scored == mean.eligible else f"/{mean.eligible}"
    return f"{number(round(mean.value, 2))}{sign} ({mean.scored}{part})"


def _named(name: str, rows: dict[str, tuple[str, ...]]) -> Iterator[RenderableType]:
    if not rows:
        return
    yield title(name)
    for code, ids in rows.items():
        shown = ", ".join(ids[:6])
        more = f" and {len(ids) - 6} more" if len(ids) > 6 else ""
        yield hanging(f"{len(ids):>3}  ", Text(f"{code}: {safe(shown)}{more}"))
