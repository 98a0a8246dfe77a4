"""Amounts: a number with its unit, sign and range, read from words, numbers and signs."""

from collections.abc import Sequence
from fractions import Fraction

from evalrag.text.lex import Raw
from evalrag.text.numerals import Numeral, low, numeral
from evalrag.text.values import Value
from evalrag.text.words import Unit, listed, numbers, units

_GLUED_ONLY = frozenset({"s", "p", "a", "v", "w", "A", "V", "W"})
"""Units only where no space stands before them."""
_PARTED = frozenset({"time", "length", "mass", "money"})
_TEMPERATURES = {"c": "C", "celsius": "C", "centigrade": "C", "f": "F", "fahrenheit": "F"}
_DASHES = frozenset({"-", "\u2013", "—", "~"})
_ENDINGS = frozenset({"st", "nd", "rd", "th"})

Found = tuple[Value, int]


def amount(raws: Sequence[Raw], at: int) -> Found | None:
    """The amount that begins at `at`, and the place after it."""
    sign, begin = _sign(raws, at)
    first = _single(raws, begin, sign)
    if first is None or first[1] <= at:
        return None
    if sign > 0 and (ranged := _range(raws, at, first)) is not None:
        return ranged
    value, end = first
    return _compound(raws, value, end)


def ordinal(raws: Sequence[Raw], at: int) -> Found | None:
    """`third`, `3rd`."""
    raw = raws[at]
    place = numbers("ordinals").get(raw.low) if raw.kind == "word" else None
    if place is not None and raw.low != "second":
        return Value("ordinal", Fraction(place)), at + 1
    ending = at + 1 < len(raws) and raws[at + 1].glued and raws[at + 1].low in _ENDINGS
    if ending and raw.kind == "number" and raw.text.isdecimal() and len(raw.text) < 7:
        return Value("ordinal", Fraction(int(raw.text))), at + 2
    return None


def _glued(raws: Sequence[Raw], at: int) -> bool:
    return at < len(raws) and raws[at].glued


def _sign(raws: Sequence[Raw], at: int) -> tuple[int, int]:
    """-1 and where the number begins, behind a minus sign that is no dash of a range or a list."""
    raw = raws[at]
    if raw.low == "minus" and at + 1 < len(raws) and not raws[at + 1].glued:
        return -1, at + 1
    if raw.text == "-" and at + 1 < len(raws) and raws[at + 1].glued:
        free = not raw.glued or (
            at and raws[at - 1].kind == "sign" and raws[at - 1].text not in ")"
        )
        if free:
            return -1, at + 1
    return 1, at


def _single(raws: Sequence[Raw], at: int, sign: int) -> Found | None:
    """One number with its unit before or behind it."""
    before, start = _currency_before(raws, at)
    if start >= len(raws):
        return None
    if before is not None and raws[start].text == "-" and _glued(raws, start + 1):
        sign, start = -sign, start + 1
    found = numeral(raws, start)
    if found is None:
        return None
    if before is not None:
        return _measured(found, before, sign), found.end
    unit, end = unit_at(raws, found.end)
    if unit is not None:
        return _measured(found, unit, sign), end
    special = _business(raws, found, sign) or _temperature(raws, found, sign)
    if special is not None:
        return special
    return _unitless(raws, at, found, sign), found.end


def _unitless(raws: Sequence[Raw], at: int, found: Numeral, sign: int) -> Value:
    number = sign * found.amount
    before = low(raws, at - 1) if at else ""
    if found.digits and (before in listed("versions")):
        return Value("version", unit=f"{int(found.amount)}.{found.digits}", number=number)
    if found.grouped is not None:
        return Value("number", number, maybe=(str(sign * found.grouped),), number=number)
    return Value("number", number, unit=f".{found.digits}" if found.digits else "", number=number)


def _currency_before(raws: Sequence[Raw], at: int) -> tuple[Unit | None, int]:
    """`€4.99`, `EUR 4.99`, `US$5`, `C$ 5`."""
    lows, cased = units()
    raw = raws[at]
    behind = raws[at + 1] if at + 1 < len(raws) else None
    if behind is not None and raw.kind == "word" and behind.text == "$" and behind.glued:
        both = cased.get(raw.text + "$")
        if both is not None:
            return both, at + 2
    unit = lows.get(raw.text) if raw.kind == "sign" else cased.get(raw.text)
    if unit is not None and unit.kind == "money" and raw.text not in "%":
        return unit, at + 1
    return None, at


