"""Facts that an answer states of `it`: never of another subject than the question's."""

import pytest

from evalrag.judging.offline import state_facts
from evalrag.judging.offline_named import named
from evalrag.schema.words import FactLabel

ASKED = "What does the Team plan include?"
FACT = "The Team plan includes five seats."
PRICE = "The Team plan costs $40 a month."

STATED = [
    (ASKED, FACT, "It includes five seats."),
    (ASKED, FACT, "It includes 5 seats."),
    (ASKED, FACT, "The plan includes five seats."),
    (ASKED, FACT, "It includes five seats. The Solo plan has one."),
    ("How many seats does the Team plan include?", FACT, "It includes five seats."),
    ("What does the Team plan cost?", PRICE, "It costs $40 a month."),
    ("How expensive is the Team plan?", PRICE, "It costs $40 a month."),
    (
        "What do the Team plans include?",
        "The Team plans include five seats.",
        "They include five seats.",
    ),
    ("When does Lund Library open?", "Lund Library opens at nine.", "It opens at nine."),
]
TRICKY = [
    pytest.param("What do the Team plan and the Solo plan include?", FACT, id="two subjects"),
    pytest.param("Does the Team plan or the Solo plan include more?", FACT, id="either of two"),
    pytest.param("What does the Solo plan include?", FACT, id="another subject"),
    pytest.param("Is the Team plan larger than the Solo plan?", FACT, id="a comparison"),
    pytest.param("What does the Team plan include unlike the rest?", FACT, id="beside the rest"),
    pytest.param("What does a seat of the Team plan include?", FACT, id="a part of it"),
    pytest.param("What is included in the Team plan?", FACT, id="not the question's subject"),
    pytest.param("What does Ana say the Team plan includes?", FACT, id="somebody says"),
    pytest.param("What does the Team plan owner include?", FACT, id="its owner"),
    pytest.param("What does the Team plan's support include?", FACT, id="its support"),
    pytest.param("What does the Team plan of Acme include?", FACT, id="one of several"),
    pytest.param("What does the plan include?", FACT, id="no name"),
    pytest.param("What does it include?", FACT, id="a pronoun in the question"),
    pytest.param("What does the Team plan include if it is paid yearly?", FACT, id="a condition"),
    pytest.param("What does the Team plan include when the Team plan ends?", FACT, id="said twice"),
    pytest.param("What does the Team plan include at Acme?", FACT, id="a second name behind it"),
    pytest.param("Team plan?", FACT, id="no question"),
    pytest.param("", FACT, id="no question at all"),
    pytest.param("What does my team include in the Team plan?", FACT, id="a team and a Team"),
    pytest.param("What does the Team plan include, and the Solo plan?", FACT, id="and another"),
    pytest.param("What does Solo include? The Team plan includes it.", FACT, id="said behind it"),
]
SAID = [
    "The Solo plan has one seat. It includes five seats.",
    "Solo is new. It includes five seats.",
    "It comes with a kit. It includes five seats.",
    "It comes with a kit and it includes five seats.",
    "It is the Solo plan that includes five seats.",
    "It includes five seats of the Solo plan that you have.",
    "It includes six seats.",
    "It does not include five seats.",
    "It includes five seats only if you pay for a year.",
    "It may include five seats.",
    "They include five seats.",
    "The basic plan includes five seats.",
    "The office includes five seats.",
    "That includes five seats.",
    "This one includes five seats.",
    "Solo includes five seats.",
    "Each of them includes five seats.",
    "It includes Solo and its five seats.",
    "The plan of a friend includes five seats.",
    "I think the plan you mean includes five seats.",
]


@pytest.mark.parametrize(("question", "fact", "answer"), STATED)
def test_one_subject_by_name_is_meant(question: str, fact: str, answer: str) -> None:
    (verdict,) = state_facts(question, (fact,), answer)
    assert verdict.label is FactLabel.STATED


@pytest.mark.parametrize(("question", "fact"), TRICKY)
@pytest.mark.parametrize(
    "answer",
    ["It includes five seats.", "The plan includes five seats.", "They include five seats."],
)
def test_where_it_may_be_another_nothing_is_stated(question: str, fact: str, answer: str) -> None:
    (verdict,) = state_facts(question, (fact,), answer)
    assert verdict.label is not FactLabel.STATED


@pytest.mark.parametrize("answer", SAID)
def test_where_the_answer_says_more_or_less_nothing_is_stated(answer: str) -> None:
    (verdict,) = state_facts(ASKED, (FACT,), answer)
    assert verdict.label is not FactLabel.STATED


def test_another_number_of_the_one_subject_contradicts() -> None:
    (verdict,) = state_facts(ASKED, (FACT,), "It includes six seats.")
    assert verdict.label is FactLabel.CONTRADICTED


def test_what_turns_in_the_middle_is_left_alone() -> None:
    assert named(ASKED, FACT, "It includes five seats.") == FACT
    assert named(ASKED, FACT, "It includes five seats that another plan pays for.") is None


def test_hostile_text_is_not_written_out() -> None:
    assert named(ASKED * 1000, FACT, "It includes five seats.") is None
    assert named("", "", "") is None
    assert named("?", "x", "It") is None
