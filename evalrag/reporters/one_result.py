"""What a row came to, on a terminal: its diagnoses, its warnings, and what could not be scored."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from evalrag.regression.catalogue import entry
from evalrag.regression.narrative import names
from evalrag.reporters.drawing import hanging, title
from evalrag.reporters.plain import number, safe
from evalrag.schema.result import Finding, RowResult


def diagnoses(result: RowResult) -> Iterator[RenderableType]:
    for name, findings in (("Diagnosis", result.diagnoses), ("Warnings", result.warnings)):
        if findings:
            yield title(name)
        for finding in findings:
            yield from _finding(finding)


def _finding(finding: Finding) -> Iterator[RenderableType]:
    page = entry(finding.code)
    yield hanging("- ", Text(f"{finding.code}: {safe(finding.because)}"))
    yield hanging("", Text(f"look at {page.look}; try: {page.change}", style="dim"), indent=4)


def scores(result: RowResult, *, full: bool) -> Iterator[RenderableType]:
    """Every value where `full`; always those that could not be had, and why."""
    if full:
        yield title("Scores")
        values = [f"{name} {number(value)}" for name, value in result.scores.items()]
        yield hanging("", Text(", ".join(values) or "none"))
    open_: dict[str, list[str]] = {}
    for name, said in result.reasons.items():
        if said["state"] != "not applicable":
            open_.setdefault(f"{said['state']} ({safe(said['reason'])})", []).append(name)
    if open_ and not full:
        yield title("Not scored")
    for why, metrics in open_.items():
        listed = ", ".join(metrics) if full else names(metrics)
        yield hanging("", Text(f"{listed}: {why}", style="yellow"))
