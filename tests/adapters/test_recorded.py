"""Outputs that were stored are scored without calling anything."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalrag.adapters.pipeline import Pipeline
from evalrag.adapters.recorded import KEYS, Recorded, Replay
from evalrag.errors import DatasetError
from evalrag.schema.trace import Trace
from evalrag.schema.words import Stage
from evalrag.stores.traces import pack
from tests.adapters.plans import asked, build, lines, load


def recorded(folder: Path, records: list[Any], **plan: Any) -> Pipeline:
    lines(folder / "out.jsonl", records)
    return build(folder, {"use": "recorded", "with": {"path": "out.jsonl"}, **plan})


def replayed(folder: Path, records: list[Any], rows: int = 1, **plan: Any) -> list[Trace]:
    return asked(recorded(folder, records, **plan), ["q"] * rows)


def test_a_string_is_an_id_and_lines_may_come_in_any_order(tmp_path: Path) -> None:
    first, second = replayed(
        tmp_path,
        [
            {"id": "r1", "candidates": ["a", {"id": "b", "text": "B"}], "answer": ""},
            {"id": "r0", "candidates": ["c"], "answer": "x", "citations": ["c"], "query": "q2"},
        ],
        rows=2,
    )

    assert first == {
        "candidates": [{"id": "c"}],
        "context": [{"id": "c"}],
        "answer": "x",
        "citations": ["c"],
        "query": "q2",
    }
    assert second["candidates"] == [{"id": "a"}, {"id": "b", "text": "B"}]
    assert second["answer"] == ""


def test_the_window_and_top_k_of_the_plan_hold(tmp_path: Path) -> None:
    (trace,) = replayed(
        tmp_path, [{"id": "r0", "candidates": list("abcdef"), "answer": "x"}], top_k=4, context_k=2
    )

    assert (len(trace["candidates"]), len(trace["context"]), trace["dropped"]) == (4, 2, 2)


def test_a_context_that_was_recorded_is_what_the_model_saw(tmp_path: Path) -> None:
    (trace,) = replayed(
        tmp_path,
        [{"id": "r0", "candidates": ["a", "b"], "context": ["b", "z"], "answer": "x"}],
        context_k=1,
    )

    assert trace["context"] == [{"id": "b"}, {"id": "z"}]
    assert trace["told"] is True


def test_a_row_without_a_line_is_that_rows_error(tmp_path: Path) -> None:
    first, second = replayed(tmp_path, [{"id": "r0", "candidates": [], "answer": "x"}], rows=2)

    assert "error" not in first
    assert second["error"] == "recorded holds nothing for this row"
    assert second["error_stage"] == "retrieval"


@pytest.mark.parametrize(
    ("record", "error", "stage"),
    [
        pytest.param({"candidates": "a"}, "candidates: returned str 'a'", "retrieval", id="text"),
        pytest.param({"candidates": [3]}, "passage 1 is int 3", "retrieval", id="number"),
        pytest.param({"answer": "x"}, "neither candidates nor context", "retrieval", id="none"),
        pytest.param(
            {"candidates": []}, "recorded holds no answer for this row", "generation", id="answer"
        ),
        pytest.param(
            {"candidates": [], "answer": None}, "answer NoneType None", "generation", id="null"
        ),
        pytest.param(
            {"candidates": ["a"], "error": "boom\n", "error_stage": "generation"},
            "boom",
            "generation",
            id="an error that was recorded",
        ),
        pytest.param({"error": "boom"}, "boom", "retrieval", id="an error alone"),
    ],
)
def test_a_bad_output_costs_its_row(
    tmp_path: Path, record: dict[str, Any], error: str, stage: str
) -> None:
    bad, good = replayed(
        tmp_path, [{"id": "r0", **record}, {"id": "r1", "candidates": [], "answer": "x"}], rows=2
    )

    assert error in bad["error"]
    assert bad["error_stage"] == stage
    assert "error" not in good


def test_all_that_is_wrong_with_the_file_is_said_together(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as error:
        recorded(
            tmp_path,
            [
                {"id": "r0", "candidates": [], "answer": "x"},
                '{"id": "r1", ',
                {"id": "r0", "candidates": []},
                {"id": "R2", "candidates": []},
                {"candidates": []},
                {"id": 7},
                [1],
                "",
                {"id": "r3", "candidats": []},
                {"id": "r4", "repeat": "1"},
            ],
        )

    assert [(p.line, p.field) for p in error.value.problems] == [
        (2, None),
        (3, None),
        (4, "id"),
        (5, "id"),
        (6, "id"),
        (7, None),
        (9, "candidats"),
        (10, "repeat"),
    ]
    said = str(error.value)
    assert "out.jsonl:3: 'r0' stands in line 1 already" in said
    assert "no row of the dataset has the id 'R2'; did you mean" in said
    assert "unknown field; did you mean 'candidates'?" in said


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.jsonl", "there is no such file"),
        ("empty.jsonl", "no output is recorded"),
        ("x" * 5000, "cannot be read: File name too long"),
        ("a\0b", "cannot be read: embedded null byte"),
    ],
)
def test_a_file_without_outputs_is_wrong(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")

    with pytest.raises(DatasetError, match=message):
        build(tmp_path, {"use": "recorded", "with": {"path": path}})


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    text = '\ufeff{"id": "r0", "context": ["a"], "answer": "x"}\r\n\r\n'
    (tmp_path / "out.jsonl").write_bytes(text.encode())

    (trace,) = asked(build(tmp_path, {"use": "recorded", "with": {"path": "out.jsonl"}}))

    assert trace["context"] == [{"id": "a"}]
    assert trace["merged"] is True


def test_without_any_answer_it_is_a_retrieval_plan(tmp_path: Path) -> None:
    pipeline = recorded(tmp_path, [{"id": "r0", "candidates": ["a"]}])

    assert not pipeline.generates
    assert "error" not in asked(pipeline)[0]


def test_it_can_stand_in_for_the_retriever_alone(tmp_path: Path) -> None:
    lines(tmp_path / "out.jsonl", [{"id": "r0", "candidates": ["a", "b"], "answer": "x"}])
    pipeline = build(
        tmp_path, {"retriever": {"use": "recorded", "with": {"path": "out.jsonl"}}, "top_k": 1}
    )

    (trace,) = asked(pipeline)

    assert not pipeline.generates
    assert trace == {"candidates": [{"id": "a"}], "context": [{"id": "a"}], "dropped": 1}


def test_it_can_stand_in_for_one_stage(tmp_path: Path) -> None:
    use = {"use": "recorded", "with": {"path": "out.jsonl"}}
    lines(tmp_path / "out.jsonl", [{"id": "r0", "candidates": ["a"], "answer": "x"}])
    code = """
        def retrieve(question): return [question]
        def generate(question, passages): return f"{passages[0]['id']}"
    """
    new_answer = {"retriever": use, "generator": {"use": "bot:generate"}}
    new_search = {"retriever": {"use": "bot:retrieve"}, "generator": use}

    (first,) = asked(build(tmp_path, new_answer, code=code))
    (second,) = asked(build(tmp_path, new_search, code=code), ["what?"])

    assert (first["candidates"], first["answer"]) == ([{"id": "a"}], "a")
    assert (second["candidates"], second["answer"]) == ([{"text": "what?"}], "x")


def a_run(folder: Path, records: list[Any], **plan: Any) -> Trace:
    (folder / "run-1").mkdir()
    lines(folder / "run-1" / "traces.jsonl", records)
    pipeline = build(folder, {"use": "recorded", "with": {"path": "run-1"}, **plan})
    return asked(pipeline)[0]


PASSAGES = [{"id": "a", "text": "A", "span": [0, 1]}, {"id": "b", "text": "B"}]


def test_a_run_folder_is_replayed(tmp_path: Path) -> None:
    trace = a_run(
        tmp_path,
        [
            {
                "id": "r0",
                "repeat": 0,
                "question": "q",
                "candidates": PASSAGES,
                "context": [1],
                "told": True,
                "dropped": 3,
                "answer": "x",
                "of_another_format": 1,
            }
        ],
    )

    assert trace == {
        "candidates": [{"id": "a", "text": "A", "span": (0, 1)}, {"id": "b", "text": "B"}],
        "context": [{"id": "b", "text": "B"}],
        "told": True,
        "dropped": 3,
        "answer": "x",
    }


def test_a_window_that_no_model_was_given_is_todays(tmp_path: Path) -> None:
    record = {"id": "r0", "repeat": 0, "candidates": PASSAGES, "context": [0]}

    trace = a_run(tmp_path, [record], context_k=2)

    assert [passage["id"] for passage in trace["context"]] == ["a", "b"]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("'x'", id="window"),
        pytest.param("{'answer': '', 'context': [passages[1]], 'citations': ['b']}", id="told"),
        pytest.param("1 / 0", id="error"),
    ],
)
def test_what_a_run_stores_is_replayed_as_it_was(tmp_path: Path, answer: str) -> None:
    code = f"""
        def retrieve(question):
            return [{{"id": i, "text": i.upper(), "span": (0, 1), "score": 0.5}} for i in "abcd"]
        def generate(question, passages): return {answer}
    """
    stages = {"retriever": {"use": "bot:retrieve"}, "generator": {"use": "bot:generate"}}
    (trace,) = asked(build(tmp_path, {**stages, "top_k": 3, "context_k": 2}, code=code))

    again = a_run(tmp_path, [{"id": "r0", "repeat": 0, **pack(trace)}], top_k=3, context_k=2)

    del trace["seconds"]
    assert again == trace


def test_an_attempt_that_was_not_stored_is_an_error(tmp_path: Path) -> None:
    trace = a_run(tmp_path, [{"id": "r0", "repeat": 1, "candidates": [], "answer": "x"}])

    assert trace["error"] == "recorded holds nothing for this row for repeat 0"


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    pipeline = recorded(tmp_path, [{"id": "r0", "candidates": [], "answer": "x"}])
    text = (tmp_path / "out.jsonl").read_text()
    with (tmp_path / "out.jsonl").open("r+") as file:
        file.write(text.replace("r0", "r9"))

    (trace,) = asked(pipeline)

    assert trace["error"] == "recorded was changed while it was read"


def test_every_character_survives(tmp_path: Path) -> None:
    answer = "a\u2028b\x00\U0001f600\u00e9"
    records = [json.dumps({"id": "r0", "candidates": [], "answer": answer}, ensure_ascii=False)]

    assert replayed(tmp_path, records)[0]["answer"] == answer


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["a", "generation"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "text", "cost"]), inner),
)
FIELDS = [key for key in KEYS if key not in ("id", "repeat")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), json_values), st.booleans())
def test_no_line_of_json_breaks_the_run(tmp_path: Path, record: Any, of_a_run: bool) -> None:
    path = lines(tmp_path / "out.jsonl", [{"id": "r0", **record}])
    plan = load(tmp_path, {"use": "recorded"}).plan.pipeline
    stored = Recorded(path, ["r0"], shown="out.jsonl", of_a_run=of_a_run)

    (trace,) = asked(Replay(stored, plan, generates=stored.answers))

    assert "error" not in trace or trace["error_stage"] in list(Stage)
    json.dumps(trace, allow_nan=False).encode()
