"""Rules that need no baseline, by best and worst case."""

from typing import Any

import pytest

from evalrag.regression.comparable import Pair
from evalrag.regression.gates import GateSettings, evaluate
from evalrag.schema.diff import Relation
from evalrag.schema.gate import Gate
from evalrag.schema.score import Score, Scored, Unresolved
from tests.regression.test_relative_table import ABSENT, ERROR, LOW, NA, UNSURE, VALUE, scored


def decide(spec: dict[str, Any], *scores: Score) -> tuple[str, list[str]]:
    """The gate's status, and the rows that it names as failed or undecided."""
    gate = Gate.model_validate({"name": "g", **spec})
    pairs = [
        Pair(f"q{n}", None, scored(f"q{n}", gate.metric, score), Relation.NEW)
        for n, score in enumerate(scores)
    ]
    found = evaluate(gate, pairs, GateSettings(baseline=False))
    loud = [row.id for row in found.rows if row.status.value in ("failed", "undecided")]
    return found.status.value, loud


NONE_INVENTED = {"metric": "hard_fail", "must": {"total_at_most": 0}}
EACH = {"metric": "faithfulness", "must": {"at_least": 0.8}}
MEAN = {"metric": "context_recall", "must": {"mean_at_least": 0.5}}
RATE = {"metric": "stage.boundary", "must": {"rate_at_least": 0.5}}
RANK = {"metric": "first_relevant_rank", "must": {"at_most": 500}}
RANKS = {"metric": "first_relevant_rank", "must": {"total_at_most": 500}}
FEW = {"metric": "superseded_in_context", "must": {"at_most": 1}}


@pytest.mark.parametrize(
    ("spec", "scores", "status", "rows"),
    [
        pytest.param(NONE_INVENTED, [LOW, LOW], "passed", [], id="a total that holds"),
        pytest.param(NONE_INVENTED, [VALUE, LOW], "failed", ["q0"], id="a total that does not"),
        pytest.param(NONE_INVENTED, [UNSURE, LOW], "undecided", ["q0"], id="an open total"),
        pytest.param(NONE_INVENTED, [ERROR, LOW], "undecided", ["q0"], id="an errored row is open"),
        pytest.param(NONE_INVENTED, [VALUE, ERROR], "failed", ["q0"], id="proven whatever is open"),
        pytest.param(NONE_INVENTED, [NA, LOW], "passed", [], id="n/a counts as nothing"),
        pytest.param(NONE_INVENTED, [NA, NA], "undecided", [], id="no value at all is undecided"),
        pytest.param(
            NONE_INVENTED | {"on_unresolved": "ignore"}, [UNSURE, LOW], "passed", [], id="ignored"
        ),
        pytest.param(
            NONE_INVENTED | {"on_unresolved": "ignore"},
            [UNSURE],
            "undecided",
            [],
            id="ignoring everything decides nothing",
        ),
        pytest.param(
            NONE_INVENTED | {"on_unresolved": "fail"}, [UNSURE, LOW], "failed", [], id="or it fails"
        ),
        pytest.param(RANK, [VALUE, ABSENT], "failed", ["q1"], id="absent is at most no rank"),
        pytest.param(RANKS, [VALUE, ABSENT], "failed", ["q0", "q1"], id="and in no total"),
        pytest.param(EACH, [VALUE, Scored(0.8)], "passed", [], id="0.8 is at least 0.8"),
        pytest.param(EACH, [VALUE, Scored(0.79)], "failed", ["q1"], id="0.79 is not"),
        pytest.param(
            EACH, [Unresolved("one", 0.8, 1.0)], "passed", [], id="bounds that cannot miss"
        ),
        pytest.param(
            EACH, [Unresolved("one", 0.5, 0.7)], "failed", ["q0"], id="bounds that cannot reach"
        ),
        pytest.param(EACH, [UNSURE], "undecided", ["q0"], id="bounds that say nothing"),
        pytest.param(MEAN, [VALUE, LOW], "passed", [], id="a mean that holds"),
        pytest.param(MEAN, [VALUE, LOW, LOW], "failed", ["q1", "q2"], id="a mean that does not"),
        pytest.param(MEAN, [VALUE, ERROR, LOW], "undecided", ["q1"], id="a mean that is open"),
        pytest.param(MEAN, [VALUE, VALUE, ERROR], "passed", [], id="a mean that nothing can turn"),
        pytest.param(RATE, [VALUE, LOW], "passed", [], id="a rate that holds"),
        pytest.param(RATE, [VALUE, LOW, LOW], "failed", ["q1", "q2"], id="a rate that does not"),
        pytest.param(FEW, [Scored(1.0)], "passed", [], id="at most"),
        pytest.param(FEW, [Scored(2.0)], "failed", ["q0"], id="more than at most"),
    ],
)
def test_an_absolute_rule(
    spec: dict[str, Any], scores: list[Score], status: str, rows: list[str]
) -> None:
    assert decide(spec, *scores) == (status, rows)


def test_a_written_gate_that_matches_no_row_fails() -> None:
    gate = Gate.model_validate({"name": "g", "where": {"tags": "vip"}, **MEAN})
    pairs = [Pair("q", None, scored("q", "context_recall", VALUE), Relation.NEW)]

    found = evaluate(gate, pairs, GateSettings(baseline=False))

    assert found.status.value == "failed"
    assert "allow_empty" in found.message


def test_unless_the_plan_allows_it_or_a_selection_emptied_it() -> None:
    gate = Gate.model_validate({"name": "g", "where": {"tags": "vip"}, **MEAN})
    allowed = gate.model_copy(update={"allow_empty": True})
    pairs = [Pair("q", None, scored("q", "context_recall", VALUE), Relation.NEW)]
    elsewhere = GateSettings(baseline=False, partial=True, dataset_rows={"g": 2})

    assert evaluate(allowed, pairs, GateSettings(baseline=False)).status.value == "not evaluated"
    assert evaluate(gate, pairs, elsewhere).status.value == "not evaluated"


def test_several_rules_and_one_baseline_that_is_missing() -> None:
    both = {"metric": "context_recall", "must": ["not_drop", {"mean_at_least": 0.5}]}

    assert decide(both, VALUE)[0] == "no baseline"
    assert decide(both, LOW)[0] == "failed"