def unit_at(raws: Sequence[Raw], at: int) -> tuple[Unit | None, int]:
    """The unit at `at`, or behind a hyphen there, and the place after it."""
    lows, cased = units()
    if at >= len(raws):
        return None, at
    if raws[at].text == "-" and raws[at].glued and at + 1 < len(raws) and raws[at + 1].glued:
        if raws[at + 1].kind == "word" and len(raws[at + 1].text) > 1:
            return unit_at(raws, at + 1)
        return None, at
    raw = raws[at]
    if raw.low == "per" and low(raws, at + 1) == "cent":
        return lows["percent"], at + 2
    if raw.kind not in ("word", "sign"):
        return None, at
    pair = raw.text + low(raws, at + 1)
    if pair in ("US$", "C$", "A$") and raws[at + 1].glued:
        return cased[pair], at + 2
    if raw.low == "km" and low(raws, at + 1) == "/" and low(raws, at + 2) == "h":
        return lows["kmh"], at + 3
    unit = cased.get(raw.text) or lows.get(raw.low)
    if unit is None or (raw.text in _GLUED_ONLY and not raw.glued):
        return None, at
    if raw.kind == "sign" and raw.text not in "%€$£¥₹₩₺¢":
        return None, at
    if raw.text in "$£€" and at + 1 < len(raws) and raws[at + 1].kind == "number":
        return (unit, at + 1) if raw.glued else (None, at)
    return unit, at + 1


def _measured(found: Numeral, unit: Unit, sign: int) -> Value:
    number = found.grouped if found.grouped is not None and unit.kind == "money" else found.amount
    number *= sign
    if unit.kind == "money" and not unit.family:
        return Value("money", number * unit.factor, number=number, maybe=("any",))
    other: tuple[str, ...] = ()
    if found.grouped is not None and unit.kind != "money":
        other = (str(sign * found.grouped * unit.factor),)
    return Value(unit.kind, number * unit.factor, unit.family, number=number, maybe=other)


def _business(raws: Sequence[Raw], found: Numeral, sign: int) -> Found | None:
    """`10 business days`: not to be had in days."""
    at = found.end
    if low(raws, at) == "-":
        at += 1
    word = low(raws, at)
    if word not in listed("business") | listed("calendar"):
        return None
    place = at + 2 if low(raws, at + 1) == "-" else at + 1
    unit, end = unit_at(raws, place)
    if unit is None or unit.kind != "time":
        return None
    family = "business" if word in listed("business") else unit.family
    number = sign * found.amount
    return Value("time", number * unit.factor, family, number=number), end


def _temperature(raws: Sequence[Raw], found: Numeral, sign: int) -> Found | None:
    at = found.end
    degrees = low(raws, at) in ("°", "degree", "degrees", "º")
    place = at + 1 if degrees else at
    scale = _TEMPERATURES.get(low(raws, place), "")
    number = sign * found.amount
    if scale and (degrees or raws[place].text in ("C", "F") or len(raws[place].text) > 1):
        celsius = number if scale == "C" else (number - 32) * Fraction(5, 9)
        return Value("temperature", celsius, "C", number=number), place + 1
    if degrees:
        return Value("temperature", number, "°", number=number), place
    return None


def _range(raws: Sequence[Raw], at: int, first: Found) -> Found | None:
    """`3-5 days`, `3 to 5 days`, `$3-$5`; not `from 3 to 5`, which tells two values."""
    value, end = first
    if end + 1 >= len(raws) or value.kind in ("version",) or value.high is not None:
        return None
    joint = raws[end]
    between = low(raws, at - 1) == "between" and joint.low == "and"
    dash = joint.text in _DASHES and (joint.glued == raws[end + 1].glued)
    to = joint.low == "to" and low(raws, at - 1) != "from"
    if not (dash or to or between):
        return None
    second = _single(raws, end + 1, 1)
    if second is None:
        return None
    top, last = second
    bare = value.kind == "number" and top.kind != "number"
    if value.amount is None or top.amount is None or value.number is None or top.number is None:
        return None
    if value.kind != top.kind and not bare and not (top.kind == "number" and value.kind == "money"):
        return None
    if low(raws, last) == "-" and _glued(raws, last) and _glued(raws, last + 1):
        return None  # 2024-01-15, 555-0199-22
    kind, unit = (top.kind, top.unit) if bare else (value.kind, value.unit)
    low_end = value.amount
    if bare and top.kind == "temperature":
        low_end = value.number if top.amount == top.number else (value.number - 32) * Fraction(5, 9)
    elif bare and top.number:
        low_end = value.number * top.amount / top.number
    if low_end >= top.amount or (kind == "number" and dash and value.unit != top.unit):
        return None
    return Value(kind, low_end, unit, high=top.amount), last


def _compound(raws: Sequence[Raw], value: Value, end: int) -> Found:
    """`1 hour 30 minutes`, `5 feet 3 inches`, `1 euro and 50 cents`."""
    last = value
    while value.kind in _PARTED and value.closed and end < len(raws):
        at = end + 1 if low(raws, end) == "and" else end
        if at >= len(raws) or numeral(raws, at) is None:
            break
        more = _single(raws, at, 1)
        if more is None or not _part_of(last, more[0]):
            break
        added, end = more
        total = (value.amount or Fraction(0)) + (added.amount or Fraction(0))
        last = added
        value = Value(value.kind, total, value.unit, number=None)
    return value, end


def _part_of(whole: Value, part: Value) -> bool:
    """A smaller unit of the same family: its factor is less."""
    if whole.kind != part.kind or not whole.number or not part.number:
        return False
    if whole.unit != part.unit and not (part.kind == "money" and not part.unit):
        return False
    if whole.amount is None or part.amount is None:
        return False
    one, two = abs(whole.amount / whole.number), abs(part.amount / part.number)
    return two < one and abs(part.amount) < one
