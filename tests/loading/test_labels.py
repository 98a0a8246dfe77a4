"""Specification of reading answers that people labelled."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalrag.errors import DatasetError
from evalrag.loading.labels import Labels, load_labels

PLAIN: dict[str, Any] = {
    "id": "a",
    "question": "How long may I return it?",
    "context": "Returns are accepted within 30 days.",
    "answer": "Within 30 days.",
    "label": "SUPPORTED",
}


def row(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in {**PLAIN, **fields}.items() if value != "LEFT OUT"}


def load(tmp_path: Path, *rows: dict[str, Any]) -> Labels:
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in rows), encoding="utf-8")
    return load_labels(path, shown="labels.jsonl")


def problems(tmp_path: Path, *rows: dict[str, Any]) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, *rows)
    assert caught.value.exit_code == 2
    return [str(problem).removeprefix("labels.jsonl:") for problem in caught.value.problems]


def test_a_context_is_one_text_or_a_list_of_passages(tmp_path: Path) -> None:
    labels = load(tmp_path, row(), row(id="b", context=["one", "two"]), row(id="c", context=[]))

    assert [each.context for each in labels.rows] == [(PLAIN["context"],), ("one", "two"), ()]
    assert labels.lines == {"a": 1, "b": 2, "c": 3}
    assert labels.counts == {"SUPPORTED": 3}


def test_fields_that_are_not_ours_are_kept(tmp_path: Path) -> None:
    labels = load(tmp_path, row(edit_type="verbatim", spans=[{"start": 1}]))

    assert labels.rows[0].model_extra == {"edit_type": "verbatim", "spans": [{"start": 1}]}


def test_the_label_itself_is_always_acceptable(tmp_path: Path) -> None:
    labels = load(tmp_path, row(acceptable_labels=["ABSENT"]), row(id="b", claims=None))

    assert labels.rows[0].accepted == {"SUPPORTED", "ABSENT"}
    assert labels.rows[1].accepted == {"SUPPORTED"}


CLAIM = {"text": "Within 30 days.", "label": "SUPPORTED"}
WRONG_CLAIM = {"text": "It is free.", "label": "CONTRADICTED"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        pytest.param({"label": "LEFT OUT"}, "1: label: is missing", id="no label"),
        pytest.param(
            {"context": "LEFT OUT", "contexts": ["x"]},
            '1: context: is missing; is "contexts" it?',
            id="another name for it",
        ),
        pytest.param(
            {"label": "SUPORTED"},
            '1: label: "SUPORTED" is none of SUPPORTED, ABSENT, CONTRADICTED, ABSTAINED:'
            ' did you mean "SUPPORTED"?',
            id="a label that is near",
        ),
        pytest.param(
            {"label": "UNRESOLVED"},
            '1: label: "UNRESOLVED" is none of SUPPORTED, ABSENT, CONTRADICTED, ABSTAINED',
            id="a label that judges alone give",
        ),
        pytest.param(
            {"context": 5}, "1: context: text, or a list of texts, is needed", id="no text"
        ),
        pytest.param(
            {"context": None}, "1: context: text, or a list of texts, is needed", id="null"
        ),
        pytest.param(
            {"context": ["a", 5]},
            "1: context[1]: 5 is a number and text is needed: put it in quotes",
            id="a passage that is none",
        ),
        pytest.param({"question": " "}, "1: question: is empty", id="blank question"),
        pytest.param(
            {"answer": ""}, "1: answer: is empty: nothing in it can be labelled", id="no answer"
        ),
        pytest.param({"id": " a"}, "1: id: has white space at its ends", id="id"),
        pytest.param(
            {"id": "a\x1b[2J"}, "1: id: has characters that cannot be printed", id="escape in an id"
        ),
        pytest.param(
            {"claims": [CLAIM, WRONG_CLAIM]},
            "1: label: is SUPPORTED, and the worst of its claims is CONTRADICTED",
            id="not the worst of its claims",
        ),
        pytest.param(
            {"claims": [CLAIM], "label": "ABSTAINED"},
            "1: label: is ABSTAINED, and the worst of its claims is SUPPORTED",
            id="claims of an answer that only declines",
        ),
        pytest.param(
            {"claims": [{"text": "x", "lable": "SUPPORTED", "label": "ABSENT"}]},
            '1: claims[0].lable: unknown field "lable": did you mean "label"?',
            id="a field of a claim",
        ),
        pytest.param(
            {"acceptable_labels": "ABSENT"},
            '1: acceptable_labels: a list is needed, not "ABSENT"',
            id="no list",
        ),
    ],
)
def test_a_problem_names_its_line_its_field_and_what_was_meant(
    tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    assert problems(tmp_path, row(**fields)) == [said]


def test_all_problems_of_a_file_are_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    lines = [json.dumps(row()), json.dumps(row(label="X")), '{"id": "b" "x": 1}', json.dumps(row())]
    path.write_text("\n".join(lines), encoding="utf-8")

    with pytest.raises(DatasetError) as caught:
        load_labels(path)

    assert [(problem.line, problem.field) for problem in caught.value.problems] == [
        (2, "label"),
        (2, "id"),
        (3, None),
        (4, "id"),
    ]
    assert caught.value.problems[2].column == 12
    assert "evalrag schema labels" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        pytest.param("labels.jsonl", "\n", "no row is labelled", id="empty"),
        pytest.param("labels.jsonl", None, "there is no such file", id="missing"),
        pytest.param(".", None, "this is a folder, not a file", id="folder"),
    ],
)
def test_a_file_without_rows_is_an_error(
    tmp_path: Path, name: str, text: str | None, said: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)

    with pytest.raises(DatasetError, match=said) as caught:
        load_labels(path)

    assert caught.value.exit_code == 2
    assert "relative to the plan" not in caught.value.hint


def test_the_digest_is_over_what_was_shown_and_said(tmp_path: Path) -> None:
    plain = load(tmp_path, row(), row(id="b", label="ABSENT"))

    assert load(tmp_path, row(id="b", label="ABSENT"), row(note="x")).digest == plain.digest
    assert load(tmp_path, row(context=[PLAIN["context"]]), row(id="b", label="ABSENT")).digest == (
        plain.digest
    )
    for change in (
        {"label": "ABSENT"},
        {"answer": "Within 31 days."},
        {"context": "x"},
        {"question": "x"},
        {"acceptable_labels": ["ABSENT"]},
        {"claims": [CLAIM]},
    ):
        assert load(tmp_path, row(**change), row(id="b", label="ABSENT")).digest != plain.digest


words = st.sampled_from([*PLAIN, "claims", "acceptable_labels", "text", "SUPPORTED", "ABSENT"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(), inner),
    max_leaves=10,
)


@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.binary()
    | st.dictionaries(words | st.text(), values).map(
        lambda changed: json.dumps({**PLAIN, **changed}).encode()
    )
)
def test_whatever_stands_in_a_file_it_loads_or_says_why_not(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(data)
    try:
        labels = load_labels(path)
    except DatasetError as error:
        told(error)
    else:
        assert len(labels.rows) == len(labels.lines) > 0


def told(error: DatasetError) -> None:
    assert error.problems
    for problem in error.problems:
        assert str(problem).isprintable()
