"""Paths into what a library returns: what is there is found, and what is not there is named."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import ValidationError

from evalrag.adapters.fields import MISSING, OutputFields, PassageFields, first
from evalrag.adapters.passages import ShapeError


@dataclass
class Reply:
    data: str
    meta: dict[str, Any] = field(default_factory=dict)
    _private: str = "hidden"

    def method(self) -> str:
        return "called"


VALUE = {
    "answers": [Reply("one", {"doc.id": "d1", "doc": {"id": "nested"}}), Reply("two")],
    "none": None,
    "zero": 0,
}


@pytest.mark.parametrize(
    ("place", "found"),
    [
        pytest.param("answers.0.data", "one", id="a key, a position, an attribute"),
        pytest.param("answers.-1.data", "two", id="from the end"),
        pytest.param("answers.0.meta.doc.id", "d1", id="a key with a dot before its parts"),
        pytest.param("zero", 0, id="a false value is there"),
        pytest.param("nope?", MISSING, id="what may be missing"),
        pytest.param("none?", MISSING, id="None is missing"),
        pytest.param("answers.0._private?", MISSING, id="a private attribute is not there"),
        pytest.param("answers.0.method?", MISSING, id="nor is a method"),
        pytest.param("answers.7?", MISSING, id="nor what is past the end"),
        pytest.param(("nope", "answers.1.data"), "two", id="the first that is there"),
    ],
)
def test_a_place_is_found(place: Any, found: Any) -> None:
    assert first(VALUE, place, "answer") is found or first(VALUE, place, "answer") == found


@pytest.mark.parametrize(
    ("place", "said"),
    [
        pytest.param(
            "nope",
            "returned no 'nope' (answer): it has no 'nope'; there are answers, none, zero",
            id="a key",
        ),
        pytest.param(
            "answers.5.data",
            "returned no 'answers.5.data' (answer): answers has no '5.data'; it is a list of 2",
            id="a position",
        ),
        pytest.param(
            "answers.1.meta.x", "answers.1.meta has no 'x'; it is empty", id="an empty mapping"
        ),
        pytest.param("answers.0.text", "has no 'text'; there are data, meta", id="an attribute"),
        pytest.param("zero.x", "zero has no 'x'; it is a int", id="inside a number"),
        pytest.param(("a?", "b"), "returned no 'b'", id="the last of several"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(place: Any, said: str) -> None:
    with pytest.raises(ShapeError) as error:
        first(VALUE, place, "answer")

    assert said in str(error.value)


def test_many_keys_are_counted() -> None:
    with pytest.raises(ShapeError, match="and 8 more"):
        first({f"k{n:02}": n for n in range(20)}, "x", "answer")


USUAL = PassageFields(
    id="id?", doc="metadata.source?", text="text", metadata="metadata", span="metadata.start?"
)
DOCUMENT = {"id": "c1", "text": "twelve chars", "metadata": {"source": "refunds", "start": 40}}


def test_a_passage_has_what_is_there() -> None:
    assert USUAL.passage(DOCUMENT, 1) == {
        "id": "c1",
        "doc": "refunds",
        "text": "twelve chars",
        "metadata": {"source": "refunds", "start": 40},
        "span": [40, 52],
    }
    assert USUAL.passage({"text": "x", "metadata": {}}, 1) == {"text": "x", "metadata": {}}


def test_the_plan_changes_single_parts_and_null_leaves_one_out() -> None:
    said = PassageFields.model_validate(
        {"doc": "metadata.start", "span": None, "metadata": {"version": "metadata.v?"}}
    )

    assert said.over(USUAL).passage(DOCUMENT, 1) == {
        "id": "c1",
        "doc": 40,
        "text": "twelve chars",
        "metadata": {},
    }


@pytest.mark.parametrize(
    ("span", "metadata", "found"),
    [
        pytest.param("metadata.start", {"start": 3}, [3, 8], id="a start and the text's length"),
        pytest.param("metadata.start", {"start": -1}, None, id="a place that a splitter lost"),
        pytest.param("metadata.span", {"span": [1, 2]}, [1, 2], id="a pair"),
        pytest.param(("metadata.a", "metadata.b"), {"a": 1, "b": 9}, [1, 9], id="start and end"),
        pytest.param(("metadata.a", "metadata.b?"), {"a": 1}, None, id="an end may be missing"),
    ],
)
def test_spans(span: Any, metadata: dict[str, Any], found: Any) -> None:
    fields = PassageFields(span=span).over(PassageFields(text="text"))

    assert fields.passage({"text": "hello", "metadata": metadata}, 1).get("span") == found


def test_a_wrong_mapping_names_passage_part_and_keys() -> None:
    with pytest.raises(ShapeError) as error:
        PassageFields(doc="metadata.url").over(USUAL).passage(DOCUMENT, 3)

    assert str(error.value) == (
        "returned no 'metadata.url' (passage 3: doc): metadata has no 'url'; "
        "there are source, start"
    )


@pytest.mark.parametrize("path", ["", "a..b", ".a", "?"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValidationError, match="is no path"):
        PassageFields(doc=path)
    with pytest.raises(ValidationError, match="is no path"):
        OutputFields(answer=("fine", path))
