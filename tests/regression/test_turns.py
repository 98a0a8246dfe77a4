"""Recall turn by turn, and the places where a context that was used again is said."""

from typing import Any

from evalrag.regression.scoring import decide_again
from evalrag.regression.turns import by_turn
from evalrag.regression.where import about, matches
from evalrag.schema.result import RowResult
from evalrag.schema.row import Row
from evalrag.schema.verdict import TurnRecall
from tests.builders import changed, decide, good_run, result, row, run, scoring, trace, verdicts

TALK = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "A bike, please."},
]
ROWS = [row("h1"), row("h2"), row("h3", history=TALK), row("h4", history=TALK)]


def scored(golden: Row, *window: str, **more: Any) -> RowResult:
    return result(golden, (trace(window, "x-9", answer="An answer.", **more), verdicts()))


def test_the_turn_is_counted_by_what_the_user_said() -> None:
    assert about(ROWS[2]) == {"turn": 3}
    assert about(ROWS[0]) == {}


def test_a_gate_can_look_at_later_turns_alone() -> None:
    first, third = scored(ROWS[0], "h1-gold"), scored(ROWS[2], "h3-gold")

    assert matches({"turn": [2, 3]}, third)
    assert not matches({"turn": [2, 3]}, first)
    assert matches({"turn": 1}, first)


def test_recall_of_each_turn_has_its_own_denominator_and_its_reuses() -> None:
    results = [
        scored(ROWS[0], "h1-gold"),
        scored(ROWS[2], "h3-gold"),
        scored(ROWS[3], "x-1", context_reused_from=1),
        result(ROWS[3], (trace([], error="away", error_stage="retrieval"), None)),
    ]
    first: dict[str, Any] = {"turn": 1, "kind": "happy-path", "origin": "human"}
    third = {**first, "turn": 3}

    assert by_turn(results) == (
        TurnRecall(
            turn=1, kind="happy-path", origin="human", rows=1, scored=1, recall=1.0, reused=0
        ),
        TurnRecall(**third, rows=3, scored=2, recall=0.5, reused=1),
    )


def test_rows_of_another_kind_or_origin_are_not_pooled() -> None:
    other = [row("m1", "multi-hop", history=TALK), row("s1", history=TALK, origin="synthetic")]
    results = [scored(ROWS[2], "h3-gold"), scored(other[0], "m1-gold"), scored(other[1], "x-1")]

    assert [(t.origin, t.kind, t.recall) for t in by_turn(results)] == [
        ("human", "happy-path", 1.0),
        ("human", "multi-hop", 0.0),
        ("synthetic", "happy-path", 0.0),
    ]


def test_without_a_history_there_is_nothing_to_say() -> None:
    assert by_turn([scored(ROWS[0], "h1-gold")]) == ()


def test_the_head_names_rows_that_failed_on_an_earlier_turns_passages_and_no_other() -> None:
    base = good_run(ROWS)
    reused: dict[str, Any] = {"context_reused_from": 1, "answer": "An answer."}
    bad = trace(["x-1"], **reused), verdicts()
    fine = trace(["h4-gold"], **reused), verdicts()

    verdict = decide(run(ROWS, changed(base, ROWS, h3=bad, h4=fine)), base)

    assert verdict.warnings["reused-context"] == ("h3", "h4")
    said = [line for line in verdict.head if "earlier turn" in line]
    assert said == [
        "1 row failed on passages of an earlier turn (reused-context): h3; --full shows recall "
        "turn by turn"
    ]


def test_the_warning_outlives_other_thresholds() -> None:
    stored = scored(ROWS[3], "h4-gold", context_reused_from=1)

    again = decide_again(stored, scoring())

    assert [warning.code for warning in again.warnings] == ["reused-context"]
