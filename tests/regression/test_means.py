"""Means over rows of which many share what they hold, and the rows that are counted."""

from typing import Any

import pytest

from evalrag.regression.comparable import Pair
from evalrag.regression.means import counts_by, means, metric_names
from evalrag.schema.diff import Mean, Relation
from evalrag.schema.result import RowResult
from evalrag.schema.score import Absent, NotApplicable, Score, Scored
from tests.builders import good, result, row, trace, verdicts
from tests.regression.test_relative_table import ERROR, NA, UNSURE, scored

SAME, EDITED = Relation.SAME, Relation.EDITED


def hit(name: str, value: float) -> RowResult:
    return scored(name, "hit", Scored(value))


def named(one: RowResult, name: str, **fields: Any) -> RowResult:
    """Another row that holds the very same scores and reasons, as rows that stand alike do."""
    return one.model_copy(update={"id": name, **fields})


def mean(*pairs: Pair) -> Mean:
    (found,) = means(pairs, ["hit"])
    return found


def test_rows_that_share_their_scores_count_each_with_what_they_were() -> None:
    now = hit("a", 1.0)
    pairs = [
        Pair("a", hit("a", 0.0), now, SAME),
        Pair("b", hit("b", 1.0), named(now, "b"), SAME),
        Pair("c", hit("c", 1.0), named(now, "c"), SAME),
        Pair("d", hit("d", 0.0), named(now, "d"), SAME),
    ]

    found = mean(*pairs)

    assert (found.before, found.after, found.paired) == (0.5, 1.0, 4)


def test_unchanged_rows_that_share_their_scores_are_each_counted() -> None:
    first, other = hit("a", 1.0), hit("d", 0.0)
    rows = [first, named(first, "b"), named(first, "c"), other]
    found = mean(*(Pair(one.id, one, one, SAME) for one in rows))

    assert (found.value, found.scored, found.eligible) == (0.75, 4, 4)
    assert (found.before, found.after, found.paired) == (0.75, 0.75, 4)


def test_rows_that_share_their_scores_count_each_with_its_own_attempts() -> None:
    golden = row("a")
    there, away = good(golden), (trace(["x-1"], answer="An answer."), verdicts())
    shaky = result(golden, there, away, away)
    steady = named(shaky, "b", attempts=())
    rows = [shaky, steady]

    found = mean(*(Pair(one.id, one, one, SAME) for one in rows))

    assert shaky.scores["hit"] == 0.0
    assert found.value == pytest.approx((1 / 3 + 0.0) / 2)


def test_an_edited_row_and_one_of_another_judge_are_in_no_comparison() -> None:
    kept = Pair("a", hit("a", 1.0), hit("a", 0.0), SAME)
    edited = Pair("b", hit("b", 1.0), hit("b", 1.0), EDITED)
    judged = Pair("c", hit("c", 1.0), hit("c", 1.0), SAME, frozenset({"hit"}))
    new = Pair("d", None, hit("d", 1.0), Relation.NEW)

    found = mean(kept, edited, judged, new)

    assert (found.value, found.scored) == (0.75, 4)
    assert (found.before, found.after, found.paired) == (1.0, 0.0, 1)


def test_what_has_no_value_is_counted_by_its_reason_and_is_in_no_mean() -> None:
    values: list[Score] = [Scored(1.0), UNSURE, ERROR, NA, NotApplicable("n"), Scored(0.5)]
    rows = [scored(f"q{n}", "hit", value) for n, value in enumerate(values)]

    found = mean(*(Pair(one.id, one, one, SAME) for one in rows))

    assert (found.value, found.scored, found.eligible) == (0.75, 2, 4)
    assert (found.not_applicable, found.unresolved, found.errored) == (2, 1, 1)


def test_a_metric_that_no_row_has_has_no_mean() -> None:
    one = hit("a", 1.0)
    (found,) = means([Pair("a", one, one, SAME)], ["ndcg"])

    assert (found.value, found.before, found.scored, found.eligible) == (None, None, 0, 0)


def test_rows_are_counted_by_kind_and_outcome_and_by_stage_and_outcome() -> None:
    golden = [row("a"), row("b"), row("c"), row("n", "near-miss")]
    missed = (trace(["x-1"], answer="An answer."), verdicts())
    first = result(golden[0], good(golden[0]))
    results = [
        first,
        named(first, "b"),
        result(golden[2], missed),
        result(golden[3], good(golden[3])),
    ]

    kinds, stages = counts_by(results)

    assert kinds == {"happy-path": {"pass": 2, "fail": 1}, "near-miss": {"pass": 1}}
    assert stages["retrieval"] == {"pass": 3, "fail": 1}
    assert stages["rewrite"] == {"na": 4}
    assert {sum(found.values()) for found in stages.values()} == {4}


def test_metrics_are_named_in_the_order_of_first_sight_and_once() -> None:
    rows = [hit("a", 1.0), hit("b", 0.0), scored("c", "ndcg", UNSURE), scored("d", "ndcg", NA)]

    assert metric_names(rows)[:1] == ("hit",)
    assert len(set(metric_names(rows))) == len(metric_names(rows))
    assert "ndcg" in metric_names(rows)


def test_a_mean_of_positions_says_how_many_rows_have_none() -> None:
    scores: list[Score] = [Scored(2.0), Scored(4.0), Absent("no relevant passage"), NA]
    rows = [scored(f"q{n}", "first_relevant_rank", score) for n, score in enumerate(scores)]

    (found,) = means(
        [Pair(one.id, None, one, Relation.NEW) for one in rows], ["first_relevant_rank"]
    )

    assert (found.value, found.scored, found.eligible, found.absent) == (3.0, 2, 3, 1)
