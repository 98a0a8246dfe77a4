"""What hooks return: what is taken, and what costs the row with a message that helps."""

import datetime
import decimal
import math
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalrag.adapters.passages import ShapeError
from evalrag.adapters.shapes import WHOLE_KEYS, answered, retrieved, rewritten, whole
from evalrag.schema.trace import Passage
from tests.adapters.plans import asked, build, retriever


@pytest.mark.parametrize(
    ("returned", "passages"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(["a"], [{"text": "a"}], id="a text"),
        pytest.param(({"id": "a"},), [{"id": "a"}], id="an id without a text"),
        pytest.param([{"id": 7, "text": "t"}], [{"id": "7", "text": "t"}], id="a number as id"),
        pytest.param(
            [{"id": uuid.UUID(int=1)}], [{"id": str(uuid.UUID(int=1))}], id="a UUID as id"
        ),
        pytest.param([{"id": "", "text": ""}], [{"text": ""}], id="an empty text is a text"),
        pytest.param(
            [{"id": "a", "doc": None, "score": None, "span": None, "metadata": None}],
            [{"id": "a"}],
            id="None is missing",
        ),
        pytest.param([{"id": "a"}, {"id": "a"}], [{"id": "a"}, {"id": "a"}], id="repeats are kept"),
        pytest.param([{"text": "x\ud800\x00"}], [{"text": "x\ufffd\x00"}], id="lone surrogates"),
        pytest.param(
            [{"id": "a", "span": [3, 9], "score": decimal.Decimal("0.5")}],
            [{"id": "a", "span": (3, 9), "score": 0.5}],
            id="span and score",
        ),
        pytest.param(
            [
                {
                    "id": "a",
                    "metadata": {
                        "day": datetime.date(2026, 1, 2),
                        1: (1, {"x": math.nan}),
                        "tags": {"b", "a"},
                    },
                }
            ],
            [
                {
                    "id": "a",
                    "metadata": {"day": "2026-01-02", "1": [1, {"x": "nan"}], "tags": ["a", "b"]},
                }
            ],
            id="metadata is spelt out",
        ),
    ],
)
def test_passages_are_taken(returned: Any, passages: list[Any]) -> None:
    assert retrieved(returned, 20).passages == passages


def test_past_top_k_is_counted_and_not_looked_at() -> None:
    found = retrieved([f"p{n}" for n in range(9_999)] + [object()], 20)

    assert [p["text"] for p in found.passages] == [f"p{n}" for n in range(20)]
    assert found.dropped == 9_980


class Document:
    def __init__(self) -> None:
        self.page_content, self.metadata = "x", dict[str, str]()

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        pytest.param(None, "returned None; return a list of passages", id="None"),
        pytest.param("text", "returned str 'text', one text in place of a list", id="a string"),
        pytest.param(b"x", "one text in place of a list", id="bytes"),
        pytest.param({"id": "a"}, "a dict in place of a list", id="a dict"),
        pytest.param(3, "returned int 3; return a list of passages", id="a number"),
        pytest.param({1, 2}, "returned set", id="a set has no order"),
        pytest.param([3], "passage 1 is int 3, neither a dict nor a text", id="a number in it"),
        pytest.param([None], "passage 1 is NoneType None", id="None in it"),
        pytest.param(["a", {}], "passage 2 has neither an id nor a text", id="empty"),
        pytest.param([{"doc": "a"}], "has neither an id nor a text", id="a doc alone"),
        pytest.param([{"id": 1.5}], "passage 1: id is float 1.5, not a string", id="float id"),
        pytest.param([{"id": True}], "id is bool True, not a string", id="bool id"),
        pytest.param([{"text": 5}], "text is int 5, not a string", id="text of another type"),
        pytest.param([{"id": "a", "score": math.nan}], "score is float nan, not a fin", id="NaN"),
        pytest.param([{"id": "a", "score": "0.3"}], "not a finite number", id="score as text"),
        pytest.param([{"id": "a", "score": 10**400}], "not a finite number", id="huge score"),
        pytest.param([{"id": "a", "span": [9, 3]}], "span is list [9, 3], not [start", id="span"),
        pytest.param([{"id": "a", "span": "ab"}], "span is str 'ab', not [start", id="span text"),
        pytest.param([{"id": "a", "metadata": [1]}], "not a mapping", id="metadata"),
        pytest.param(
            [{"id": "a", "metadata": {"f": object}}], "metadata.f is type", id="no JSON value"
        ),
        pytest.param([{"txt": "a"}], "unknown key 'txt'; did you mean 'text'?", id="a typo"),
        pytest.param(
            [{"page_content": "a"}],
            "has the key 'page_content': evalrag calls it 'text'",
            id="another library's name",
        ),
        pytest.param(
            [{"id": "a", "section": 3}], "(anything else goes into metadata)", id="an extra key"
        ),
        pytest.param(
            [Document()], "make a dict of its metadata, page_content", id="another library's object"
        ),
    ],
)
def test_what_is_no_list_of_passages_says_what_to_return(returned: Any, message: str) -> None:
    with pytest.raises(ShapeError) as error:
        retrieved(returned, 20)

    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_metadata_without_end_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop

    with pytest.raises(ShapeError, match="more than 20 levels deep"):
        retrieved([{"id": "a", "metadata": loop}], 20)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
)


