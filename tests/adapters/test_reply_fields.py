"""Paths to one place are walked without the library: they find what the library finds."""

from typing import Any

import jsonpath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalrag.adapters.passages import ShapeError
from evalrag.adapters.reply_fields import MISSING, JsonPath, ReplyFields

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab1", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab1"), inner),
    max_leaves=12,
)
steps = st.lists(st.sampled_from([".a", ".b", "['1']", "[0]", "[1]", "[-1]", "[-3]"]), max_size=4)


@given(values, steps)
@example({"a": [1, None]}, [".a", "[-1]"])
@example({"a": "text"}, [".a", "[0]"])
@example({"a": {"1": 2}}, [".a", "[1]"])
def test_a_walked_path_finds_what_the_library_finds(document: Any, path: list[str]) -> None:
    written = "$" + "".join(path)
    wrapped = {"in": document}  # the library parses a document that is a text
    expected = jsonpath.compile("$.in" + "".join(path), strict=True).findall(wrapped)
    found = JsonPath(written, "x").one(document)
    assert ([] if found is MISSING else [found]) == expected


@pytest.mark.parametrize(
    ("path", "document", "found"),
    [
        ("$.hits[*].id", {"hits": [{"id": 1}, {}, {"id": 2}]}, [1, 2]),
        ("$.hits[?@.score > 0.5].id", {"hits": [{"id": 1, "score": 0.9}, {"score": 0.1}]}, [1]),
        ("$..id", {"a": [{"id": 1}], "id": 2}, [2, 1]),
        ("$[*]", [], []),
    ],
)
def test_a_path_with_several_matches_gives_a_list(path: str, document: Any, found: Any) -> None:
    assert JsonPath(path, "x").many(document) == found


def test_the_list_itself_and_its_matches_are_both_lists() -> None:
    document = {"hits": ["a", "b"]}
    for path in ("$.hits", "$.hits[*]"):
        assert ReplyFields({"candidates": path}, "retrieve", of="http").read(document) == ["a", "b"]


def test_a_reply_that_is_a_text_is_no_document() -> None:
    fields = ReplyFields({"answer": "$.answer"}, "generate", of="http")
    with pytest.raises(ShapeError, match=r"answered without \$\.answer"):
        fields.read('{"answer": "smuggled"}')
    with pytest.raises(ShapeError, match=r"answered without \$\.\.answer"):
        ReplyFields({"answer": "$..answer"}, "generate", of="http").read('{"answer": "smuggled"}')
