"""What a page says before any row is opened: the verdict, what broke, and means by kind."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evalrag.judging.measures import JUDGED
from evalrag.metrics.table import MEASURES
from evalrag.regression.narrative import counted
from evalrag.regression.to_read import RowToRead, of_verdict, passed_but
from evalrag.reporters.answers import Told, sides
from evalrag.reporters.as_json import word
from evalrag.reporters.html.escaping import cut
from evalrag.reporters.html.rows import QUESTION
from evalrag.reporters.main_metrics import MAIN
from evalrag.reporters.plain import number
from evalrag.schema.diff import Change, Mean, Topic
from evalrag.schema.gate import GateResult, GateStatus, RowStatus
from evalrag.schema.verdict import ExitCode, Verdict
from evalrag.schema.words import Direction, Kind, Outcome, Stage

_SIGNS = {ExitCode.PASSED: ("good", "✓"), ExitCode.FAILED: ("bad", "✕")}
_GATE_SIGNS = {
    GateStatus.PASSED: ("good", "✓", "passed"),
    GateStatus.FAILED: ("bad", "✕", "failed"),
    GateStatus.UNDECIDED: ("open", "?", "undecided"),
    GateStatus.NOT_EVALUATED: ("quiet", "–", "not evaluated"),  # noqa: RUF001
    GateStatus.NO_BASELINE: ("open", "?", "no baseline"),
}


class Sign(NamedTuple):
    """A judgement in a word, a symbol and a tone: never in a colour alone."""

    tone: str
    symbol: str
    word: str


def verdict_sign(verdict: Verdict) -> Sign:
    """A run that passed although rows broke is told apart from one in which all is well."""
    code, but = verdict.exit_code, passed_but(verdict)
    if but is not None:
        return Sign("open", "!", but)
    return Sign(*_SIGNS.get(code, ("open", "?")), word(code))


def gate_sign(gate: GateResult) -> Sign:
    return Sign(*_GATE_SIGNS[gate.status])


def summary(verdict: Verdict) -> str:
    """The run in a sentence: gates by status, then rows by what became of them."""
    gates = [
        f"{n} of {counted(len(verdict.gates), 'gate')} {_GATE_SIGNS[status][2]}"
        for status in GateStatus
        if (n := sum(gate.status is status for gate in verdict.gates))
    ]
    wanted = next((said for said in gates if not said.endswith("passed")), None)
    told = [wanted or (gates[0] if gates else "no gate looked at this run")]
    changes = verdict.diff.changes
    for change in (Change.BROKE, Change.NOW_FAILING, Change.LOST, Change.FIXED):
        n = sum(row.change is change for row in changes)
        if n and verdict.diff.baseline is not None:
            told.append(f"{counted(n, 'row')} {change}")
    said = ", ".join(told)
    return said[:1].upper() + said[1:]


class Broken(NamedTuple):
    """A row to read first."""

    id: str
    kind: str
    stage: str
    what: str
    diagnosis: str
    flaky: bool
    question: str
    answers: Sequence[Told]


class List(NamedTuple):
    title: str
    rows: Sequence[Broken]
    change: str
    """The filter that lists the same rows."""


def to_read(verdict: Verdict, failing: Mapping[str, Sequence[str]]) -> Iterator[List]:
    """The rows to read first. `failing` names the stages that fail, by row."""
    for listed in of_verdict(verdict):
        compared = verdict.baseline is not None
        rows = [_broken(row, failing, compared) for row in listed.rows]
        yield List(listed.title, rows, listed.change.value if listed.change else "")


def _broken(listed: RowToRead, failing: Mapping[str, Sequence[str]], compared: bool) -> Broken:
    row = listed.change
    stages = [stage.value for stage, change in row.stages.items() if change is row.change]
    was = row.before.value if row.before and row.before is not row.after else ""
    now = (row.after or Outcome.FAIL).value
    what = f"{was} → {now}" if was else now
    if listed.metric and row.after in (Outcome.ERROR, Outcome.UNRESOLVED):
        stages = []
    elif listed.metric:
        stages, what = [listed.metric], listed.values.replace("->", "→") or what
    elif stages and row.before is row.after is not None:
        what = row.change.value
    return Broken(
        row.id,
        row.kind.value,
        ", ".join(stages if row.before or listed.metric else failing.get(row.id, ())),
        what,
        row.diagnosis_after or "",
        row.flaky,
        cut(" ".join(row.question.split()), QUESTION),
        sides(row, compared=compared, limit=_ANSWER),
    )


def look_and_rest(verdict: Verdict) -> tuple[str | None, list[str]]:
    """Where to look, and the other sentences.

    Means stand in a table, and what changed in the pipeline beside the verdict.

    Where nothing is compared the paragraph is empty: then it is what most rows that failed a gate
    point at.
    """
    diff = verdict.diff
    rest = [one.text for one in diff.about(Topic.STAGES, Topic.ROWS)]
    for look in diff.about(Topic.LOOK):
        where, change = look.parts
        return f"{where}. Try this: {change}.", rest
    failed = [(gate, row) for gate in verdict.gates for row in gate.named(RowStatus.FAILED)]
    found = Counter((row.diagnosis or gate.metric, row.look) for gate, row in failed if row.look)
    if not found:
        return None, rest
    ((code, place), n), *_ = found.most_common(1)
    return f"{place} ({code} on {n} of {counted(len(failed), 'row')} that failed a gate)", rest


def changed(verdict: Verdict) -> str | None:
    """What changed in the pipeline, as it stands beside the verdict; None if nothing is known."""
    known = [part for part in verdict.diff.pipeline_changes if not part.startswith("unknown")]
    said = verdict.diff.about(Topic.PIPELINE)
    return said[0].text if said and known else None


def direction(metric: str) -> Direction:
    """Which way is better; neither of a metric that is somebody's own."""
    measure = MEASURES.get(metric) or JUDGED.get(metric)
    return measure.direction if measure is not None else Direction.NEITHER


