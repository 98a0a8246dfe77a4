"""How an answer is cut: sentences first, then clauses that stand alone."""

import pytest

from evalrag.judging.claims import claims_of
from evalrag.judging.sentences import sentences


def cut(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Singh works at St. Mary's at 3.5 p.m. daily.",
        "It costs approx. 5 euros, e.g. for adults.",
        "The U.S. office opened in Jan. 2020.",
        "Version 3.2.1 needs Python 3.9 or later.",
        "Send it to J. Smith by 5 p.m. on Friday.",
        "A line that a narrow column\nbroke into two is one sentence.",
    ],
)
def test_one_sentence_stays_one(text: str) -> None:
    assert len(cut(text)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there! Is three? Yes.", 4),
        ("- First thing\n- Second thing\n* Third thing", 3),
        ("1. Open the lid.\n2. Close the lid.", 2),
        ("It opened in 1987. It closed in 1999.", 2),
        ("We live in the U.S. They do not.", 2),
        ("Reply within 1 hour; all others within 2 days.", 2),
        ("Wait... Then go.", 2),
        ('He said "stop." Then he left.', 2),
        ("", 0),
        (" \n--\n", 0),
    ],
)
def test_sentences_are_cut(text: str, expected: int) -> None:
    assert len(cut(text)) == expected


def test_bullets_marks_and_headings_are_not_words() -> None:
    found = sentences("# Refunds\n\n- **Refunds** take `5` days.\nThe following apply:\n")
    assert [(s.text, s.heading) for s in found] == [
        ("Refunds", True),
        ("Refunds take 5 days.", False),
        ("The following apply:", True),
    ]


def test_places_are_those_of_the_whole_text() -> None:
    text = "  One is here.\n\n- Two is there.  "
    assert [text[s.start : s.end] for s in sentences(text)] == ["One is here.", "Two is there."]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param("It is red. It is big.", ["It is red.", "It is big."], id="two sentences"),
        pytest.param(
            "The window is 14 days, and you will need your number.",
            ["The window is 14 days", "you will need your number."],
            id="two clauses with a subject each",
        ),
        pytest.param("It covers fire and theft.", ["It covers fire and theft."], id="a list"),
        pytest.param("Thank you for asking! It is red.", ["It is red."], id="courtesy"),
        pytest.param("It is red. Let me know if I can help.", ["It is red."], id="an offer"),
        pytest.param("It is red. Please contact support.", ["It is red."], id="a pointer"),
        pytest.param("It is red. The sources do not say when.", ["It is red."], id="a decline"),
        pytest.param("It is red. Which one do you mean?", ["It is red."], id="a question back"),
        pytest.param("The details:\n- It is red.", ["It is red."], id="a lead"),
        pytest.param(
            "The documents do not give the price, but it ships within 5 days.",
            ["it ships within 5 days."],
            id="what stands beside a decline",
        ),
        pytest.param("Yes.", ["Yes."], id="yes"),
        pytest.param("Hello!", [], id="nothing"),
        pytest.param(
            "If it rains, the tour is cancelled and you get a refund.",
            ["If it rains, the tour is cancelled and you get a refund."],
            id="a condition holds for both halves",
        ),
    ],
)
def test_claims(answer: str, expected: list[str]) -> None:
    assert [said.text for said in claims_of("What is it?", answer)] == expected


def test_the_denial_of_a_premise_is_marked() -> None:
    found = claims_of("How much is the stipend?", "There is no such stipend. Travel is free.")
    assert [(said.text, said.denial) for said in found] == [
        ("There is no such stipend.", True),
        ("Travel is free.", False),
    ]
