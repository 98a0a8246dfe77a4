"""One reading of text and values."""

from fractions import Fraction

import pytest

from evalrag.text import Relation, Value, compare, find, same_value, sentences, tokens


def words(text: str) -> list[str]:
    return [token.word for token in tokens(text)]


def value(text: str) -> Value:
    (found,) = [token.value for token in tokens(text) if token.value is not None]
    return found


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("**30** _of_ them", ["30", "of", "them"]),
        ("See [the *page*](https://a.b/c_(d)).", ["see", "the", "page"]),
        ("set `soft_limit` or soft_limit", ["set", "soft_limit", "or", "soft_limit"]),
        (
            "you don't, don\u2019t, don\u02bct, don\u00b4t, don\u2032t, dont",
            ["you", *["do", "not"] * 6],
        ),
        ("can't cannot can not", ["can", "not"] * 3),
        ("it's Tom's", ["it", "is", "tom", "'s"]),
        ("Caf\u00e9 Cafe\u0301 CAF&Eacute;", ["caf\u00e9"] * 3),
        ("<td>one</td><td>4&nbsp;GB</td>", ["one", "4 gb"]),
        ("a <!-- b --> ~~c~~ <del>d</del> e", ["a", "e"]),
        ("Terms &amp; conditions & more", ["terms", "and", "conditions", "and", "more"]),
        ("\u0643\u0650\u062a\u064e\u0627\u0628", ["\u0643\u062a\u0627\u0628"]),
        ("\u05e9\u05dc\u05d5\u05b9\u05dd", ["\u05e9\u05dc\u05d5\u05dd"]),
        ("\u8fd4\u91d1 ok", ["\u8fd4", "\u91d1", "ok"]),
        ("C++ and C#", ["c++", "and", "c#"]),
    ],
)
def test_words(written: str, read: list[str]) -> None:
    assert words(written) == read


@pytest.mark.parametrize(
    "same",
    [
        [
            "10 000",
            "10\u00a0000",
            "10\u2009000",
            "10\u202f000",
            "10,000",
            "10'000",
            "10000",
            "\u0661\u0660\u0660\u0660\u0660",
        ],
        ["12,50", "12.50"],
        ["EUR 4.99", "\u20ac4.99", "4.99 euros", "4,99 \u20ac", "4.99 EUR"],
        ["\u00a31.50", "150 pence", "150p"],
        ["\u00a310,000", "GBP 10,000", "\u00a310k"],
        ["CHF 6'000", "CHF 6,000", "6000 CHF"],
        ["10.000 euros", "10,000 euros", "10.000,00 \u20ac"],
        ["90 minutes", "1 hour 30 minutes", "1.5 hours", "one and a half hours", "1 h 30 min"],
        ["72 hours", "3 days", "three days", "3-day"],
        ["24 months", "2 years", "two-year"],
        ["2 km", "2000 m", "two kilometres"],
        [
            "31/12/2026",
            "31 December 2026",
            "December 31st, 2026",
            "2026-12-31",
            "31.12.2026",
            "31. Dezember 2026",
        ],
        ["10 am", "10 a.m.", "10AM", "10.00 am"],
        ["noon", "12 pm", "midday", "12:00"],
        ["Mon-Fri", "Monday to Friday", "Mon\u2013Fri", "Mondays through Fridays", "weekdays"],
        ["weekends", "Saturdays and Sundays", "Sat-Sun"],
        ["5%", "5 %", "5 percent", "five per cent"],
        ["thirty", "30"],
        ["a dozen", "12", "twelve"],
        ["3-5 days", "3 to 5 days", "3\u20135 days", "between 3 and 5 days"],
        ["-5 \u00b0C", "\u22125 \u00b0C", "minus 5 degrees Celsius"],
        ["$4.8 billion", "4,800,000,000 dollars", "US$4.8bn"],
        ["third", "3rd"],
        ["https://www.example.com/a/", "example.com/a"],
    ],
)
def test_equal_in_any_writing(same: list[str]) -> None:
    assert [one for one in same if not same_value(value(one), value(same[0]))] == []


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("30 days", "3 days"),
        ("-5", "5"),
        ("Version 3.10", "version 3.1"),
        ("10 GB", "10 Gb"),
        ("19 euros", "19 dollars"),
        ("600 ms", "600 seconds"),
        ("Mon-Fri", "Mon-Sat"),
        ("10 am", "10 pm"),
        ("14 May 1987", "May 14, 1978"),
        ("3-5 days", "2 days"),
        ("10 business days", "5 business days"),
        ("25 cents", "0.50 euros"),
    ],
)
def test_other_values(one: str, two: str) -> None:
    assert compare(value(one), value(two)) is Relation.OTHER


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("10 business days", "two weeks"),
        ("30 days", "1 month"),
        ("3/4/2026", "3 April 2026"),
        ("3/4/2026", "4 March 2026"),
        ("5 days", "3-5 days"),
        ("5:00", "5 pm"),
        ("10.000", "10,000"),
        ("31 December", "31 December 2026"),
        ("3.10", "3.1"),
        ("30", "30 days"),
        ("Friday", "Mon-Fri"),
    ],
)
def test_open_values(one: str, two: str) -> None:
    assert compare(value(one), value(two)) is Relation.OPEN