@given(anything | st.lists(st.dictionaries(st.sampled_from(["id", "text", "score"]), anything)))
def test_anything_is_passages_or_a_shape_error(returned: Any) -> None:
    try:
        found = retrieved(returned, 5).passages
    except ShapeError:
        found = []

    assert all("id" in passage or "text" in passage for passage in found)


part = anything | st.lists(st.sampled_from(["a", "b", 0, 7, {"id": "a"}, {"text": "t"}]))


@given(
    st.dictionaries(st.sampled_from(WHOLE_KEYS), part, max_size=7),
    st.sampled_from(["text", "id"]),
    st.booleans(),
)
def test_anything_is_a_whole_pipeline_or_a_shape_error(
    returned: Any, strings: str, indexes: bool
) -> None:
    try:
        found = whole(returned, 5, strings=strings, indexes=indexes)
    except ShapeError:
        return

    assert found.candidates is not None or found.context is not None


CANDIDATES: list[Passage] = [{"id": "a", "text": "A"}, {"id": "b", "text": "B"}]


@pytest.mark.parametrize(
    ("returned", "answer"),
    [
        pytest.param("30 days", "30 days", id="a string"),
        pytest.param("", "", id="an empty string is an answer"),
        pytest.param({"answer": "x\udc00"}, "x\ufffd", id="a dict"),
    ],
)
def test_an_answer_is_taken(returned: Any, answer: str) -> None:
    assert answered(returned, []).answer == answer


def test_what_a_generator_says_of_itself_is_kept() -> None:
    found = answered(
        {
            "answer": "x",
            "citations": ["a", 7, {"id": "b"}],
            "usage": {"prompt_tokens": 10, "output_tokens": 2, "cost": 0.01, "details": {}},
            "context": ["b"],
        },
        CANDIDATES,
    )

    assert found.citations == ["a", "7", "b"]
    assert found.usage == {"input_tokens": 10, "output_tokens": 2, "cost": 0.01}
    assert found.context == [CANDIDATES[1]]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        pytest.param(None, "returned NoneType None; return the answer as a string", id="None"),
        pytest.param(3.5, "returned float 3.5; return the answer", id="a number"),
        pytest.param(b"x", "returned bytes", id="bytes"),
        pytest.param({"text": "x"}, "key 'text': evalrag calls it 'answer';", id="another word"),
        pytest.param(
            {"answer": "", "passages": []}, "'passages': evalrag calls it 'context';", id="context"
        ),
        pytest.param({"answer": "", "colour": 1}, "the unknown key 'colour'; ret", id="no word"),
        pytest.param({"anwser": "x"}, "'anwser'; did you mean 'answer'?", id="a typo"),
        pytest.param({}, "returned no answer", id="no answer"),
        pytest.param({"answer": None}, "returned the answer NoneType None", id="None in it"),
        pytest.param({"answer": "", "citations": "a"}, "give a list of passage ids", id="one"),
        pytest.param({"answer": "", "usage": {"cost": -1}}, "less than nothing", id="a gain"),
        pytest.param({"answer": "", "usage": {"cost": math.inf}}, "not a finite", id="infinite"),
        pytest.param({"answer": "", "context": ["a", "c"]}, "the id of no candidate", id="context"),
        pytest.param(
            {"answer": "", "context_reused_from": 1}, "without a context", id="reuse of what"
        ),
        pytest.param(
            {"answer": "", "context": [], "context_reused_from": 0}, "from 1", id="turn zero"
        ),
        pytest.param(
            {"answer": "", "context": [], "context_reused_from": True}, "from 1", id="true"
        ),
    ],
)
def test_what_is_no_answer_says_what_to_return(returned: Any, message: str) -> None:
    with pytest.raises(ShapeError) as error:
        answered(returned, CANDIDATES)

    assert message in str(error.value)


def test_the_turn_whose_passages_were_used_again_is_kept() -> None:
    said = {"answer": "x", "context": ["a"], "context_reused_from": 2}

    assert answered(said, CANDIDATES).reused_from == 2
    assert whole({**said, "candidates": CANDIDATES}, 5).reused_from == 2


@pytest.mark.parametrize("returned", [None, 3, "", " ", {"text": "x"}])
def test_what_is_no_query_is_refused(returned: Any) -> None:
    with pytest.raises(ShapeError):
        rewritten(returned)


@pytest.mark.parametrize("returned", ["just an answer", None, {"answer": "x"}, {"contxt": []}])
def test_a_whole_pipeline_must_say_what_it_used(returned: Any) -> None:
    with pytest.raises(ShapeError):
        whole(returned, 20)


def test_passages_by_another_name_are_told_ours() -> None:
    with pytest.raises(ShapeError, match="'sources': evalrag calls it 'candidates' or 'context';"):
        whole({"answer": "", "sources": []}, 20)


