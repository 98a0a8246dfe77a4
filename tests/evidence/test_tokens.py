"""What counts as the same words."""

import pytest

from evalrag.evidence.tokens import decisive, is_negation, is_number, normalise, token_count, tokens

SAME = [
    pytest.param("within 30\u00a0days", "Within  30\n\tdays", id="case and white space"),
    pytest.param("the \u201cfee\u201d isn\u2019t due", 'the "fee" isn\'t due', id="quotes"),
    pytest.param("2020\u20132024 \u2014 final", "2020-2024 - final", id="dashes"),
    pytest.param("within **30 days** of `delivery`", "within 30 days of delivery", id="emphasis"),
    pytest.param("__within__ _30_ days", "within 30 days", id="underscores"),
    pytest.param(
        "\uff33\uff45\uff4e\uff44 \uff12\uff19\uff0e\uff19\uff19", "send 29.99", id="wide forms"
    ),
    pytest.param("\ufb01nal o\ufb03ce", "final office", id="ligatures"),
    pytest.param("cafe\u0301 cre\u0300me", "caf\u00e9 cr\u00e8me", id="combining marks"),
    pytest.param("STRASSE", "stra\u00dfe", id="sharp s"),
    pytest.param("re\u00adfund poli\u200bcy", "refund policy", id="soft hyphen, zero-width space"),
    pytest.param("30 % of $ 40", "30% of $40", id="signs with a space"),
    pytest.param("30 \u20ac or 40", "30\u20ac or 40", id="a currency sign behind"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_these_are_the_same_words(one: str, two: str) -> None:
    assert tokens(one) == tokens(two)


DIFFERENT = [
    ("29.99", "30"),
    ("29.99", "2999"),
    ("1.5", "1,5"),
    ("30%", "30"),
    ("$30", "30"),
    ("$30", "\u20ac30"),
    ("v2.1", "v2.10"),
]


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_these_are_other_words(one: str, two: str) -> None:
    assert tokens(one) != tokens(two)


TOKENS = [
    pytest.param("costs $1,029.99, or 30%.", ["costs", "$1,029.99", "or", "30%"], id="amounts"),
    pytest.param("in 2.5 h (v1.2.3).", ["in", "2.5", "h", "v1.2.3"], id="points inside"),
    pytest.param("1.Intro, 2.", ["1", "intro", "2"], id="points at the end are none"),
    pytest.param("30-day don't", ["30", "day", "don", "t"], id="hyphen, apostrophe"),
    pytest.param("\u8fd4\u54c1 30 \u65e5", ["\u8fd4", "\u54c1", "30", "\u65e5"], id="Han"),
    pytest.param("\u3059\u308b2\u56de", ["\u3059", "\u308b", "2", "\u56de"], id="kana"),
    pytest.param("\u0e04\u0e37\u0e19", ["\u0e04", "\u0e37", "\u0e19"], id="Thai"),
    pytest.param("\u0eaa\u0eb1", ["\u0eaa", "\u0eb1"], id="Lao"),
    pytest.param("\u1780\u17b6\u179a", ["\u1780", "\u17b6", "\u179a"], id="Khmer"),
    pytest.param(
        "\u1019\u103c\u1014\u103a", ["\u1019", "\u103c", "\u1014", "\u103a"], id="Myanmar"
    ),
    pytest.param(
        "\u0939\u093f\u0928\u094d\u0926\u0940", ["\u0939\u093f\u0928\u094d\u0926\u0940"], id="Hindi"
    ),
    pytest.param("\ud658\ubd88 \uc815\ucc45", ["\ud658\ubd88", "\uc815\ucc45"], id="Korean"),
    pytest.param("% \u20ac -- ...", ["%", "\u20ac"], id="signs alone"),
    pytest.param("", [], id="nothing"),
]


@pytest.mark.parametrize(("given", "wanted"), TOKENS)
def test_text_is_cut_into_these_tokens(given: str, wanted: list[str]) -> None:
    assert tokens(given) == wanted
    assert token_count(given) == len(wanted)


def test_normalising_twice_changes_nothing() -> None:
    once = normalise("\uff0a**\u201cA\u0345\u2011B\u201d** 30 % $ 5 _x_")
    assert normalise(once) == once


@pytest.mark.parametrize(
    "token", ["30", "29.99", "30%", "$", "%", "\u0663", "\u4e09", "thirty", "2nd", "\u00bd"]
)
def test_a_number_is_a_number(token: str) -> None:
    assert is_number(token)


@pytest.mark.parametrize("token", ["days", "of", "", "\u65e5"])
def test_a_word_is_no_number(token: str) -> None:
    assert not is_number(token)


@pytest.mark.parametrize(
    "token", ["no", "not", "never", "without", "nor", "cannot", "nicht", "\u4e0d"]
)
def test_a_negation_is_a_negation(token: str) -> None:
    assert is_negation(token)


def test_the_end_of_dont_is_a_negation_and_a_lone_t_is_none() -> None:
    words = tokens("We don't, can\u2019t and won't; plan T is t")
    denying = [at for at, one in enumerate(decisive(words)) if one]
    assert denying == [2, 4, 7]
    assert [words[at - 1] for at in denying] == ["don", "can", "won"]
