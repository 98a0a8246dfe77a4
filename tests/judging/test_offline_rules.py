"""Why a claim is supported or not, rule by rule, one pair of sentences each."""

import pytest

from evalrag.judging.offline import judge_claims
from evalrag.schema.result import Claim
from evalrag.schema.words import Label

S, C, A, U = Label.SUPPORTED, Label.CONTRADICTED, Label.ABSENT, Label.UNRESOLVED


def judged(answer: str, *context: str) -> Claim:
    (claim,) = judge_claims("What about it?", context, answer)
    return claim


@pytest.mark.parametrize(
    ("context", "answer", "label", "code"),
    [
        pytest.param(
            "Lina owns the red car near the blue house.",
            "Lina owns the blue house.",
            U,
            "gap",
            id="words skipped inside",
        ),
        pytest.param(
            "Exports are limited to 2 GB per file and expire after 72 hours.",
            "Exports expire after 72 hours.",
            S,
            None,
            id="one whole part of a list may be skipped",
        ),
        pytest.param(
            "Flood damage is covered only if the rider is bought.",
            "Flood damage is covered.",
            U,
            "condition-dropped",
            id="a condition left out",
        ),
        pytest.param(
            "Shipping is free for members of the club.",
            "Shipping is free.",
            U,
            None,
            id="a restriction left out",
        ),
        pytest.param(
            "Critics believe the bridge was built by Romans.",
            "The bridge was built by Romans.",
            U,
            "condition-dropped",
            id="a doubt left out",
        ),
        pytest.param(
            "Flood damage is covered unless the house stands empty.",
            "Flood damage is always covered.",
            C,
            "condition-dropped",
            id="always, where there is an exception",
        ),
        pytest.param(
            "Premium members receive a reply within 1 hour.",
            "All premium members receive a reply within 1 hour.",
            U,
            "quantifier",
            id="all, where nobody said all",
        ),
        pytest.param(
            "Some rooms have a balcony and a desk.",
            "Rooms have a balcony and a desk.",
            U,
            "quantifier",
            id="some left out",
        ),
        pytest.param(
            "Guests may leave luggage at the desk.",
            "Guests must leave luggage at the desk.",
            U,
            "quantifier",
            id="must for may",
        ),
        pytest.param(
            "Office Lund has 20 desks and Office Oslo has 30 desks.",
            "Office Bergen has 45 desks.",
            A,
            "new-number",
            id="another subject with another value is no contradiction",
        ),
        pytest.param(
            "Bright Foods acquired Tavola in 2016.",
            "Tavola acquired Bright Foods in 2016.",
            U,
            None,
            id="who did it to whom is not for rules",
        ),
        pytest.param(
            "The sync client is deprecated. The async client is safe to share.",
            "The sync client is safe to share.",
            U,
            "antonym",
            id="two things side by side do not contradict",
        ),
        pytest.param(
            "The travel stipend was abolished in 2020.",
            "The travel stipend is not paid.",
            U,
            None,
            id="what has ended may be denied",
        ),
        pytest.param(
            "The trial lasts 30 days.",
            "The trial lasts one month.",
            S,
            None,
            id="a month is about 30 days",
        ),
        pytest.param(
            "The trial lasts 27 days.",
            "The trial lasts one month.",
            C,
            "quantity",
            id="and not 27",
        ),
        pytest.param(
            "Smoking is prohibited in the garden.",
            "Smoking is not allowed in the garden.",
            U,
            None,
            id="two turns cancel each other",
        ),
        pytest.param(
            "The pool is heated from 7 am to 9 pm.",
            "The pool is heated from 7 am to 9 pm (passage 1) [2].",
            S,
            None,
            id="marks of a source are no words of a claim",
        ),
    ],
)
def test_one_rule(context: str, answer: str, label: Label, code: str | None) -> None:
    claim = judged(answer, context)
    assert claim.label is label, claim
    if code is not None:
        assert claim.code == code


def test_a_closer_sentence_that_clashes_in_nothing_keeps_a_claim_open() -> None:
    claim = judged(
        "All staff members of the club receive a reply within 1 hour.",
        "Staff members of the club receive a reply within 1 hour.",
        "Other members receive a reply within 2 days.",
    )
    assert claim.label is U


def test_every_clash_names_both_values() -> None:
    claim = judged("The trial lasts 45 days.", "The trial lasts 30 days.")
    assert (claim.label, claim.code) == (C, "quantity")
    assert claim.reason == "quantity: '45 days' here, '30 days' in the context"
    assert (claim.quote, claim.passages) == ("The trial lasts 30 days.", (1,))


def test_a_sum_of_what_stands_there_is_not_called_absent() -> None:
    claim = judged(
        "Both tickets together cost $18 on Sunday evenings.",
        "Adult tickets cost $12 on Sunday. Tickets for a child cost $6 on Sunday.",
    )
    assert claim.label is U


@pytest.mark.parametrize(
    ("answer", "context", "said"),
    [
        ("The pool closes at 20:00.", "The pool closes at 21:30.", ("'20:00'", "'21:30'")),
        ("A pass costs $5.00 a month.", "A pass costs $6.50 a month.", ("'$5.00 a month'",)),
        ("The rate is 12.5% a year.", "The rate is 10% a year.", ("'12.5% a year'",)),
        ("The kiln holds 79 °F all day.", "The kiln holds 56 °F all day.", ("'79 °F'", "'56 °F'")),
        ("It has a three-year warranty.", "It has a two-year warranty.", ("'three-year'",)),
        ("The pool opens at 06:15 daily.", "The pool is open daily.", ("'06:15'",)),
    ],
)
def test_a_reason_writes_a_figure_as_its_source_does(
    answer: str, context: str, said: tuple[str, ...]
) -> None:
    reason = judged(answer, context).reason

    assert all(figure in reason for figure in said), reason
