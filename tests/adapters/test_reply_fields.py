"""Paths to one place are walked without the library: they find what the library finds."""

from typing import Any

import jsonpath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalrag.adapters.json_paths import MISSING, JsonPath
from evalrag.adapters.passages import ShapeError
from evalrag.adapters.reply_fields import ReplyFields

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


REPLY = {
    "text": "30 days",
    "hits": [{"_id": "a", "meta": {"v": 2}}, {"_id": "b", "meta": {"v": 1}}],
    "none": [],
    "cost": None,
    "tokens": {"in": 3, "out": 4},
}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        pytest.param("$.answer", "the reply has text, hits, none, cost, tokens", id="at the top"),
        pytest.param("$.tokens.total", "$.tokens has in, out", id="in an object"),
        pytest.param("$.hits[0]['my id']", "$.hits[0] has _id, meta", id="in a list"),
        pytest.param("$.hits[7]._id", "$.hits is a list of 2, the first has _id, meta", id="past"),
        pytest.param("$.hits[*].id", "$.hits is a list of 2, the first has _id, meta", id="each"),
        pytest.param("$.none[0]", "$.none is a list of 0", id="in an empty list"),
        pytest.param("$.cost.usd", "$.cost is null", id="in null"),
        pytest.param("$.text.value", "$.text is a text", id="in a text"),
        pytest.param("$.tokens.in.x", "$.tokens.in is a number", id="in a number"),
        pytest.param("$..total", "the reply has text, hits, none, cost, tokens", id="anywhere"),
    ],
)
def test_where_a_path_leaves_the_reply(path: str, said: str) -> None:
    assert JsonPath(path, "x").gap(REPLY) == said


def test_keys_are_told_a_dozen_at_most_on_one_line_and_never_cut() -> None:
    path = JsonPath("$.a", "x")

    assert path.gap({}) == "the reply is empty"
    assert path.gap({f"k{n}": n for n in range(14)}).endswith("k10, k11 and 2 more")
    assert path.gap({"x\n\x1b[31my": 1, "s" * 41: 2}) == "the reply has x y and 1 more"
    assert path.gap({"s" * 41: 1}) == "the reply has 1 long key"


WHOLE = {"answer": "$.text", "candidates": "$.hits[*]", "passage": {"id": "$._id"}}


def remarked(more: dict[str, Any], *replies: Any) -> list[str]:
    fields = ReplyFields({**WHOLE, **more}, "answer", of="http")
    for reply in replies or (REPLY, REPLY):
        fields.read(reply)
    return fields.remarks()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        pytest.param(
            {"usage": {"cost": "$.usage.usd"}},
            "reply.usage.cost: $.usage.usd gave nothing in any of 2 replies: is the path right? "
            "the first reply has text, hits, none, cost, tokens",
            id="a part of usage",
        ),
        pytest.param(
            {"usage": "$.tokens"},
            "reply.usage: $.tokens gave nothing in any of 2 replies: is the path right? "
            "$.tokens has in, out",
            id="a usage in other words",
        ),
        pytest.param(
            {"citations": "$.hits[*].id"},
            "reply.citations: $.hits[*].id gave nothing in any of 2 replies: is the path right? "
            "$.hits is a list of 2, the first has _id, meta",
            id="a key of each",
        ),
        pytest.param(
            {"passage": {"id": "$._id", "doc": "$.meta.source"}},
            "reply.passage.doc: $.meta.source gave nothing in any of 4 passages: is the path "
            "right? $.meta has v",
            id="a part of a passage",
        ),
        pytest.param(
            {"passage": {"id": "$._id", "metadata": {"day": "$.day"}}},
            "reply.passage.metadata.day: $.day gave nothing in any of 4 passages: is the path "
            "right? the first passage has _id, meta",
            id="a key of metadata",
        ),
    ],
)
def test_a_path_that_gave_nothing_in_the_whole_run_is_remarked(
    more: dict[str, Any], said: str
) -> None:
    assert remarked(more) == [f"with of http: {said}"]


def test_one_reply_that_has_it_is_enough() -> None:
    usage, cited = {"usage": {"cost": "$.usd"}}, {"citations": "$.from[*]"}
    passage = {"passage": {"id": "$._id", "text": "$.body"}}

    assert remarked(usage, REPLY, {**REPLY, "usd": None}, REPLY) == []
    assert remarked(cited, REPLY, {**REPLY, "from": ["a"]}, {**REPLY, "from": []}) == []
    assert remarked(passage, REPLY, {**REPLY, "hits": [{"_id": "c", "body": "x"}]}) == []


def test_where_nothing_could_be_found_nothing_is_remarked() -> None:
    empty = {**REPLY, "hits": []}
    more = {"citations": "$.hits[*].ref", "passage": {"id": "$._id", "doc": "$.doc"}}

    assert remarked(more, empty, empty) == []
    assert "gave nothing in the only reply" in remarked(more, empty, REPLY)[0]


def test_a_reply_that_is_an_error_is_not_counted() -> None:
    fields = ReplyFields({**WHOLE, "usage": {"cost": "$.usd"}}, "answer", of="http")
    with pytest.raises(ShapeError):
        fields.read({"error": "busy"})

    assert fields.remarks() == []
