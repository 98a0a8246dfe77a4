"""From scores to the outcome of each stage, and of the row (SPEC 7).

Everything is read from what a run stores, so that a baseline's outcomes can be derived again when
the plan's thresholds change.
"""

from collections.abc import Iterable, Mapping, Sequence

from evalrag.schema.brief import Brief
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import Attempt, Probed, Sought
from evalrag.schema.score import Failed, NotApplicable, Score, Scored, Unresolved
from evalrag.schema.words import Form, Kind, Outcome, Probe, Stage

_ORDER = tuple(Stage)
_REWRITE, _RETRIEVAL, _RANKING, _GENERATION, _BOUNDARY, _ANSWER = _ORDER
_NA = Outcome.NA


def stage_outcomes(
    attempt: Attempt,
    *,
    kind: Kind,
    expect: Sequence[Form],
    generates: bool,
    thresholds: Thresholds,
) -> dict[Stage, Outcome]:
    """Decide every stage of one attempt; those that have nothing to decide are left out.

    `attempt.stages` and `attempt.outcome` are not read; its probes are decided already.
    """
    outcomes: dict[Stage, Outcome] = {}
    if attempt.error_stage is _REWRITE:
        outcomes[_REWRITE] = Outcome.ERROR
    elif attempt.probes and Probe.STANDALONE_QUESTION in attempt.probes:
        outcomes[_REWRITE] = attempt.probes[Probe.STANDALONE_QUESTION].outcome
    outcomes[_RETRIEVAL] = _retrieval(attempt, kind, thresholds)
    outcomes[_RANKING] = _ranking(attempt, kind)
    if generates:
        outcomes[_GENERATION] = generation(attempt, thresholds)
        outcomes[_BOUNDARY] = _boundary(attempt, kind, expect, thresholds)
        outcomes[_ANSWER] = answer_stage(attempt, thresholds)
    return {stage: outcome for stage, outcome in outcomes.items() if outcome is not _NA}


def row_outcome(stages: Iterable[Outcome]) -> Outcome:
    """`fail` if any stage failed, else `error`, else `unresolved`, else `pass`."""
    found = set(stages)
    for outcome in (Outcome.FAIL, Outcome.ERROR, Outcome.UNRESOLVED):
        if outcome in found:
            return outcome
    return Outcome.PASS


def outcome_of(stages: Mapping[Stage, Outcome]) -> Outcome:
    """The row's outcome by its stages. A probe that could not be had costs the row nothing."""
    if stages.get(_REWRITE) is not Outcome.UNRESOLVED:
        return row_outcome(stages.values())
    return row_outcome(outcome for stage, outcome in stages.items() if stage is not _REWRITE)


def undecidable(stages: Mapping[Stage, Outcome]) -> bool:
    """No stage had anything to decide on this row, under this plan."""
    return not stages


def all_in_context(evidence: Sequence[Sought]) -> bool:
    return bool(evidence) and all(sought["context"] for sought in evidence)


def at_least(score: Score, threshold: float) -> Outcome:
    """Hold a score against a threshold; an unresolved one is decided by its bounds."""
    match score:
        case Scored(value=value):
            return _passed(value >= threshold)
        case NotApplicable():
            return Outcome.NA
        case Failed():
            return Outcome.ERROR
        case Unresolved(low=low, high=high):
            if low is not None and low >= threshold:
                return Outcome.PASS
            if high is not None and high < threshold:
                return Outcome.FAIL
            return Outcome.UNRESOLVED


def _passed(holds: bool) -> Outcome:
    return Outcome.PASS if holds else Outcome.FAIL


def _failed_at(attempt: Attempt, stage: Stage) -> bool:
    """The row's error came in this stage or in an earlier one."""
    return attempt.error_stage is not None and (
        _ORDER.index(attempt.error_stage) <= _ORDER.index(stage)
    )


def _retrieval(attempt: Attempt, kind: Kind, thresholds: Thresholds) -> Outcome:
    if _failed_at(attempt, Stage.RETRIEVAL):
        return Outcome.ERROR
    allowed = _none_forbidden(attempt)
    if allowed is Outcome.FAIL or kind is Kind.UNANSWERABLE:
        return allowed
    if attempt.evidence:
        return _passed(all(fetched(sought) for sought in attempt.evidence))
    return at_least(attempt.score("claim_recall"), thresholds.claim_recall)


