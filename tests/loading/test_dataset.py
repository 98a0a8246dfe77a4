"""Specification of reading a golden dataset: what is wrong with a row is said by its field."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalrag.errors import DatasetError
from evalrag.loading.dataset import Dataset, load_dataset
from evalrag.schema.digest import asked_digest, row_digest
from evalrag.schema.row import Row

PLAIN: dict[str, Any] = {
    "id": "a",
    "kind": "happy-path",
    "question": "How long may I return it?",
    "gold": ["c1"],
}


TURNS = [{"role": "user", "content": "Hi"}]


def row(**fields: Any) -> dict[str, Any]:
    return {**PLAIN, **fields}


def load(tmp_path: Path, *rows: dict[str, Any]) -> Dataset:
    path = tmp_path / "golden.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in rows), encoding="utf-8")
    return load_dataset(path, shown="golden.jsonl")


def problems(tmp_path: Path, *rows: dict[str, Any]) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, *rows)
    assert caught.value.exit_code == 2
    return [str(problem).removeprefix("golden.jsonl:") for problem in caught.value.problems]


def test_rows_keep_the_order_of_the_file_and_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_text(f"{json.dumps(row(id='z'))}\n\n{json.dumps(row(id='b'))}\n", encoding="utf-8")

    dataset = load_dataset(path)

    assert dataset.path == str(path)
    assert [each.id for each in dataset.rows] == ["z", "b"]
    assert dataset.lines == {"z": 1, "b": 3}
    assert dataset.digests.keys() == dataset.asked.keys() == {"z", "b"}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="texts and chunk ids"),
        pytest.param({"gold": ["c1", "c2"], "acceptable": ["c3"]}, id="several lists"),
        pytest.param({"gold": [{"chunk": "c1", "grade": 2}]}, id="a grade"),
        pytest.param({"gold": [{"doc": "d", "metadata": {"v": 1}}]}, id="a document"),
        pytest.param({"gold": [{"any_of": ["c1", "c2"]}]}, id="alternatives"),
        pytest.param({"note": None, "tags": ["t"], "meta": {"null": 1.5}}, id="nulls and more"),
        pytest.param({"split": "holdout", "expect": ["DECLINED"]}, id="words of a closed list"),
        pytest.param({"history": [{"role": "user", "content": "Hi"}]}, id="a history"),
        pytest.param({"question": "Was heißt „das“?", "reference_answer": "null"}, id="letters"),
        pytest.param(
            {"answer_contains": ["30", ["free", "no charge"]], "answer_excludes": ["14"]},
            id="answer checks",
        ),
        pytest.param({"reference_facts": ["A.", ["B.", "Bee."]]}, id="wordings of a fact"),
        pytest.param({"forbidden": [{"metadata": {"tenant": "b"}}, "c9"]}, id="forbidden"),
        pytest.param({"inputs": {"tenant": "a", "roles": ["x"], "n": 1.5}}, id="inputs"),
    ],
)
def test_a_row_made_again_is_the_row_that_was_read(tmp_path: Path, fields: dict[str, Any]) -> None:
    dataset = load(tmp_path, row(**fields), row(id="z"))

    again, other = dataset.rows

    said = {name: value for name, value in row(**fields).items() if value is not None}
    assert again == Row.model_validate(said)
    assert again.model_dump_json() == Row.model_validate(said).model_dump_json()
    assert (dataset.rows[0], dataset.rows[1:][0].id) == (again, other.id)
    assert dataset.digests["a"] == row_digest(again)
    assert dataset.asked["a"] == asked_digest(again)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        pytest.param({"id": 5}, "id: 5 is a number and text is needed", id="a number as id"),
        pytest.param({"id": ""}, "id: is empty", id="an empty id"),
        pytest.param({"id": " a"}, "id: has white space at its ends", id="an id with a blank"),
        pytest.param({"id": None}, "id: text is needed, not null", id="a null as id"),
        pytest.param(
            {"golden": []}, 'golden: unknown field "golden": did you mean "gold"?', id="a typo"
        ),
        pytest.param(
            {"Kind": "x"}, 'Kind: unknown field "Kind": did you mean "kind"?', id="a capital"
        ),
        pytest.param({"GOLD": 1}, 'GOLD: unknown field "GOLD": did you mean "gold"?', id="shouted"),
        pytest.param({"zzz": 1}, 'zzz: unknown field "zzz"', id="a name near to nothing"),
        pytest.param(
            {"gold": [{"chnk": "c"}]},
            'gold[0].chnk: unknown field "chnk": did you mean "chunk"?',
            id="a typo within an evidence",
        ),
        pytest.param(
            {"history": [{"role": "user", "content": "hi", "contents": 1}]},
            'history[0].contents: unknown field "contents": did you mean "content"?',
            id="a typo within a turn",
        ),
        pytest.param(
            {"kind": "happypath"},
            'kind: "happypath" is none of happy-path, near-miss, multi-hop, stale-policy,'
            ' unanswerable: did you mean "happy-path"?',
            id="a kind with a typo",
        ),
        pytest.param({"kind": 3}, "kind: one of happy-path", id="a kind that is a number"),
        pytest.param({"gold": None}, "gold: null where a list is needed", id="a null for a list"),
        pytest.param({"gold": "c1"}, 'gold: a list is needed, not "c1"', id="a text for a list"),
        pytest.param(
            {"gold": [5]},
            "gold[0]: a chunk id (text) or an object is needed, not 5",
            id="a number as evidence",
        ),
        pytest.param({"gold": [""]}, "gold[0]: is empty", id="an empty chunk id"),
        pytest.param({"gold": [{}]}, "gold[0]: give one of chunk, doc", id="an empty evidence"),
        pytest.param(
            {"gold": ["c", {"doc": "d", "span": [1, "2"]}]},
            "gold[1].span: a span is [start, end], two whole numbers",
            id="a span with a text",
        ),
        pytest.param(
            {"gold": [{"doc": "d", "span": [1]}]}, "gold[0].span: a span is", id="half a span"
        ),
        pytest.param(
            {"gold": [{"any_of": ["c", {"doc": "d", "span": [1, 2.5]}]}]},
            "gold[0].any_of[1].span: a span is",
            id="a span with a fraction, within an alternative",
        ),
        pytest.param(
            {"gold": [{"doc": "d", "span": [3, 3]}]}, "gold[0]: a span is", id="an empty span"
        ),
        pytest.param(
            {"gold": [{"chunk": "c", "grade": "2"}]},
            'gold[0].grade: a whole number is needed, not "2"',
            id="a grade in quotes",
        ),
        pytest.param(
            {"gold": [{"chunk": "c", "grade": True}]},
            "gold[0].grade: a whole number is needed, not true",
            id="a grade that is true",
        ),
        pytest.param(
            {"gold": [{"chunk": "c", "grade": 0}]},
            "gold[0].grade: must be at least 1, not 0",
            id="a grade of nothing",
        ),
        pytest.param(
            {"gold": [{"all_of": ["c", {"any_of": [{"doc": 1}]}]}]},
            "gold[0].all_of[1].any_of[0].doc: 1 is a number",
            id="a mistake deep inside",
        ),
        pytest.param({"gold": []}, "gold: is empty: give evidence", id="no evidence at all"),
        pytest.param({"question": " "}, "question: is empty", id="an empty question"),
        pytest.param(
            {"expect": ["ANSWERD"]},
            'expect[0]: "ANSWERD" is none of',
            id="an unknown form",
        ),
        pytest.param(
            {"history": [{"role": "bot", "content": "hi"}]},
            'history[0].role: "bot" is none of user, assistant, system',
            id="an unknown role",
        ),
        pytest.param({"tags": "x"}, 'tags: a list is needed, not "x"', id="a tag alone"),
        pytest.param({"meta": []}, "meta: an object is needed, not a list", id="a list as meta"),
        pytest.param(
            {"kind": "stale-policy"}, "superseded: a stale-policy row needs", id="nothing stale"
        ),
        pytest.param({"kind": "near-miss"}, "near_miss: a near-miss row needs", id="no near miss"),
        pytest.param({"kind": "multi-hop"}, "gold: a multi-hop row needs", id="one hop"),
        pytest.param(
            {"gold": [{"quote": "30 days"}]},
            "gold[0].quote: a quote of 2 tokens stands in too many places: give its doc",
            id="a short quote without a document",
        ),
        pytest.param(
            {"acceptable": [{"any_of": ["c", {"quote": "a b c d"}]}]},
            "acceptable[0].any_of[1].quote: a quote of 4 tokens",
            id="one token too few, within an alternative",
        ),
        pytest.param(
            {"gold": [{"doc": "d", "quote": "..."}]},
            "gold[0].quote: the quote has no word in it",
            id="a quote without a word",
        ),
        pytest.param(
            {"near_miss": ["c0", "c1"]},
            "gold[0]: the same evidence stands in near_miss[1]: it cannot be both",
            id="gold and its own near miss",
        ),
        pytest.param(
            {"acceptable": ["c9"], "superseded": ["c9"]},
            "acceptable[0]: the same evidence stands in superseded[0]",
            id="acceptable and superseded",
        ),
        pytest.param(
            {"gold": [{"any_of": ["c1", "c2"]}], "superseded": ["c2"]},
            "gold[0]: the same evidence stands in superseded[0]",
            id="an alternative of gold that is superseded",
        ),
        pytest.param(
            {"gold": [{"doc": "d", "grade": 3}], "near_miss": [{"doc": "d"}]},
            "gold[0]: the same evidence stands in near_miss[0]",
            id="the same but for its grade",
        ),
        pytest.param(
            {"note": "half \ud83d"}, "\\ud83d is half of a surrogate pair", id="half a character"
        ),
        pytest.param(
            {"kind": "\x1b[31mred\u202e"},
            'kind: "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}" is none of',
            id="control characters are not printed",
        ),
        pytest.param(
            {"id": "a\u200bb"},
            "id: has characters that cannot be printed",
            id="an unseen character",
        ),
        pytest.param(
            {"id": "a\u2028b"}, "id: has characters that cannot be printed", id="a line separator"
        ),
        pytest.param(
            {"answer_contains": [" "]}, "answer_contains[0]: is empty", id="an empty check"
        ),
        pytest.param(
            {"answer_contains": ["..."]},
            "answer_contains[0]: has no word or figure to look for",
            id="a check without a word",
        ),
        pytest.param(
            {"answer_excludes": ["<br>"]},
            "answer_excludes[0]: has no word or figure to look for",
            id="an exclusion of marks alone",
        ),
        pytest.param(
            {"answer_contains": ["a", ["b", ""]]},
            "answer_contains[1][1]: is empty",
            id="an empty alternative",
        ),
        pytest.param(
            {"answer_contains": [[]]}, "answer_contains[0]: is empty", id="no alternative"
        ),
        pytest.param(
            {"answer_contains": "30 days"}, "answer_contains: a list is needed", id="a bare check"
        ),
        pytest.param(
            {"answer_contains": [30]},
            "answer_contains[0]: a text is needed, or a list of texts",
            id="a check that is a number",
        ),
        pytest.param(
            {"answer_contains": [["30", 30]]},
            "answer_contains[0][1]: 30 is a number and text is needed",
            id="an alternative that is a number",
        ),
        pytest.param(
            {"answer_excludes": ["a", "\u00a0"]},
            "answer_excludes[1]: is empty",
            id="an exclusion of nothing",
        ),
        pytest.param(
            {"answer_excludes": [["a"]]},
            "answer_excludes[0]: text is needed, not a list",
            id="alternatives of an exclusion",
        ),
        pytest.param(
            {"answer_contains": ["x", ["free", "No  Charge"]], "answer_excludes": ["no charge"]},
            "answer_contains[1]: the same text stands in answer_excludes[0]",
            id="asked for and excluded",
        ),
        pytest.param(
            {"answer_excludes": ["14 days", "14 Days"]},
            "answer_excludes[1]: the same text stands in answer_excludes[0]",
            id="excluded twice",
        ),
        pytest.param(
            {"answer_contains": [["a", "b"], ["b", "a"]]},
            "answer_contains[1]: the same is asked by answer_contains[0]",
            id="asked for twice",
        ),
        pytest.param(
            {"reference_facts": [["a fact", ""]]},
            "reference_facts[0][1]: is empty",
            id="an empty wording",
        ),
        pytest.param({"reference_facts": [""]}, "reference_facts[0]: is empty", id="an empty fact"),
        pytest.param(
            {"gold": [{"metadata": {"tenant": "b"}}]},
            "gold[0]: metadata alone is for forbidden",
            id="gold by metadata alone",
        ),
        pytest.param(
            {"forbidden": [{}]}, "forbidden[0]: give one of chunk, doc", id="nothing forbidden"
        ),
        pytest.param(
            {"forbidden": [{"metadata": {"t": 1}, "span": [1, 2]}]},
            "forbidden[0]: give one of chunk, doc",
            id="a span of no document",
        ),
        pytest.param(
            {"forbidden": ["c1"]},
            "gold[0]: the same evidence stands in forbidden[0]",
            id="gold that is forbidden",
        ),
        pytest.param(
            {"forbidden": [{"quote": "too short"}]},
            "forbidden[0].quote: a quote of 2 tokens",
            id="a short quote that is forbidden",
        ),
        pytest.param({"inputs": ["x"]}, "inputs: an object is needed", id="inputs in a list"),
        pytest.param({"inputs": {" ": 1}}, "inputs: ' ' is no name", id="an input without a name"),
        pytest.param({"kind": "x" * 10**6}, f'kind: "{"x" * 57}..." is none', id="a huge value"),
    ],
)
def test_one_mistake_is_one_message(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    [problem] = problems(tmp_path, row(id="fine"), row(**fields), row(id="also fine"))

    assert problem.startswith(f"2: {said}")
    assert len(problem) < 450


@pytest.mark.parametrize(
    "missing", [pytest.param(name, id=f"no {name}") for name in ("id", "kind", "question")]
)
def test_a_required_field_that_is_missing(tmp_path: Path, missing: str) -> None:
    kept = {name: value for name, value in PLAIN.items() if name != missing}

    assert problems(tmp_path, kept) == [f"1: {missing}: is missing"]


def test_all_problems_come_together_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    lines = [
        json.dumps(row(id="a")).encode(),
        b'{"id": "b", ',
        json.dumps(row(id="c", kind="happy", tags=5, golden=1)).encode(),
        b'{"note": "caf\xe9"}',
        b"",
        json.dumps(row(id="a")).encode(),
        json.dumps(row(id="u", kind="unanswerable")).encode(),
    ]
    path.write_bytes(b"\r\n".join(lines))

    with pytest.raises(DatasetError) as caught:
        load_dataset(path)

    found = [(problem.line, problem.field) for problem in caught.value.problems]
    assert found == [
        (2, None),
        (3, "kind"),
        (3, "tags"),
        (3, "golden"),
        (4, None),
        (6, "id"),
        (7, "gold"),
        (7, "unanswerable_because"),
    ]
    assert {problem.file for problem in caught.value.problems} == {str(path)}
    assert "pydantic" not in str(caught.value)
    assert "Input should" not in str(caught.value)


def test_an_id_that_stands_twice_names_both_lines(tmp_path: Path) -> None:
    rows = row(id="a"), row(id="b"), row(id="a")

    assert problems(tmp_path, *rows) == ['3: id: "a" is already the id of line 1']


def test_a_row_that_is_wrong_keeps_its_id_from_being_used_again(tmp_path: Path) -> None:
    found = problems(tmp_path, row(id="a", kind="x"), row(id="a"))

    assert found[1] == '2: id: "a" is already the id of line 1'


def test_ids_that_differ_in_case_are_two(tmp_path: Path) -> None:
    assert len(load(tmp_path, row(id="Refund"), row(id="refund")).rows) == 2


@pytest.mark.parametrize(
    "data", [pytest.param(b"", id="an empty file"), pytest.param(b"\n\r\n", id="blank lines")]
)
def test_a_dataset_without_a_row_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(data)

    with pytest.raises(DatasetError, match="the dataset has no row"):
        load_dataset(path)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"split": None, "origin": None}, id="nulls for what has a default"),
        pytest.param({"note": None, "reference_answer": None, "meta": None}, id="nulls for texts"),
        pytest.param({"gold": [{"chunk": "c1", "grade": None, "doc": None}]}, id="in an evidence"),
    ],
)
def test_a_null_for_an_optional_field_counts_as_missing(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    assert load(tmp_path, row(**fields)).digests == load(tmp_path, row()).digests


@pytest.mark.parametrize(
    "gold",
    [
        pytest.param({"doc": "d", "quote": "30 days"}, id="a short quote with its document"),
        pytest.param({"quote": "within 30 days of delivery"}, id="a quote of five tokens"),
        pytest.param({"doc": "d", "span": [0, 4], "grade": 2}, id="a span and a grade"),
        pytest.param({"doc": "d", "metadata": {"version": 3}}, id="a version that is a number"),
    ],
)
def test_evidence_that_is_fine(tmp_path: Path, gold: dict[str, Any]) -> None:
    assert len(load(tmp_path, row(gold=[gold], near_miss=["other"])).rows) == 1


DEFAULTS: dict[str, Any] = {
    "split": "dev",
    "origin": "human",
    "tags": [],
    "expect": [],
    "note": None,
    "meta": {},
}


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([None, 1, 4]))
def test_the_digest_is_of_the_content_and_not_of_its_writing(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random, indent: int | None
) -> None:
    """Keys in any order, white space anywhere, defaults written out, rows in any order."""
    tmp_path = tmp_path_factory.mktemp("digest")
    rows = [row(id="a", gold=[{"doc": "d", "span": [1, 2]}]), row(id="b", expect=["CLARIFIES"])]
    written = []
    for each in rows:
        filled = {**{k: v for k, v in DEFAULTS.items() if chance.random() < 0.5}, **each}
        names = list(filled)
        chance.shuffle(names)
        text = json.dumps({name: filled[name] for name in names}, indent=indent)
        written.append(text.replace("\n", " "))
    chance.shuffle(written)
    path = tmp_path / "other.jsonl"
    path.write_text("\r\n".join(written), encoding="utf-8")

    assert load_dataset(path).digest == load(tmp_path, *rows).digest


@pytest.mark.parametrize(
    ("fields", "same"),
    [
        pytest.param({"note": "read twice"}, True, id="a note changes nothing"),
        pytest.param({"split": "holdout"}, True, id="nor does a split"),
        pytest.param({"gold": ["c2"]}, False, id="gold does"),
        pytest.param({"question": "How long?"}, False, id="and the question"),
        pytest.param({"answer_contains": [], "forbidden": []}, True, id="empty lists do not"),
        pytest.param({"answer_excludes": [], "inputs": {}}, True, id="nor empty inputs"),
        pytest.param({"answer_contains": ["30"]}, False, id="what an answer contains"),
        pytest.param({"answer_excludes": ["30"]}, False, id="what it excludes"),
        pytest.param({"forbidden": ["c3"]}, False, id="what is forbidden"),
        pytest.param({"inputs": {"tenant": "a"}}, False, id="what it is given"),
    ],
)
def test_what_the_digest_is_over(tmp_path: Path, fields: dict[str, Any], same: bool) -> None:
    changed = load(tmp_path, row(**fields)).digest == load(tmp_path, row()).digest

    assert changed is same


@pytest.mark.parametrize("name", ["answer_contains", "reference_facts"])
def test_a_single_wording_is_the_text_however_it_is_written(tmp_path: Path, name: str) -> None:
    bare, listed = load(tmp_path, row(**{name: ["a"]})), load(tmp_path, row(**{name: [["a"]]}))

    assert bare.rows[0] == listed.rows[0]
    assert bare.digests == listed.digests


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        pytest.param({"answer_contains": ["30"]}, True, id="a check is a label"),
        pytest.param({"answer_excludes": ["30"]}, True, id="so is an exclusion"),
        pytest.param({"forbidden": ["c3"]}, True, id="so is what is forbidden"),
        pytest.param({"reference_facts": [["a", "b"]]}, True, id="so are wordings"),
        pytest.param({"inputs": {"tenant": "a"}}, False, id="inputs are asked with"),
    ],
)
def test_what_is_asked_and_what_is_a_label(
    tmp_path: Path, fields: dict[str, Any], asked: bool
) -> None:
    before, after = load(tmp_path, row()), load(tmp_path, row(**fields))

    assert (after.asked == before.asked) is asked


def test_fields_that_are_not_written_leave_no_trace_in_a_digest(tmp_path: Path) -> None:
    """The digests of rows as they were before there were answer checks."""
    found = load(tmp_path, row(), row(id="f", reference_facts=["A fact."], history=TURNS))

    assert found.digests == {"a": "2e6963acb63dde5e", "f": "6f0e54cfdc7d73e5"}
    assert found.asked == {"a": "ad4786010284e92b", "f": "bdd2444f48fae183"}
