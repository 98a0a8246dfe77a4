"""The shortest report: the verdict in a line, the rows it rests on by name, what to type next."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from evalrag.regression.to_read import of_verdict
from evalrag.reporters.as_json import word
from evalrag.reporters.drawing import command_line, draw, hanging
from evalrag.reporters.plain import safe
from evalrag.schema.diff import BROKEN
from evalrag.schema.gate import RowStatus
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import Verdict

NAMED = 20
"""Rows of a list that are named; the rest is counted."""


def render(verdict: Verdict, record: RunRecord, *, width: int = 80, color: bool = False) -> str:
    """The report as text. What was loosened stands first, as in every report."""
    return draw(_parts(verdict, record), width=width, color=color)


def _parts(verdict: Verdict, record: RunRecord) -> Iterator[RenderableType]:
    for line in verdict.diff.loosened:
        yield Text(f"loosened: {safe(line, 2_000)}")
    code = verdict.exit_code
    said = f"{safe(record.plan)}: {word(code).upper()} (exit {int(code)})"
    reasons = "; ".join(safe(reason) for reason in verdict.reasons)
    yield Text(f"{said}{': ' * bool(reasons)}{reasons}", style="bold")
    for what, rows in _rows(verdict).items():
        if rows:
            more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
            names = ", ".join(safe(row) for row in rows[:NAMED])
            yield hanging("", Text(f"{what} ({len(rows)}): {names}{more}"))
    for command in verdict.next:
        yield command_line(command)


def _rows(verdict: Verdict) -> dict[str, list[str]]:
    """Each row once, under the worst that is said of it."""
    failed = [row.id for gate in verdict.gates for row in gate.named(RowStatus.FAILED)]
    undecided = [row.id for gate in verdict.gates for row in gate.named(RowStatus.UNDECIDED)]
    broke = [change.id for change in verdict.diff.changes if change.change in BROKEN]
    first = [row.change.id for listed in of_verdict(verdict) for row in listed.rows]
    order = {row: place for place, row in enumerate(first)}
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for what, rows in (
        ("failed", failed),
        ("errored", verdict.errored),
        ("undecided", undecided),
        ("broke, and no gate holds it", broke),
    ):
        fresh = [row for row in dict.fromkeys(rows) if row not in seen]
        found[what] = sorted(fresh, key=lambda row: order.get(row, len(order)))
        seen.update(rows)
    return found
