"""Dates, weekdays and times of the day, read from words, numbers and signs."""

import re
from collections.abc import Sequence
from fractions import Fraction

from evalrag.text.lex import Raw
from evalrag.text.numerals import low
from evalrag.text.values import Value
from evalrag.text.words import listed, numbers

_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_NUMERIC = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})")
_YEARS = range(1000, 2200)

Found = tuple[Value, int]


def moment(raws: Sequence[Raw], at: int) -> Found | None:
    """The date, weekdays or time that begins at `at`, and the place after it."""
    raw = raws[at]
    if raw.kind == "number":
        return _numeric(raws, at) or _clock(raws, at) or _day_first(raws, at)
    if raw.kind == "word":
        if raw.low in numbers("clock"):
            return Value("clock", Fraction(numbers("clock")[raw.low])), at + 1
        return _weekdays(raws, at) or _month_first(raws, at)
    return None


def _whole(raws: Sequence[Raw], at: int, lowest: int, highest: int) -> int | None:
    if not 0 <= at < len(raws) or raws[at].kind != "number" or not raws[at].text.isdecimal():
        return None
    if len(raws[at].text) > 4:
        return None
    value = int(raws[at].text)
    return value if lowest <= value <= highest else None


def _date(year: int | None, month: int | None, day: int | None) -> str:
    return "-".join("?" if part is None else str(part) for part in (year, month, day))


def _numeric(raws: Sequence[Raw], at: int) -> Found | None:
    """`2026-12-31`, `31/12/2026`, `31.12.2026`."""
    dotted = _NUMERIC.fullmatch(raws[at].text)
    if dotted:
        return _two_ways(int(dotted[1]), int(dotted[2]), _full(dotted[3]), at + 1, european=True)
    sign = low(raws, at + 1)
    if sign not in ("-", "/") or low(raws, at + 3) != sign or at + 4 >= len(raws):
        return None
    if not all(raws[place].glued for place in range(at + 1, at + 5)):
        return None
    one, two = _whole(raws, at, 1, 2199), _whole(raws, at + 2, 1, 31)
    three = _whole(raws, at + 4, 0, 2199)
    if one is None or two is None or three is None:
        return None
    if one in _YEARS:
        if two > 12 or not 1 <= three <= 31:
            return None
        return Value("date", unit=_date(one, two, three)), at + 5
    year = _full(raws[at + 4].text)
    return _two_ways(one, two, year, at + 5, european=False)


def _full(text: str) -> int:
    return int(text) + 2000 if len(text) == 2 else int(text)


def _two_ways(one: int, two: int, year: int, end: int, *, european: bool) -> Found | None:
    """Day and month in either order: open where both may be, unless points stand between."""
    if year not in _YEARS or not 1 <= one <= 31 or not 1 <= two <= 31:
        return None
    if one > 12 or european:
        return (Value("date", unit=_date(year, two, one)), end) if two <= 12 else None
    if two > 12 or one == two:
        return Value("date", unit=_date(year, one, two)), end
    return Value("date", unit=_date(year, two, one), maybe=(_date(year, one, two),)), end


def _clock(raws: Sequence[Raw], at: int) -> Found | None:
    """`10:00`, `10 am`, `5.30 p.m.`, `17h30`, `10 o'clock`, and `9` of `9-5 pm`."""
    hour, minute, end = _whole(raws, at, 0, 24), 0, at + 1
    dotted = re.fullmatch(r"(\d{1,2})\.([0-5]\d)", raws[at].text)
    sure = False
    if dotted and int(dotted[1]) <= 24:
        hour, minute = int(dotted[1]), int(dotted[2])
    if hour is None or len(raws[at].text) > 5:
        return None
    if low(raws, end) == ":" and raws[end].glued and end + 1 < len(raws) and raws[end + 1].glued:
        minutes = _whole(raws, end + 1, 0, 59)
        if minutes is None or len(raws[end + 1].text) != 2:
            return None
        minute, end, sure = minutes, end + 2, True
        if low(raws, end) == ":" and raws[end].glued:
            return None  # seconds: a length of time, or a stamp
    half, last = _half(raws, end)
    if half and 1 <= hour <= 12:
        return Value(
            "clock", Fraction((hour % 12 + (12 if half == "p" else 0)) * 60 + minute)
        ), last
    if low(raws, end) in ("h", "uhr") and (dotted or sure or low(raws, end) == "uhr"):
        return Value("clock", Fraction(hour * 60 + minute)), end + 1
    if low(raws, end) == "o" and low(raws, end + 1) == "'" and low(raws, end + 2) == "clock":
        return _twelve(hour, minute, end + 3)
    if sure:
        return (
            _twelve(hour, minute, end)
            if hour and not raws[at].text.startswith("0")
            else (Value("clock", Fraction(hour * 60 + minute)), end)
        )
    if dotted is None and (low(raws, end) in ("-", "to", "\u2013", "and")):
        return _before_half(raws, hour, end)
    return None


def _before_half(raws: Sequence[Raw], hour: int, end: int) -> Found | None:
    """The `9` of `9-11 am`, and of `7 to 9 pm`."""
    then = _whole(raws, end + 1, 1, 12)
    half, _ = _half(raws, end + 2)
    if then is None or not half or not 1 <= hour <= 12:
        return None
    if hour % 12 >= then % 12:
        return None  # 9 to 5 pm: of the morning, or not
    return Value("clock", Fraction((hour % 12 + (12 if half == "p" else 0)) * 60)), end


