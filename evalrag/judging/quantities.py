"""Quantities: a number with its unit, rate and bound, and when two of them clash.

"at least 600 requests per minute", "$4.8 billion", "24-month", "twice daily", "version 3.2".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evalrag.judging.bounds import APPROXIMATE, DOWN, UP, bound_after, bound_before
from evalrag.judging.lexicon import FUNCTION
from evalrag.judging.numerals import ORDINALS, SMALL, figure, numeral
from evalrag.judging.stems import stem
from evalrag.judging.tokens import Token, written
from evalrag.judging.units import CURRENCY, FREQUENCY, GLUED_ONLY, TEMPERATURE, UNITS, celsius

_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_PREFIXES = {"us", "usd", "eur", "gbp", "ca", "au"}
_LABELS_NOT = {"of", "the", "and", "or", "to", "from", "in", "at", "by", "for", "with"}
_QUALIFIERS = {
    "business": "working", "working": "working", "calendar": "calendar", "consecutive": "calendar",
}  # fmt: skip
BEGINS = frozenset({*_TIMES, *ORDINALS, *SMALL, *map(str.lower, CURRENCY), "half", "a"})
"""What a quantity begins with, if it does not begin with a number."""

HEDGED = 0.05
"""How far "about 30" may be from what it stands for."""
LOOSE = 0.015
"""How far two units may be apart and equal: months and years are not exact."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` is in base units of `dimension`; `rates` are what it is per."""

    value: float
    dimension: str
    unit: str
    nouns: frozenset[str] = frozenset()
    rates: frozenset[str] = frozenset()
    bound: str = ""
    qualifier: str = ""
    loose: bool = False
    said: str = ""
    """Its tokens, a space between any two."""
    written: str = field(default="", compare=False)
    """The same as it stands in the text."""

    @property
    def plain(self) -> bool:
        """Without a unit of measure: a count, a place in a row, or a number with a name."""
        return self.dimension in ("number", "ordinal")


def quantity(tokens: Sequence[Token], at: int) -> tuple[Quantity, int, int] | None:
    """The quantity whose first token is `at`, the token after it, and after all its words."""
    token = tokens[at]
    place = ordinal(tokens, at)
    if place is not None:
        return place
    if token.low in _TIMES:
        found = Quantity(_TIMES[token.low], "number", "times", frozenset({"time"}))
        return _finished(tokens, at, at + 1, found)
    currency = CURRENCY.get(token.text)
    if currency is not None:
        number = numeral(tokens, at + 1) if at + 1 < len(tokens) else None
        if number is None:
            return None
        return _finished(tokens, at, number.end, Quantity(number.value, currency, token.text))
    number = numeral(tokens, at)
    if number is None:
        return None
    found, end = _with_unit(tokens, at, number.end, number.value)
    return _finished(tokens, at, end, found)


def ordinal(tokens: Sequence[Token], at: int) -> tuple[Quantity, int, int] | None:
    """`third quarter`, `2nd floor`: a place, with what it is a place of."""
    token = tokens[at]
    end = at + 1
    value: float | None = None
    if token.low in ORDINALS:
        value = float(ORDINALS[token.low])
    elif token.number and _glued(tokens, end) and tokens[end].low in ("st", "nd", "rd", "th"):
        value, end = figure(token.text), end + 1
    if value is None or _low(tokens, end) == ",":
        return None
    nouns = _nouns(tokens, end)
    if not nouns:
        return None
    found = Quantity(value, "ordinal", "th", nouns, said=token.text, written=token.text)
    return found, end, end


def _with_unit(tokens: Sequence[Token], at: int, end: int, value: float) -> tuple[Quantity, int]:
    """The number that ends at `end`, with the unit or the nouns that follow it."""
    after = _low(tokens, end)
    if after == "%" or (after == "per" and _low(tokens, end + 1) == "cent"):
        return Quantity(value, "percent", "%"), end + (1 if after == "%" else 2)
    degrees = end + 1 if after in ("°", "degrees", "degree") else end
    scale = TEMPERATURE.get(_low(tokens, degrees))
    if scale and (degrees > end or tokens[degrees].text in ("C", "F")):
        return Quantity(celsius(value, scale), "temperature", scale), degrees + 1
    unit_at = _unit_at(tokens, end)
    if unit_at is not None:
        unit = UNITS[tokens[unit_at].low]
        words = [token.low for token in tokens[end:unit_at]]
        qualifier = next((_QUALIFIERS[word] for word in words if word in _QUALIFIERS), "")
        found = Quantity(value * unit.factor, unit.dimension, tokens[unit_at].low)
        finished = replace(found, qualifier=qualifier, loose=unit.loose)
        return finished, unit_at + 1
    return Quantity(value, "number", "", _nouns(tokens, end) or _label(tokens, at)), end


def _unit_at(tokens: Sequence[Token], end: int) -> int | None:
    """Where the unit of a number stands: next to it, behind a hyphen or one or two words."""
    at = end + 1 if _low(tokens, end) == "-" and _glued(tokens, end) else end
    for place in range(at, min(at + 3, len(tokens))):
        token = tokens[place]
        if not token.word or (token.low in FUNCTION and token.low != "us"):
            return None
        single = token.low in GLUED_ONLY
        if token.low in UNITS and not (token.low == "second" and place > at):
            if single and not ((place == at and token.low != "s") or token.glued):
                return None
            if single and token.text.isupper() and token.low not in ("l", "w", "v"):
                return None
            return place
        if place > at and token.low not in _QUALIFIERS:
            return None
    return None


