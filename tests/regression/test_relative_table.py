"""What a relative gate does with one row, each cell of the table a case."""

from typing import Any

import pytest

from evalrag.regression.comparable import Pair
from evalrag.regression.gates import GateSettings, evaluate
from evalrag.regression.measured import measured
from evalrag.schema.diff import Relation
from evalrag.schema.gate import Gate, GateResult
from evalrag.schema.result import RowResult
from evalrag.schema.score import Absent, Failed, NotApplicable, Score, Scored, Unresolved, to_wire
from evalrag.schema.words import Kind, Outcome, Stage

VALUE, LOW = Scored(1.0), Scored(0.0)
NA = NotApplicable("nothing asked")
UNSURE = Unresolved("no verdict", 0.0, 1.0)
FAILED = Unresolved("the judge answered 500", 0.0, 1.0, judge_failed=True)
ERROR = Failed("boom")
ABSENT = Absent("no relevant passage")

RECALL = {"name": "g", "metric": "context_recall", "must": "not_drop"}
FAITH = {"name": "g", "metric": "faithfulness", "must": "not_drop"}
HARD = {"name": "g", "metric": "hard_fail", "must": "not_rise"}
RANK = {"name": "g", "metric": "first_relevant_rank", "must": "not_rise"}
IGNORES = HARD | {"on_unresolved": "ignore"}
WORSE = Unresolved("half a reply", 0.0, 0.4, judge_failed=True)
BOUNDARY = {"name": "g", "metric": "stage.boundary", "must": "not_break"}


def scored(id: str, metric: str, score: Score) -> RowResult:
    if metric.startswith("stage."):
        outcome = {
            VALUE: Outcome.PASS,
            LOW: Outcome.FAIL,
            NA: Outcome.NA,
            UNSURE: Outcome.UNRESOLVED,
            ERROR: Outcome.ERROR,
        }[score]
        return _row(id, stages={Stage(metric.removeprefix("stage.")): outcome})
    numbers, reasons = to_wire({metric: score})
    return _row(id, scores=numbers, reasons=reasons)


def _row(id: str, **fields: Any) -> RowResult:
    base = {
        "id": id,
        "kind": Kind.HAPPY_PATH,
        "digest": "d",
        "asked": "a",
        "outcome": Outcome.PASS,
    }
    return RowResult.model_validate(base | fields)


def gate(
    spec: dict[str, Any],
    before: Score | None,
    after: Score | None,
    relation: Relation = Relation.SAME,
    **settings: Any,
) -> GateResult:
    """The gate over the row `q` and over one that holds, so that something is compared."""
    found = Gate.model_validate(spec)
    fine = LOW if found.metric == "hard_fail" else VALUE
    held = scored("held", found.metric, fine)
    pairs = [
        Pair("held", held, held, Relation.SAME),
        Pair(
            "q",
            None if before is None else scored("q", found.metric, before),
            None if after is None else scored("q", found.metric, after),
            relation,
        ),
    ]
    return evaluate(found, pairs, GateSettings(baseline=True, **settings))


def status(found: GateResult) -> str:
    """What the gate says of `q`: `holds` where it does not name it."""
    return next((row.status.value for row in found.rows if row.id == "q"), "holds")


