"""Answer checks: what a right answer says, and never says, in so many words. No judge is asked."""

from collections.abc import Iterable, Sequence

from evalrag.judging.thoughts import spoken
from evalrag.schema.result import AnswerCheck
from evalrag.schema.row import Row
from evalrag.schema.score import NotApplicable, Score, Scored
from evalrag.text import find

ANSWER_CHECKS = "answer_checks"
"""The name of the metric."""
LONGEST = 200_000
"""Characters of an answer that are read."""


def has_checks(row: Row) -> bool:
    return bool(row.answer_contains or row.answer_excludes)


def checked(row: Row, answer: str) -> tuple[AnswerCheck, ...]:
    """Every check of the row held against an answer: `answer_contains` first, in the row's order.

    What a model wrote while it thought is no part of its answer. Whole tokens are matched, and
    negation is not read.
    """
    said = spoken(answer)[:LONGEST]
    found = [_check(texts, said, answer, excluded=False) for texts in row.answer_contains]
    found += [_check((text,), said, answer, excluded=True) for text in row.answer_excludes]
    return tuple(found)


def _check(texts: Sequence[str], said: str, answer: str, *, excluded: bool) -> AnswerCheck:
    places = [place for text in texts if (place := find(text, said)) is not None]
    at = min(places, default=None)
    return AnswerCheck(
        texts=tuple(texts),
        excluded=excluded,
        holds=(at is None) is excluded,
        at=at.start if at else None,
        quote=answer[at.start : at.end] if at else None,
    )


def with_context(checks: Iterable[AnswerCheck], context: Sequence[str]) -> tuple[AnswerCheck, ...]:
    """The checks, those that do not hold with the passages of the context that say the text."""
    return tuple(
        check
        if check.holds
        else check.model_copy(update={"passages": _saying(check.texts, context)})
        for check in checks
    )


def _saying(texts: Sequence[str], context: Sequence[str]) -> tuple[int, ...]:
    return tuple(
        at
        for at, passage in enumerate(context, start=1)
        if any(find(text, passage[:LONGEST]) is not None for text in texts)
    )


def checks_score(row: Row, answer: str) -> tuple[Score, tuple[AnswerCheck, ...]]:
    """The share of the row's checks that hold, in [0, 1], and each of them.

    Not applicable to a row without checks. An answer without a word scores 0, whatever it leaves
    out.
    """
    if not has_checks(row):
        return NotApplicable("no answer check"), ()
    checks = checked(row, answer)
    if not spoken(answer).strip():
        return Scored(0.0), checks
    return Scored(sum(check.holds for check in checks) / len(checks)), checks


def failing(checks: Iterable[AnswerCheck]) -> tuple[AnswerCheck, ...]:
    """Those that do not hold."""
    return tuple(check for check in checks if not check.holds)
