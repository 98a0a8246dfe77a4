"""Figures that stand nowhere and may be right all the same: counts, sums, names, round figures.

A figure proves something only where it is surely a fact of the subject. What the answer may have
worked out, counted, rounded or numbered by itself is none.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from evalrag.judging.rule_words import listed, pattern
from evalrag.judging.sources import stands
from evalrag.judging.wording import Statement, Unit, bare
from evalrag.text import Value

_COUNTED = 10
"""Bare whole numbers up to here may count anything that the context tells of."""
_DIGITS = 3
"""Digits of a code from which it is an identifier: `3D`, `B12` and `A4` are words."""
_WORD = re.compile(r"\d{1,2}[GKDHT]")
"""`5G`, `4K`: a word, and no weight or number."""
_MOST = 48
"""Values that are reckoned with."""
_ROUND = Fraction(1, 20)
_MEASURES = frozenset({"length", "mass", "volume", "area", "speed", "temperature"})
_YEARS = range(1000, 2200)
_HUNDRED = Fraction(100)


def worked_out(unit: Unit, said: Statement, pool: Sequence[Value], given: Sequence[Value]) -> bool:
    """May the value be a result of others?

    Args:
        unit: the value, as it stands in `said`.
        said: the statement.
        pool: all values of the context and the question.
        given: the values of the question, which the answer may reckon with.
    """
    value = unit.value
    if value is None:
        return True
    if _marked(unit, said):
        return True
    others = [one.value for one in said.units if one.value is not None and one is not unit]
    if value.high is not None:
        return True
    return _result(value, others, pool, given)


def no_fact(unit: Unit, said: Statement, pool: Sequence[Value]) -> bool:
    """Is the figure a count, a number of a list, a part of a name, a round figure or a range?

    A range, as "about", is what an answer makes of several figures.
    """
    value = unit.value
    if value is None:
        return True
    if value.kind == "code" and len(_digits(value.unit)) < _DIGITS:
        return True
    if _WORD.fullmatch(bare(said.text)[0][unit.token.start : unit.token.end]):
        return True
    if (
        value.bound == "~"
        or value.high is not None
        or (value.kind == "percent" and value.number in (0, 100))
    ):
        return True
    small = value.kind == "number" and value.amount in range(_COUNTED + 1)
    if small:
        return True
    if value.kind in ("number", "version", "code") and _named(unit, said):
        return True
    if "exactly" not in said.words and _rounded(value, pool):
        return True
    if _bounded(value, pool):
        return True
    return _decade(value) or _counts_days(value, pool) or _day_between(value, pool)


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdecimal())


def _marked(unit: Unit, said: Statement) -> bool:
    """Words of reckoning: before the value (`so`, `i.e.`), or anywhere (`in total`, `=`)."""
    if listed("reckoned") & said.words or any("=" in one.token.mark for one in said.units):
        return True
    told = bare(said.text)[0]
    return pattern("follows").search(told, 1, unit.token.start) is not None


def _named(unit: Unit, said: Statement) -> bool:
    """`Step 3`, `passage 2`, `Windows 11`: a number behind a word that it numbers, or a name."""
    at = next((n for n, one in enumerate(said.units) if one is unit), 0)
    if not at:
        return False
    before = said.units[at - 1]
    if before.value is not None or unit.token.mark.strip("#-\u2013 "):
        return False
    if before.key in listed("numbered"):
        return True
    written = bare(said.text)[0][before.token.start : before.token.end]
    return at > 1 and written[:1].isupper()


def _decade(value: Value) -> bool:
    """`the 1900s`, read as seconds."""
    year = value.number
    if value.kind != "time" or value.unit != "second" or year is None or value.amount != year:
        return False
    return year in _YEARS and year % 10 == 0


def _counts_days(value: Value, pool: Sequence[Value]) -> bool:
    """`over the next 5 days`, `three days`: as many as the context names, or that lie between."""
    if value.kind != "time" or value.number is None:
        return False
    named = {other for other in pool if other.kind in ("date", "weekday")}
    if not named or value.number > _MOST:
        return False
    if 1 < value.number <= len(named):
        return True
    days = {Fraction(part) for one in named for part in one.unit.split("-")[2:] if part != "?"}
    days |= {one.amount for one in pool if one.kind == "number" and one.amount is not None}
    gaps = {abs(a - b) for a in days for b in days if a <= 31 and b <= 31}
    return bool({value.number, value.number - 1} & gaps)


def _day_between(value: Value, pool: Sequence[Value]) -> bool:
    """`13 June` of `12 to 14 June`."""
    if value.kind != "date":
        return False
    month, day = value.unit.split("-")[1:]
    dates = [other.unit.split("-") for other in pool if other.kind == "date"]
    days = {int(one[2]) for one in dates if one[1] == month and one[2] != "?"}
    days |= {int(one.amount) for one in pool if one.kind == "number" and one.amount is not None}
    if day == "?" or not any(one[1] == month for one in dates):
        return False
    return any(one < int(day) for one in days) and any(int(day) < one <= 31 for one in days)


def _rounded(value: Value, pool: Sequence[Value]) -> bool:
    """Nearly another value, and written with fewer digits or in another unit."""
    if value.amount is None or value.high is not None or value.kind in ("clock", "ordinal", "date"):
        return False
    for other in _kin(value, pool):
        if other.amount is None:
            continue
        apart = abs(other.amount - value.amount)
        if value.kind in _MEASURES and value.number != other.number:
            near = apart <= 1 if value.kind == "temperature" else apart <= _ROUND * other.amount
            same_unit = _factor(value) == _factor(other) and value.kind != "temperature"
            if near and not same_unit:
                return True
        if apart <= _ROUND * abs(other.amount) and _places(value) < _places(other):
            return True
    return False


def _factor(value: Value) -> Fraction:
    return value.amount / value.number if value.amount and value.number else Fraction(0)


def _places(value: Value) -> int:
    """Significant digits of the number as written."""
    if value.number is None or not value.number:
        return 0
    number = value.number
    shift = 0
    while number.denominator > 1 and shift < 6:
        number, shift = number * 10, shift + 1
    return len(str(abs(int(number))).rstrip("0"))


def _bounded(value: Value, pool: Sequence[Value]) -> bool:
    """`over half an hour` of 35 minutes: what has a bound is true of what lies within."""
    if not value.bound or value.amount is None:
        return False
    kin = [other.amount for other in _kin(value, pool) if other.amount is not None]
    if value.bound in (">", ">="):
        return any(value.amount <= other <= value.amount * 2 for other in kin)
    return value.bound in ("<", "<=") and any(
        value.amount >= other >= value.amount / 2 for other in kin
    )


def _kin(value: Value, among: Sequence[Value]) -> list[Value]:
    kin = [other for other in among if (other.kind, other.unit) == (value.kind, value.unit)]
    return kin[:_MOST]


def _result(
    value: Value, others: Sequence[Value], pool: Sequence[Value], given: Sequence[Value]
) -> bool:
    """A sum, product, quotient, share or difference of two values, one of them told beside it."""
    if value.amount is None or value.kind in ("weekday", "ordinal"):
        return False
    if stands(value, [*others, *pool]) and value.high is None and value not in others:
        return True
    if value.kind == "percent" and any(
        abs(other.amount - 1) == value.amount or abs(other.amount - _HUNDRED) == value.amount
        for other in pool
        if other.kind == "percent" and other.amount is not None
    ):
        return True
    mine = {value.amount, value.number, value.amount * 100} - {None}
    clocks = [other.amount for other in pool if other.kind == "clock" and other.amount is not None]
    if value.kind == "time" and any(
        abs(a - b) * 60 == value.amount for a in clocks[:_MOST] for b in clocks[:_MOST]
    ):
        return True
    factors = set(_figures([*others, *given]))
    bases = set(_figures([*others, *pool][:_MOST]))
    for one in factors:
        for two in bases:
            found = {one * two, one * two / 100}
            if two:
                found.add(one / two)
            if one:
                found.add(two / one)
            if one in _YEARS or two in _YEARS:
                found.add(abs(one - two))
            if mine & found and not (one == 1 or two == 1):
                return True
    return False


def _figures(values: Sequence[Value]) -> Iterator[Fraction]:
    for value in values:
        if value.kind == "date":
            year = value.unit.split("-")[0]
            if year != "?":
                yield Fraction(year)
            continue
        if value.kind in ("clock", "weekday", "ordinal"):
            continue
        for figure in (value.amount, value.number, value.high):
            if figure is not None:
                yield figure
