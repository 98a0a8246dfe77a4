"""The report on a terminal: what was loosened, what broke, why, the gates, and the verdict last."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from evalrag.regression.narrative import counted
from evalrag.regression.to_read import of_verdict, passed_but
from evalrag.regression.unjudged import unjudged_words
from evalrag.reporters.as_json import word
from evalrag.reporters.conversations import conversations
from evalrag.reporters.drawing import command_line, draw, hanging, lines, table, title
from evalrag.reporters.gates import gate_parts
from evalrag.reporters.main_metrics import MAIN
from evalrag.reporters.plain import safe
from evalrag.reporters.running import running
from evalrag.reporters.spending import spending
from evalrag.reporters.summary import (
    answers_changed,
    first_rows,
    mean_of,
    probes,
    tallies,
    told,
)
from evalrag.schema.diff import Change
from evalrag.schema.gate import GateStatus
from evalrag.schema.report import Report
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import ExitCode, Verdict
from evalrag.schema.words import Kind, Outcome, Stage

READING = "Reading table (recall: retrieval and ranking; faithfulness: generation)"


class Terminal:
    """The report as a log shows it: 80 columns, no colour. `full` draws the whole of it."""

    name = "terminal"

    def __init__(self, full: bool) -> None:
        self._full = full

    def render(self, report: Report) -> str:
        return render(report.verdict, report.record, full=self._full, more=report.more or None)


def build(full: bool = False) -> Terminal:
    return Terminal(full)


def render(
    verdict: Verdict,
    record: RunRecord,
    *,
    width: int = 80,
    color: bool = False,
    full: bool = False,
    more: str | None = None,
) -> str:
    """The report as text: short, with the command `more` for the rest, or the whole if `full`."""
    parts = _parts(verdict, record, width=width, full=full, more=more)
    return draw(parts, width=width, color=color)


def _parts(
    verdict: Verdict, record: RunRecord, *, width: int, full: bool, more: str | None
) -> Iterator[RenderableType]:
    diff = verdict.diff
    against = f"baseline {safe(verdict.baseline)}" if verdict.baseline else "no baseline"
    rows = counted(sum(sum(counts.values()) for counts in verdict.outcomes.values()), "row")
    changed = answers_changed(diff)
    parts = (f"run {safe(verdict.run)}", against, rows, *([changed] if changed else ()))
    yield Text(f"{safe(record.plan)}: {', '.join(parts)}")
    yield from lines("Loosened since the baseline", diff.loosened, "bold yellow")
    yield from first_rows(
        of_verdict(verdict),
        len(diff.changes),
        width=width,
        compared=verdict.baseline is not None,
        full=full,
    )
    head = (*verdict.head, *verdict.background) if full else verdict.head
    yield from lines("Know first", head, "bold")
    yield from lines("What happened", diff.paragraph if full else told(diff), "bold")
    if full:
        yield from _changes(verdict)
    yield from gate_parts(verdict, full=full)
    if full:
        yield from tallies(verdict)
        yield from _outcomes(verdict)
        yield from _stages(verdict)
        yield from _cells(verdict)
        yield from _means(verdict)
        yield from conversations(verdict.turns)
        yield from probes(verdict)
        yield from _named("Diagnoses (first that fits)", verdict.diagnoses)
        yield from _named("Warnings", verdict.warnings)
        yield from running(verdict.running)
    else:
        yield from tallies(verdict)
    yield from spending(verdict.spent)
    yield from _ending(verdict)
    for command in verdict.next:
        yield command_line(command)
    if more is not None and not full:
        yield command_line(more, "more")


def _ending(verdict: Verdict) -> Iterator[RenderableType]:
    """Last, where the end of a log is read: the verdict, and why."""
    style = {ExitCode.PASSED: "bold green", ExitCode.FAILED: "bold red"}
    code = verdict.exit_code
    drawn = "bold yellow" if passed_but(verdict) else style.get(code, "bold yellow")
    said = unjudged_words(verdict)
    own = f"{word(code).upper()}, {said}" if said else word(code).upper()
    yield title(f"{own} (exit {int(code)})", drawn)
    failed = [gate for gate in verdict.gates if gate.status is GateStatus.FAILED]
    reasons = verdict.reasons
    if len(failed) > 1 and code is ExitCode.FAILED:  # a gate is a reason, and they stand first
        yield hanging("", Text(f"{len(failed)} gates failed"))
        reasons = reasons[len(failed) :]
    for reason in reasons:
        yield hanging("", Text(safe(reason)))


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
    for change in loud:
        stages = [f"{stage} {what}" for stage, what in change.stages.items() if what not in quiet]
        detail = f" ({', '.join(stages)})" if stages else ""
        if change.diagnosis_after and change.change is not Change.FIXED:
            detail += f" {safe(change.diagnosis_after)}"
        if change.note:
            detail += f" {safe(change.note)}"
        yield hanging("", Text(f"{change.change}: {safe(change.id)}{detail}"), indent=4)


def _outcomes(verdict: Verdict) -> Iterator[RenderableType]:
    asked = (Outcome.PASS, Outcome.FAIL, Outcome.UNRESOLVED, Outcome.ERROR)
    drawn = table("kind", "rows", *asked)
    for kind in Kind:
        counts = verdict.outcomes.get(kind.value)
        if counts:
            cells = [str(counts.get(outcome.value, 0)) for outcome in asked]
            drawn.add_row(kind.value, str(sum(counts.values())), *cells)
    yield title("Kinds")
    yield Padding(drawn, (0, 0, 0, 2))


def _stages(verdict: Verdict) -> Iterator[RenderableType]:
    asked = (Outcome.PASS, Outcome.FAIL, Outcome.UNRESOLVED, Outcome.ERROR, Outcome.NA)
    drawn = table("stage", *asked)
    for stage in Stage:
        counts = verdict.stages.get(stage.value, {})
        if any(name != Outcome.NA.value for name in counts):
            drawn.add_row(stage.value, *(str(counts.get(o.value, 0)) for o in asked))
    yield title("Stages")
    yield Padding(drawn, (0, 0, 0, 2))


def _cells(verdict: Verdict) -> Iterator[RenderableType]:
    yield title(READING)
    for cell in verdict.cells:
        yield hanging(f"{len(cell.rows):>3}  ", Text(f"{cell.cell}: {cell.reading}"))
        yield hanging("", Text(_joined(cell.rows), style="dim"), indent=7)


def _means(verdict: Verdict) -> Iterator[RenderableType]:
    for origin in sorted({mean.origin for mean in verdict.means}):
        own = [m for m in verdict.means if m.origin == origin]
        kinds = [kind.value for kind in Kind if any(m.kind == kind.value for m in own)]
        drawn = table("mean", *kinds)
        for metric in MAIN:
            cells = {m.kind: m for m in own if m.metric == metric}
            if metric in verdict.hidden_means:
                continue
            if any(m.scored or m.unresolved or m.errored for m in cells.values()):
                drawn.add_row(metric, *(mean_of(cells.get(kind)) for kind in kinds))
        if drawn.row_count:
            yield title(
                f"Means of {origin} rows (rows scored/rows eligible; ^ v since the baseline)"
            )
            yield Padding(drawn, (0, 0, 0, 2))


def _named(name: str, rows: dict[str, tuple[str, ...]]) -> Iterator[RenderableType]:
    if not rows:
        return
    yield title(name)
    for code, ids in rows.items():
        yield hanging(f"{len(ids):>3}  ", Text(f"{safe(code)}: {_joined(ids)}"))


def _joined(ids: tuple[str, ...]) -> str:
    return ", ".join(map(safe, ids))
