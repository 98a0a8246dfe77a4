"""The diff on a terminal: what broke, and what else changed; with every metric where asked for."""

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.text import Text

from evalrag.regression.narrative import names
from evalrag.regression.to_read import to_read
from evalrag.reporters.drawing import command_line, draw, hanging, lines, title
from evalrag.reporters.gates import gate_parts
from evalrag.reporters.plain import LONG, number, safe
from evalrag.reporters.summary import answers_changed, first_rows, told, what_was_said
from evalrag.schema.diff import BROKEN, Change, Moved, RowChange
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import Verdict

QUIET = (Change.STILL_PASSING, Change.STILL_FAILING, Change.STILL_UNDECIDED)


def render(
    verdict: Verdict,
    old: RunRecord,
    new: RunRecord,
    *,
    width: int = 80,
    color: bool = False,
    gates: bool = False,
    full: bool = False,
    quiet: bool = False,
    more: str | None = None,
) -> str:
    """The diff as text: short, with the command `more` for the rest, or the whole if `full`.

    With the gates' verdict where `gates`. If `quiet`, the counts and what broke are all of it.
    """
    parts: Iterable[RenderableType] = _head(verdict, old, new, width=width, quiet=quiet)
    if not quiet:
        parts = [*parts, *_parts(verdict, gates=gates, full=full)]
    ending = _ending(verdict, None if full else more)
    return draw([*parts, *ending], width=width, color=color)


def listing(
    verdict: Verdict, old: RunRecord, new: RunRecord, *, width: int = 80, color: bool = False
) -> str:
    """Every answer that changed, by kind: its question, then, now, and what became of the row."""
    return draw(_listing(verdict, old, new, width=width), width=width, color=color)


def _listing(
    verdict: Verdict, old: RunRecord, new: RunRecord, *, width: int
) -> Iterator[RenderableType]:
    diff = verdict.diff
    yield _runs(old, new)
    yield Text(answers_changed(diff) or "no answers to compare")
    kind = None
    for change in diff.changes:
        if not change.answers_differ:
            continue
        if change.kind is not kind:
            kind = change.kind
            yield title(kind.value)
        ends = [one.value for one in (change.before, change.after) if one is not None]
        became = " -> ".join(dict.fromkeys(ends))
        yield hanging("", Text(f"{safe(change.id)}  {became} ({change.change})"))
        yield from what_was_said(change, width=width, compared=True, limit=LONG)


def _runs(old: RunRecord, new: RunRecord) -> Text:
    runs = (f"run {safe(one.id)} of {safe(one.day)}" for one in (old, new))
    return Text(f"{safe(old.plan)}: {' -> '.join(runs)}")


def _head(
    verdict: Verdict, old: RunRecord, new: RunRecord, *, width: int, quiet: bool
) -> Iterator[RenderableType]:
    diff = verdict.diff
    yield _runs(old, new)
    counts = diff.counts()
    yield Text(", ".join(f"{n} {name}" for name, n in counts.items()) or "no rows")
    if answers_changed(diff):
        yield Text(answers_changed(diff))
    yield from lines("Loosened", diff.loosened, "bold yellow")
    yield from first_rows(
        to_read(diff), len(diff.changes), width=width, compared=True, answers=not quiet
    )


def _parts(verdict: Verdict, *, gates: bool, full: bool) -> Iterator[RenderableType]:
    diff = verdict.diff
    yield from lines("Know first", diff.notes, "bold")
    yield from lines("What happened", diff.paragraph if full else told(diff), "bold")
    yield from _rows(diff.changes) if full else _others(diff.changes)
    if gates:
        yield from gate_parts(verdict, full=full)


def _ending(verdict: Verdict, more: str | None) -> Iterator[RenderableType]:
    yield Text()
    for command in verdict.next:
        yield command_line(command)
    if more is not None:
        yield command_line(more, "more")


def _others(changes: tuple[RowChange, ...]) -> Iterator[RenderableType]:
    """A line for each other change that there is, and for each warning; then what moved quietly."""
    found: dict[str, list[str]] = {}
    for change in changes:
        if change.change not in (*QUIET, *BROKEN, Change.LOST):
            note = f", {safe(change.note)}" if change.note else ""
            found.setdefault(f"{change.change}{note}", []).append(safe(change.id))
    for change in changes:
        for code in change.new_warnings:
            found.setdefault(f"warning {safe(code)}", []).append(safe(change.id))
    quiet = [c for c in changes if c.change in QUIET and c.moved]
    if found or quiet:
        yield title("Other rows")
    for what, ids in found.items():
        yield hanging("", Text(f"{what} ({len(ids)}): {names(ids)}"))
    if quiet:
        yield hanging("", Text(f"metrics alone moved ({len(quiet)}): --full shows them"))


def _rows(changes: tuple[RowChange, ...]) -> Iterator[RenderableType]:
    kind = None
    for change in changes:
        if change.change in QUIET and not change.moved and not change.new_warnings:
            continue
        if change.kind is not kind:
            kind = change.kind
            yield title(kind.value)
        yield hanging("", Text(_row(change)))
        for moved in change.moved:
            yield hanging("", Text(_moved(moved)), indent=6)


def _row(change: RowChange) -> str:
    stages = [f"{stage} {what}" for stage, what in change.stages.items() if what not in QUIET]
    said = f"{change.change}: {safe(change.id)}"
    if stages:
        said += f" ({', '.join(stages)})"
    before, after = safe(change.diagnosis_before or ""), safe(change.diagnosis_after or "")
    if before != after:
        said += f"  diagnosis {before or 'none'} -> {after or 'none'}"
    elif after:
        said += f"  {after}"
    if change.new_warnings:
        said += f"  warning: {', '.join(map(safe, change.new_warnings))}"
    if change.note:
        said += f"  {safe(change.note)}"
    return said


def _moved(moved: Moved) -> str:
    before = number(moved.before) if moved.before is not None else moved.before_why or "none"
    after = number(moved.after) if moved.after is not None else moved.after_why or "none"
    return f"{safe(moved.metric)} {safe(before)} -> {safe(after)}"
