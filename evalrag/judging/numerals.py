"""Numbers, in digits and in words."""

from collections.abc import Sequence
from typing import NamedTuple

from evalrag.judging.tokens import Token

_ONES_NAMED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS_NAMED = "twenty thirty forty fifty sixty seventy eighty ninety"
_PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ONES = {name: value for value, name in enumerate(_ONES_NAMED.split())}
_TENS = {name: 10 * value for value, name in enumerate(_TENS_NAMED.split(), start=2)}
SMALL = _ONES | _TENS
_SCALES = {
    "hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "bn": 1e9, "mn": 1e6, "dozen": 12.0, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9}
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
ORDINALS = {name: value for value, name in enumerate(_PLACES.split(), start=1)}


class Numeral(NamedTuple):
    """A number, and the token after it."""

    value: float
    end: int


def figure(text: str) -> float | None:
    """The value of digits with separators; None for a version (`3.2.1`) or what is unclear."""
    if text.count(".") > 1 or len(text) > 30:
        return None
    whole, dot, part = text.partition(".")
    if "," in part:
        return None
    groups = whole.split(",")
    if len(groups) > 1 and not (len(groups[0]) <= 3 and all(len(g) == 3 for g in groups[1:])):
        return None
    return float("".join(groups) + dot + part)


def numeral(tokens: Sequence[Token], at: int) -> Numeral | None:
    """The number that begins at `at`, magnitude words included."""
    token = tokens[at]
    if token.number:
        value = figure(token.text)
        return None if value is None else _after_digits(tokens, at, value)
    if token.low == "half" and _low(tokens, at + 1) in ("a", "an"):
        return _scaled(tokens, at + 2, 0.5)
    if token.low == "a" and _low(tokens, at + 1) in ("hundred", "thousand", "million", "dozen"):
        return _scaled(tokens, at + 1, 1.0)
    return _words(tokens, at) if token.low in SMALL else None


def _after_digits(tokens: Sequence[Token], at: int, value: float) -> Numeral:
    end = at + 1
    after = tokens[end] if end < len(tokens) else None
    slash = after is not None and after.text in ("/", "\u2044") and after.glued
    if slash and end + 1 < len(tokens):
        below = figure(tokens[end + 1].text) if tokens[end + 1].number else None
        beyond = _low(tokens, end + 2)
        if below and value < below <= 16 and beyond != "/":
            return Numeral(value / below, end + 2)
    if after is not None and after.text in _FRACTIONS:
        return Numeral(value + _FRACTIONS[after.text], end + 1)
    if after is not None and after.glued and after.low in _LETTERS:
        money = at > 0 and tokens[at - 1].text in "$€£¥"
        if after.low == "k" or money:
            return Numeral(value * _LETTERS[after.low], end + 1)
    return _scaled(tokens, end, value)


def _words(tokens: Sequence[Token], at: int) -> Numeral:
    """`twenty-one`, `two hundred and fifty`, `one and a half`, `three thousand`."""
    value, end = _below_hundred(tokens, at)
    if _low(tokens, end) == "hundred":
        value, end = value * 100, end + 1
        rest = end + 1 if _low(tokens, end) == "and" else end
        if _low(tokens, rest) in SMALL:
            more = _below_hundred(tokens, rest)
            value, end = value + more.value, more.end
    return _scaled(tokens, end, value)


def _below_hundred(tokens: Sequence[Token], at: int) -> Numeral:
    value, end = float(SMALL[tokens[at].low]), at + 1
    if tokens[at].low in _TENS:
        next_ = end + 1 if _low(tokens, end) == "-" else end
        unit = _ONES.get(_low(tokens, next_), 0)
        if 0 < unit < 10:
            value, end = value + unit, next_ + 1
    return Numeral(value, end)


def _scaled(tokens: Sequence[Token], end: int, value: float) -> Numeral:
    while _low(tokens, end) in _SCALES:
        value, end = value * _SCALES[_low(tokens, end)], end + 1
    if _low(tokens, end) == "and" and _low(tokens, end + 1) == "a":
        part = {"half": 0.5, "quarter": 0.25}.get(_low(tokens, end + 2))
        if part is not None:
            value, end = value + part, end + 3
    return Numeral(value, end)


def _low(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].low if 0 <= at < len(tokens) else ""