CELLS = [
    pytest.param(RECALL, VALUE, VALUE, "passed", "holds", id="an equal value holds"),
    pytest.param(RECALL, LOW, VALUE, "passed", "holds", id="a better value holds"),
    pytest.param(RECALL, VALUE, LOW, "failed", "failed", id="a drop fails"),
    pytest.param(HARD, LOW, VALUE, "failed", "failed", id="a rise fails"),
    pytest.param(BOUNDARY, VALUE, LOW, "failed", "failed", id="a break fails"),
    pytest.param(RECALL, VALUE, NA, "failed", "failed", id="a deterministic value that vanishes"),
    pytest.param(FAITH, VALUE, NA, "undecided", "undecided", id="a judged value that vanishes"),
    pytest.param(
        BOUNDARY, VALUE, NA, "passed", "holds", id="a stage that is not asked is no break"
    ),
    pytest.param(
        RANK, Scored(30.0), ABSENT, "failed", "failed", id="absent is worse than any rank"
    ),
    pytest.param(
        RANK, ABSENT, Scored(30.0), "passed", "holds", id="any rank is better than absent"
    ),
    pytest.param(RANK, ABSENT, ABSENT, "passed", "holds", id="absent then and now"),
    pytest.param(RANK, UNSURE, ABSENT, "passed", "not compared", id="unresolved, then absent"),
    pytest.param(FAITH, VALUE, UNSURE, "undecided", "undecided", id="unresolved is undecided"),
    pytest.param(
        HARD | {"on_unresolved": "ignore"}, LOW, UNSURE, "passed", "hidden", id="or it is ignored"
    ),
    pytest.param(
        HARD | {"on_unresolved": "fail"}, LOW, UNSURE, "failed", "failed", id="or it fails"
    ),
    pytest.param(IGNORES, LOW, FAILED, "undecided", "undecided", id="a judge that failed"),
    pytest.param(
        HARD | {"on_unresolved": "fail"}, LOW, FAILED, "undecided", "undecided", id="proves nothing"
    ),
    pytest.param(IGNORES, NA, FAILED, "undecided", "undecided", id="n/a before, a failed judge"),
    pytest.param(IGNORES, UNSURE, FAILED, "undecided", "undecided", id="open, then a failed judge"),
    pytest.param(
        FAITH, Scored(0.5), WORSE, "failed", "failed", id="bounds prove it though the judge failed"
    ),
    pytest.param(RECALL, VALUE, ERROR, "undecided", "undecided", id="an error is undecided"),
    pytest.param(BOUNDARY, VALUE, ERROR, "undecided", "undecided", id="so is a stage's error"),
    pytest.param(RECALL, NA, VALUE, "passed", "holds", id="n/a before, a value now: not compared"),
    pytest.param(RECALL, NA, NA, "passed", "holds", id="n/a before and now: not compared"),
    pytest.param(FAITH, NA, UNSURE, "passed", "holds", id="n/a before, unresolved now"),
    pytest.param(RECALL, NA, ERROR, "undecided", "undecided", id="n/a before, an error now"),
    pytest.param(HARD, UNSURE, VALUE, "failed", "failed", id="unresolved before, proven now"),
    pytest.param(HARD, ERROR, VALUE, "failed", "failed", id="errored before, proven now"),
    pytest.param(BOUNDARY, UNSURE, LOW, "failed", "failed", id="unresolved before, fails now"),
    pytest.param(BOUNDARY, ERROR, LOW, "failed", "failed", id="errored before, fails now"),
    pytest.param(HARD, UNSURE, LOW, "passed", "not compared", id="unresolved before, fine now"),
    pytest.param(FAITH, UNSURE, LOW, "passed", "not compared", id="unresolved before, low now"),
    pytest.param(BOUNDARY, UNSURE, VALUE, "passed", "not compared", id="unresolved, passes now"),
    pytest.param(FAITH, UNSURE, NA, "passed", "not compared", id="unresolved before, n/a now"),
    pytest.param(FAITH, UNSURE, UNSURE, "passed", "not compared", id="unresolved before and now"),
    pytest.param(FAITH, UNSURE, ERROR, "undecided", "undecided", id="unresolved, then an error"),
]


@pytest.mark.parametrize(("spec", "before", "after", "gates", "row"), CELLS)
def test_a_row_that_both_runs_have(
    spec: dict[str, Any], before: Score, after: Score, gates: str, row: str
) -> None:
    found = gate(spec, before, after)

    assert (found.status.value, status(found)) == (gates, row)


NEW = [
    pytest.param(HARD, VALUE, "failed", "failed", id="a proven hard_fail fails"),
    pytest.param(HARD, LOW, "passed", "not compared", id="a fine one is named, not compared"),
    pytest.param(RECALL, LOW, "passed", "not compared", id="another metric is not compared"),
    pytest.param(BOUNDARY, LOW, "passed", "not compared", id="nor is a stage"),
    pytest.param(RECALL, NA, "passed", "not compared", id="n/a is not compared"),
    pytest.param(FAITH, UNSURE, "passed", "not compared", id="unresolved is not compared"),
    pytest.param(RECALL, ERROR, "undecided", "undecided", id="an error is undecided"),
]


@pytest.mark.parametrize(("spec", "after", "gates", "row"), NEW)
def test_a_new_row(spec: dict[str, Any], after: Score, gates: str, row: str) -> None:
    found = gate(spec, None, after, Relation.NEW)

    assert (found.status.value, status(found)) == (gates, row)