def _none_forbidden(attempt: Attempt) -> Outcome:
    forbidden = attempt.scores.get("forbidden_retrieved")
    return Outcome.NA if forbidden is None else _passed(forbidden == 0.0)


def fetched(sought: Sought) -> bool:
    """Among the candidates, or in the context all the same: a parent document that holds it."""
    return sought["candidates"] or sought["context"]


def _ranking(attempt: Attempt, kind: Kind) -> Outcome:
    if _failed_at(attempt, Stage.RANKING):
        return Outcome.ERROR if kind is not Kind.UNANSWERABLE else Outcome.NA
    found = [sought for sought in attempt.evidence if fetched(sought)]
    if not found:
        return Outcome.NA
    if attempt.scores.get("rival_first") == 1.0:
        return Outcome.FAIL
    return _passed(all(sought["context"] for sought in found))


def generation(attempt: Attempt | Probed, thresholds: Thresholds) -> Outcome:
    """The generation stage of an attempt, or of what a probe was answered."""
    if attempt.answer is None:
        return Outcome.ERROR
    if not attempt.answer.strip():
        return Outcome.FAIL
    verdicts = attempt.verdicts
    form = verdicts.form if verdicts else None
    claims = bool(verdicts and verdicts.claims)
    if form is Form.DECLINED or (form in (Form.CORRECTS, Form.CLARIFIES) and not claims):
        return Outcome.NA
    checks = [
        no_hard_fail(attempt.score("hard_fail")),
        at_least(attempt.score("faithfulness"), thresholds.faithfulness),
        at_least(attempt.score("answer_relevancy"), thresholds.answer_relevancy),
    ]
    if all(check is Outcome.NA for check in checks):
        return Outcome.NA
    return row_outcome(checks)


def no_hard_fail(score: Score) -> Outcome:
    """Hold `hard_fail` to 0; an unresolved one is decided by its bounds."""
    match score:
        case Scored(value=value):
            return _passed(value == 0.0)
        case NotApplicable():
            return Outcome.NA
        case Failed():
            return Outcome.ERROR
        case Unresolved(low=low, high=high):
            if low is not None and low > 0.0:
                return Outcome.FAIL
            return Outcome.PASS if high == 0.0 else Outcome.UNRESOLVED


def answer_stage(attempt: Attempt | Probed, thresholds: Thresholds) -> Outcome:
    """The answer stage: every answer check holds, and it is correct where that was measured.

    A check that does not hold is a failure that no judge can mend.
    """
    checks = at_least(attempt.score("answer_checks"), 1.0)
    correct = at_least(attempt.score("answer_correctness"), thresholds.answer_correctness)
    if checks is Outcome.NA and correct is Outcome.NA:
        return Outcome.NA
    return row_outcome([checks, correct])


def checks_decide(result: Attempt | Brief) -> bool:
    """The answer stage rests on answer checks alone."""
    correct = isinstance(result.score("answer_correctness"), NotApplicable)
    return correct and not isinstance(result.score("answer_checks"), NotApplicable)


def _boundary(
    attempt: Attempt,
    kind: Kind,
    expect: Sequence[Form],
    thresholds: Thresholds,
) -> Outcome:
    if attempt.answer is None:
        return Outcome.ERROR
    if not attempt.answer.strip():
        return Outcome.FAIL
    form = attempt.verdicts.form if attempt.verdicts else None
    if form is None:
        return Outcome.UNRESOLVED
    if form in expect:
        return Outcome.PASS
    if form is not Form.DECLINED or kind is Kind.UNANSWERABLE:
        return Outcome.FAIL
    return _declined(attempt, thresholds)


def _declined(attempt: Attempt, thresholds: Thresholds) -> Outcome:
    """A decline on an answerable row: retrieval's fault where the evidence was not there."""
    if attempt.evidence:
        return Outcome.FAIL if all_in_context(attempt.evidence) else Outcome.NA
    if _failed_at(attempt, Stage.RANKING):
        return Outcome.ERROR
    enough = at_least(attempt.score("claim_recall"), thresholds.claim_recall)
    return {Outcome.PASS: Outcome.FAIL, Outcome.FAIL: Outcome.NA}.get(enough, enough)
