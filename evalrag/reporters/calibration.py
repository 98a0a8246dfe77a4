"""A judge's calibration as text, and as JSON."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from evalrag.reporters.drawing import command_line, draw, hanging, lines, title
from evalrag.reporters.plain import disarmed_json, number, safe
from evalrag.schema.calibration import (
    CalibrationReport,
    Disagreement,
    Figure,
    Figures,
    Moved,
    Movement,
    Probe,
)

SCHEMA_VERSION = 1
SHOWN = 20
"""Disagreements, and rows that moved, that text lists; JSON lists all."""

_SHORT = {
    "SUPPORTED": "supp",
    "ABSENT": "abs",
    "CONTRADICTED": "contr",
    "ABSTAINED": "abst",
    "UNRESOLVED": "unres",
}
_CLAIMS = 3


def calibration_json(report: CalibrationReport) -> str:
    """Fingerprint, figures, `confusion[human][judge]`, every disagreement, what moved."""
    record = report.record.model_dump(mode="json")
    figures = record.pop("figures")
    body: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "exit_code": report.exit_code,
        "judge": record["judge"],
        "fingerprint": record["fingerprint"],
        "details": record["details"],
        "day": record["day"],
        "version": record["version"],
        "labels": record["labels"],
        "failed": record["failed"],
        "confusion": figures.pop("confusion"),
        "figures": figures,
        "claims": record["claims"],
        "probes": record["probes"],
        "judged": record["judged"],
        "disagreements": [one.model_dump(mode="json") for one in report.disagreements],
        "moved": report.moved.model_dump(mode="json") if report.moved else None,
        "notes": list(report.notes),
        "record": report.kept,
        "next": report.next,
    }
    return disarmed_json(json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def calibration_text(report: CalibrationReport, *, width: int = 80, color: bool = False) -> str:
    """The table, the first disagreements, what moved, and what to type next."""
    return draw(_parts(report), width=width, color=color)


def _parts(report: CalibrationReport) -> Iterator[RenderableType]:
    record, figures = report.record, report.record.figures
    yield Text(
        f"{safe(record.judge)} against {record.labels.n} labelled answers of "
        f"{safe(record.labels.file)}",
        style="bold",
    )
    yield Text(f"fingerprint {record.fingerprint}, {record.day}\n")
    yield Text(f"agreement   {_share(figures.agreement)}")
    yield Text(f"of decided  {_share(figures.agreement_decided)}")
    yield Text(f"unresolved  {_share(figures.unresolved)}")
    yield Text(f"by chance   Cohen's kappa {_value(figures.kappa)}, AC1 {_value(figures.ac1)}\n")
    yield _table(figures)
    if record.claims is not None:
        claims = record.claims
        yield Text(
            f"\nclaims      {_share(claims.figures.agreement)}; {claims.matched} of "
            f"{claims.labelled} labelled claims were cut in the same words"
        )
    yield from lines("Know first", report.notes, "bold")
    yield from _probes(record.probes)
    yield from _disagreements(report.disagreements)
    yield from _moved(report.moved)
    yield Text()
    if report.kept is not None:
        yield Text(f"kept in {safe(report.kept)}")
    yield command_line(report.next)


def _table(figures: Figures) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    columns = list(next(iter(figures.confusion.values()), {}))
    table.add_column("people", no_wrap=True)
    for label in columns:
        table.add_column(_SHORT.get(label, label), justify="right", no_wrap=True)
    table.add_column("recall", no_wrap=True)
    table.add_column("precision", no_wrap=True)
    for human, row in figures.confusion.items():
        counts = [str(row[label]) for label in columns]
        recall, precision = figures.recall[human], figures.precision[human]
        table.add_row(human, *counts, _brief(recall), _brief(precision))
    return table


def _brief(figure: Figure) -> str:
    if figure.value is None:
        return "-"
    return f"{_short(figure.value)} ({_short(figure.low)}-{_short(figure.high)})"


def _short(value: float | None) -> str:
    """Two decimals; what is not 0 or 1 is not shown as such."""
    if value is None:
        return "-"
    shown = f"{value:.2f}"
    return number(value) if shown in ("0.00", "1.00") else shown


def _share(figure: Figure) -> str:
    if figure.value is None:
        return _value(figure)
    said = f"{number(figure.value)}, {figure.hits} of {figure.n}"
    if figure.low is None or figure.high is None:
        return said
    return f"{said} (95 %: {number(figure.low)} to {number(figure.high)})"


def _value(figure: Figure) -> str:
    return number(figure.value) if figure.value is not None else f"- ({safe(figure.reason)})"


def _probes(probes: Mapping[str, Probe]) -> Iterator[RenderableType]:
    if not probes:
        return
    yield title("Labels that moved where nothing true of the answer did")
    for name, probe in probes.items():
        failed = f"; the judge failed on {probe.failed}" if probe.failed else ""
        yield hanging("- ", Text(f"{safe(name)}: {_share(probe.moved)}{failed}"))
        if probe.rows:
            yield hanging("", Text(_rows(probe.rows, 5)), indent=6)


def _disagreements(found: tuple[Disagreement, ...]) -> Iterator[RenderableType]:
    if not found:
        yield title("No disagreement")
        return
    open_ = sum(one.judge == "UNRESOLVED" for one in found)
    yield title(f"Disagreements: {len(found) - open_} by label, {open_} left open by the judge")
    for one in found[:SHOWN]:
        head = f"{safe(one.id)}: people {one.human}, judge {one.judge}"
        rests = [claim for claim in one.claims if claim.label.value == one.judge]
        yield hanging("- ", Text(head if rests else f"{head}: {safe(one.why)}"))
        for claim in rests[:_CLAIMS]:
            yield hanging("", Text(f'"{safe(claim.text, 200)}": {safe(claim.reason)}'), indent=6)
            if claim.quote is not None:
                yield hanging("", Text(f'context: "{safe(claim.quote, 200)}"'), indent=6)
        if len(rests) > _CLAIMS:
            yield hanging("", Text(f"and {len(rests) - _CLAIMS} more claims"), indent=6)
    if len(found) > SHOWN:
        yield hanging("- ", Text(f"and {len(found) - SHOWN} more: --format json lists all"))


def _moved(moved: Movement | None) -> Iterator[RenderableType]:
    if moved is None:
        yield title("The first calibration on these labels")
        return
    since = f"since {moved.day}, by {safe(moved.judge)} ({moved.fingerprint}), on the same labels"
    if not moved.figures and not moved.rows:
        yield title(f"Nothing moved {since}")
        return
    yield title(f"Moved {since}")
    for name, change in moved.figures.items():
        before, after = (
            "-" if value is None else number(value) for value in (change.before, change.after)
        )
        yield hanging("- ", Text(f"{name} {before} -> {after}"))
    if moved.rows:
        yield hanging("- ", Text(f"{len(moved.rows)} rows: {_rows(moved.rows, SHOWN)}"))


def _rows(rows: tuple[Moved, ...], most: int) -> str:
    said = [f"{safe(row.id)} {row.before} -> {row.after}" for row in rows[:most]]
    more = f" and {len(rows) - most} more" if len(rows) > most else ""
    return "; ".join(said) + more
