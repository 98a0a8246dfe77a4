"""What each gate decided: in a line with its rows alike put together, or with every row."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from evalrag.regression.catalogue import CATALOGUE
from evalrag.regression.narrative import names
from evalrag.regression.to_read import of_verdict
from evalrag.reporters.drawing import hanging, title
from evalrag.reporters.plain import safe
from evalrag.schema.gate import GateResult, GateRow, GateStatus, RowStatus
from evalrag.schema.verdict import Verdict
from evalrag.schema.words import Outcome

_SIGNS = {
    GateStatus.PASSED: ("ok  ", "green"),
    GateStatus.FAILED: ("FAIL", "bold red"),
    GateStatus.UNDECIDED: ("??  ", "yellow"),
    GateStatus.NOT_EVALUATED: ("--  ", "dim"),
    GateStatus.NO_BASELINE: ("??  ", "yellow"),
}
_QUIET = ((RowStatus.HIDDEN, "ignored"), (RowStatus.NOT_COMPARED, "not compared"))
_GROUPS = 5
"""Lines of rows a gate, where rows that say the same share one."""


def gate_parts(verdict: Verdict, *, full: bool) -> Iterator[RenderableType]:
    """Every gate with the rows it names; where `full`, each row on a line of its own.

    Else gates that pass and have nothing to add share a line, and rows that stand above are not
    listed again. Where to look is told once: in the paragraph, or at the first gate that leads
    there.
    """
    yield title("Gates")
    if not verdict.gates:
        yield hanging("- ", Text("none"))
    above = {row.change.id for part in of_verdict(verdict) for row in part.rows}
    told = {CATALOGUE[code].look for code in _first(verdict) if code in CATALOGUE}
    plain = [] if full else [gate for gate in verdict.gates if _plain(gate)]
    for gate in verdict.gates:
        if gate in plain:
            continue
        sign, style = _SIGNS[gate.status]
        said = Text()
        said.append(safe(gate.name), style=style)
        must = safe(f"{gate.metric} {gate.must}")
        said.append(f"  {must}: {safe(gate.message)}{counts_of(gate) if full else _ignored(gate)}")
        loud = _loud(gate)
        told_above = not full and above.issuperset(row.id for row in loud)
        yield hanging(f"{sign} ", said)
        if not told_above:
            yield from _every_row(gate) if full else _alike(gate)
        yield from _look(gate, told)
        yield from _quiet(gate, full=full)
    if plain:
        sign, style = _SIGNS[GateStatus.PASSED]
        passed = f"{len(plain)} others passed"
        if len(plain) == len(verdict.gates):
            passed = ", ".join(safe(gate.name) for gate in plain)
        yield hanging(f"{sign} ", Text(passed, style=style))


def _plain(gate: GateResult) -> bool:
    return gate.status is GateStatus.PASSED and not (gate.rows or gate.hidden or gate.waived)


def _first(verdict: Verdict) -> Iterator[str]:
    code = verdict.diff.look.code if verdict.diff.look is not None else None
    if code is not None and verdict.diff.sentences:
        yield code


def _ignored(gate: GateResult) -> str:
    """Of what it counts, what somebody could take for a pass."""
    return counts_of(gate.model_copy(update={"at_floor": 0, "unprotected": 0}))


def counts_of(gate: GateResult) -> str:
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


def _loud(gate: GateResult) -> list[GateRow]:
    return [row for row in gate.rows if row.status not in dict(_QUIET)]


def _every_row(gate: GateResult) -> Iterator[RenderableType]:
    for row in _loud(gate):
        status = "" if row.status is RowStatus.FAILED else f" [{row.status}]"
        yield hanging("  ", Text(f"{safe(row.id)}{status}  {_what(row)}"), indent=5)


def _alike(gate: GateResult) -> Iterator[RenderableType]:
    groups: dict[str, list[str]] = {}
    for row in _loud(gate):
        status = "" if row.status is RowStatus.FAILED else f"{row.status}: "
        what = "errored" if row.after == Outcome.ERROR.value else _what(row)  # why stands above
        groups.setdefault(f"{status}{what}", []).append(safe(row.id))
    for what in list(groups)[:_GROUPS]:
        yield hanging("  ", Text(f"{what}: {names(groups[what])}"), indent=5)
    rest = sum(len(ids) for ids in list(groups.values())[_GROUPS:])
    if rest:
        yield hanging("  ", Text(f"and {rest} more"), indent=5)


def _what(row: GateRow) -> str:
    """What it was and is, why that counts, and its diagnosis."""
    values = ""
    if row.before is not None or row.after is not None:
        values = f"{safe(row.before or 'none')} -> {safe(row.after or 'none')}  "
    diagnosis = f"; {safe(row.diagnosis)}" if row.diagnosis else ""
    return f"{values}{safe(row.why)}{diagnosis}"


def _look(gate: GateResult, told: set[str]) -> Iterator[RenderableType]:
    failed = gate.named(RowStatus.FAILED)
    places = {row.diagnosis or gate.metric: row.look for row in failed if row.look is not None}
    for what, look in places.items():
        if look not in told:
            told.add(look)
            yield hanging("  ", Text(safe(f"{what}: look at {look}"), style="dim"), indent=5)


def _quiet(gate: GateResult, *, full: bool) -> Iterator[RenderableType]:
    for status, said in _QUIET:
        ids = [safe(row.id) for row in gate.named(status)]
        if ids:
            line = f"{said}: {', '.join(ids) if full else names(ids)}"
            yield hanging("  ", Text(line, style="dim"), indent=5)
