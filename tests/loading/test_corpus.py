"""Specification of reading a corpus: records to passages."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evalrag.errors import DatasetError
from evalrag.loading.corpus import read_corpus
from evalrag.schema.trace import Passage


def read(
    tmp_path: Path,
    *records: object,
    fields: Mapping[str, str] | None = None,
    where: Mapping[str, Any] | None = None,
) -> list[Passage]:
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in records), encoding="utf-8")
    return list(read_corpus(path, fields=fields or {}, where=where or {}, shown="corpus.jsonl"))


@pytest.mark.parametrize(
    ("record", "fields", "passage"),
    [
        pytest.param(
            {"id": "c1", "doc": "d", "text": "t"},
            {},
            {"id": "c1", "doc": "d", "text": "t", "metadata": {}},
            id="the names of a passage",
        ),
        pytest.param(
            {"chunk_id": "c1", "doc_id": "d", "text": "t"},
            {},
            {"id": "c1", "doc": "d", "text": "t", "metadata": {}},
            id="the usual other names",
        ),
        pytest.param(
            {"id": "c1", "chunk_id": "x", "text": "t"},
            {},
            {"id": "c1", "text": "t", "metadata": {"chunk_id": "x"}},
            id="the plain name wins, and the other is kept",
        ),
        pytest.param(
            {"_id": "c1", "body": "t", "id": 7},
            {"id": "_id", "text": "body"},
            {"id": "c1", "text": "t", "metadata": {"id": 7}},
            id="names that the plan gives",
        ),
        pytest.param(
            {"id": "c1", "text": "t", "rev": "3"},
            {"version": "rev"},
            {"id": "c1", "text": "t", "metadata": {"version": "3"}},
            id="metadata by another name",
        ),
        pytest.param(
            {
                "id": "c1",
                "text": "t",
                "n": 1,
                "ok": True,
                "no": None,
                "list": [1],
                "deep": {"a": 1},
            },
            {},
            {"id": "c1", "text": "t", "metadata": {"n": 1, "ok": True, "no": None}},
            id="scalars are metadata, lists and objects are not",
        ),
        pytest.param(
            {"id": "c1", "text": "t", "v": "1", "metadata": {"v": "2", "list": [1]}},
            {},
            {"id": "c1", "text": "t", "metadata": {"v": "2", "list": [1]}},
            id="metadata is merged in, over the rest",
        ),
        pytest.param(
            {"id": "c1", "text": "t", "doc": None, "span": [0, 1]},
            {},
            {"id": "c1", "text": "t", "span": (0, 1), "metadata": {}},
            id="a span is kept, a null is nothing",
        ),
    ],
)
def test_a_record_becomes_a_passage(
    tmp_path: Path, record: object, fields: Mapping[str, str], passage: object
) -> None:
    assert read(tmp_path, record, fields=fields) == [passage]


RECORDS = [
    {"id": "null", "text": "t", "same": None, "n": 1},
    {"id": "missing", "text": "t", "n": 2},
    {"id": "set", "text": "t", "same": "null", "n": True},
    {"id": "inner", "text": "t", "metadata": {"same": "x", "n": 3}},
]


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        pytest.param({}, ["null", "missing", "set", "inner"], id="no filter"),
        pytest.param({"same": None}, ["null", "missing"], id="null is null or missing"),
        pytest.param({"same": "x"}, ["inner"], id="metadata is looked into"),
        pytest.param({"same": ["x", "null"]}, ["set", "inner"], id="a list is any of"),
        pytest.param({"same": [None, "x"]}, ["null", "missing", "inner"], id="with null among it"),
        pytest.param({"n": 1}, ["null"], id="true is not 1"),
        pytest.param({"same": None, "n": 2}, ["missing"], id="all keys must hold"),
    ],
)
def test_where(tmp_path: Path, where: Mapping[str, Any], kept: list[str]) -> None:
    assert [passage["id"] for passage in read(tmp_path, *RECORDS, where=where)] == kept


FINE = {"id": "c1", "text": "t"}


@pytest.mark.parametrize(
    ("record", "said"),
    [
        pytest.param({"id": "c2"}, "text: is missing; say which field it is", id="no text"),
        pytest.param({"text": "t"}, "id: is missing; say which field it is", id="no id"),
        pytest.param({"id": "", "text": "t"}, "id: is empty", id="an empty id"),
        pytest.param({"id": 2, "text": "t"}, "id: text is needed, not 2", id="a number as id"),
        pytest.param({"id": "c2", "text": ["t"]}, "text: text is needed, not a list", id="a list"),
        pytest.param({"id": "c2", "text": "t", "doc": 1}, "doc: text is needed, not 1", id="doc"),
        pytest.param(
            {"id": "c1", "text": "t"}, 'id: "c1" is already the id of line 1', id="an id twice"
        ),
        pytest.param(
            {"id": "c2", "text": "t", "span": [2, 1]}, "span: a span is [start", id="a bad span"
        ),
        pytest.param(
            {"id": "c2", "text": "t", "metadata": []}, "metadata: an object is", id="a list there"
        ),
        pytest.param([1], "each line is one JSON object, not a list", id="no object"),
    ],
)
def test_one_mistake_is_one_message(tmp_path: Path, record: object, said: str) -> None:
    with pytest.raises(DatasetError) as caught:
        read(tmp_path, FINE, record)

    [problem] = caught.value.problems
    assert str(problem).startswith(f"corpus.jsonl:2: {said}")


def test_all_problems_come_together(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        read(tmp_path, {"id": 1}, FINE, FINE, where={"a": [None], "nme": "x"}, fields={"text": "t"})

    assert [str(problem) for problem in caught.value.problems] == [
        'corpus.jsonl: where: no record has a field "a"',
        'corpus.jsonl: where: no record has a field "nme"',
    ]


@pytest.mark.parametrize(
    ("records", "where", "said"),
    [
        pytest.param([], {}, "the corpus has no record", id="an empty file"),
        pytest.param([FINE], {"id": "x"}, "where: no record is left", id="nothing is left"),
        pytest.param(
            [FINE], {"nme": None}, 'where: no record has a field "nme"', id="a typo that keeps all"
        ),
    ],
)
def test_a_corpus_of_nothing(
    tmp_path: Path, records: list[object], where: Mapping[str, Any], said: str
) -> None:
    with pytest.raises(DatasetError, match=said):
        read(tmp_path, *records, where=where)


def test_an_id_may_stand_twice_where_the_filter_keeps_one(tmp_path: Path) -> None:
    old, new = {**FINE, "status": "old"}, {**FINE, "status": "new"}

    assert len(read(tmp_path, old, new, where={"status": "new"})) == 1


def test_no_passage_comes_after_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(f"{{}}\n{json.dumps(FINE)}\n", encoding="utf-8")

    with pytest.raises(DatasetError):
        next(read_corpus(path, fields={}, where={}))


def test_passages_come_while_the_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(f"{json.dumps(FINE)}\nnot json\n", encoding="utf-8")

    passages = read_corpus(path, fields={}, where={})

    assert next(passages)["id"] == "c1"
    with pytest.raises(DatasetError):
        next(passages)
