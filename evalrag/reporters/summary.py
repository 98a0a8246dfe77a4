"""The short parts of a report: what broke, a row a line, and the counts that it must not hide."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from evalrag.loading.show import clean
from evalrag.regression.narrative import counted
from evalrag.regression.to_read import RowToRead, ToRead
from evalrag.reporters.answers import Part, inline, sides
from evalrag.reporters.drawing import hanging, title
from evalrag.reporters.plain import number, safe
from evalrag.schema.answers import Wording
from evalrag.schema.diff import BROKEN, Change, Mean, RowChange, RunDiff, Topic
from evalrag.schema.verdict import Verdict
from evalrag.schema.words import Kind, Outcome

_LINES = 20
"""Rows of a list; the rest is counted."""
_TOLD, _WHOLE = 6, 3
"""Rows of which the answers are shown, and up to how many they are shown on lines of their own."""
_INDENT = 4
_OPEN = (Outcome.UNRESOLVED, Outcome.ERROR, Outcome.NA)
_ENDED = {Change.BROKE: (Outcome.FAIL,), Change.NOW_FAILING: (Outcome.FAIL,), Change.LOST: _OPEN}
"""How the stage ended that a row is named for."""
_NA = "n/a"


def first_rows(
    lists: Sequence[ToRead],
    total: int,
    *,
    width: int,
    compared: bool,
    full: bool = False,
    answers: bool = True,
) -> Iterator[RenderableType]:
    """Rows that a person has to read first: what became of each, and what the bot said.

    Of a few rows both answers stand on lines of their own; of more, in one line with the changed
    words marked; of the rows behind the first six, not at all but in the `full` report. Without
    `answers` the rows are all of it.
    """
    several = sum(len(listed.rows) for listed in lists) > _WHOLE
    left = sum(len(listed.rows) for listed in lists) if full else _TOLD * answers
    for listed in lists:
        yield title(f"{listed.title}: {len(listed.rows)} of {counted(total, 'row')}", "bold red")
        most = len(listed.rows) if full else _LINES
        shown = [cells(row) for row in listed.rows[:most]]
        sizes = [max(len(row[n]) for row in shown) for n in range(3)]
        aligned = all(len(_spaced(row, sizes)) + 2 <= width for row in shown)
        for row, drawn in zip(listed.rows, shown, strict=False):
            yield hanging("", Text(_spaced(drawn, sizes if aligned else [0, 0, 0])))
            if left > 0:
                one_line = several and not full
                yield from what_was_said(
                    row.change, width=width, compared=compared, one_line=one_line
                )
            left -= 1
        if len(listed.rows) > most:
            yield hanging("", Text(f"and {len(listed.rows) - most} more"))


def what_was_said(
    change: RowChange,
    *,
    width: int,
    compared: bool,
    one_line: bool = False,
    limit: int | None = None,
) -> Iterator[RenderableType]:
    """The question, and the answer then and now: `[-removed-]` and `{+added+}` words are marked.

    An answer takes one line or three, or `limit` characters.
    """
    room = width - _INDENT - 1
    if change.question:
        question = safe(change.question, limit or room - 3)
        yield hanging("Q: ", Text(question), indent=_INDENT)
    if one_line and compared and change.answers.words:
        marks = 4 * sum(piece.how is not Wording.KEPT for piece in change.answers.words)
        said = marked(inline(change.answers, max(room - 3 - min(marks, room // 2), 20)))
        yield hanging("A: ", _cut(said, room - 3), indent=_INDENT)
        return
    most = limit or (room if one_line else 3 * room) - 20
    for told in sides(change, compared=compared, limit=most):
        name = {"answer": "A"}.get(told.name, told.name)
        text = Text(told.note, style="italic") if told.note else marked(told.parts)
        yield hanging(f"{name}: ", text, indent=_INDENT)


def marked(parts: Iterable[Part]) -> Text:
    """An answer with marks that need no colour, and that a colour makes plainer."""
    found = Text()
    for part in parts:
        said = clean(part.text, len(part.text))
        first, last, style = _MARKS[part.how]
        if part.how is Wording.ADDED and found.plain.endswith("-]"):
            found.append(" ")  # what went and what came are two words to the eye
        found.append(f"{first}{said}{last}", style=style)
    return found


_MARKS = {
    Wording.KEPT: ("", "", ""),
    Wording.REMOVED: ("[-", "-]", "red"),
    Wording.ADDED: ("{+", "+}", "green"),
}


def _cut(text: Text, limit: int) -> Text:
    """One line of a terminal, whatever the marks and wide letters come to."""
    text.truncate(limit, overflow="ellipsis")
    return text


def _spaced(row: tuple[str, str, str, str], sizes: Sequence[int]) -> str:
    padded = [cell.ljust(size) for cell, size in zip(row, (*sizes, 0), strict=True)]
    return " ".join(padded).rstrip()


def cells(row: RowToRead) -> tuple[str, str, str, str]:
    """Id, kind, what became of it, and the diagnosis.

    What became of it is said of the first stage that is what the row is named for; where a gate
    fails or waits for a row that is not named for a stage, of the gate's metric.
    """
    change = row.change
    flaky = " flaky" if change.flaky else ""
    diagnosis = f"{safe(change.diagnosis_after or '')}{flaky}"
    return safe(change.id), change.kind.value, _became(row), diagnosis


def _became(row: RowToRead) -> str:
    change, after = row.change, (row.change.after or Outcome.FAIL).value
    if change.after in (Outcome.ERROR, Outcome.UNRESOLVED) and row.metric:
        return after
    if row.metric:
        return safe(f"{row.metric} {row.values}")
    for stage, (was, now) in change.outcomes.items():
        if now in _ENDED.get(change.change, ()):
            return f"{stage} {_NA if was is Outcome.NA else was} -> {now}"
    was_ = change.before.value if change.before else None
    return f"{was_} -> {after}" if was_ else after


def told(diff: RunDiff) -> tuple[str, ...]:
    """The paragraph without what stands elsewhere in the short report.

    Means stand in the full one; rows stand above, each with its stage, unless they are many.
    """
    broke = sum(row.change in BROKEN for row in diff.changes)
    stages = () if 0 < broke <= _TOLD else (Topic.STAGES,)
    rows = () if broke else (Topic.ROWS,)
    said = diff.about(Topic.PIPELINE, *stages, *rows, Topic.LOOK)
    return tuple(sentence.text for sentence in said)


def answers_changed(diff: RunDiff) -> str:
    """How many answers changed at all, whatever became of their rows; empty without answers."""
    if not diff.answers_compared:
        return ""
    return f"{diff.answers_changed} of {counted(diff.answers_compared, 'answer')} changed"


def tallies(verdict: Verdict) -> Iterator[RenderableType]:
    """Rows, kinds, refusals, diagnoses and warnings, each in a line or two."""
    yield Text()
    moved = verdict.diff.counts()
    if verdict.baseline is not None and moved:
        yield _count("rows", ", ".join(f"{n} {name}" for name, n in moved.items()))
    kinds = [(kind.value, verdict.outcomes.get(kind.value)) for kind in Kind]
    yield _count("passed", ", ".join(_passed(name, of) for name, of in kinds if of))
    refused = _refusals(verdict.means) if _refusals_moved(verdict.means) else ""
    if refused:
        yield _count("refusal", refused)
    if verdict.probes:
        yield _count("probes", ", ".join(map(_probed, verdict.probes.items())))
    if verdict.diagnoses and not any(c.change in BROKEN for c in verdict.diff.changes):
        said = ", ".join(f"{len(ids)} {safe(code)}" for code, ids in verdict.diagnoses.items())
        yield _count("diagnoses", said)
    if verdict.warnings:
        yield _count("warnings", ", ".join(_warned(verdict)))


def _refusals_moved(means: Sequence[Mean]) -> bool:
    """Some kind is refused more, or less, than in the baseline; or there is none to say so."""
    asked = [mean for mean in means if mean.metric == "refusal" and mean.eligible]
    return any(mean.before is None or mean.before != mean.after for mean in asked)


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