class Cell(NamedTuple):
    """A mean of one kind, before and after, and what it is a mean of."""

    value: str
    before: str | None
    after: str | None
    trend: str
    """better, worse, moved, or nothing."""
    of: str
    bar: tuple[float, float | None] | None
    """Now and before as shares, of a metric between 0 and 1."""


class Table(NamedTuple):
    origin: str
    kinds: Sequence[str]
    main: Sequence[tuple[str, Sequence[Cell | None]]]
    others: Sequence[tuple[str, Sequence[Cell | None]]]


def tables(verdict: Verdict) -> Iterator[Table]:
    """Means by kind, a table an origin: rows that were made up are never pooled with others."""
    for origin in sorted({mean.origin for mean in verdict.means}):
        own = [mean for mean in verdict.means if mean.origin == origin]
        kinds = [kind.value for kind in Kind if any(mean.kind == kind.value for mean in own)]
        lines: dict[str, Sequence[Cell | None]] = {}
        for metric in dict.fromkeys((*MAIN, *(mean.metric for mean in own))):
            found = {mean.kind: mean for mean in own if mean.metric == metric}
            asked = any(mean.scored or mean.unresolved or mean.errored for mean in found.values())
            if asked and metric not in verdict.hidden_means:
                lines[metric] = [_cell(found.get(kind)) for kind in kinds]
        main = [(metric, cells) for metric, cells in lines.items() if metric in MAIN]
        others = [(metric, cells) for metric, cells in lines.items() if metric not in MAIN]
        yield Table(origin, kinds, main, others)


def _cell(mean: Mean | None) -> Cell | None:
    if mean is None or not (mean.scored or mean.unresolved or mean.errored):
        return None
    parts = [f"{mean.scored} of {mean.eligible} scored"]
    if mean.absent:
        parts.append(f"{mean.absent} without a position")
    if mean.unresolved:
        parts.append(f"{mean.unresolved} unresolved")
    if mean.errored:
        parts.append(f"{mean.errored} errored")
    before, after = mean.before, mean.after
    if before is not None and mean.paired != mean.scored:
        parts.append(f"{mean.paired} compared")
    value = "?" if mean.value is None else _rounded(mean.value)
    moved = before is not None and after is not None and _rounded(before) != _rounded(after)
    return Cell(
        value,
        _rounded(before) if moved and before is not None else None,
        _rounded(after) if moved and after is not None else None,
        _trend(mean.metric, before, after) if moved else "",
        ", ".join(parts),
        _bar(mean),
    )


def _rounded(value: float) -> str:
    return number(round(value, 3))


def _trend(metric: str, before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return ""
    way = direction(metric)
    if way is Direction.NEITHER:
        return "moved"
    return "better" if (after > before) is (way is Direction.UP) else "worse"


def _bar(mean: Mean) -> tuple[float, float | None] | None:
    measure = MEASURES.get(mean.metric) or JUDGED.get(mean.metric)
    if measure is None or measure.high != 1.0 or mean.value is None:
        return None
    if mean.before is None or mean.after is None:
        return mean.value, None
    return mean.after, mean.before


class Tally(NamedTuple):
    """Rows of one kind, or of one stage, by how they ended."""

    name: str
    counts: Sequence[int]


_ANSWER = 72
"""Characters of an answer in a list: two lines of a phone."""
ENDED = (Outcome.PASS, Outcome.FAIL, Outcome.UNRESOLVED, Outcome.ERROR)


def tallies(verdict: Verdict) -> tuple[list[Tally], list[Tally]]:
    """Outcomes by kind, and by stage; a stage that decided nothing is left out."""
    kinds = _tallies([kind.value for kind in Kind], verdict.outcomes)
    return kinds, _tallies([stage.value for stage in Stage], verdict.stages)


def _tallies(names: Sequence[str], found: dict[str, dict[str, int]]) -> list[Tally]:
    made = [Tally(n, [found.get(n, {}).get(o.value, 0) for o in ENDED]) for n in names]
    return [tally for tally in made if any(tally.counts)]
