"""The word `defaults` in a plan's list of gates, and what a stored run makes of it."""

from typing import Any

import pytest

from evalrag.regression.default_gates import (
    DEFAULTS,
    Held,
    default_gates,
    default_names,
    with_defaults,
)
from evalrag.regression.plan_rules import plan_problems
from evalrag.schema.diff import Change
from evalrag.schema.gate import Gate
from evalrag.schema.plan import Plan
from evalrag.schema.run import RunRecord, Selection
from evalrag.schema.words import Kind, Stage
from tests.builders import (
    changed,
    decide,
    failed_gates,
    gate_of,
    good,
    good_run,
    result,
    row,
    run,
    trace,
    verdicts,
)

TEN = tuple(default.gate.name for default in DEFAULTS)
FLOOR = Gate.model_validate(
    {"name": "floor", "metric": "context_recall", "must": {"mean_at_least": 0.5}}
)
BOTH = with_defaults(("defaults", FLOOR))
ROWS = [row("h1"), row("n1", "near-miss"), row("u1", "unanswerable")]
MISSED = (trace(["x-1"], answer="An answer."), verdicts())


UNLABELLED = [
    "facts stay supported",
    "superseded passages stay out",
    "nothing forbidden is retrieved",
    "right answers stay right",
]
"""Those that none of ROWS gives anything to look at."""


def names(verdict: Any) -> list[str]:
    return [gate.name for gate in verdict.gates]


def test_the_word_stands_for_the_ten_where_it_stands() -> None:
    assert [gate.name for gate in with_defaults((FLOOR, "defaults"))] == ["floor", *TEN]
    assert default_names(BOTH) == default_names(None) == frozenset(TEN)


def test_a_stored_run_keeps_which_of_its_gates_are_default_ones() -> None:
    head = good_run(ROWS, gates=BOTH)[0]

    again = RunRecord.model_validate_json(head.model_dump_json())

    assert default_names(again.gates) == frozenset(TEN)


def test_a_gate_of_the_same_words_that_the_plan_writes_itself_is_its_own() -> None:
    copied = tuple(default.gate for default in DEFAULTS)

    assert default_names(copied) == frozenset()
    assert decide(good_run(ROWS, gates=(FLOOR,))).missing_gates == ()
    verdict = decide(good_run(ROWS, id="0002", gates=copied), good_run(ROWS))
    assert failed_gates(verdict) == ["superseded passages stay out"]


def test_a_default_gate_that_looks_at_nothing_is_not_installed_and_said() -> None:
    verdict = decide(good_run(ROWS, id="0002", gates=BOTH), good_run(ROWS))

    assert names(verdict) == [n for n in TEN if n not in UNLABELLED] + ["floor"]
    assert [missing.name for missing in verdict.missing_gates] == UNLABELLED
    assert any("default gate not installed: superseded passages" in line for line in verdict.head)
    assert verdict.exit_code == 0