def one_hook(folder: Path, said: str, **plan: Any) -> Any:
    pipeline = {"use": "bot:answer", **plan}
    return asked(build(folder, pipeline, code=f"def answer(question): return {said}"))[0]


def test_a_context_names_candidates_by_id(tmp_path: Path) -> None:
    trace = one_hook(
        tmp_path,
        "{'candidates': [{'id': 'a', 'text': 'A'}, {'id': 2}], 'context': [2, 'a'], 'answer': 'x'}",
    )

    assert trace["context"] == [{"id": "2"}, {"id": "a", "text": "A"}]
    assert trace["told"] is True
    assert "merged" not in trace


def test_a_context_without_candidates_is_both(tmp_path: Path) -> None:
    trace = one_hook(tmp_path, "{'context': ['A text'], 'answer': ''}")

    assert trace["candidates"] == trace["context"] == [{"text": "A text"}]
    assert trace["merged"] is True
    assert trace["answer"] == ""


def test_candidates_without_context_fill_the_window(tmp_path: Path) -> None:
    trace = one_hook(tmp_path, "{'candidates': ['a', 'b', 'c'], 'answer': 'x'}", context_k=2)

    assert trace["context"] == [{"text": "a"}, {"text": "b"}]
    assert "told" not in trace


def test_a_bad_answer_does_not_lose_what_was_retrieved(tmp_path: Path) -> None:
    trace = one_hook(tmp_path, "{'candidates': ['a'], 'answer': 3}")

    assert trace["candidates"] == [{"text": "a"}]
    assert trace["error_stage"] == "generation"
    assert trace["error"].startswith("bot:answer returned the answer int 3; return")


def test_a_pipeline_that_says_nothing_usable_reached_nothing(tmp_path: Path) -> None:
    trace = one_hook(tmp_path, "'just text'")

    assert trace["error_stage"] == "retrieval"
    assert "return a dict with candidates or context" in trace["error"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        pytest.param("return None", "bot:retrieve returned None; return a list", id="None"),
        pytest.param("return 'text'", "bot:retrieve returned str 'text', one text", id="a string"),
        pytest.param("return [{'id': 'a', 'score': float('nan')}]", "float nan, not a f", id="NaN"),
        pytest.param("yield from iter(int, 1)", "yielded more than 1000000", id="without end"),
        pytest.param("raise KeyError('x')", "KeyError: 'x' (bot.py:2)", id="raises"),
        pytest.param("raise SystemExit(1)", "SystemExit: 1 (bot.py:2)", id="exits"),
        pytest.param("raise KeyboardInterrupt", "KeyboardInterrupt (bot.py:2)", id="interrupts"),
        pytest.param("raise GeneratorExit", "GeneratorExit (bot.py:2)", id="generator exit"),
        pytest.param("raise StopIteration", "StopIteration (bot.py:2)", id="stop"),
        pytest.param("raise RuntimeError('a\\x1b[31m\\nb')", "RuntimeError: a b (", id="escapes"),
        pytest.param("raise RuntimeError('my-secret-value')", "RuntimeError: [redac", id="secret"),
    ],
)
@pytest.mark.parametrize("word", ["def", "async def"])
def test_a_bad_row_costs_itself_alone(
    tmp_path: Path,
    body: str,
    error: str,
    word: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if body.startswith(("yield from", "raise StopIteration")):
        word = "def"  # in an async def there is no such code
    monkeypatch.setenv("BOT_TOKEN", "my-secret-value")
    code = f"{word} retrieve(question):\n    if question == 'bad': {body}\n"
    code += "    else: yield 'ok'" if body.startswith("yield") else "    return ['ok']"

    good, bad, after = asked(retriever(code, tmp_path), ["good", "bad", "good"])

    assert good["candidates"] == after["candidates"] == [{"text": "ok"}]
    assert error in bad["error"]
    assert bad["error_stage"] == "retrieval"


def test_ten_thousand_passages_are_cut_and_counted(tmp_path: Path) -> None:
    code = "def retrieve(question): return [{'id': str(n)} for n in range(10_000)]"

    (trace,) = asked(retriever(code, tmp_path, extra={"top_k": 5}))

    assert len(trace["candidates"]) == 5
    assert trace["dropped"] == 9_995


def test_what_the_generator_was_handed_is_kept_beside_what_it_says_it_used(tmp_path: Path) -> None:
    code = """
        def retrieve(question):
            return [{"id": "a", "text": "A"}, {"id": "b", "text": "B"}, {"id": "c", "text": "C"}]

        def generate(question, passages):
            used = [passage["id"] for passage in passages][:-1]
            return {"answer": "x", "context": used, "context_reused_from": 1}
    """
    stages = {"retriever": {"use": "bot:retrieve"}, "generator": {"use": "bot:generate"}}

    (trace,) = asked(build(tmp_path, {**stages, "context_k": 2}, code=code))

    assert [passage["id"] for passage in trace["context"]] == ["a"]
    assert (trace["told"], trace["handed"], trace["context_reused_from"]) == (True, 2, 1)
