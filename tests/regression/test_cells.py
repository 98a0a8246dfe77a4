"""The reading table: each row in one cell, and what stands outside has a name."""

import pytest

from evalrag.regression.cells import READINGS, cell, reading_table
from evalrag.regression.where import known_field, matches
from evalrag.schema.result import RowResult
from evalrag.schema.words import Kind, Outcome, Stage
from tests.builders import Facts


def found(kind: Kind = Kind.HAPPY_PATH, /, **stages: str) -> RowResult:
    return RowResult(
        id="q",
        kind=kind,
        digest="d",
        asked="a",
        outcome=Outcome.PASS,
        stages={Stage(stage): Outcome(outcome) for stage, outcome in stages.items()},
    )


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        ("pass pass pass pass", "high recall, high faithfulness, right"),
        ("pass pass pass fail", "high recall, high faithfulness, wrong"),
        ("pass pass pass na", "high recall, high faithfulness, no reference"),
        ("pass pass pass unresolved", "outside: unresolved"),
        ("pass pass fail na", "high recall, low faithfulness"),
        ("pass fail pass pass", "low recall, high faithfulness"),
        ("fail na pass fail", "low recall, high faithfulness"),
        ("fail na fail na", "low recall, low faithfulness"),
        ("pass pass na na", "outside: declined"),
        ("pass pass unresolved na", "outside: unresolved"),
        ("unresolved fail pass pass", "outside: unresolved"),
        ("pass error pass pass", "outside: error"),
        ("pass pass pass error", "outside: error"),
    ],
)
def test_where_a_row_stands(stages: str, expected: str) -> None:
    names = ("retrieval", "ranking", "generation", "answer")
    row = found(**dict(zip(names, stages.split(), strict=True)))

    assert cell(row, generates=True) == expected
    assert [entry.cell for entry in reading_table([row], generates=True)] == [expected]
    assert expected in READINGS


def test_rows_that_the_table_cannot_hold() -> None:
    assert cell(found(Kind.UNANSWERABLE), generates=True) == "outside: unanswerable"
    crashed = found(Kind.UNANSWERABLE, boundary="error")
    assert cell(crashed, generates=True) == "outside: error", "no stage judged it"
    assert cell(found(retrieval="pass"), generates=False) == "outside: no answer"


def test_fields_that_a_gate_can_name() -> None:
    assert all(map(known_field, ("id", "kind", "tags", "split", "meta.x")))
    assert not any(map(known_field, ("meta.", "meta", "question", "")))


def test_defaults_that_a_stored_row_leaves_out_still_match() -> None:
    row = Facts("q", Kind.HAPPY_PATH, {"tags": ["vip"]})

    assert matches({"split": "dev", "origin": ["human", "production"], "tags": "vip"}, row)
    assert not matches({"split": "holdout"}, row)
