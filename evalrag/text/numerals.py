"""Numbers, in digits and in words, and what they may mean."""

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from evalrag.text.lex import Raw
from evalrag.text.words import listed, numbers

_LONGEST = 40
_GROUPED = re.compile(r"\d{1,3}(?:([ ,.'])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_LETTERS = {"k": 1000, "m": 1000000, "b": 1000000000}


class Numeral(NamedTuple):
    """A number, what follows it, and how its digits were written where they have no unit."""

    amount: Fraction
    end: int
    digits: str = ""
    """Digits behind the point, as written: 3.10 may be another version than 3.1."""
    grouped: Fraction | None = None
    """What it is if its point is no decimal one: `10.000`."""


def low(raws: Sequence[Raw], at: int) -> str:
    return raws[at].low if 0 <= at < len(raws) else ""


def figure(text: str) -> Numeral | None:
    """Digits with separators; None of a version or a list (`3.2.1`, `1,2,3`).

    >>> [str(figure(one).amount) for one in ("10 000", "10,000", "12,50", "1.234,56", "10'000")]
    ['10000', '10000', '25/2', '30864/25', '10000']
    """
    if len(text) > _LONGEST:
        return None
    signs = [sign for sign in text if not sign.isdecimal()]
    if not signs:
        return Numeral(Fraction(int(text)), 0)
    if _INDIAN.fullmatch(text) and text.count(",") > 1:
        return _decimal(text.replace(",", ""), ".")
    grouped = _GROUPED.fullmatch(text)
    if len(signs) == 1 and signs[0] in ".,":
        whole, _, part = text.partition(signs[0])
        found = _decimal(text, signs[0])
        if len(part) != 3 or not grouped or whole.startswith("0"):
            return found
        as_group = Fraction(int(whole + part))
        if signs[0] == ",":
            return Numeral(as_group, 0)
        return found._replace(grouped=as_group)
    if grouped:
        group, last = grouped[1], signs[-1]
        plain = text.replace(group, "")
        return _decimal(plain, last) if last != group else Numeral(Fraction(int(plain)), 0)
    return None


def _decimal(text: str, point: str) -> Numeral:
    whole, _, part = text.partition(point)
    return Numeral(Fraction(f"{whole}.{part or 0}"), 0, part)


def numeral(raws: Sequence[Raw], at: int) -> Numeral | None:
    """The number that begins at `at`; its `end` is the place of the token after it."""
    raw = raws[at]
    if raw.kind == "fraction":
        return _behind(raws, at + 1, Numeral(_fraction(raw.text), 0))
    if raw.kind == "number":
        found = figure(raw.text)
        return None if found is None else _behind_digits(raws, at, found)
    if raw.kind != "word":
        return None
    scales = numbers("scales")
    if raw.low == "half" and low(raws, at + 1) in ("a", "an") and not _glued(raws, at + 1):
        return _behind(raws, at + 2, Numeral(Fraction(1, 2), 0))
    if (
        raw.low == "a"
        and scales.get(low(raws, at + 1), 0)
        and low(raws, at + 1) not in ("mn", "bn")
    ):
        return _behind(raws, at + 1, Numeral(Fraction(1), 0))
    return _words(raws, at) if raw.low in numbers("numbers") else None


def _glued(raws: Sequence[Raw], at: int) -> bool:
    return at < len(raws) and raws[at].glued


def _fraction(text: str) -> Fraction:
    return Fraction(unicodedata.numeric(text)).limit_denominator(16)


def _behind_digits(raws: Sequence[Raw], at: int, found: Numeral) -> Numeral:
    end = at + 1
    if end < len(raws) and raws[end].kind == "fraction":
        return _behind(raws, end + 1, Numeral(found.amount + _fraction(raws[end].text), 0))
    if low(raws, end) == "/" and _glued(raws, end) and _glued(raws, end + 1):
        below = raws[end + 1]
        part = raws[at].text in ("1", "2", "3") and below.text in ("2", "3", "4", "8")
        if part and low(raws, end + 2) != "/" and raws[at].text < below.text:
            return _behind(raws, end + 2, Numeral(found.amount / int(below.text), 0))
    letter = _LETTERS.get(low(raws, end), 0) if _glued(raws, end) else 0
    if letter and (low(raws, end) == "k" or (at and raws[at - 1].text in "$€£¥")):
        return Numeral(found.amount * letter, end + 1)
    return _behind(raws, end, found)


def _words(raws: Sequence[Raw], at: int) -> Numeral | None:
    """`twenty-one`, `two hundred and fifty`, `one and a half`, `three thousand`."""
    if raws[at].low == "one" and not _counts(raws, at):
        return None
    amount, end = _below_hundred(raws, at)
    if low(raws, end) == "hundred":
        amount, end = amount * 100, end + 1
        rest = end + 1 if low(raws, end) == "and" else end
        if low(raws, rest) in numbers("numbers") and amount < 10_000:
            more, end = _below_hundred(raws, rest)
            amount += more
    return _behind(raws, end, Numeral(Fraction(amount), 0))


def _counts(raws: Sequence[Raw], at: int) -> bool:
    """Is this "one" a number, and no pronoun? `one hour`, `one bag`; not `one of`, `no one`."""
    behind = raws[at + 1] if at + 1 < len(raws) else None
    if behind is None:
        return at == 0
    joined = behind.low == "-" and behind.glued
    if behind.kind != "word" and not joined:
        return False
    if (
        behind.low == "and"
        and low(raws, at + 2) == "a"
        and low(raws, at + 3) in ("half", "quarter")
    ):
        return True
    before = low(raws, at - 1)
    return before not in listed("before_one") and behind.low not in listed("behind_one")


def _below_hundred(raws: Sequence[Raw], at: int) -> tuple[int, int]:
    known = numbers("numbers")
    amount, end = known[raws[at].low], at + 1
    if amount >= 20:
        behind = end + 1 if low(raws, end) == "-" and _glued(raws, end) else end
        unit = known.get(low(raws, behind), 0)
        if 0 < unit < 10 and (behind > end or not raws[behind].glued):
            amount, end = amount + unit, behind + 1
    return amount, end


def _behind(raws: Sequence[Raw], end: int, found: Numeral) -> Numeral:
    """Scales (`million`) and halves (`and a half`) behind a number."""
    amount, scaled = found.amount, False
    scales = numbers("scales")
    while low(raws, end) in scales and amount < 10**30:
        amount, end, scaled = amount * scales[low(raws, end)], end + 1, True
    if low(raws, end) == "and" and low(raws, end + 1) == "a" and end + 2 < len(raws):
        part = {"half": Fraction(1, 2), "quarter": Fraction(1, 4)}.get(low(raws, end + 2))
        if part is not None:
            return Numeral(amount + part, end + 3)
    return Numeral(amount, end) if scaled else found._replace(end=end)
