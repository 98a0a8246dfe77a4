"""The same answer on every Python."""

import pytest

from evalrag.adapters.extractive import DECLINE, Extractive, Settings, _candidates, parts
from evalrag.schema.trace import Passage


def test_cover_is_rounded_since_pythons_add_floats_differently() -> None:
    """A sum of thirds and fifths ends in other digits from Python 3.12 on."""
    asked = {"alpha", "beta", "gamma", "delta", "epsilon"}
    passages: list[Passage] = [
        {"text": "Alpha beta gamma delta."},
        {"text": "Alpha beta gamma."},
        {"text": "Alpha beta. Epsilon alpha."},
    ]

    covers = [candidate.cover for candidate in _candidates(asked, passages, 0.0)]

    assert len(covers) == 4
    assert covers == [round(cover, 9) for cover in covers]


PAGES: list[Passage] = [
    {"id": "cards", "text": "A gift card is valid for 24 months. It can be used in parts."},
    {"id": "places", "text": "A workshop place can be cancelled up to 72 hours before."},
]


def answered(question: str, **wanted: object) -> dict[str, object]:
    return Extractive(Settings.model_validate(wanted)).generate(question, PAGES)


def test_a_question_of_two_parts_is_answered_part_by_part() -> None:
    asked = "How many months is a gift card valid, and until when can a place be cancelled early?"

    said = answered(asked)

    assert said["answer"] == f"{PAGES[0]['text'].split('. ')[0]}. {PAGES[1]['text']}"
    assert said["citations"] == ["cards", "places"]


def test_a_part_that_nothing_answers_is_left_out() -> None:
    asked = "For how many months is a gift card valid, and who won the rugby final on Sunday?"

    assert answered(asked)["citations"] == ["cards"]


def test_it_declines_where_no_part_is_answered() -> None:
    assert answered("Who won the rugby final?") == {"answer": DECLINE}
    assert answered("Who won the rugby final?", decline=False)["citations"] == ["cards"]


@pytest.mark.parametrize(
    "question",
    [
        "What do bread and butter cost?",
        "How hot, and for how long do I bake the pan?",
        "Salt and pepper?",
        "",
    ],
)
def test_what_is_one_question_is_not_cut(question: str) -> None:
    assert parts(question) == [question]


def test_of_two_pages_with_the_same_sentence_the_one_that_holds_more_of_the_question() -> None:
    refund = "The refund is paid within {} days after the parcel is booked in."
    pages: list[Passage] = [
        {"id": "ours", "text": refund.format(5)},
        {"id": "partner", "text": "Sold by a marketplace partner. " + refund.format(12)},
    ]
    asked = (
        "I return a parcel to a marketplace partner: what do I pay for the label, "
        "and within how many days after it is booked in is the refund paid?"
    )

    said = Extractive(Settings()).generate(asked, pages)

    assert said["citations"] == ["partner"]