EDITED = [
    pytest.param(RECALL, VALUE, VALUE, "passed", "not compared", id="no worse: not compared"),
    pytest.param(RECALL, VALUE, LOW, "undecided", "undecided", id="worse: undecided"),
    pytest.param(RECALL, VALUE, NA, "undecided", "undecided", id="a value that vanishes"),
    pytest.param(BOUNDARY, VALUE, LOW, "undecided", "undecided", id="a stage that broke"),
    pytest.param(BOUNDARY, VALUE, NA, "passed", "not compared", id="a stage that is not asked"),
    pytest.param(FAITH, VALUE, UNSURE, "undecided", "undecided", id="unresolved"),
    pytest.param(RECALL, VALUE, ERROR, "undecided", "undecided", id="an error"),
    pytest.param(RECALL, NA, ERROR, "undecided", "undecided", id="an error where nothing was"),
    pytest.param(RECALL, NA, LOW, "passed", "not compared", id="nothing to compare with"),
]


@pytest.mark.parametrize(("spec", "before", "after", "gates", "row"), EDITED)
def test_an_edited_row(
    spec: dict[str, Any], before: Score, after: Score, gates: str, row: str
) -> None:
    found = gate(spec, before, after, Relation.EDITED)

    assert (found.status.value, status(found)) == (gates, row)


@pytest.mark.parametrize(
    "before", [VALUE, NA, UNSURE, ERROR], ids=["value", "n/a", "open", "error"]
)
def test_a_removed_row_fails(before: Score) -> None:
    found = gate(RECALL, before, None, Relation.REMOVED)

    assert (found.status.value, status(found)) == ("failed", "failed")


def test_a_retired_row_does_not() -> None:
    found = gate(RECALL, VALUE, None, Relation.REMOVED, retired=frozenset({"q"}))

    assert (found.status.value, status(found)) == ("passed", "not compared")


def test_tolerance_is_how_far_a_row_may_move() -> None:
    within = RECALL | {"tolerance": 0.25}

    assert status(gate(within, VALUE, Scored(0.75))) == "holds"
    assert status(gate(within, VALUE, Scored(0.74))) == "failed"


def test_bounds_can_prove_a_drop_and_prove_that_there_is_none() -> None:
    worse = Unresolved("one claim", 0.2, 0.4)
    no_worse = Unresolved("one claim", 0.8, 1.0)

    assert status(gate(FAITH, Scored(0.5), worse)) == "failed"
    assert status(gate(FAITH, Scored(0.8), no_worse)) == "holds"
    assert status(gate(FAITH, Scored(0.9), no_worse)) == "undecided"


def test_a_row_at_the_floor_is_counted_and_so_is_one_that_got_better() -> None:
    assert gate(RECALL, LOW, LOW).at_floor == 1
    assert gate(HARD, VALUE, VALUE).at_floor == 1
    assert gate(RECALL, LOW, VALUE).unprotected == 1
    assert gate(RANK, ABSENT, ABSENT).at_floor == 1
    assert gate(RANK, ABSENT, VALUE).unprotected == 1


def test_no_mean_of_ranks_lets_one_that_went_absent_pass() -> None:
    mean = RANK | {"must": {"mean_drop_at_most": 100}}

    assert status(gate(mean, VALUE, ABSENT)) == "failed"
    assert gate(mean, ABSENT, VALUE).status.value == "passed"


def test_a_gate_that_compared_nothing_is_undecided() -> None:
    found = Gate.model_validate(RECALL)
    pairs = [Pair("q", None, scored("q", "context_recall", VALUE), Relation.NEW)]

    result = evaluate(found, pairs, GateSettings(baseline=True))

    assert result.status.value == "undecided"
    assert "nothing could be compared" in result.message


def test_a_failure_stands_whatever_else_is_undecided() -> None:
    found = Gate.model_validate(RECALL)
    pairs = [
        Pair(id, scored(id, "context_recall", VALUE), scored(id, "context_recall", now), relation)
        for id, now, relation in (
            ("dropped", LOW, Relation.SAME),
            ("errored", ERROR, Relation.SAME),
        )
    ]

    assert evaluate(found, pairs, GateSettings(baseline=True)).status.value == "failed"


def test_a_judged_metric_of_another_judge_is_not_compared() -> None:
    held = scored("q", "faithfulness", VALUE)
    pair = Pair(
        "q", held, scored("q", "faithfulness", LOW), Relation.SAME, frozenset(["faithfulness"])
    )

    found = evaluate(Gate.model_validate(FAITH), [pair], GateSettings(baseline=True))

    assert found.status.value == "undecided"


def test_a_waived_row_is_shown_and_does_not_fail() -> None:
    found = gate(RECALL, VALUE, LOW, waived={("q", "g"): "known"})

    assert found.status.value == "passed"
    assert status(found) == "waived"
    assert found.waived == 1


