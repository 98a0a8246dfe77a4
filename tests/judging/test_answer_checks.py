"""Answer checks: what a right answer says, and never says, in so many words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalrag.judging.answer_checks import checked, checks_score
from evalrag.judging.thoughts import spoken
from evalrag.schema.row import Row
from evalrag.schema.score import NotApplicable, Scored
from tests.builders import row


def asking(*contains: Any, excludes: tuple[str, ...] = ()) -> Row:
    return row("a", answer_contains=list(contains), answer_excludes=list(excludes))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("30 days", "You have 30 days.", id="the same"),
        pytest.param("30 days", "You have **30** days.", id="emphasis"),
        pytest.param("30 days", "You have <b>30</b>&nbsp;days.", id="tags and entities"),
        pytest.param("30 days", "Within thirty days", id="a number in words"),
        pytest.param("thirty days", "Within 30 days", id="and the other way round"),
        pytest.param("30 days", "\u0663\u0660 days", id="digits of another script"),
        pytest.param("10,000 km", "10 000 km", id="a space in a number"),
        pytest.param("10,000 km", "10\u202f000 km", id="a narrow one"),
        pytest.param("10000", "It is 10,000 in all", id="a comma in it"),
        pytest.param("12.50 EUR", "That is \u20ac12.50.", id="a currency's sign"),
        pytest.param("-5 \u00b0C", "At \u22125 \u00b0C.", id="a minus sign"),
        pytest.param("FREE", "It is free.", id="case"),
        pytest.param("free", "[It is free](https://shop.example/x)", id="a link"),
        pytest.param("don't", "You don\u2019t pay.", id="an apostrophe"),
        pytest.param("caf\u00e9", "The cafe\u0301 is open.", id="a Unicode form"),
        pytest.param("soft_limit", "Set `soft_limit` first.", id="a name in code"),
    ],
)
def test_a_text_stands_in_an_answer_whatever_its_writing(text: str, answer: str) -> None:
    [contains, excludes] = checked(asking(text, excludes=(f"never {text}",)), answer)
    assert (contains.holds, excludes.holds) == (True, True)

    [excluded] = checked(row("a", answer_excludes=[text]), answer)
    assert (excluded.holds, excluded.excluded) == (False, True)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("3 days", "You have 30 days.", id="a part of a number"),
        pytest.param("3 days", "From -3 days on.", id="another sign"),
        pytest.param("5 euros", "It costs 15 euros.", id="the end of a number"),
        pytest.param("art", "The start.", id="a part of a word"),
        pytest.param("30 days", "30 working days", id="a word between"),
        pytest.param("30 days", "", id="an empty answer"),
        pytest.param("30 days", "<think>30 days</think>No idea.", id="what it thought"),
    ],
)
def test_a_text_that_does_not_stand_in_an_answer(text: str, answer: str) -> None:
    [contains, excludes] = checked(asking(text, excludes=(f"{text} long",)), answer)

    assert (contains.holds, contains.at, contains.quote) == (False, None, None)
    assert excludes.holds


def test_negation_is_not_read() -> None:
    [contains] = checked(asking("30 days"), "It is not 30 days.")

    assert contains.holds


def test_of_alternatives_one_is_enough_and_the_first_in_the_answer_is_shown() -> None:
    answer = "No charge: it is free."

    [contains] = checked(asking(["free", "no charge"]), answer)

    assert contains.texts == ("free", "no charge")
    assert (contains.at, contains.quote) == (0, "No charge")


def test_a_place_is_that_of_the_answer_as_written() -> None:
    answer = "<think>Is it 30 days?</think>**30** days &amp; no more"

    [contains] = checked(asking("30 days"), answer)

    assert contains.quote is not None
    assert contains.at == answer.rindex("30")
    assert answer[contains.at :].startswith(contains.quote)


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        pytest.param("30 days, free", 1.0, id="all hold"),
        pytest.param("30 days, free, and never 14 days", 2 / 3, id="one says too much"),
        pytest.param("30 days", 2 / 3, id="one is missing"),
        pytest.param("14 days", 0.0, id="none"),
        pytest.param("I do not know.", 1 / 3, id="a decline says nothing wrong"),
        pytest.param(" ", 0.0, id="an answer without a word"),
        pytest.param("<think>30 days, free</think>", 0.0, id="a thought without an answer"),
    ],
)
def test_the_score_is_the_share_that_holds(answer: str, share: float) -> None:
    score, checks = checks_score(asking("30 days", "free", excludes=("14 days",)), answer)

    assert score == Scored(share)
    assert len(checks) == 3


def test_a_row_without_checks_has_no_score() -> None:
    score, checks = checks_score(row("a"), "30 days")

    assert isinstance(score, NotApplicable)
    assert checks == ()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        pytest.param("30 days", "30 days", id="no thought"),
        pytest.param("<think>14</think> 30", "30", id="one before"),
        pytest.param("<THINK >14</Think>30", "30", id="in capitals"),
        pytest.param("30 <think>14</think> days", "30 days", id="one within"),
        pytest.param("<think>a<think>b</think>c</think>30", "30", id="one in another"),
        pytest.param("14</think>30", "30", id="one whose beginning is missing"),
        pytest.param("30<think>14", "30", id="one that never ends"),
        pytest.param("I think <b>30</b>", "I think <b>30</b>", id="other marks"),
    ],
)
def test_what_was_thought_is_not_spoken(answer: str, said: str) -> None:
    assert spoken(answer).split() == said.split()


parts = st.sampled_from(
    ["<think>", "</think>", "30 days", " ", "<thinking>", "&amp;", "\u0663\u0660"]
)


@given(st.lists(parts | st.text(max_size=3), max_size=8).map("".join))
def test_every_character_keeps_its_place(answer: str) -> None:
    found = spoken(answer)

    assert len(found) == len(answer)
    assert all(new in (old, " ") for new, old in zip(found, answer, strict=True))
    assert spoken(found) == found


@given(st.lists(parts | st.text(max_size=4), max_size=6).map("".join))
def test_an_exclusion_is_the_other_side_of_the_same_check(answer: str) -> None:
    [contains] = checked(asking("30 days"), answer)
    [excludes] = checked(row("a", answer_excludes=["30 days"]), answer)

    assert contains.holds is not excludes.holds
    assert (contains.at, contains.quote) == (excludes.at, excludes.quote)