def test_a_default_gate_is_kept_for_rows_that_only_the_baseline_has() -> None:
    base = good_run(ROWS, gates=BOTH)
    left = [golden for golden in ROWS if golden.id != "n1"]
    now = run(left, [r for r in base[1] if r.id != "n1"], gates=BOTH)

    assert "rivals stay below the evidence" in failed_gates(decide(now, base))


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        pytest.param(None, BOTH, [], id="a gate is added to the ten"),
        pytest.param(BOTH, None, ["gate 'floor' is gone"], id="it is taken away again"),
        pytest.param(BOTH, BOTH, [], id="nothing changed"),
        pytest.param(
            BOTH,
            (FLOOR,),
            [f"gate {n!r} is gone" for n in TEN if n not in UNLABELLED],
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

    assert failed_gates(named) == failed_gates(alone) == ["evidence is retrieved"]


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


def test_a_gate_beside_the_word_needs_another_name_than_the_ten() -> None:
    clash = {"name": "evidence is retrieved", "metric": "ndcg", "must": "not_drop"}

    assert problems("defaults", clash) == [
        "gates.1.name: `defaults` has a gate called 'evidence is retrieved': "
        "give this one another name"
    ]
    assert problems(clash) == []


def test_a_default_gate_whose_metric_is_left_out_is_no_error_of_the_plan() -> None:
    assert problems("defaults", metrics=["ndcg"]) == []


def test_the_schema_of_a_plan_says_what_the_word_stands_for() -> None:
    gates = Plan.model_json_schema()["properties"]["gates"]

    assert {"const": "defaults", "type": "string"} in gates["anyOf"][0]["items"]["oneOf"]
    assert "stands for the ten default gates" in gates["description"]


def held(**more: Any) -> Held:
    base: dict[str, Any] = {
        "kinds": dict.fromkeys(Kind, 1),
        "labels": dict.fromkeys(("gold", "facts alone", "rivals", "forbidden", "answer checks"), 1),
        "offers": ("hard_fail", "claim_recall", "answer_correctness"),
    }
    return Held(**(base | more))


ANSWERS = [default.gate.name for default in DEFAULTS if default.answers]
NOT_INSTALLED = [
    pytest.param(held(), [], id="everything is there"),
    pytest.param(held(generates=False), ANSWERS, id="a retrieval-only plan"),
    pytest.param(held(kinds={"happy-path": 1}), [TEN[2], TEN[3]], id="happy rows alone"),
    pytest.param(
        held(kinds={"unanswerable": 1}, labels={}),
        [n for n in TEN if n not in ("nothing is invented", "answerable rows are answered")],
        id="unanswerable rows alone",
    ),
    pytest.param(
        held(labels={}),
        [TEN[0], TEN[1], TEN[4], TEN[5], TEN[9]],
        id="rows without a label",
    ),
    pytest.param(
        held(labels={"gold": 1, "reference": 1}, outdated=True),
        ["facts stay supported", "nothing forbidden is retrieved"],
        id="a reference that the judge reads, and rivals by the plan",
    ),
    pytest.param(
        held(labels={"gold": 1, "reference": 1, "rivals": 1}, offers=("hard_fail",)),
        ["facts stay supported", "nothing forbidden is retrieved", "right answers stay right"],
        id="a reference that the judge does not read",
    ),
    pytest.param(
        held(offers=()),
        [TEN[1], TEN[2], TEN[7], TEN[8]],
        id="a judge that measures nothing: answer checks need none",
    ),
    pytest.param(held(kept=["context_recall"]), [TEN[3], TEN[4], TEN[5]], id="metrics left out"),
]


@pytest.mark.parametrize(("what", "missing"), NOT_INSTALLED)
def test_a_default_gate_is_installed_where_plan_and_rows_give_it_something(
    what: Held, missing: list[str]
) -> None:
    installed, left_out = default_gates(what)

    assert [one.name for one in left_out] == missing
    assert [gate.name for gate in installed] == [name for name in TEN if name not in missing]
    assert all(one.why and one.unguarded for one in left_out)


def test_a_selection_of_rows_that_a_labelled_gate_asks_nothing_of_leaves_it_not_evaluated() -> None:
    rows = [row("h1"), row("h2", forbidden=["x-9"], answer_contains=["An answer"])]
    base = good_run(rows)
    chosen = run(rows, base[1][:1], chosen=rows[:1], selection=Selection(row=("h1",)))

    verdict = decide(chosen, base)

    assert gate_of(verdict, "nothing forbidden is retrieved").status.value == "not evaluated"
    assert gate_of(verdict, "right answers stay right").status.value == "not evaluated"
    assert verdict.exit_code == 0


@pytest.mark.parametrize("kind", ["happy-path", "unanswerable"])
def test_a_forbidden_candidate_fails_the_gate_and_the_retrieval_stage(kind: str) -> None:
    golden = row("q1", kind, forbidden=["x-2"])
    rows = [golden, row("h1")]
    seen, said = good(golden)
    clean = (seen | {"candidates": seen["candidates"][:-1]}, said)
    base = run(rows, [result(golden, clean), result(rows[1], good(rows[1]))], id="0001")

    verdict = decide(run(rows, changed(base, rows, q1=(seen, said))), base)

    assert decide(run(rows, base[1]), base).exit_code == 0
    assert failed_gates(verdict) == ["nothing forbidden is retrieved"]
    (change,) = (one for one in verdict.diff.changes if one.id == "q1")
    assert (change.change, change.stages[Stage.RETRIEVAL]) == (Change.BROKE, Change.BROKE)