def _twelve(hour: int, minute: int, end: int) -> Found:
    """Without am or pm, an hour up to 12 may be either."""
    first = Fraction(hour * 60 + minute)
    if 1 <= hour <= 11:
        return Value("clock", first, maybe=(str(first + 720),)), end
    return Value("clock", first), end


def _half(raws: Sequence[Raw], at: int) -> tuple[str, int]:
    """`am`, `p.m.`: its first letter, and the place after it."""
    word = low(raws, at)
    if word in ("am", "pm"):
        return word[0], at + 1
    pointed = low(raws, at + 1) == "." and low(raws, at + 2) == "m"
    if word in ("a", "p") and pointed and raws[at + 1].glued and raws[at + 2].glued:
        dot = at + 3 < len(raws) and raws[at + 3].text == "." and raws[at + 3].glued
        return word, at + 3 + dot
    return "", at


def _month(raws: Sequence[Raw], at: int, *, beside: bool) -> int | None:
    """The month named at `at`; `beside`: a day or a year stands at its side."""
    if not 0 <= at < len(raws) or raws[at].kind != "word":
        return None
    word = raws[at].low
    month = numbers("months").get(word)
    if month is None:
        return numbers("more_months").get(word) if beside else None
    return month if beside or raws[at].text[0].isupper() else None


def _day_first(raws: Sequence[Raw], at: int) -> Found | None:
    day = _whole(raws, at, 1, 31)
    if day is None:
        return None
    end = at + 1
    if (low(raws, end) in _ENDINGS or low(raws, end) == ".") and raws[end].glued:
        end += 1
    if low(raws, end) in ("of", "-", "de"):
        end += 1
    month = _month(raws, end, beside=True)
    if month is None:
        return None
    if raws[end].low in ("may", "march", "mars", "mai", "mei") and not raws[end].text[0].isupper():
        return None
    year, end = _year(raws, end + 1)
    return Value("date", unit=_date(year, month, day)), end


def _month_first(raws: Sequence[Raw], at: int) -> Found | None:
    month = _month(raws, at, beside=False)
    if month is None:
        return None
    end = at + 1
    if low(raws, end) == "." and raws[end].glued and len(raws[at].text) < 5:
        end += 1
    if low(raws, end) == "-" and raws[end].glued:
        end += 1
    if low(raws, end) == "the":
        end += 1
    day = _whole(raws, end, 1, 31)
    if day is not None and len(raws[end].text) < 3:
        end += 1
        if low(raws, end) in _ENDINGS and raws[end].glued:
            end += 1
        if low(raws, end) == ":" and _whole(raws, end + 1, 0, 59) is not None and raws[end].glued:
            return None  # "May 5:30"
    else:
        day, end = None, at + 1
    year, last = _year(raws, end)
    if day is None and year is None:
        lead = low(raws, at - 1)
        ambiguous = raws[at].low in ("may", "march", "mar", "dec", "jan", "sep")
        if ambiguous and (at == 0 or lead not in listed("before_month")):
            return None
        return Value("date", unit=_date(None, month, None)), at + 1
    return Value("date", unit=_date(year, month, day)), last


def _year(raws: Sequence[Raw], at: int) -> tuple[int | None, int]:
    place = at + 1 if low(raws, at) in (",", "of", "-", ".", "de") else at
    year = _whole(raws, place, 1000, 2199)
    if year is None or len(raws[place].text) != 4:
        return None, at
    return year, place + 1


def _weekdays(raws: Sequence[Raw], at: int) -> Found | None:
    """`Mondays`, `Mon-Fri`, `Monday to Friday`, `Saturdays and Sundays`, `weekends`."""
    first = _weekday(raws, at)
    if first is None:
        return None
    end = _dotted(raws, at + 1)
    joint = low(raws, end)
    second = _weekday(raws, end + 1) if joint else None
    one = first.bit_count() == 1
    if second is not None and one and second.bit_count() == 1:
        if joint in listed("through") or joint in ("-", "\u2013", "—"):
            return _mask(_through(first, second)), _dotted(raws, end + 2)
        if joint in ("and", "&") and first | second == 96:
            return _mask(96), _dotted(raws, end + 2)
    if raws[at].low in numbers("short_weekdays") and not _short(raws, at):
        return None
    return _mask(first), end


def _mask(days: int) -> Value:
    return Value("weekday", Fraction(days))


def _through(first: int, last: int) -> int:
    days, day = first, first
    while day != last:
        day = day * 2 if day < 64 else 1
        days |= day
    return days


def _weekday(raws: Sequence[Raw], at: int) -> int | None:
    if not 0 <= at < len(raws) or raws[at].kind != "word":
        return None
    word = raws[at].low
    found = numbers("weekdays").get(word) or numbers("weekdays").get(word.removesuffix("s"))
    if found is None and raws[at].text[0].isupper():
        found = numbers("short_weekdays").get(word)
    return found


def _short(raws: Sequence[Raw], at: int) -> bool:
    """`Sat` and `Sun` by themselves are words, unless a dot, a comma or a time stands behind."""
    behind = raws[at + 1] if at + 1 < len(raws) else None
    return raws[at].low not in ("sat", "sun", "mon", "wed") or (
        behind is not None and (behind.text in ".,:" or behind.kind == "number")
    )


def _dotted(raws: Sequence[Raw], at: int) -> int:
    """Behind the point of `Mon.`, where something goes on."""
    dot = (
        at + 1 < len(raws)
        and raws[at].text == "."
        and raws[at].glued
        and len(raws[at - 1].text) < 5
    )
    return at + 1 if dot and raws[at + 1].text[0] in "-\u2013—" else at
