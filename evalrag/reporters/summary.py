"""The short parts of a report: what broke, a row a line, and the counts that it must not hide."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from evalrag.regression.narrative import MEANS, counted
from evalrag.regression.to_read import RowToRead, ToRead
from evalrag.reporters.drawing import hanging, title
from evalrag.reporters.plain import number, safe
from evalrag.schema.diff import Change, Mean, RunDiff
from evalrag.schema.result import EMPTY
from evalrag.schema.verdict import Verdict
from evalrag.schema.words import Kind, Outcome, Stage

READING = "Reading table (recall: retrieval and ranking; faithfulness: generation)"
_LINES = 20
"""Rows of a list; the rest is counted."""
_WAS = {Change.BROKE: "pass", Change.NOW_FAILING: "undecided", Change.LOST: "decided"}


def first_rows(lists: Sequence[ToRead], total: int, *, width: int) -> Iterator[RenderableType]:
    """Rows that a person has to read first, each with its kind, its first stage, its diagnosis."""
    for listed in lists:
        yield title(f"{listed.title}: {len(listed.rows)} of {counted(total, 'row')}", "bold red")
        shown = [cells(row) for row in listed.rows[:_LINES]]
        sizes = [max(len(row[n]) for row in shown) for n in range(3)]
        aligned = all(len(_spaced(row, sizes)) + 2 <= width for row in shown)
        for row in shown:
            yield hanging("", Text(_spaced(row, sizes if aligned else [0, 0, 0])))
        if len(listed.rows) > _LINES:
            yield hanging("", Text(f"and {len(listed.rows) - _LINES} more"))


def _spaced(row: tuple[str, str, str, str], sizes: Sequence[int]) -> str:
    padded = [cell.ljust(size) for cell, size in zip(row, (*sizes, 0), strict=True)]
    return " ".join(padded).rstrip()


def cells(row: RowToRead) -> tuple[str, str, str, str]:
    """Id, kind, what became of it, and the diagnosis; of an empty answer that it is empty.

    What became of it is said of the first stage that is what the row is named for; where a gate
    fails or waits for a row that is not named for a stage, of the gate's metric.
    """
    change = row.change
    flaky = " flaky" if change.flaky else ""
    why = change.diagnosis_after or (EMPTY if change.note == EMPTY else "")
    diagnosis = f"{safe(why)}{flaky}"
    return safe(change.id), change.kind.value, _became(row), diagnosis


def _became(row: RowToRead) -> str:
    change, after = row.change, (row.change.after or Outcome.FAIL).value
    if change.after in (Outcome.ERROR, Outcome.UNRESOLVED) and row.metric:
        return after
    if row.metric:
        return safe(f"{row.metric} {row.values}")
    stage = next((s for s, what in change.stages.items() if what is change.change), None)
    was = _WAS.get(change.change) if stage else change.before.value if change.before else None
    return " ".join(filter(None, (stage, f"{was} -> {after}" if was else after)))


def told(diff: RunDiff) -> tuple[str, ...]:
    """The paragraph without its means, which `--full` prints beside all others."""
    return tuple(line for line in diff.paragraph if not line.startswith(MEANS))


def tallies(verdict: Verdict) -> Iterator[RenderableType]:
    """Rows, kinds, stages, refusals, diagnoses and warnings, each in a line or two."""
    yield title("Counts")
    moved = verdict.diff.counts()
    if verdict.baseline is not None and moved:
        yield _count("rows", ", ".join(f"{n} {name}" for name, n in moved.items()))
    kinds = [(kind.value, verdict.outcomes.get(kind.value)) for kind in Kind]
    yield _count("passed", ", ".join(_passed(name, of) for name, of in kinds if of))
    stages = [(stage.value, verdict.stages.get(stage.value)) for stage in Stage]
    decided = [_passed(name, of) for name, of in stages if of and set(of) - {Outcome.NA.value}]
    if decided:
        yield _count("stages", ", ".join(decided))
    refused = _refusals(verdict.means)
    if refused:
        yield _count("refusal", refused)
    if verdict.probes:
        yield _count("probes", ", ".join(map(_probed, verdict.probes.items())))
    if verdict.diagnoses:
        said = ", ".join(f"{len(ids)} {safe(code)}" for code, ids in verdict.diagnoses.items())
        yield _count("diagnoses", said)
    if verdict.warnings:
        yield _count("warnings", ", ".join(_warned(verdict)))


def _warned(verdict: Verdict) -> Iterator[str]:
    """Each warning with its rows, and how many of these did not have it in the baseline."""
    fresh = Counter(code for change in verdict.diff.changes for code in change.new_warnings)
    for code, ids in verdict.warnings.items():
        new = f" ({fresh[code]} new)" if verdict.baseline is not None and fresh[code] else ""
        yield f"{len(ids)} {safe(code)}{new}"


def probes(verdict: Verdict) -> Iterator[RenderableType]:
    """The same with a title of its own."""
    if verdict.probes:
        yield title("Probes (fail: it found what it looks for; see evalrag explain probes)")
    for found in verdict.probes.items():
        yield hanging("", Text(_probed(found)))


def _probed(found: tuple[str, dict[str, int]]) -> str:
    name, outcomes = found
    return f"{name} {' '.join(f'{n} {outcome}' for outcome, n in outcomes.items())}"


def _count(name: str, said: str) -> RenderableType:
    return hanging(f"{name:<10}", Text(said))


def _passed(name: str, found: dict[str, int]) -> str:
    asked = sum(n for outcome, n in found.items() if outcome != Outcome.NA.value)
    undecided = [
        f"{found[outcome.value]} {said}"
        for outcome, said in ((Outcome.UNRESOLVED, "unresolved"), (Outcome.ERROR, "errored"))
        if found.get(outcome.value)
    ]
    more = f" ({', '.join(undecided)})" if undecided else ""
    return f"{name} {found.get(Outcome.PASS.value, 0)} of {asked}{more}"


def _refusals(means: Sequence[Mean]) -> str:
    """How much is refused that has no answer, and how much that has one: never one alone."""
    kinds = [kind.value for kind in Kind]
    asked = [mean for mean in means if mean.metric == "refusal" and mean.eligible]
    asked.sort(key=lambda mean: kinds.index(mean.kind))
    several = len({mean.origin for mean in asked}) > 1
    right: list[str] = []
    over: list[str] = []
    for mean in asked:
        origin = f" ({mean.origin})" if several else ""
        into = right if mean.kind == Kind.UNANSWERABLE.value else over
        into.append(f"{mean.kind}{origin} {mean_of(mean)}")
    if not asked:
        return ""
    return f"{', '.join(right) or 'no unanswerable row'}; over-refusal {', '.join(over) or 'none'}"


def mean_of(mean: Mean | None) -> str:
    """A mean with its denominator: rows scored, and of how many where that differs."""
    if mean is None or not mean.eligible:
        return "n/a"
    if mean.value is None:
        return f"? (0/{mean.eligible})"
    sign = ""
    if mean.before is not None and mean.after is not None and mean.before != mean.after:
        sign = "^" if mean.after > mean.before else "v"
    part = "" if mean.scored == mean.eligible else f"/{mean.eligible}"
    return f"{number(round(mean.value, 2))}{sign} ({mean.scored}{part})"


def reading(verdict: Verdict, *, width: int) -> Iterator[RenderableType]:
    """The reading table, a line a cell: as many of its rows as the line holds, one at least."""
    yield title(READING)
    for cell in verdict.cells:
        said = f"{cell.cell}: "
        total, room = len(cell.rows), width - 7 - len(said)
        most = min(total, max(1, (room + 2) // 3))  # a name and its comma take three at least
        rows = [safe(row) for row in cell.rows[:most]]
        fitting = (n for n in range(most, 1, -1) if len(_some(rows[:n], total)) <= room)
        shown = next(fitting, min(1, total))
        yield hanging(f"{total:>3}  ", Text(said + _some(rows[:shown], total)))


def _some(rows: Sequence[str], total: int) -> str:
    more = f" and {total - len(rows)} more" if total > len(rows) else ""
    return f"{', '.join(rows)}{more}"
