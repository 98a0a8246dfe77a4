"""Reference pages of a row of the golden dataset: its fields, and a row of each kind."""

import inspect
from collections.abc import Iterator, Mapping

from evalrag.loading.shape import fields_of
from evalrag.reporters.listed import line, listed, model_of, whole
from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row, default_forms
from evalrag.schema.words import Because, Form, Kind

ROWS: Mapping[Kind, str] = {
    Kind.HAPPY_PATH: '{"id": "wrap", "kind": "happy-path", "question": "What does wrapping cost?",'
    ' "gold": [{"doc": "gifts", "quote": "Gift wrapping costs 4 euros."}],'
    ' "answer_contains": [["4 euros", "EUR 4"]], "inputs": {"shop": "berlin"},'
    ' "forbidden": [{"metadata": {"shop": "vienna"}}]}',
    Kind.NEAR_MISS: '{"id": "market", "kind": "near-miss", "question": "How long have I to return'
    ' marketplace items?", "gold": ["market#0"], "near_miss": ["returns#0"],'
    ' "answer_contains": ["14 days"], "answer_excludes": ["30 days"],'
    ' "reference_facts": ["Marketplace items can be returned within 14 days."]}',
    Kind.MULTI_HOP: '{"id": "express", "kind": "multi-hop", "question": "How fast is express?",'
    ' "gold": ["express#0", {"doc": "couriers", "quote": "Swift delivers within 2 days."}]}',
    Kind.STALE_POLICY: '{"id": "charge", "kind": "stale-policy", "question": "What is'
    ' the delivery charge?",'
    ' "gold": [{"doc": "delivery", "metadata": {"version": "2026"}}],'
    ' "superseded": [{"doc": "delivery", "metadata": {"version": "2024"}}]}',
    Kind.UNANSWERABLE: '{"id": "students", "kind": "unanswerable", "question": "Is there a student'
    ' discount?", "unanswerable_because": "not-in-corpus"}',
}
"""A short row of each kind, as a line of a file."""

_FORMS: Mapping[Form, str] = {
    Form.ANSWERED: "It answers.",
    Form.QUALIFIED: "It declines in part, and still answers something.",
    Form.DECLINED: "It only says that it cannot or does not know.",
    Form.CORRECTS: "It denies what the question takes for granted.",
    Form.CLARIFIES: "It asks back.",
}


def row_pages(kinds: Mapping[Kind, str]) -> Iterator[tuple[str, str]]:
    """Name and text of the page of a row, and of each of its fields.

    Args:
        kinds: what each kind is for, and needs.
    """
    examples = "\n".join(ROWS.values())
    needs = "\n".join(f"  {kind.value}: {text}" for kind, text in kinds.items())
    yield (
        "row",
        f"A line of the golden dataset: one JSON object (JSON Lines).\n\n{inspect.getdoc(Row)}\n\n"
        f"{whole(Row)}\n\nThe kinds:\n{needs}\n\nA short row of each kind:\n{examples}\n\n"
        "For an editor: evalrag schema row.",
    )
    for name in fields_of(Row):
        text = f"Of a row: {line(Row, name)}"
        within = model_of(Row, name)
        if within is not None:
            text += f"\n\nEach of it: {inspect.getdoc(within)}\n{listed(within)}"
        example = next((row for row in ROWS.values() if f'"{name}": ' in row), None)
        if example is not None:
            text += f"\n\nFor example:\n{example}"
        yield name, f"{text}\n\nSee also: evalrag explain row."
    for name in fields_of(Evidence):
        said = f"Of an evidence of a row (gold and its siblings): {line(Evidence, name)}"
        yield name, f"{said}\n\nSee also: evalrag explain gold."
    for name in ("form", "answer form"):
        yield name, _forms()


def _forms() -> str:
    said = "\n".join(f"  {form.value}: {text}" for form, text in _FORMS.items())
    usual = {
        "of a kind that can be answered": default_forms(Kind.HAPPY_PATH, None),
        "of an unanswerable row": default_forms(Kind.UNANSWERABLE, Because.NOT_IN_CORPUS),
        "of a false premise": default_forms(Kind.UNANSWERABLE, Because.FALSE_PREMISE),
    }
    right = "\n".join(f"  {what}: {', '.join(forms)}" for what, forms in usual.items())
    return (
        f"The form of an answer: what it does, whatever it says.\n{said}\n\n"
        f"Without `expect` in a row these are right:\n{right}\n\n"
        "The boundary stage holds answers against it: evalrag explain boundary."
    )
