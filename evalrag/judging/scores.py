"""From what a judge said to numbers. Plain code: the same verdicts give the same scores."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from evalrag.judging.answer_checks import ANSWER_CHECKS, checks_score, has_checks
from evalrag.judging.citations import UNTOLD, Citations, citation_support, citation_validity
from evalrag.judging.measures import JUDGED
from evalrag.judging.tasks import CLAIMS, FACTS, FORM, RECALL, RELEVANCY, USEFUL
from evalrag.judging.thoughts import spoken
from evalrag.schema.result import FactVerdict, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.score import NotApplicable, Score, Scored, Unresolved
from evalrag.schema.words import FactLabel, Form, Label, Relevancy

_WORTH = {Relevancy.ANSWERS: 1.0, Relevancy.PARTLY: 0.5, Relevancy.EVADES: 0.0}
_APART = {
    Form.DECLINED: "declined",
    Form.CORRECTS: "a correction",
    Form.CLARIFIES: "a question back",
}
"""Forms that may end without a claim, and the words for it."""

_NO_ANSWER = NotApplicable("retrieval-only plan")
_EMPTY = NotApplicable("empty answer")


def judged_scores(
    row: Row,
    verdicts: Verdicts | None,
    answer: str | None,
    *,
    offers: Collection[str],
    judge: str = "the judge",
    asked: Iterable[str] = JUDGED,
    citations: Citations = UNTOLD,
) -> dict[str, Score]:
    """A score for every judged metric of `JUDGED`, in its order.

    Args:
        row: the golden row; its kind, `expect` and references decide what is asked.
        verdicts: what the judge said, or None where it was never asked.
        answer: the pipeline's answer; None in a retrieval-only plan.
        offers: what the judge measures; the rest is not applicable.
        judge: its name, for the reason of what it does not measure.
        asked: the metrics to give; all by default.
        citations: what the answer cites, and the passages of its context.
    """
    unmeasured = NotApplicable(f"not measured by {judge}")
    answer = None if answer is None else spoken(answer)
    scores: dict[str, Score] = {}
    for name in asked:
        if name == "refusal":
            scores[name] = _refusal(verdicts, answer)
        elif name == ANSWER_CHECKS:
            scores[name] = _NO_ANSWER if answer is None else checks_score(row, answer)[0]
        elif name == "citation_validity":
            scores[name] = citation_validity(citations)
        elif name == "citation_support":
            scores[name] = citation_support(citations, verdicts)
        elif name not in offers:
            scores[name] = unmeasured
        elif name == "claim_recall":
            scores[name] = _recall(row, verdicts)
        elif name == "passage_usefulness":
            scores[name] = _usefulness(verdicts, len(citations.context))
        elif answer is None:
            scores[name] = _NO_ANSWER
        elif name == "answer_correctness":
            scores[name] = _correctness(row, verdicts, answer)
        elif name == "answer_relevancy":
            scores[name] = _relevancy(verdicts, answer)
        elif name == "hard_fail":
            scores[name] = _hard_fail(row, verdicts, answer)
        else:
            scores[name] = _of_claims(name, verdicts, answer)
    return scores


def _of_claims(name: str, verdicts: Verdicts | None, answer: str) -> Score:
    """Faithfulness and the two counts: what rests on claims and nothing else."""
    if not answer.strip():
        return _EMPTY
    ratio = name == "faithfulness"
    high = 1.0 if ratio else None
    if verdicts is None:
        return Unresolved("not judged", 0.0, high)
    if verdicts.form is Form.DECLINED:
        return NotApplicable(_APART[Form.DECLINED])
    if CLAIMS in verdicts.unresolved:
        return _untold(verdicts, CLAIMS, high)
    if not verdicts.claims:
        if verdicts.form in (Form.CORRECTS, Form.CLARIFIES):
            return NotApplicable(f"{_APART[verdicts.form]} without further claims")
        return Unresolved("no claim", 0.0, high)
    counts = Counter(claim.label for claim in verdicts.claims)
    total, open_ = len(verdicts.claims), counts[Label.UNRESOLVED]
    wanted = {
        "faithfulness": Label.SUPPORTED,
        "absent_claims": Label.ABSENT,
        "contradicted_claims": Label.CONTRADICTED,
    }[name]
    scale = total if ratio else 1
    return _between(
        counts[wanted] / scale,
        (counts[wanted] + open_) / scale,
        f"{open_} of {total} claims",
        claims_failed(verdicts),
    )


def _hard_fail(row: Row, verdicts: Verdicts | None, answer: str) -> Score:
    if not answer.strip():
        # Nothing is contradicted; but silence is no form that an unanswerable row expects.
        return Scored(0.0 if row.answerable else 1.0)
    if verdicts is None:
        return Unresolved("not judged", 0.0, 1.0)
    if verdicts.form is Form.DECLINED:
        return Scored(0.0)
    labels = {claim.label for claim in verdicts.claims}
    if Label.CONTRADICTED in labels:
        return Scored(1.0)
    if not row.answerable:
        wrong_form = verdicts.form is not None and verdicts.form not in row.expected_forms
        if wrong_form or Label.ABSENT in labels:
            return Scored(1.0)
        if verdicts.form is None:
            return _untold(verdicts, FORM, 1.0, "answer form unsure", claims_failed(verdicts))
    if CLAIMS in verdicts.unresolved:
        return _untold(verdicts, CLAIMS, 1.0)
    if not labels and verdicts.form not in (Form.CORRECTS, Form.CLARIFIES):
        return Unresolved("no claim", 0.0, 1.0)
    if Label.UNRESOLVED in labels:
        open_ = sum(claim.label is Label.UNRESOLVED for claim in verdicts.claims)
        what = f"{open_} of {len(verdicts.claims)} claims unresolved"
        return Unresolved(what, 0.0, 1.0, claims_failed(verdicts))
    return Scored(0.0)


def _relevancy(verdicts: Verdicts | None, answer: str) -> Score:
    if not answer.strip():
        return _EMPTY
    if verdicts is None:
        return Unresolved("not judged", 0.0, 1.0)
    if verdicts.form in _APART:
        return NotApplicable(_APART[verdicts.form])
    if verdicts.relevancy is None:
        return _untold(verdicts, RELEVANCY, 1.0, "relevancy unsure")
    return Scored(_WORTH[verdicts.relevancy])


def _correctness(row: Row, verdicts: Verdicts | None, answer: str) -> Score:
    if not row.reference_facts and not (row.reference_answer or "").strip():
        return NotApplicable("no reference")
    if not answer.strip():
        return Scored(0.0)
    if verdicts is None:
        return Unresolved("not judged", 0.0, 1.0)
    if FACTS in verdicts.unresolved:
        return _untold(verdicts, FACTS, 1.0)
    if not verdicts.facts and has_checks(row):
        return NotApplicable("decided by its answer checks")
    if not verdicts.facts:
        return Unresolved("no fact judged", 0.0, 1.0)
    if any(fact.label is FactLabel.CONTRADICTED for fact in verdicts.facts):
        return Scored(0.0)
    stated, open_, total = _tally(verdicts.facts)
    low = 0.0 if open_ else stated / total  # an open fact may be a contradiction
    what = f"{open_} of {total} facts"
    return _between(low, (stated + open_) / total, what, _facts_failed(verdicts.facts))


def _recall(row: Row, verdicts: Verdicts | None) -> Score:
    if not row.reference_facts:
        return NotApplicable("no reference facts")
    if verdicts is None:
        return Unresolved("not judged", 0.0, 1.0)
    if RECALL in verdicts.unresolved:
        return _untold(verdicts, RECALL, 1.0)
    if not verdicts.recalled:
        return Unresolved("no fact judged", 0.0, 1.0)
    stated, open_, total = _tally(verdicts.recalled)
    what = f"{open_} of {total} facts"
    failed = _facts_failed(verdicts.recalled)
    return _between(stated / total, (stated + open_) / total, what, failed)


def _usefulness(verdicts: Verdicts | None, passages: int) -> Score:
    if not passages:
        return NotApplicable("no passage in the context")
    if verdicts is None:
        return Unresolved("not judged", 0.0, 1.0)
    if len(verdicts.useful) != passages:
        return _untold(verdicts, USEFUL, 1.0, "not judged")
    return Scored(sum(verdicts.useful) / passages)


def _refusal(verdicts: Verdicts | None, answer: str | None) -> Score:
    if answer is None:
        return _NO_ANSWER
    if not answer.strip():
        return _EMPTY
    if verdicts is None:
        return Unresolved("not judged", 0.0, 1.0)
    if verdicts.form is None:
        return _untold(verdicts, FORM, 1.0, "answer form unsure")
    return Scored(float(verdicts.form is Form.DECLINED))


def _tally(facts: Sequence[FactVerdict]) -> tuple[int, int, int]:
    labels = Counter(fact.label for fact in facts)
    return labels[FactLabel.STATED], labels[FactLabel.UNRESOLVED], len(facts)


def claims_failed(verdicts: Verdicts) -> bool:
    """Is there a claim, or are there claims at all, for which the judge gave no usable label?"""
    open_ = (claim for claim in verdicts.claims if claim.label is Label.UNRESOLVED)
    return CLAIMS in verdicts.failed or any(claim.judge_failed for claim in open_)


def _facts_failed(facts: Iterable[FactVerdict]) -> bool:
    return any(fact.judge_failed for fact in facts if fact.label is FactLabel.UNRESOLVED)


def _untold(
    verdicts: Verdicts, task: str, high: float | None, unsure: str = "", failed: bool = False
) -> Unresolved:
    """The score of a task without a verdict, somewhere from 0 to `high`."""
    why = verdicts.unresolved.get(task, unsure)
    return Unresolved(why, 0.0, high, failed or task in verdicts.failed)


def _between(low: float, high: float, what: str, failed: bool) -> Score:
    return Scored(low) if low == high else Unresolved(f"{what} unresolved", low, high, failed)
