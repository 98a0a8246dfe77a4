"""Runs side by side: what a row did in each, and what is called flaky."""

from evalrag.regression.history import history
from evalrag.reporters.history import history_text
from evalrag.schema.words import Kind, Outcome
from tests.builders import Run, changed, good, good_run, pipeline, record, row, run, trace, verdicts

ROWS = [row("h1"), row("h2"), row("n", "near-miss")]
BASE = good_run(ROWS)
MISSED = (trace(["x-1"], answer="An answer."), verdicts())
P, F = Outcome.PASS, Outcome.FAIL


def later(id: str, *, index: str = "same", **attempts: object) -> Run:
    return run(ROWS, changed(BASE, ROWS, **attempts), id=id, pipeline=pipeline(index=index))


def test_a_row_has_an_outcome_a_run_and_none_where_it_was_not_run() -> None:
    partial = (record(ROWS, id="0002"), [one for one in BASE[1] if one.id != "n"])
    found = history("plan", [BASE, partial, later("0003", index="x", n=MISSED)])

    assert [run.id for run in found.runs] == ["0001", "0002", "0003"]
    by_id = {one.id: one.outcomes for one in found.rows}
    assert by_id == {"n": (P, None, F), "h1": (P, P, P), "h2": (P, P, P)}
    assert found.rows[0].id == "n"
    assert [one.steady for one in found.rows] == [False, True, True]


def test_a_kind_counts_its_rows_in_each_run() -> None:
    found = history("plan", [BASE, later("0002", index="x", h1=MISSED)])
    first, second = found.kinds[Kind.HAPPY_PATH]
    assert (first.passed, first.failed, first.rows) == (2, 0, 2)
    assert (second.passed, second.failed, second.rows) == (1, 1, 2)
    assert Kind.MULTI_HOP not in found.kinds


def test_a_row_is_flaky_where_it_moved_and_nothing_else_did() -> None:
    same = history("plan", [BASE, later("0002", h1=MISSED)])
    changed_index = history("plan", [BASE, later("0002", index="x", h1=MISSED)])

    assert {one.id for one in same.rows if one.flaky} == {"h1"}
    assert not any(one.flaky for one in changed_index.rows)


def test_a_row_is_not_called_flaky_where_the_pipeline_may_have_changed_unseen() -> None:
    unknown = pipeline().model_copy(update={"unknown": ("index",)})
    runs = [run(ROWS, BASE[1], id="0001", pipeline=unknown)]
    runs.append(run(ROWS, changed(BASE, ROWS, h1=MISSED), id="0002", pipeline=unknown))
    assert not any(one.flaky for one in history("plan", runs).rows)


def test_of_rows_that_fail_those_that_passed_before_come_first() -> None:
    first = later("0001", n=MISSED, h1=MISSED)
    second = later("0002", index="x", n=MISSED, h1=MISSED, h2=MISSED)
    found = history("plan", [first, second])
    assert [one.id for one in found.rows] == ["h2", "h1", "n"]


def test_a_row_whose_attempts_did_not_agree_is_flaky() -> None:
    several = changed(BASE, ROWS, h1=[good(ROWS[0]), MISSED, good(ROWS[0])])
    found = history("plan", [run(ROWS, several, id="0001")])
    assert {one.id: one.flaky for one in found.rows}["h1"]


def test_a_row_that_passes_and_fails_by_turns_is_marked_whatever_changed() -> None:
    runs = [BASE] + [
        later(f"000{n}", index=str(n), **({"h1": MISSED} if n % 2 == 0 else {}))
        for n in range(2, 5)
    ]
    found = history("plan", runs)

    marked = {one.id: one.turns for one in found.rows if one.restless}
    assert marked == {"h1": 3}
    assert not any(one.flaky for one in found.rows)
    said = history_text(found)
    assert "; ! passes and fails by turns" in said
    assert "  PFPF ! happy-path   h1\n" in said
    once = history("plan", runs[:2])
    assert "!" not in history_text(once)
