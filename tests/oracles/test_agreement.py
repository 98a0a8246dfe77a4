"""Agreement figures against scikit-learn, scipy, published values and two real annotators."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalrag.judging.agreement import (
    UNRESOLVED,
    Pair,
    cohen_kappa,
    confusion,
    gwet_ac1,
    measure,
    share,
)
from tests.oracles.trec import public

LABELS = ("SUPPORTED", "ABSENT", "CONTRADICTED", "ABSTAINED")
pairs = st.builds(
    Pair,
    st.sampled_from(LABELS),
    st.sampled_from((*LABELS, UNRESOLVED)),
    st.frozensets(st.sampled_from(LABELS), max_size=2),
)


@pytest.fixture(scope="module")
def metrics() -> Any:
    return pytest.importorskip("sklearn.metrics")


@pytest.fixture(scope="module")
def stats() -> Any:
    return pytest.importorskip("scipy.stats")


@example([Pair("ABSENT", "ABSENT"), Pair("SUPPORTED", "ABSENT")])
@example([Pair("ABSENT", UNRESOLVED), Pair("SUPPORTED", "ABSENT", frozenset({"ABSENT"}))])
@given(st.lists(pairs, min_size=1))
def test_any_table_agrees_with_scikit_learn(metrics: Any, table: list[Pair]) -> None:
    ours = measure(table, LABELS)
    judge = [pair.judge for pair in table]
    human = [pair.human for pair in table]
    settled = [
        pair.judge if pair.judge in {pair.human, *pair.acceptable} else pair.human for pair in table
    ]
    assert [[ours.confusion[h][j] for j in (*LABELS, UNRESOLVED)] for h in LABELS] == (
        metrics.confusion_matrix(human, judge, labels=[*LABELS, UNRESOLVED])[:4].tolist()
    )
    if ours.decided == 0:
        assert {ours.agreement.value, ours.kappa.value, ours.ac1.value} == {None}
        return
    assert ours.agreement.value == pytest.approx(metrics.accuracy_score(settled, judge))
    if len(set(settled)) > 1:
        assert ours.kappa.value == pytest.approx(metrics.cohen_kappa_score(settled, judge))
    else:
        assert ours.kappa.value is None
    for label in LABELS:
        only: dict[str, Any] = {"labels": [label], "average": None, "zero_division": 0}
        if label in human:
            (wanted,) = metrics.recall_score(human, judge, **only)
            assert ours.recall[label].value == pytest.approx(wanted)
        else:
            assert ours.recall[label].value is None
        if label in judge:
            (wanted,) = metrics.precision_score(settled, judge, **only)
            assert ours.precision[label].value == pytest.approx(wanted)
        else:
            assert ours.precision[label].value is None


@example(0, 20)
@example(20, 0)
@given(st.integers(0, 2000), st.integers(0, 2000))
def test_intervals_are_wilsons(stats: Any, hits: int, misses: int) -> None:
    n = hits + misses
    figure = share(hits, n, "none")
    if n == 0:
        assert (figure.value, figure.reason) == (None, "none")
        return
    wanted = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert figure.low is not None
    assert figure.high is not None
    assert figure.value is not None
    assert (figure.low, figure.high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    assert 0 <= figure.low <= figure.value <= figure.high <= 1


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_intervals_come_out(hits: int, n: int, low: float, high: float) -> None:
    """Newcombe 1998, table I, method 3."""
    figure = share(hits, n, "")
    assert (figure.low, figure.high) == pytest.approx((low, high), abs=5e-5)


def table(cells: dict[tuple[str, str], int]) -> list[Pair]:
    return [Pair(*labels) for labels, count in cells.items() for _ in range(count)]


def test_a_published_table_shows_why_both_figures_are_given() -> None:
    """Gwet 2002, "Kappa statistic is not satisfactory": 118 of 125 agree, and kappa is below 0."""
    skewed = table({("+", "+"): 118, ("+", "-"): 5, ("-", "+"): 2})

    assert cohen_kappa(skewed).value == pytest.approx(-0.0234, abs=5e-5)
    assert gwet_ac1(skewed).value == pytest.approx(0.9408, abs=5e-5)


def test_ac1_of_more_than_two_labels_is_that_of_irrcac() -> None:
    """The value is irrCAC 0.4.4's (Python), which follows the author's R package."""
    four = table(
        {
            ("S", "S"): 20,
            ("S", "A"): 3,
            ("S", UNRESOLVED): 4,
            ("A", "A"): 9,
            ("A", "C"): 2,
            ("C", "C"): 7,
            ("C", "S"): 1,
            ("C", UNRESOLVED): 2,
        }
    )

    assert gwet_ac1(four).value == pytest.approx(0.680915889576, abs=1e-11)


@pytest.mark.parametrize("of", ["correctness", "completeness", "overall"])
def test_two_annotators_agree_as_far_as_scikit_learn_says(of: str) -> None:
    wanted: dict[str, Any] = json.loads(
        public("agreement", "ragchecker_expected.json").read_text(encoding="utf-8")
    )[of]
    lines = public("agreement", "ragchecker_two_annotators.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in lines.splitlines()]
    judged = [Pair(str(row[f"{of}_a"]), str(row[f"{of}_b"])) for row in rows]
    labels = [str(label) for label in wanted["labels"]]

    ours = measure(judged, labels)

    assert ours.n == wanted["items"]
    assert ours.agreement.value == pytest.approx(wanted["observed_agreement"], abs=1e-9)
    assert ours.kappa.value == pytest.approx(wanted["cohen_kappa"], abs=1e-9)
    found = confusion(judged, labels)
    assert [[found[a][b] for b in labels] for a in labels] == wanted["confusion_a_rows_b_columns"]
