"""What of an undecided row a person could settle, as options of `evalrag judge decide`."""

from collections.abc import Sequence

from evalrag.judging.tasks import CLAIM_METRICS, FORM
from evalrag.regression.measured import STAGE
from evalrag.schema.brief import Result
from evalrag.schema.decision import CLAIM_LABELS, FACT_LABELS
from evalrag.schema.result import Verdicts
from evalrag.schema.words import FactLabel, Form, Label, Stage

_CLAIMS = CLAIM_METRICS | {STAGE + Stage.GENERATION, "outcome"}
_FORMS = _CLAIMS | {"refusal", STAGE + Stage.BOUNDARY}
_FACTS = {"answer_correctness", STAGE + Stage.ANSWER, "outcome"}


def settled_by(result: Result, metric: str) -> str | None:
    """The options that decide the first open verdict that `metric` waits for.

    The labels to choose from stand in the place of one. None where no person is asked: the judge
    gave no verdict at all, or the row is open for another reason.
    """
    attempts = result.attempts or (result,)
    for number, attempt in enumerate(attempts, start=1):
        options = _options(attempt.verdicts, metric) if attempt.verdicts is not None else None
        if options is not None:
            return f"{options} --attempt {number}" if len(attempts) > 1 else options
    return None


def _options(said: Verdicts, metric: str) -> str | None:
    """The form comes first: it says whether claims are asked for at all."""
    if metric in _FORMS and said.form is None and FORM in said.unresolved:
        return f'--form "{_choice(tuple(Form))}"'
    if metric in _CLAIMS:
        for number, claim in enumerate(said.claims, start=1):
            if claim.label is Label.UNRESOLVED:
                return f'--claim {number} --label "{_choice(CLAIM_LABELS)}"'
    if metric in _FACTS:
        for number, fact in enumerate(said.facts, start=1):
            if fact.label is FactLabel.UNRESOLVED:
                return f'--fact {number} --label "{_choice(FACT_LABELS)}"'
    return None


def _choice(words: Sequence[str]) -> str:
    """To be replaced by one of them; typed as it stands it is refused, with the list."""
    return "|".join(words)
