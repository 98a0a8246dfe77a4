"""Several attempts made one: lower median, majority of stages, worst `hard_fail`."""

from typing import Any

import pytest

from evalrag.regression.attempts import combine, flaky
from evalrag.regression.means import means, metric_names
from evalrag.schema.result import Attempt
from evalrag.schema.score import Absent, Failed, NotApplicable, Score, Scored, Unresolved, to_wire
from evalrag.schema.words import Outcome, Stage
from tests.builders import decide, good, good_run, result, row, run, trace, verdicts

ABSENT = Absent("no relevant passage")
NA, ERROR = NotApplicable("nothing asked"), Failed("boom")
UNSURE = Unresolved("no verdict")
WIDE = Unresolved("attempts that are unresolved could turn the median", 0.0, 1.0)


def attempt(metric: str, score: Score, **fields: Any) -> Attempt:
    numbers, reasons = to_wire({metric: score})
    base: dict[str, Any] = {"outcome": Outcome.PASS, "scores": numbers, "reasons": reasons}
    return Attempt(**(base | fields))


def combined(metric: str, *scores: Score) -> Score:
    return combine([attempt(metric, score) for score in scores]).score(metric)


@pytest.mark.parametrize(
    ("metric", "scores", "expected"),
    [
        pytest.param("ndcg", [0.2, 0.9, 0.4], Scored(0.4), id="the middle of three"),
        pytest.param("ndcg", [0.2, 0.9], Scored(0.2), id="of two the worse"),
        pytest.param(
            "rival_first", [0.0, 1.0], Scored(1.0), id="where lower is better, the higher"
        ),
        pytest.param("first_relevant_rank", [2.0, ABSENT, 9.0], Scored(9.0), id="absent is worst"),
        pytest.param("first_relevant_rank", [2.0, ABSENT], ABSENT, id="absent in the middle"),
        pytest.param("faithfulness", [1.0, UNSURE, 1.0], Scored(1.0), id="one that turns nothing"),
        pytest.param("faithfulness", [0.0, UNSURE, 1.0], WIDE, id="one that could be the middle"),
        pytest.param(
            "faithfulness",
            [0.0, Unresolved("x", 0.6, 0.7), 1.0],
            Unresolved(WIDE.reason, 0.6, 0.7),
            id="by its own bounds",
        ),
        pytest.param("ndcg", [ERROR, 0.5], ERROR, id="half of them errored"),
        pytest.param("ndcg", [ERROR, 0.5, 0.6], Scored(0.5), id="fewer than half errored"),
        pytest.param("ndcg", [NA, 0.5], Scored(0.5), id="what asks nothing does not count"),
        pytest.param("ndcg", [NA, NA], NA, id="no value at all"),
        pytest.param("hard_fail", [0.0, 0.0, 1.0], Scored(1.0), id="one hard failure is one"),
        pytest.param("hard_fail", [0.0, 0.0], Scored(0.0), id="none is none"),
        pytest.param("hard_fail", [ERROR, 1.0], Scored(1.0), id="proven, whatever errored"),
        pytest.param("hard_fail", [ERROR, 0.0], ERROR, id="errored is not fine"),
        pytest.param(
            "hard_fail",
            [UNSURE, 0.0],
            Unresolved("an attempt is unresolved", 0.0, 1.0),
            id="an open one may be the worst",
        ),
        pytest.param("hard_fail", [NA, NA], NA, id="a hard failure of nothing"),
    ],
)
def test_scores_of_several_attempts(metric: str, scores: list[Any], expected: Score) -> None:
    given = [Scored(score) if isinstance(score, float) else score for score in scores]

    assert combined(metric, *given) == expected


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        pytest.param("pass pass fail", Outcome.PASS, id="most passed"),
        pytest.param("pass fail", Outcome.FAIL, id="a tie fails"),
        pytest.param("pass unresolved", Outcome.UNRESOLVED, id="a tie with an open one is open"),
        pytest.param("na pass", Outcome.PASS, id="those that were not asked do not count"),
    ],
)
def test_stages_of_several_attempts(outcomes: str, expected: Outcome) -> None:
    stage = Stage.GENERATION
    found = combine(
        [attempt("ndcg", NA, stages={stage: Outcome(name)}) for name in outcomes.split()]
    )

    assert found.stages[stage] is found.outcome is expected


H1, H2 = row("h1"), row("h2")
LOST = (trace(["x-1"], answer="I cannot find that."), verdicts("DECLINED"))


def test_the_answer_shown_is_of_an_attempt_that_ended_as_the_row_did() -> None:
    found = result(H1, good(H1), LOST, LOST)

    assert found.answer == "I cannot find that."
    assert found.flaky
    assert not flaky([*found.attempts[1:]])


def test_a_mean_is_over_rows_and_in_a_row_over_its_attempts() -> None:
    before = good_run([H1, H2])
    now = run([H1, H2], [result(H1, good(H1), LOST, LOST, LOST), result(H2, LOST)])

    mean = next(m for m in decide(now, before).means if m.metric == "context_recall")

    assert (mean.value, mean.before, mean.after) == (0.125, 1.0, 0.125)
    assert (mean.scored, mean.eligible, mean.paired) == (2, 2, 2)


def test_a_metric_that_no_row_has_a_value_of_is_named_all_the_same() -> None:
    found = result(H1, (trace(["h1-gold"], answer="x"), None))

    assert {*found.scores, *found.reasons} == set(metric_names([found]))
    assert means([], ["ndcg"]) == ()
