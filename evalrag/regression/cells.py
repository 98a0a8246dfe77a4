"""The reading table: recall high or low by faithfulness high or low, rows by name (SPEC 7)."""

from collections.abc import Iterable

from evalrag.regression.stages import at_least
from evalrag.schema.brief import Result
from evalrag.schema.plan import Thresholds
from evalrag.schema.score import NotApplicable
from evalrag.schema.verdict import CellRows
from evalrag.schema.words import Kind, Outcome, Stage

READINGS = {
    "high recall, high faithfulness, right": "works",
    "high recall, high faithfulness, wrong": "the label, the corpus, or the question was missed",
    "high recall, high faithfulness, no reference": "nothing says whether the answer is right",
    "high recall, low faithfulness": "the generator had the evidence and wrote something else",
    "low recall, high faithfulness": "faithful to the wrong passages: repair retrieval first",
    "low recall, low faithfulness": "repair retrieval first, then look at the generator again",
    "outside: unanswerable": "judged by the boundary stage",
    "outside: declined": "nothing was claimed, so faithfulness has nothing to hold",
    "outside: recall not measured": "the row names no evidence, and nobody read its facts",
    "outside: no answer": "the plan does not generate; recall alone is read",
    "outside: unresolved": "a verdict is missing",
    "outside: error": "could not be measured",
}


def cell(result: Result, *, generates: bool, thresholds: Thresholds) -> str:
    """The cell of one row; rows that the table cannot hold are in a named place outside it."""
    generation = result.stages.get(Stage.GENERATION, Outcome.NA)
    recall = _recall(result, thresholds)
    if result.kind is Kind.UNANSWERABLE:
        errored = Outcome.ERROR in result.stages.values()
        return "outside: error" if errored else "outside: unanswerable"
    if Outcome.ERROR in (recall, generation):
        return "outside: error"
    if not generates:
        return "outside: no answer"
    if Outcome.UNRESOLVED in (recall, generation):
        return "outside: unresolved"
    if generation is Outcome.NA:
        return "outside: declined"
    if recall is Outcome.NA:
        return "outside: recall not measured"
    low = recall is Outcome.FAIL
    if generation is Outcome.FAIL:
        return f"{'low' if low else 'high'} recall, low faithfulness"
    if low:
        return "low recall, high faithfulness"
    return _by_answer(result.stages.get(Stage.ANSWER, Outcome.NA))


def _recall(result: Result, thresholds: Thresholds) -> Outcome:
    """Whether all of the evidence is in the context; of a row without, enough of its facts.

    A rival that stands before the evidence is no want of it.
    """
    found = result.score("context_recall")
    if isinstance(found, NotApplicable):
        return at_least(result.score("claim_recall"), thresholds.claim_recall)
    return at_least(found, 1.0)


def _by_answer(answer: Outcome) -> str:
    match answer:
        case Outcome.NA:
            return "high recall, high faithfulness, no reference"
        case Outcome.FAIL:
            return "high recall, high faithfulness, wrong"
        case Outcome.PASS:
            return "high recall, high faithfulness, right"
        case Outcome.ERROR:
            return "outside: error"
        case Outcome.UNRESOLVED:
            return "outside: unresolved"


def reading_table(
    results: Iterable[Result], *, generates: bool, thresholds: Thresholds
) -> tuple[CellRows, ...]:
    """Every cell that holds a row, in a fixed order."""
    rows: dict[str, list[str]] = {name: [] for name in READINGS}
    rivals: dict[str, list[str]] = {name: [] for name in READINGS}
    for result in results:
        name = cell(result, generates=generates, thresholds=thresholds)
        rows[name].append(result.id)
        if result.scores.get("rival_first") == 1.0:
            rivals[name].append(result.id)
    return tuple(
        CellRows(cell=name, reading=READINGS[name], rows=tuple(ids), rivals=tuple(rivals[name]))
        for name, ids in rows.items()
        if ids
    )
