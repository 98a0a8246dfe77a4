"""The reading table: recall high or low by faithfulness high or low, rows by name (SPEC 7)."""

from collections.abc import Iterable

from evalrag.schema.brief import Result
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
    "outside: no answer": "the plan does not generate; recall alone is read",
    "outside: unresolved": "a verdict is missing",
    "outside: error": "could not be measured",
}


def cell(result: Result, *, generates: bool) -> str:
    """The cell of one row; rows that the table cannot hold are in a named place outside it."""
    if result.kind is Kind.UNANSWERABLE:
        errored = Outcome.ERROR in result.stages.values()
        return "outside: error" if errored else "outside: unanswerable"
    retrieval = result.stages.get(Stage.RETRIEVAL, Outcome.NA)
    ranking = result.stages.get(Stage.RANKING, Outcome.NA)
    generation = result.stages.get(Stage.GENERATION, Outcome.NA)
    if Outcome.ERROR in (retrieval, ranking, generation):
        return "outside: error"
    if not generates:
        return "outside: no answer"
    if Outcome.UNRESOLVED in (retrieval, ranking, generation):
        return "outside: unresolved"
    if generation is Outcome.NA:
        return "outside: declined"
    low = Outcome.FAIL in (retrieval, ranking)
    if generation is Outcome.FAIL:
        return f"{'low' if low else 'high'} recall, low faithfulness"
    if low:
        return "low recall, high faithfulness"
    answer = result.stages.get(Stage.ANSWER, Outcome.NA)
    if answer is Outcome.NA:
        return "high recall, high faithfulness, no reference"
    if answer is Outcome.FAIL:
        return "high recall, high faithfulness, wrong"
    if answer is Outcome.PASS:
        return "high recall, high faithfulness, right"
    return "outside: error" if answer is Outcome.ERROR else "outside: unresolved"


def reading_table(results: Iterable[Result], *, generates: bool) -> tuple[CellRows, ...]:
    """Every cell that holds a row, in a fixed order."""
    rows: dict[str, list[str]] = {name: [] for name in READINGS}
    known: dict[tuple[int, str], list[str]] = {}
    for result in results:
        alike = id(result.stages), result.kind._value_
        if alike not in known:
            known[alike] = rows[cell(result, generates=generates)]
        known[alike].append(result.id)
    return tuple(
        CellRows(cell=name, reading=READINGS[name], rows=tuple(ids))
        for name, ids in rows.items()
        if ids
    )
