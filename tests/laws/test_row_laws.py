"""A row of texts and chunk ids is read quickly, and reads as pydantic reads it."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from evalrag.loading.dataset import card_of, read_row
from evalrag.regression.where import about
from evalrag.schema.digest import asked_digest, digest, plain_digests, row_digest
from evalrag.schema.evidence import Evidence
from evalrag.schema.row import Row
from evalrag.schema.rows import PlainRow, plain_row
from evalrag.schema.words import Kind

texts = st.sampled_from(["", " ", "a", "b ", "Was heißt „das“?", "\x01", 'q"\\', "\u2028"])
chunks = st.lists(st.sampled_from(["", "c1", "c2", "c3"]) | st.just({"chunk": "c4"}), max_size=3)
odd: st.SearchStrategy[Any] = st.sampled_from([None, 5, True, [], {}])


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": draw(texts),
        "kind": draw(st.sampled_from([*Kind, "other"]).map(str)),
        "question": draw(texts),
        "gold": draw(chunks),
    }
    for name in draw(st.sets(st.sampled_from(["superseded", "near_miss", "acceptable"]))):
        record[name] = draw(chunks)
    for name in draw(st.sets(st.sampled_from(["note", "intent", "reference_answer", "wrong"]))):
        record[name] = draw(texts)
    if draw(st.integers(0, 9)) == 0:
        record[draw(st.sampled_from(sorted(record)))] = draw(odd)
    return record


@given(records())
@example({"id": "a", "kind": "happy-path", "question": "q", "gold": ["c1", "c1"]})
@example({"id": "a", "kind": "happy-path", "question": "q", "gold": "c1"})
@example({"id": "a", "kind": "happy-path", "gold": ["c1"]})
def test_a_plain_row_is_what_pydantic_makes_of_it(record: dict[str, Any]) -> None:
    quick = plain_row(record)
    if quick is not None:
        hold(quick, record)


def hold(quick: PlainRow, record: dict[str, Any]) -> None:
    """Hold it against the model."""
    row, found = read_row(record)
    assert row is not None
    assert found == []
    assert quick.row() == row
    assert quick.about == about(row)
    assert (quick.id, quick.kind, quick.question) == (row.id, row.kind, row.question)
    assert list(quick.gold) == [evidence.chunk for evidence in row.gold]
    assert list(quick.acceptable) == [evidence.chunk for evidence in row.acceptable]
    assert list(quick.superseded) == [evidence.chunk for evidence in row.superseded]
    assert list(quick.near_miss) == [evidence.chunk for evidence in row.near_miss]
    assert plain_digests(quick) == (row_digest(row), asked_digest(row))
    card = card_of(row, row)
    for name in ("id", "kind", "split", "tags", "about"):
        assert getattr(quick, name) == getattr(card, name)
    for name in ("history", "reference_facts", "expect", "forbidden", "inputs"):
        assert getattr(quick, name) == getattr(row, name)
    for name in ("answer_contains", "answer_excludes"):
        assert getattr(quick, name) == getattr(row, name)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="gold"),
        pytest.param({"kind": "multi-hop"}, id="two of them"),
        pytest.param({"kind": "stale-policy", "superseded": ["c3"]}, id="a superseded one"),
        pytest.param({"kind": "near-miss", "near_miss": ["c3"]}, id="a near miss"),
        pytest.param({"acceptable": ["c3"], "note": "n", "intent": "i"}, id="texts beside it"),
        pytest.param({"reference_answer": "Thirty days."}, id="an answer"),
    ],
)
def test_rows_of_chunk_ids_are_plain(more: dict[str, Any]) -> None:
    record = {"id": "a", "kind": "happy-path", "question": " q ", "gold": ["c1", "c2"], **more}
    quick = plain_row(record)

    assert quick is not None
    hold(quick, record)


@given(records())
def test_digests_are_those_of_the_whole_value(record: dict[str, Any]) -> None:
    try:
        row = Row.model_validate(record)
    except ValidationError:
        return
    asked = digest([row.kind.value, row.question.strip(), []])

    def said(evidences: tuple[Evidence, ...]) -> list[dict[str, Any]]:
        return [each.model_dump(mode="json", exclude_defaults=True) for each in evidences]

    assert asked_digest(row) == asked
    assert row_digest(row, asked=asked) == row_digest(row)
    assert row_digest(row) == digest(
        {
            "id": row.id,
            "asked": asked,
            "gold": said(row.gold),
            "superseded": said(row.superseded),
            "near_miss": said(row.near_miss),
            "acceptable": said(row.acceptable),
            "reference_answer": row.reference_answer,
            "reference_facts": list(row.reference_facts),
            "because": row.unanswerable_because,
            "expect": sorted(row.expected_forms),
            "standalone_question": row.standalone_question,
        }
    )
