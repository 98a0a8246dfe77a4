"""Quantities and dates: which are equal, which clash, and by which code."""

import pytest

from evalrag.judging import dates, quantities
from evalrag.judging.reading import read
from evalrag.judging.stems import stem


def clash(one: str, other: str) -> str | None:
    mine, theirs = read(f"It takes {one}.").quantities, read(f"It takes {other}.").quantities
    assert len(mine) == len(theirs) == 1, (mine, theirs)
    assert quantities.comparable(mine[0], theirs[0])
    return quantities.clash(mine[0], theirs[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("72 hours", "3 days"),
        ("thirty days", "30 days"),
        ("twenty-one days", "21 days"),
        ("two hundred and fifty euros", "250 euros"),
        ("one and a half days", "1.5 days"),
        ("half a kilogram", "500 g"),
        ("24-month", "two years"),
        ("$1,800", "$1800"),
        ("$4.8 billion", "$4800 million"),
        ("10k users", "10,000 users"),
        ("86 \u00b0F", "30 \u00b0C"),
        ("45 dollars per month", "$45 a month"),
        ("up to 5 hours", "no more than 5 hours"),
        ("2 GB", "2000 MB"),
        ("5 percent", "5%"),
        ("1/2 cup", "0.5 cups"),
        ("about 30 days", "29 days"),
    ],
)
def test_the_same_size_in_other_words(one: str, other: str) -> None:
    assert clash(one, other) is None


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        ("30 days", "45 days", "quantity"),
        ("30 weeks", "30 days", "unit"),
        ("20 g", "20 mg", "unit"),
        ("230 \u00b0F", "230 \u00b0C", "unit"),
        ("19 dollars", "19 euros", "unit"),
        ("$45 per year", "$45 per month", "rate"),
        ("at least 5 days", "at most 5 days", "bound"),
        ("over 16 years", "under 16 years", "bound"),
        ("$30", "$29.99", "quantity"),
        ("exactly $30", "$29.99", "quantity"),
        ("about 40 days", "30 days", "quantity"),
        ("12 days", "at least 21 days", "quantity"),
        ("5 hours", "up to 3 hours", "quantity"),
        ("2 hours", "up to 3 hours", "?bound"),
        ("5 business days", "5 days", "?unit"),
        ("5 days per year", "5 days", "?rate"),
        ("about 3,100 days", "about 3,000 days", "?bound"),
        ("second floor", "third floor", "quantity"),
        ("version 3.2", "version 3.3", "quantity"),
        ("9.4%", "4.9%", "quantity"),
    ],
)
def test_a_clash_has_a_code(one: str, other: str, code: str) -> None:
    assert clash(one, other) == code


@pytest.mark.parametrize(
    ("one", "other"), [("5 days", "5 kg"), ("14 countries", "14 people"), ("5%", "$5")]
)
def test_what_measures_something_else_is_not_compared(one: str, other: str) -> None:
    mine, theirs = read(f"It has {one}.").quantities[0], read(f"It has {other}.").quantities[0]
    assert not quantities.comparable(mine, theirs)


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        ("on 14 May 1987", "on May 14, 1987", None),
        ("on 1987-05-14", "on 14 May 1987", None),
        ("in May 1987", "on 14 May 1987", None),
        ("on 14 May 1987", "in May 1987", "?date"),
        ("in 1978", "in 1987", "date"),
        ("in April 2019", "in March 2019", "date"),
        ("on Mondays", "on Sundays", "date"),
        ("at 2 pm", "at 14:00", None),
        ("at noon", "at 12 pm", None),
        ("at 9:30 a.m.", "at 9 am", "date"),
        ("before 2 pm", "after 2 pm", "bound"),
        ("on the 3rd of March 2020", "on 3 March 2020", None),
    ],
)
def test_dates_and_times(one: str, other: str, code: str | None) -> None:
    (mine,), (theirs,) = read(f"They met {one}.").moments, read(f"They met {other}.").moments
    assert dates.overlapping(mine, theirs)
    assert dates.clash(mine, theirs) == code


@pytest.mark.parametrize(
    "text",
    ["You may march on.", "It costs 1990 euros.", "One of them left.", "The first is best."],
)
def test_what_only_looks_like_a_date_or_a_count(text: str) -> None:
    assert read(text).moments == ()
    assert all(not size.plain for size in read(text).quantities)


@pytest.mark.parametrize("code", ["AES-256", "K-19b", "3.2.1", "RFC2616", "B2", "COVID-19"])
def test_a_code_is_one_word(code: str) -> None:
    (item,) = (item for item in read(f"We use {code} here.").items if item.kind == "id")
    assert item.text == code


@pytest.mark.parametrize("size", ["20mg", "5pm", "24-month", "2nd floor", "10k users", "mid-2019"])
def test_a_number_with_its_unit_is_no_code(size: str) -> None:
    assert all(item.kind != "id" for item in read(f"It was {size}.").items)


@pytest.mark.parametrize(
    "words",
    [
        "require requires required requiring",
        "policy policies",
        "carry carries carried carrying",
        "store stores stored storing",
        "stop stops stopped stopping",
        "vapour vapor",
        "organise organize organised",
        "sell sells sold",
    ],
)
def test_forms_of_one_word_have_one_stem(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize(
    "words", ["add bed", "business busy", "need knee", "number numb", "string strike", "ring rip"]
)
def test_other_words_keep_other_stems(words: str) -> None:
    one, other = words.split()
    assert stem(one) != stem(other)