def test_cents_are_of_any_currency() -> None:
    assert same_value(value("25 cents"), value("0.25 euros"))
    assert same_value(value("$0.25"), value("25 cents"))


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at least 18", ">="),
        ("18 or older", ">="),
        ("a minimum of 3 days", ">="),
        ("over 2 GB", ">"),
        ("up to 5 times", "<="),
        ("no more than 10", "<="),
        ("less than \u00a35", "<"),
        ("about 30", "~"),
        ("5 days", ""),
    ],
)
def test_bounds(text: str, bound: str) -> None:
    assert value(text).bound == bound


@pytest.mark.parametrize(
    "text",
    ["one of our rooms", "at one time", "can book one", "no one", "once it starts", "this one is"],
)
def test_one_is_no_number(text: str) -> None:
    assert [token.value for token in tokens(text) if token.value] == []


def test_one_counts() -> None:
    assert value("one hour").amount == 3600
    assert value("one bag") == Value("number", Fraction(1), number=Fraction(1))


@pytest.mark.parametrize(
    ("needle", "text"),
    [
        ("30 days", "Within thirty days."),
        ("12.50 EUR", "It is \u20ac12.50."),
        ("10,000", "about 10 000 users"),
        ("business days", "in 10 business days"),
        ("30", "30 days"),
        ("31 December", "on 31/12/2026"),
        ("2026", "on 31/12/2026"),
        ("18:00", "10:00\u201318:00"),
        ("Northwind", "Northwind's policy"),
        ("free of charge", "It is **free** of&nbsp;charge"),
        ("do not refund", "We don\u2019t refund"),
        ("example.com/help", "See https://example.com/help."),
    ],
)
def test_found(needle: str, text: str) -> None:
    assert find(needle, text) is not None


@pytest.mark.parametrize(
    ("needle", "text"),
    [
        ("3 days", "30 days"),
        ("3 days", "-3 days"),
        ("5 days", "3-5 days"),
        ("5", "-5"),
        ("3.1", "version 3.10"),
        ("10 GB", "10 Gb"),
        ("refund", "refundable"),
        ("14 days", "~~14 days~~ 30 days"),
        ("", "anything"),
        ("?!", "What?!"),
    ],
)
def test_not_found(needle: str, text: str) -> None:
    assert find(needle, text) is None


def test_a_place_is_of_the_text_as_given() -> None:
    text = "It costs **&euro;12.50** a month."
    span = find("12,50 EUR", text)
    assert span is not None
    assert text[slice(*span)] == "&euro;12.50"


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Park in zone A. It is free.", ["Park in zone A.", "It is free."]),
        (
            "J. Smith paid 5.5 euros. See No. 5, e.g. page 2.",
            ["J. Smith paid 5.5 euros.", "See No. 5, e.g. page 2."],
        ),
        (
            "**4GB memory per machine** However, I guess.",
            ["4GB memory per machine", "However, I guess."],
        ),
        ("- one thing\n- another", ["one thing", "another"]),
        ("<tr><td>Basic</td><td>5</td></tr>", ["Basic", "5"]),
        ("| Basic | 5 |", ["Basic", "5"]),
        ("Open until 5 p.m. Then closed.", ["Open until 5 p.m.", "Then closed."]),
        ("The answer is no. You pay.", ["The answer is no.", "You pay."]),
        ("Set `soft_limit` first.", ["Set soft_limit first."]),
    ],
)
def test_sentences(text: str, cut: list[str]) -> None:
    assert [one.text for one in sentences(text)] == cut


def test_headings_state_nothing() -> None:
    found = sentences("# Returns\nThe following apply:\n- Pay 5 euros.")
    assert [one.heading for one in found] == [True, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "within \x1b[31m14 days\x1b[0m",
        "within 1\x1b[1m4\x1b[0m days",
        "within \x1b]8;;https://a.example\x0714 days\x1b]8;;\x07",
        "within 14\x07 days",
    ],
)
def test_a_control_sequence_is_no_part_of_a_word(text: str) -> None:
    assert find("14 days", text) is not None
    assert find("4 days", text) is None
