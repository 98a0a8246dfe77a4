"""What a reviewer of a changed baseline reads first: which rows turned, and what the bot says."""

from collections.abc import Iterator, Mapping, Sequence

from evalrag.regression.acceptance_review import ScoreMove
from evalrag.regression.narrative import counted
from evalrag.reporters.answers import Part, inline
from evalrag.reporters.markdown_text import named, text
from evalrag.schema.answers import Answers, Wording
from evalrag.schema.result import RowResult
from evalrag.schema.run import Acceptance

ROWS, FAILING, ANSWER = 100, 200, 600
"""Rows that are drawn, failing rows that are named, and characters of an answer."""


def baseline_summary(
    plan: str,
    entry: Acceptance,
    changed: Sequence[tuple[RowResult, RowResult]],
    *,
    new: Sequence[str],
    removed: Sequence[str],
    failing: Mapping[str, str],
    scores: Sequence[ScoreMove],
) -> str:
    """Markdown for the pull request that changes the baseline.

    Args:
        plan: the plan's name.
        entry: the newest acceptance.
        changed: each row whose outcome or answer it changed, before and after.
        new: rows that came into the baseline.
        removed: rows that left it.
        failing: row -> first diagnosis, of the rows that fail in the baseline.
        scores: what moved since the acceptance before.
    """
    return "\n".join(
        [
            f"# Baseline of {named(plan)}",
            "",
            f"Run {text(entry.run)} was accepted on {text(entry.day)}"
            + (f" by {text(entry.by)}" if entry.by else "")
            + f": {text(entry.reason)}",
            "",
            *_changes(changed, new, removed),
            *_failing(failing),
            *_scores(scores),
            "Written by `evalrag baseline accept`; do not edit.",
            "",
        ]
    )


def _changes(
    changed: Sequence[tuple[RowResult, RowResult]], new: Sequence[str], removed: Sequence[str]
) -> Iterator[str]:
    yield f"## {counted(len(changed), 'row')} changed outcome or answer"
    yield ""
    for before, now in changed[:ROWS]:
        turned = f"{before.outcome.value} -> {now.outcome.value}"
        if before.outcome is now.outcome:
            turned = f"still {now.outcome.value}"
        cause = f" ({text(now.diagnosis)})" if now.diagnosis else ""
        yield f"### {named(now.id)}: {turned}{cause}"
        yield ""
        if now.question:
            yield f"- question: {text(now.question, ANSWER)}"
        yield from _answers(before, now)
        yield ""
    if len(changed) > ROWS:
        yield f"and {len(changed) - ROWS} more: `evalrag baseline show`"
        yield ""
    for what, rows in (("new", new), ("removed", removed)):
        if rows:
            more = f" and {len(rows) - FAILING} more" if len(rows) > FAILING else ""
            listed = ", ".join(map(named, rows[:FAILING]))
            yield f"{counted(len(rows), 'row')} {what}: {listed}{more}"
            yield ""


def _answers(before: RowResult, now: RowResult) -> Iterator[str]:
    if now.answer is None and before.answer is None:
        return
    answers = Answers(before=before.answer, after=now.answer)
    if not answers.changed:
        yield f"- answer: {_said(now.answer)}"
        return
    yield f"- before: {_said(answers.before)}"
    yield f"- now: {_said(answers.after)}"
    marked = inline(answers, ANSWER)
    if any(part.how is Wording.KEPT and part.text.strip() for part in marked):
        yield f"- words: {''.join(map(_marked, marked))}"


def _said(answer: str | None) -> str:
    if answer is None:
        return "none"
    return text(" ".join(answer.split()), ANSWER) or "empty"


def _marked(part: Part) -> str:
    said = text(part.text.strip(), ANSWER)
    lead = " " if part.text[:1].isspace() else ""
    tail = " " if part.text[-1:].isspace() and said else ""
    mark = {Wording.REMOVED: "del", Wording.ADDED: "ins"}.get(part.how)
    if mark is None or not said:
        return f"{lead}{said}{tail}"
    return f"{lead}<{mark}>{said}</{mark}>{tail}"


def _failing(failing: Mapping[str, str]) -> Iterator[str]:
    if not failing:
        return
    yield f"## {counted(len(failing), 'row')} accepted as failing"
    yield ""
    for row, diagnosis in list(failing.items())[:FAILING]:
        yield f"- {named(row)}" + (f": {text(diagnosis)}" if diagnosis else "")
    if len(failing) > FAILING:
        yield f"- and {len(failing) - FAILING} more"
    yield ""


def _scores(scores: Sequence[ScoreMove]) -> Iterator[str]:
    if not scores:
        return
    yield "## Scores that moved"
    yield ""
    yield "| metric | rows | worse on | mean of these rows before | now |"
    yield "|---|---|---|---|---|"
    for move in scores:
        yield (
            f"| {move.metric} | {len(move.rows)} | {len(move.worse)} "
            f"| {move.before:.4g} | {move.after:.4g} |"
        )
    yield ""