def _nouns(tokens: Sequence[Token], end: int) -> frozenset[str]:
    """What a bare number counts: one of the next two words."""
    found: list[str] = []
    for token in tokens[end : end + 3]:
        if token.text == "-" and token.glued:
            continue
        if not token.word or token.low in FUNCTION:
            break
        found.append(stem(token.low))
    return frozenset(found[:2])


def _label(tokens: Sequence[Token], at: int) -> frozenset[str]:
    """What names a bare number: the word before it ("version 3.2", "status 429")."""
    before = tokens[at - 1] if at else None
    if before is None or not before.word or before.low in FUNCTION | _LABELS_NOT:
        return frozenset()
    return frozenset({"#" + stem(before.low)})


def _finished(
    tokens: Sequence[Token], at: int, end: int, found: Quantity
) -> tuple[Quantity, int, int]:
    rates, last = _rates(tokens, end)
    if found.plain and found.unit != "times" and not rates and found.nouns:
        rates, last = _rates_behind(tokens, end)
        last = last if rates else end
    bound = bound_before(tokens, at) or bound_after(tokens, last)
    taken = tokens[at : max(last, end)]
    said = " ".join(token.text for token in taken)
    found = replace(found, rates=frozenset(rates), bound=bound, said=said, written=written(taken))
    return found, end, last


def _rates(tokens: Sequence[Token], at: int) -> tuple[list[str], int]:
    """`per minute per key`, `a month`, `each year`, `daily`, `/hour`, from `at` on."""
    rates: list[str] = []
    while at < len(tokens):
        low, next_ = tokens[at].low, _low(tokens, at + 1)
        if low in FREQUENCY and low != "annual":
            rates.append(FREQUENCY[low])
            at += 1
        elif (low in ("per", "/") and next_ and tokens[at + 1].word and next_ != "cent") or (
            low in ("a", "an", "each", "every") and next_ in UNITS and _is_time(next_)
        ):
            rates.append(stem(next_))
            at += 2
        else:
            break
    return rates, at


def _rates_behind(tokens: Sequence[Token], at: int) -> tuple[list[str], int]:
    """The same, behind what is counted: `600 requests per minute`."""
    for place in range(at + 1, min(at + 4, len(tokens))):
        if not tokens[place - 1].word:
            break
        rates, last = _rates(tokens, place)
        if rates:
            return rates, last
    return [], at


def _is_time(word: str) -> bool:
    return UNITS[word].dimension == "time"


def family(dimension: str) -> str:
    """Dollars and euros are one family: the same question, in another unit."""
    return dimension.partition(":")[0]


def comparable(claim: Quantity, other: Quantity) -> bool:
    """Could one stand in the other's place? Then another value is another statement."""
    if claim.plain and other.plain:
        if claim.dimension != other.dimension:
            return False
        return bool(claim.nouns & other.nouns) or not claim.nouns or not other.nouns
    return family(claim.dimension) == family(other.dimension)


def equal(claim: Quantity, other: Quantity) -> bool:
    """The same size, whatever the words, rates and bounds."""
    if claim.dimension != other.dimension or not comparable(claim, other):
        return False
    if claim.bound == APPROXIMATE != other.bound:
        return abs(claim.value - other.value) <= HEDGED * abs(other.value)
    room = LOOSE if claim.loose != other.loose or claim.unit != other.unit else 1e-9
    return abs(claim.value - other.value) <= room * max(abs(claim.value), abs(other.value))


def within(claim: Quantity, other: Quantity) -> bool:
    """Another size that the other's bound leaves room for, or the other way round."""
    for bounded, free in ((claim, other), (other, claim)):
        if bounded.dimension != free.dimension or free.bound in (UP, DOWN):
            continue
        if bounded.rates and free.rates and not bounded.rates & free.rates:
            continue
        if bounded.bound == UP and free.value >= bounded.value:
            return True
        if bounded.bound == DOWN and free.value <= bounded.value:
            return True
    return other.bound == APPROXIMATE and abs(claim.value - other.value) <= HEDGED * abs(
        other.value
    )


def clash(claim: Quantity, other: Quantity) -> str | None:
    """The code of what is different between two comparable quantities; None where nothing is.

    A code that begins with `?` is a difference that proves nothing.
    """
    if not equal(claim, other):
        if claim.dimension != other.dimension:
            return "unit"
        if within(claim, other):
            return "?bound"
        return "unit" if claim.unit != other.unit and _same_figure(claim, other) else "quantity"
    if claim.bound != other.bound and {claim.bound, other.bound} == {UP, DOWN}:
        return "bound"
    if claim.rates != other.rates:
        if claim.rates - other.rates and other.rates - claim.rates:
            return "rate"
        if claim.rates - other.rates or not claim.rates:
            return "?rate"
    if claim.qualifier != other.qualifier:
        return "?unit"
    if claim.bound != other.bound and claim.bound != APPROXIMATE:
        return "?bound"
    return None


def _same_figure(claim: Quantity, other: Quantity) -> bool:
    return claim.said.split()[:1] == other.said.split()[:1]


def _low(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].low if 0 <= at < len(tokens) else ""


def _glued(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].glued
