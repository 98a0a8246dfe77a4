"""What is wrong with a plan's metrics and gates that its types cannot see."""

from typing import Any

import pytest

from evalrag.regression.plan_rules import plan_problems
from evalrag.schema.plan import Plan


def said(metrics: list[str] | None = None, **gate: Any) -> list[str]:
    plan = Plan.model_validate(
        {
            "version": 1,
            "name": "n",
            "dataset": {"path": "d.jsonl"},
            "pipeline": {"retriever": {"use": "a:b"}},
            "metrics": metrics,
            "gates": [{"name": "g", "metric": "context_recall", "must": "not_drop"} | gate],
        }
    )
    return [f"{'.'.join(map(str, where))}: {message}" for where, message in plan_problems(plan)]


@pytest.mark.parametrize(
    "gate",
    [
        pytest.param({}, id="a drop of what is better high"),
        pytest.param({"metric": "rival_first", "must": "not_rise"}, id="a rise of the other"),
        pytest.param({"metric": "rival_first", "must": {"at_most": 0}}, id="at most"),
        pytest.param({"metric": "faithfulness", "must": {"mean_at_least": 0.5}}, id="a mean"),
        pytest.param({"metric": "hit", "must": {"rate_at_least": 0.5}}, id="a rate of 0 and 1"),
        pytest.param({"metric": "tokens", "must": {"at_most": 10}}, id="a cost, absolutely"),
        pytest.param({"metric": "stage.answer", "must": "not_break"}, id="a stage"),
        pytest.param({"metric": "outcome", "must": "not_break"}, id="the outcome"),
        pytest.param({"where": {"kind": ["near-miss"], "meta.x": "y"}}, id="fields of rows"),
        pytest.param({"where": {"tags": "anything"}}, id="a field of open words"),
        pytest.param({"tolerance": 0.1}, id="a tolerance of a drop"),
    ],
)
def test_a_gate_that_makes_sense(gate: dict[str, Any]) -> None:
    assert said(**gate) == []


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ({"where": {"kinds": "x"}}, "where.kinds: rows have no field 'kinds' (did you mean 'kind'"),
        ({"where": {"kind": "near-mis"}}, "no kind is called 'near-mis' (did you mean 'near-miss'"),
        ({"metric": "recal"}, "metric: no metric is called 'recal'"),
        ({"metric": "tokens", "must": "not_rise"}, "a baseline keeps no tokens; use at_most"),
        ({"must": "not_break"}, "not_break is for stage.NAME and outcome"),
        ({"metric": "rival_first"}, "rival_first is better when it is lower: use not_rise"),
        ({"must": "not_rise"}, "context_recall is better when it is higher: use not_drop"),
        ({"metric": "rival_first", "must": {"at_least": 1}}, "use at_most or total_at_most"),
        ({"metric": "hard_fail", "must": {"rate_at_least": 0.9}}, "better when it is lower"),
        ({"where": {"tags": [True]}}, 'write "true"'),
        ({"where": {"intent": 1.0}}, 'write "1.0"'),
        ({"must": {"rate_at_least": 1}}, "use mean_at_least for context_recall"),
        ({"must": {"at_least": 1}, "tolerance": 0.1}, "this gate has neither"),
    ],
)
def test_a_gate_that_makes_none(gate: dict[str, Any], message: str) -> None:
    (problem,) = said(**gate)

    assert message in problem
    assert problem.startswith("gates.0.")


def test_a_gate_needs_a_metric_that_the_plan_keeps() -> None:
    assert said(["context_recall"]) == []
    assert said(["context_recall"], metric="faithfulness") == []
    (problem,) = said(["context_recall"], metric="ndcg")
    assert problem == "gates.0.metric: `metrics` of the plan leaves ndcg out"


def test_a_metric_to_keep_has_to_exist() -> None:
    (problem,) = said(["context_recall", "ndgc"])

    assert problem.startswith(
        "metrics.1: no retrieval metric is called 'ndgc' (did you mean 'ndcg'"
    )
