"""`evalrag check` tries every answer check and fact on its own row before any bot is asked."""

from typing import Any

import pytest

from evalrag.curation.answers import Tried, tried, words_for
from evalrag.schema.run import Reading
from tests.builders import passage, row
from tests.workspace import ROWS, Workspace

QUOTE = {"doc": "returns", "quote": "Unused items can be returned within 30 days of delivery."}
PAGE = passage("returns-1", f"Returns. {QUOTE['quote']} Sale items have 14 days.")


def trying(
    *, corpus: bool = True, rules: bool = True, decides: bool = True, **fields: Any
) -> Tried:
    rows = [row("a", **{"gold": [QUOTE], **fields})]
    return tried(rows, [PAGE] if corpus else None, Reading(), rules=rules, decides=decides)


@pytest.mark.parametrize(
    ("fields", "errors", "warnings"),
    [
        pytest.param({"answer_contains": ["thirty days"]}, 0, 0, id="the gold says it"),
        pytest.param({"answer_contains": [["a month", "30 days"]]}, 0, 0, id="or one of a list"),
        pytest.param({"answer_contains": ["45 days"]}, 1, 0, id="the gold does not say it"),
        pytest.param({"answer_contains": ["45 days"], "corpus": False}, 0, 0, id="not known"),
        pytest.param(
            {"answer_contains": ["yes"], "reference_answer": "Yes, for 30 days."}, 0, 0, id="ours"
        ),
        pytest.param(
            {"answer_contains": ["30 days"], "reference_answer": "A month."}, 1, 0, id="its answer"
        ),
        pytest.param(
            {"answer_contains": ["30 days"], "answer_excludes": ["30"]}, 2, 0, id="no answer passes"
        ),
        pytest.param({"answer_excludes": ["30 days"]}, 1, 0, id="the gold says what is excluded"),
        pytest.param({"answer_excludes": ["14 days"]}, 0, 0, id="beside the quote it may stand"),
        pytest.param(
            {"answer_excludes": ["14 days"], "gold": ["returns-1"]}, 0, 1, id="in a whole passage"
        ),
        pytest.param(
            {"answer_excludes": ["14 days"], "reference_answer": "30, not 14 days."},
            1,
            0,
            id="its own answer says what is excluded",
        ),
    ],
)
def test_checks_are_tried_on_gold_and_reference(
    fields: dict[str, Any], errors: int, warnings: int
) -> None:
    found = trying(**fields)

    assert (len(found.errors), len(found.warnings)) == (errors, warnings)
    assert {id for id, _ in (*found.errors, *found.warnings)} <= {"a"}


@pytest.mark.parametrize(
    ("fields", "unjudged"),
    [
        pytest.param({}, ["a"], id="neither check nor reference"),
        pytest.param({"answer_contains": ["30 days"]}, [], id="a check"),
        pytest.param({"reference_facts": ["It has 30 days."]}, [], id="a fact"),
        pytest.param(
            {"reference_facts": ["It has 30 days."], "decides": False}, ["a"], id="not measured"
        ),
        pytest.param({"expect": ["CLARIFIES"]}, [], id="a question back"),
        pytest.param({"kind": "unanswerable", "gold": []}, [], id="nothing to answer"),
    ],
)
def test_rows_whose_answer_nobody_decides(fields: dict[str, Any], unjudged: list[str]) -> None:
    assert trying(**fields).unjudged == unjudged


WRAP = {"doc": "wrap", "quote": "Gift wrapping costs 4 euros for each parcel."}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"reference_facts": ["30 days"], "gold": ["returns-1"]}, id="no sentence"),
        pytest.param(
            {"reference_facts": ["4 euros for each parcel"], "gold": [WRAP]}, id="in its gold"
        ),
    ],
)
def test_a_fact_that_rules_never_decide_is_named_with_words_to_look_for(
    fields: dict[str, Any],
) -> None:
    [(id, why)] = trying(**fields).warnings

    assert id == "a"
    assert '"answer_contains": [' in why
    assert not trying(**fields, rules=False).warnings
    assert not trying(**fields, answer_contains=["30 days", "4 euros"], corpus=False).warnings


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        ("Gift wrapping costs 4 euros for each parcel.", ("4 euros",)),
        ("It is open from Monday.", ("Monday",)),
        ("Refunds are impossible.", ("impossible",)),
    ],
)
def test_the_words_offered_stand_in_the_fact(fact: str, words: tuple[str, ...]) -> None:
    assert words_for(fact) == words


def test_check_says_where_the_row_stands_and_ends_with_2(shop: Workspace) -> None:
    shop.rows([{**ROWS[0], "answer_contains": ["45"], "reference_answer": "30 days."}, *ROWS[1:]])

    done = shop.evalrag("check", "plan.yaml")

    assert done.code == 2
    assert f"error: golden.jsonl:1: {ROWS[0]['id']}: answer_contains[0]" in done.out
