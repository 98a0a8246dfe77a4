"""Values as values: equal in any writing, different, or open where they cannot be compared."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Relation(StrEnum):
    """How two values stand to each other."""

    SAME = "SAME"
    OTHER = "OTHER"
    OPEN = "OPEN"
    """Not comparable, or not surely one thing: 30 days and a month, 3/4/2026, 5 and 5 euros."""


@dataclass(frozen=True, slots=True)
class Value:
    """An amount, a date, a time, a code.

    Attributes:
        kind: `number`, `ordinal`, `version`, `percent`, `money`, `time`, `length`, ... as in the
            list of units; `temperature`; `date`, `clock`, `weekday`; `code`, `url`, `email`.
        amount: in the base unit of `unit`; minutes of a clock time; a set of weekdays as bits.
        unit: the family of units within which amounts convert (`second`, `month`, `business`,
            `EUR`); of a date `YYYY-MM-DD` with `?` for what is not said; of a code its text.
        high: the upper end of a range.
        bound: `>=`, `>`, `<=`, `<`, `~` (about), or empty. It is no part of sameness.
        number: the number as written, before its unit; None where there is none.
        maybe: other amounts or dates that the same writing may mean; the hour after noon of a
            time without am or pm.
    """

    kind: str
    amount: Fraction | None = None
    unit: str = ""
    high: Fraction | None = None
    bound: str = ""
    number: Fraction | None = None
    maybe: tuple[str, ...] = ()

    @property
    def closed(self) -> bool:
        """Surely one thing. Sameness of closed values is an equivalence."""
        return not self.maybe


def same_value(one: Value, two: Value) -> bool:
    """Are they one value, whatever their bounds?

    >>> from evalrag.text.tokens import tokens
    >>> first = lambda text: tokens(text)[0].value
    >>> same_value(first("90 minutes"), first("1 hour 30 minutes"))
    True
    """
    return compare(one, two) is Relation.SAME


def compare(one: Value, two: Value) -> Relation:
    """The same value, another one of the same kind, or open. Bounds are not compared."""
    if _alike(one, two):
        return Relation.SAME
    if one.kind != two.kind:
        return Relation.OPEN
    if one.kind == "clock" and one.amount == two.amount:
        return Relation.SAME  # 10:00 and 10 am; 10:00 and 10 pm are open
    if one.kind == "date":
        return _dates(one, two)
    if not one.closed or not two.closed:
        return _open(one, two)
    if one.kind in ("code", "url", "email", "version"):
        return Relation.OTHER
    if one.amount is None or two.amount is None:
        return Relation.OPEN
    if one.kind == "weekday":
        return _days(int(one.amount), int(two.amount))
    if one.unit != two.unit:
        return _families(one, two)
    if one.kind == "number" and one.amount == two.amount and one.high == two.high:
        return Relation.OPEN  # 3.10 and 3.1 may be versions
    if one.high is not None or two.high is not None:
        return _ranges(one, two)
    return Relation.OTHER


def _alike(one: Value, two: Value) -> bool:
    return (one.kind, one.amount, one.unit, one.high, one.maybe) == (
        two.kind,
        two.amount,
        two.unit,
        two.high,
        two.maybe,
    )


def _open(one: Value, two: Value) -> Relation:
    """`25 cents` of some currency, `10.000`, `5:30` without am or pm."""
    if "money" in (one.kind, two.kind) and "any" in (*one.maybe, *two.maybe):
        return Relation.SAME if one.amount == two.amount else Relation.OTHER
    mine, theirs = {str(one.amount), *one.maybe}, {str(two.amount), *two.maybe}
    return Relation.OPEN if mine & theirs else Relation.OTHER


def _families(one: Value, two: Value) -> Relation:
    if one.kind == "money" or one.kind == "number":
        return Relation.OTHER if one.kind == "money" else Relation.OPEN
    if one.kind == "temperature":
        return Relation.OPEN if one.number == two.number else Relation.OTHER
    if one.kind == "time":
        mine, theirs = _days_of(one), _days_of(two)
        return Relation.OPEN if mine[0] <= theirs[1] and theirs[0] <= mine[1] else Relation.OTHER
    return Relation.OPEN


def _days_of(value: Value) -> tuple[Fraction, Fraction]:
    """The fewest and the most days that it may be: months and working days are not exact."""
    low, high = value.amount or Fraction(0), _top(value)
    if value.unit == "month":
        return 28 * low, 31 * high + 1
    low, high = low / 86400, high / 86400
    return (low, high * Fraction(7, 5) + 4) if value.unit == "business" else (low, high)


def _ranges(one: Value, two: Value) -> Relation:
    """Another range, or an amount outside of it: `5 days` beside `3-5 days` is open."""
    if one.amount is None or two.amount is None:
        return Relation.OPEN
    if one.high is not None and two.high is not None:
        return Relation.OTHER
    low, high = max(one.amount, two.amount), min(_top(one), _top(two))
    return Relation.OPEN if low <= high else Relation.OTHER


def _top(value: Value) -> Fraction:
    return value.high if value.high is not None else value.amount or Fraction(0)


def _days(one: int, two: int) -> Relation:
    """Other days; open where one of them is a part of the other."""
    return (
        Relation.OPEN
        if one & two in (one, two) and 1 in (one.bit_count(), two.bit_count())
        else Relation.OTHER
    )


def _dates(one: Value, two: Value) -> Relation:
    if not one.closed or not two.closed:
        mine, theirs = {one.unit, *one.maybe}, {two.unit, *two.maybe}
        return Relation.OPEN if mine & theirs else _parts(one.unit, two.unit)
    return _parts(one.unit, two.unit)


def _parts(one: str, two: str) -> Relation:
    pairs = list(zip(one.split("-"), two.split("-"), strict=True))
    if any(a != b and "?" not in (a, b) for a, b in pairs):
        return Relation.OTHER
    return Relation.OPEN


def says(whole: Value, part: Value) -> bool:
    """Does `whole` say what `part` says, and perhaps more? `31 December 2026`, `31 December`."""
    if same_value(whole, part):
        return True
    if whole.kind == "date" and part.kind == "date" and whole.closed and part.closed:
        pairs = zip(whole.unit.split("-"), part.unit.split("-"), strict=True)
        return all(b in ("?", a) for a, b in pairs)
    if whole.kind == "weekday" and part.kind == "weekday" and whole.amount and part.amount:
        return int(part.amount) & ~int(whole.amount) == 0
    if part.kind == "number" and part.closed and part.high is None and whole.high is None:
        if whole.kind == "date":
            return part.amount is not None and whole.unit.split("-")[0] == str(part.amount)
        if whole.kind in ("number", "version"):
            return False
        return part.amount is not None and part.amount == whole.number
    return False
