"""What calibration says where a figure cannot be had, and how UNRESOLVED is counted."""

import pytest

from evalrag.judging.agreement import NOTHING_DECIDED, UNRESOLVED, Pair, gwet_ac1, measure
from evalrag.schema.calibration import Figure, Figures

LABELS = ("SUPPORTED", "ABSENT", "CONTRADICTED", "ABSTAINED")
S, A, C = LABELS[:3]


def figures(*pairs: tuple[str, str]) -> Figures:
    return measure([Pair(*labels) for labels in pairs], LABELS)


def test_unresolved_is_never_agreement_a_miss_of_recall_and_no_matter_of_precision() -> None:
    found = figures((S, S), (S, UNRESOLVED), (A, S), (A, A))

    assert (found.n, found.decided) == (4, 3)
    assert (found.unresolved.hits, found.unresolved.n) == (1, 4)
    assert (found.agreement.hits, found.agreement.n) == (2, 4)
    assert (found.agreement_decided.hits, found.agreement_decided.n) == (2, 3)
    assert (found.recall[S].hits, found.recall[S].n) == (1, 2)
    assert (found.precision[S].hits, found.precision[S].n) == (1, 2)
    assert found.confusion[S] == {S: 1, A: 0, C: 0, "ABSTAINED": 0, UNRESOLVED: 1}


def test_what_was_acceptable_agrees_and_no_recall_is_had_by_it() -> None:
    found = measure([Pair(C, A, frozenset({A})), Pair(A, A), Pair(C, C)], LABELS)

    assert found.agreement.value == 1
    assert found.accepted == 1
    assert found.kappa.value == 1
    assert found.precision[A].value == 1
    assert (found.recall[C].hits, found.recall[C].n) == (1, 2)
    assert found.confusion[C][A] == 1


def test_unresolved_does_not_agree_where_a_file_calls_it_acceptable() -> None:
    assert not Pair(C, UNRESOLVED, frozenset({UNRESOLVED})).agrees


def test_a_file_of_one_label_has_no_kappa_and_says_so() -> None:
    found = figures((S, S), (S, A))

    assert found.kappa == Figure(n=2, reason="people gave one label alone: SUPPORTED")
    assert found.ac1.value is not None
    assert found.recall[S].value == 0.5
    assert found.recall[C] == Figure(n=0, reason="people labelled nothing CONTRADICTED")
    assert found.precision[C] == Figure(n=0, reason="the judge called nothing CONTRADICTED")


def test_one_label_by_both_has_neither_figure() -> None:
    found = figures((S, S), (S, S))

    assert found.kappa.reason == found.ac1.reason == "people gave one label alone: SUPPORTED"
    assert found.agreement.value == 1


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        pytest.param(((S, UNRESOLVED), (A, UNRESOLVED)), NOTHING_DECIDED, id="nothing decided"),
        pytest.param((), "there is no item", id="nothing there"),
    ],
)
def test_where_nothing_was_decided_every_figure_is_a_reason(
    pairs: tuple[tuple[str, str], ...], why: str
) -> None:
    found = figures(*pairs)

    for figure in (found.agreement, found.agreement_decided, found.kappa, found.ac1):
        assert (figure.value, figure.reason) == (None, why)
    assert {figure.value for figure in found.recall.values()} == {None}
    assert {figure.value for figure in found.precision.values()} == {None}
    assert found.unresolved.value == (1.0 if pairs else None)


def test_there_is_no_agreement_by_chance_over_nothing() -> None:
    assert gwet_ac1([]).reason == "there is no item"


def test_a_figure_is_a_value_or_a_reason() -> None:
    with pytest.raises(ValueError, match="or the reason"):
        Figure(n=1)
    with pytest.raises(ValueError, match="or the reason"):
        Figure(value=0.5, n=1, reason="both")
