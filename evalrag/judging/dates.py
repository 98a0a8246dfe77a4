"""Dates, days of the week and times of the day, and when two of them clash."""

from collections.abc import Sequence
from dataclasses import dataclass

from evalrag.judging.bounds import DOWN, UP, bound_before
from evalrag.judging.stems import listed
from evalrag.judging.tokens import Token

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sep sept", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAYS = {
    name: number
    for number, day in enumerate(
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], start=1
    )
    for name in (day, day + "s")
}
_HOURS = {"noon": 720, "midnight": 0}
NAMED = frozenset({*_MONTHS, *_WEEKDAYS, *_HOURS})
"""What a moment begins with, if it does not begin with a number."""

_BEFORE_YEAR = listed(
    """
    in since of by from until till to before after during and or early late mid year fiscal
    through between around about circa ( , -
    """
)
_BEFORE_MONTH = _BEFORE_YEAR | {"last", "next", "this", "every", "each", "end", "on"}
_ORDINAL = {"st", "nd", "rd", "th"}


@dataclass(frozen=True, slots=True)
class Moment:
    """What is said of a time; a field that is not said is None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    minute: int | None = None
    bound: str = ""

    @property
    def kind(self) -> str:
        if self.minute is not None:
            return "clock"
        return "weekday" if self.weekday is not None else "date"


def moment(tokens: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    """The date, day or time that begins at `at`, and the token after it."""
    if not tokens[at].number and tokens[at].low not in NAMED:
        return None
    for reader in (_clock, _weekday, _iso, _day_first, _month_first, _year):
        found = reader(tokens, at)
        if found is not None:
            return found
    return None


def clash(claim: Moment, other: Moment) -> str | None:
    """`date` where they differ, `?date` where the claim says more, None where it is borne out."""
    more = False
    for mine, theirs in (
        (claim.year, other.year), (claim.month, other.month), (claim.day, other.day),
        (claim.weekday, other.weekday), (claim.minute, other.minute),
    ):  # fmt: skip
        if mine is not None and theirs is not None and mine != theirs:
            return "date"
        more = more or (mine is not None and theirs is None)
    if {claim.bound, other.bound} == {UP, DOWN}:
        return "bound"
    if claim.bound != other.bound:
        return "?bound"
    return "?date" if more else None


def overlapping(claim: Moment, other: Moment) -> bool:
    """Do they speak of the same part of time, so that another value is another statement?"""
    if claim.kind != other.kind:
        return False
    if claim.kind != "date":
        return True
    return (claim.year is not None and other.year is not None) or (
        claim.month is not None and other.month is not None
    )


def _low(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].low if 0 <= at < len(tokens) else ""


def _number(tokens: Sequence[Token], at: int, low: int, high: int, digits: int = 0) -> int | None:
    if not 0 <= at < len(tokens) or not tokens[at].number:
        return None
    text = tokens[at].text
    if len(text) > 4 or not text.isdecimal() or (digits and len(text) != digits):
        return None
    value = int(text)
    return value if low <= value <= high else None


def _clock(tokens: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    if tokens[at].low in _HOURS:
        return Moment(minute=_HOURS[tokens[at].low], bound=bound_before(tokens, at)), at + 1
    hour = _number(tokens, at, 0, 24)
    if hour is None:
        return None
    minute, end = 0, at + 1
    colon = _low(tokens, end) in (":", ".") and end < len(tokens) and tokens[end].glued
    minutes = _number(tokens, end + 1, 0, 59, 2) if colon and tokens[end].text == ":" else None
    if minutes is not None and tokens[end + 1].glued:
        minute, end = minutes, end + 2
    half = _low(tokens, end)
    if half in ("a", "p") and _low(tokens, end + 1) == "." and _low(tokens, end + 2) == "m":
        half, end = half + "m", end + 2
    if half in ("am", "pm") and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "pm" else 0)
        return Moment(minute=60 * hour + minute, bound=bound_before(tokens, at)), end + 1
    if minutes is not None:
        return Moment(minute=60 * hour + minute, bound=bound_before(tokens, at)), end
    return None


def _weekday(tokens: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    day = _WEEKDAYS.get(tokens[at].low)
    return None if day is None or not tokens[at].capital else (Moment(weekday=day), at + 1)


def _iso(tokens: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    year = _number(tokens, at, 1000, 2199, 4)
    if year is None or _low(tokens, at + 1) != "-" or _low(tokens, at + 3) != "-":
        return None
    month, day = _number(tokens, at + 2, 1, 12, 2), _number(tokens, at + 4, 1, 31, 2)
    if month is None or day is None:
        return None
    return Moment(year, month, day, bound=bound_before(tokens, at)), at + 5


def _month(tokens: Sequence[Token], at: int) -> int | None:
    if not 0 <= at < len(tokens) or not tokens[at].capital:
        return None
    return _MONTHS.get(tokens[at].low)


def _day_first(tokens: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    day = _number(tokens, at, 1, 31)
    if day is None:
        return None
    end = at + 1
    if _low(tokens, end) in _ORDINAL and tokens[end].glued:
        end += 1
    if _low(tokens, end) == "of":
        end += 1
    month = _month(tokens, end)
    if month is None:
        return None
    year, end = _year_behind(tokens, end + 1)
    return Moment(year, month, day, bound=bound_before(tokens, at)), end


def _month_first(tokens: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    month = _month(tokens, at)
    if month is None:
        return None
    end = at + 2 if _low(tokens, at + 1) == "." and tokens[at + 1].glued else at + 1
    day = _number(tokens, end, 1, 31)
    bound = bound_before(tokens, at)
    if day is not None:
        end += 1
        if _low(tokens, end) in _ORDINAL and tokens[end].glued:
            end += 1
    year, last = _year_behind(tokens, end)
    sure = day is not None or year is not None
    if (
        not sure
        and tokens[at].low in ("may", "march", "mar")
        and (_low(tokens, at - 1) not in _BEFORE_MONTH or at == 0)
    ):
        return None
    return Moment(year, month, day, bound=bound), last


def _year_behind(tokens: Sequence[Token], at: int) -> tuple[int | None, int]:
    place = at + 1 if _low(tokens, at) in (",", "of") else at
    year = _number(tokens, place, 1000, 2199, 4)
    return (year, place + 1) if year is not None else (None, at)


def _year(tokens: Sequence[Token], at: int) -> tuple[Moment, int] | None:
    year = _number(tokens, at, 1500, 2199, 4)
    if year is None:
        return None
    if at and _low(tokens, at - 1) not in _BEFORE_YEAR:
        return None
    follows = tokens[at + 1] if at + 1 < len(tokens) else None
    sure = _low(tokens, at - 1) in ("in", "since", "year", "fiscal", "circa")
    if not sure and follows is not None and follows.word and not follows.capital:
        from_list = follows.low in ("and", "or", "to", "the", "was", "is", "for", "by", "after")
        if not from_list:
            return None
    return Moment(year=year, bound=bound_before(tokens, at)), at + 1