def test_a_gate_that_waivers_empty_is_undecided() -> None:
    found = gate(RECALL, VALUE, LOW, waived={("q", "g"): "known", ("held", "g"): "known"})

    assert found.status.value == "undecided"


def test_a_row_in_quarantine_stands_outside() -> None:
    assert gate(RECALL, VALUE, LOW, outside={"q": "in quarantine"}).status.value == "passed"


def test_a_stage_is_measured_as_pass_fail_or_a_reason() -> None:
    passing = _row("q", stages={Stage.RETRIEVAL: Outcome.PASS})

    assert measured(passing, "stage.retrieval") == Scored(1.0)
    assert isinstance(measured(passing, "stage.boundary"), NotApplicable)


def test_the_mean_of_a_gate_may_fall_by_so_much() -> None:
    fell = {"name": "g", "metric": "context_recall", "must": {"mean_drop_at_most": 0.5}}
    strict = fell | {"must": {"mean_drop_at_most": 0.4}}

    assert gate(fell, VALUE, LOW).status.value == "passed"
    found = gate(strict, VALUE, LOW)
    assert found.status.value == "failed"
    assert status(found) == "failed"
    assert "n = 2" in found.message


MEAN = {"name": "g", "metric": "faithfulness", "must": {"mean_drop_at_most": 0.05}}


def test_a_mean_whose_rows_were_all_lost_is_undecided() -> None:
    assert gate(MEAN, VALUE, UNSURE).status.value == "undecided"
    assert gate(MEAN | {"on_unresolved": "ignore"}, VALUE, UNSURE).status.value == "passed"
    assert gate(MEAN | {"on_unresolved": "fail"}, VALUE, UNSURE).status.value == "failed"


def test_a_mean_that_rose_the_wrong_way_names_its_rows() -> None:
    rivals = {"name": "g", "metric": "rival_first", "must": {"mean_drop_at_most": 0.1}}

    found = gate(rivals, LOW, VALUE)

    assert found.status.value == "failed"
    assert status(found) == "failed"


def test_a_retired_row_does_not_fail_a_mean_and_a_removed_one_does() -> None:
    recall = {"name": "g", "metric": "context_recall", "must": {"mean_drop_at_most": 0.05}}

    removed = gate(recall, VALUE, None, Relation.REMOVED)
    retired = gate(recall, VALUE, None, Relation.REMOVED, retired=frozenset({"q"}))

    assert (removed.status.value, retired.status.value) == ("failed", "passed")


def test_a_row_of_another_judge_is_undecided_beside_rows_that_can_be_compared() -> None:
    found = Gate.model_validate(HARD | {"on_unresolved": "ignore"})
    fine = scored("held", "hard_fail", LOW)
    other = scored("q", "hard_fail", LOW)
    pairs = [
        Pair("held", fine, fine, Relation.SAME),
        Pair("q", other, other, Relation.SAME, frozenset(["hard_fail"])),
    ]

    assert evaluate(found, pairs, GateSettings(baseline=True)).status.value == "undecided"


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        pytest.param(LOW, UNSURE, "passed", id="open now"),
        pytest.param(UNSURE, UNSURE, "passed", id="open then and now"),
        pytest.param(UNSURE, LOW, "passed", id="open then"),
        pytest.param(NA, LOW, "undecided", id="nothing was asked"),
        pytest.param(LOW, FAILED, "undecided", id="the judge failed"),
    ],
)
def test_a_gate_that_ignores_what_is_open_holds_where_nothing_was_decided(
    before: Score, after: Score, status: str
) -> None:
    pair = Pair(
        "q", scored("q", "hard_fail", before), scored("q", "hard_fail", after), Relation.SAME
    )
    settings = GateSettings(baseline=True)

    assert evaluate(Gate.model_validate(IGNORES), [pair], settings).status.value == status
    assert evaluate(Gate.model_validate(HARD), [pair], settings).status.value == "undecided"


def test_a_stage_that_a_failed_judge_left_open_is_no_open_verdict() -> None:
    numbers, reasons = to_wire({"faithfulness": FAILED})
    stages = dict.fromkeys((Stage.GENERATION, Stage.BOUNDARY), Outcome.UNRESOLVED)
    both = _row("q", stages=stages, scores=numbers, reasons=reasons)

    assert measured(both, "stage.generation") == Unresolved("undecided", 0.0, 1.0, True)
    assert measured(both, "stage.boundary") == Unresolved("undecided", 0.0, 1.0)
