"""The word `defaults` in a plan's list of gates, and what a stored run makes of it."""

from typing import Any

import pytest

from evalrag.regression.default_gates import DEFAULTS, default_names, with_defaults
from evalrag.regression.plan_rules import plan_problems
from evalrag.schema.gate import Gate
from evalrag.schema.plan import Plan
from evalrag.schema.run import RunRecord
from tests.builders import changed, decide, failed_gates, good_run, row, run, trace, verdicts

SIX = tuple(default.gate.name for default in DEFAULTS)
FLOOR = Gate.model_validate(
    {"name": "floor", "metric": "context_recall", "must": {"mean_at_least": 0.5}}
)
BOTH = with_defaults(("defaults", FLOOR))
ROWS = [row("h1"), row("n1", "near-miss"), row("u1", "unanswerable")]
MISSED = (trace(["x-1"], answer="An answer."), verdicts())


def names(verdict: Any) -> list[str]:
    return [gate.name for gate in verdict.gates]


def test_the_word_stands_for_the_six_where_it_stands() -> None:
    assert [gate.name for gate in with_defaults((FLOOR, "defaults"))] == ["floor", *SIX]
    assert default_names(BOTH) == default_names(None) == frozenset(SIX)


def test_a_stored_run_keeps_which_of_its_gates_are_default_ones() -> None:
    head = good_run(ROWS, gates=BOTH)[0]

    again = RunRecord.model_validate_json(head.model_dump_json())

    assert default_names(again.gates) == frozenset(SIX)


def test_a_gate_of_the_same_words_that_the_plan_writes_itself_is_its_own() -> None:
    copied = tuple(default.gate for default in DEFAULTS)

    assert default_names(copied) == frozenset()
    assert decide(good_run(ROWS, gates=(FLOOR,))).missing_gates == ()
    verdict = decide(good_run(ROWS, id="0002", gates=copied), good_run(ROWS))
    assert failed_gates(verdict) == ["old policies stay down"]


def test_a_default_gate_that_looks_at_nothing_is_not_installed_and_said() -> None:
    verdict = decide(good_run(ROWS, id="0002", gates=BOTH), good_run(ROWS))

    assert names(verdict) == [n for n in SIX if n != "old policies stay down"] + ["floor"]
    assert [missing.name for missing in verdict.missing_gates] == ["old policies stay down"]
    assert any("default gate not installed: old policies" in line for line in verdict.head)
    assert verdict.exit_code == 0


def test_a_default_gate_is_kept_for_rows_that_only_the_baseline_has() -> None:
    base = good_run(ROWS, gates=BOTH)
    left = [golden for golden in ROWS if golden.id != "n1"]
    now = run(left, [r for r in base[1] if r.id != "n1"], gates=BOTH)

    assert "rivals do not climb" in failed_gates(decide(now, base))


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        pytest.param(None, BOTH, [], id="a gate is added to the six"),
        pytest.param(BOTH, None, ["gate 'floor' is gone"], id="it is taken away again"),
        pytest.param(BOTH, BOTH, [], id="nothing changed"),
        pytest.param(
            BOTH,
            (FLOOR,),
            [f"gate {n!r} is gone" for n in SIX if n != "old policies stay down"],
            id="the word",
        ),
    ],
)
def test_what_is_loosened_is_said_of_the_gates_that_the_word_stands_for(
    before: Any, now: Any, said: list[str]
) -> None:
    verdict = decide(good_run(ROWS, id="0002", gates=now), good_run(ROWS, gates=before))

    assert list(verdict.diff.loosened) == said


def test_a_default_gate_fails_as_it_does_without_the_word() -> None:
    base = good_run(ROWS)
    results = changed(base, ROWS, h1=MISSED)

    alone = decide(run(ROWS, results), base)
    named = decide(run(ROWS, results, gates=BOTH), base)

    assert failed_gates(named) == failed_gates(alone) == ["evidence holds"]


def problems(*gates: Any, metrics: Any = None) -> list[str]:
    plan = Plan.model_validate(
        {
            "version": 1,
            "name": "n",
            "dataset": {"path": "d.jsonl"},
            "pipeline": {"retriever": {"use": "a:b"}},
            "metrics": metrics,
            "gates": list(gates),
        }
    )
    return [f"{'.'.join(map(str, where))}: {message}" for where, message in plan_problems(plan)]


def test_a_gate_beside_the_word_needs_another_name_than_the_six() -> None:
    clash = {"name": "evidence holds", "metric": "ndcg", "must": "not_drop"}

    assert problems("defaults", clash) == [
        "gates.1.name: `defaults` has a gate called 'evidence holds': give this one another name"
    ]
    assert problems(clash) == []


def test_a_default_gate_whose_metric_is_left_out_is_no_error_of_the_plan() -> None:
    assert problems("defaults", metrics=["ndcg"]) == []


def test_the_schema_of_a_plan_says_what_the_word_stands_for() -> None:
    gates = Plan.model_json_schema()["properties"]["gates"]

    assert {"const": "defaults", "type": "string"} in gates["anyOf"][0]["items"]["oneOf"]
    assert "stands for the six default gates" in gates["description"]
