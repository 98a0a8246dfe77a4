"""Which answers nothing decided: a pass that could not see them is no plain pass."""

from collections.abc import Sequence

from evalrag.schema.brief import Result
from evalrag.schema.verdict import ExitCode, Verdict
from evalrag.schema.words import Form, Outcome, Stage

_APART = (Form.DECLINED, Form.CORRECTS, Form.CLARIFIES)
"""Forms that are judged by being what they are, where they claim nothing further."""


def is_unjudged(result: Result) -> bool:
    """Whether the row has an answer, and neither plain code nor a judge decided anything of it.

    What decides an answer: an answer check; a decided answer stage; a decided generation stage,
    which an empty answer fails; a form that fails the boundary stage; and, of an answer that
    declines, corrects or asks back without a claim, its form alone. That an answer has the form of
    an answer says nothing of what it says.
    """
    if not has_answer(result):
        return False
    stages = result.stages
    if "answer_checks" in result.scores or stages.get(Stage.BOUNDARY) is Outcome.FAIL:
        return False
    generation = stages.get(Stage.GENERATION, Outcome.NA)
    if generation.decided or stages.get(Stage.ANSWER, Outcome.NA).decided:
        return False
    form = result.verdicts.form if result.verdicts is not None else None
    return generation is not Outcome.NA or form not in _APART


def has_answer(result: Result) -> bool:
    """The pipeline answered, and nothing of the row errored."""
    return getattr(result, "answer", None) is not None and result.error is None


def unjudged_of(results: Sequence[Result]) -> tuple[tuple[str, ...], int]:
    """Ids of the unjudged answers, and how many answers there are."""
    answered = [result for result in results if has_answer(result)]
    return tuple(result.id for result in answered if is_unjudged(result)), len(answered)


def unjudged_words(verdict: Verdict) -> str:
    """For the verdict's own line, behind `PASSED`; empty where every answer was judged."""
    if verdict.exit_code is not ExitCode.PASSED or not verdict.unjudged:
        return ""
    noun = "answer" if verdict.answers == 1 else "answers"
    return f"{len(verdict.unjudged)} of {verdict.answers} {noun} unjudged"
