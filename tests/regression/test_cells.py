"""The reading table: each row in one cell, and what stands outside has a name."""

from typing import Any

import pytest

from evalrag.regression.cells import READINGS, cell, reading_table
from evalrag.regression.where import known_field, matches
from evalrag.schema.plan import Thresholds
from evalrag.schema.result import RowResult
from evalrag.schema.words import Kind, Outcome, Stage
from tests.builders import Facts

T = Thresholds()
RECALL: dict[str, dict[str, Any]] = {
    "all": {"scores": {"context_recall": 1.0}},
    "part": {"scores": {"context_recall": 0.5}},
    "error": {"reasons": {"context_recall": {"state": "failed", "reason": "r"}}},
    "facts": {"scores": {"claim_recall": 0.8}},
    "few": {"scores": {"claim_recall": 0.5}},
    "unsure": {"reasons": {"claim_recall": {"state": "unresolved", "reason": "r"}}},
    "nobody": {},
}


def found(kind: Kind = Kind.HAPPY_PATH, /, recall: str = "all", **stages: str) -> RowResult:
    known = {"id": "q", "kind": kind, "digest": "d", "asked": "a", "outcome": Outcome.PASS}
    decided = {Stage(stage): Outcome(outcome) for stage, outcome in stages.items()}
    return RowResult(**known, stages=decided, **RECALL[recall])


@pytest.mark.parametrize(
    ("stands", "expected"),
    [
        ("all pass pass", "high recall, high faithfulness, right"),
        ("all pass fail", "high recall, high faithfulness, wrong"),
        ("all pass na", "high recall, high faithfulness, no reference"),
        ("all pass unresolved", "outside: unresolved"),
        ("all fail na", "high recall, low faithfulness"),
        ("part pass pass", "low recall, high faithfulness"),
        ("part fail na", "low recall, low faithfulness"),
        ("facts pass pass", "high recall, high faithfulness, right"),
        ("few pass pass", "low recall, high faithfulness"),
        ("unsure pass pass", "outside: unresolved"),
        ("nobody pass pass", "outside: recall not measured"),
        ("all na na", "outside: declined"),
        ("all unresolved na", "outside: unresolved"),
        ("error pass pass", "outside: error"),
        ("all pass error", "outside: error"),
    ],
)
def test_where_a_row_stands(stands: str, expected: str) -> None:
    recall, generation, answer = stands.split()
    row = found(recall=recall, generation=generation, answer=answer)

    assert cell(row, generates=True, thresholds=T) == expected
    table = reading_table([row], generates=True, thresholds=T)
    assert [entry.cell for entry in table] == [expected]
    assert expected in READINGS


def test_a_rival_before_the_evidence_is_noted_and_is_no_want_of_recall() -> None:
    row = found(ranking="fail", generation="pass", answer="pass")
    rival = row.model_copy(update={"scores": row.scores | {"rival_first": 1.0}})

    (entry,) = reading_table([row, rival], generates=True, thresholds=T)

    assert entry.cell == "high recall, high faithfulness, right"
    assert (entry.rows, entry.rivals) == (("q", "q"), ("q",))


def test_rows_that_the_table_cannot_hold() -> None:
    def outside(row: RowResult, *, generates: bool = True) -> str:
        return cell(row, generates=generates, thresholds=T)

    assert outside(found(Kind.UNANSWERABLE)) == "outside: unanswerable"
    crashed = found(Kind.UNANSWERABLE, boundary="error")
    assert outside(crashed) == "outside: error", "no stage judged it"
    assert outside(found(retrieval="pass"), generates=False) == "outside: no answer"


def test_fields_that_a_gate_can_name() -> None:
    assert all(map(known_field, ("id", "kind", "tags", "split", "meta.x")))
    assert not any(map(known_field, ("meta.", "meta", "question", "")))


def test_defaults_that_a_stored_row_leaves_out_still_match() -> None:
    row = Facts("q", Kind.HAPPY_PATH, {"tags": ["vip"]})

    assert matches({"split": "dev", "origin": ["human", "production"], "tags": "vip"}, row)
    assert not matches({"split": "holdout"}, row)
