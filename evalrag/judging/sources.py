"""The context as the offline judge looks things up in it: sentences, rows of tables, values."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from evalrag.judging.rule_words import figures, pattern, spans
from evalrag.judging.wording import Statement, function_words, statement
from evalrag.text import Relation, Token, Value, compare, sentences, tokens
from evalrag.text.words import units

CANDIDATES = 24
"""Sentences that a claim is laid on: those that share most of its words."""

_FEW, _SMALL = 5, 0.06
"""Words under which a context is taken for English, and the share of small words from there."""
_POSTINGS = 5000
_FIGURES = 10_000
"""Figures of one passage that are read. What stands behind them could bear any claim out, so that
nothing is then contradicted or absent: no real page has as many."""
_FIGURE = re.compile(r"\d+")
_SUMS = 24
"""Values of one kind whose sums and differences are looked at."""
_ABOUT = Fraction(1, 10)
"""How far "about 30" may be from what it stands for."""

_YEARS = range(1500, 2200)
_RULE = re.compile(
    r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*){0,40}\|?[ \t]*$", re.M
)
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^<>]{0,300}>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b[^<>]{0,300}>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence of the context. `passage` counts from 1."""

    statement: Statement
    passage: int
    asserts: bool = True
    """It is no question, and the next sentence does not deny it."""
    heading: bool = False

    @property
    def states(self) -> bool:
        return self.asserts and not self.heading


class Sources:
    """The sentences and values of a context."""

    def __init__(self, context: Sequence[str]) -> None:
        self.all: list[Source] = []
        self.values: list[Value] = []
        self.bounded: list[Value] = []
        self.stems: set[str] = set()
        index: dict[str, list[int]] = defaultdict(list)
        self.whole = True
        for passage, given in enumerate(context, start=1):
            text = _readable(given)
            self.whole = self.whole and len(text) == len(given)
            self.values += values_of(text)
            for said, asserts, heading in _said(text):
                place = len(self.all)
                source = Source(said, passage, asserts, heading)
                self.all.append(source)
                self.bounded += said.values
                self.stems |= {unit.stem for unit in said.units}
                for key in {unit.stem if unit.value is None else "#" for unit in said.units}:
                    if len(index[key]) < _POSTINGS:
                        index[key].append(place)
        self.values = list(dict.fromkeys(self.values))
        self.bounded = list(dict.fromkeys(self.bounded))
        self._index = dict(index)
        small = sum(len(source.statement.words & function_words()) for source in self.all)
        words = sum(len(source.statement.words) for source in self.all)
        self.english = words < _FEW or small >= _SMALL * words
        """So that a number that stands nowhere in figures or English words stands nowhere."""

    def near(self, claim: Statement) -> list[Source]:
        """The sentences that share most words with `claim`, in order; ties as they stand."""
        counts: Counter[int] = Counter()
        for key in sorted({unit.stem if unit.value is None else "#" for unit in claim.units}):
            weight = 3 if key in claim.content else 1
            for place in self._index.get(key, ()):
                counts[place] += weight
        length = len(claim.units)
        best = sorted(
            counts,
            key=lambda at: (-counts[at], abs(len(self.all[at].statement.units) - length), at),
        )
        return [self.all[place] for place in best[:CANDIDATES]]


def _readable(text: str) -> str:
    """The text up to the last figure that is read."""
    if len(text) < 2 * _FIGURES:
        return text
    last = next(islice(_FIGURE.finditer(text), _FIGURES, None), None)
    return text if last is None else text[: last.start()]


@lru_cache(maxsize=64)
def sources_of(context: tuple[str, ...]) -> Sources:
    """The same context is looked up for every claim of an answer."""
    return Sources(context)


def values_of(text: str) -> tuple[Value, ...]:
    """All values of a text, and those that its words may stand for ("a year", "half")."""
    return tuple(_values(tokens(text)))


def _values(found: Sequence[Token]) -> Iterator[Value]:
    lows = units()[0]
    for token in found:
        if token.value is not None:
            yield replace(token.value, bound="") if token.value.bound != "~" else token.value
            continue
        word = token.word
        if word in figures():
            yield Value("number", figures()[word], number=figures()[word])
        unit = lows.get(spans().get(word, word))
        if unit is not None and unit.kind == "time" and len(word) > 2:
            yield Value("time", unit.factor, unit.family, number=Fraction(1))


@lru_cache(maxsize=512)
def _said(text: str) -> tuple[tuple[Statement, bool, bool], ...]:
    found = [(statement(row), True, False) for row in _rows(text)]
    for one in sentences(text):
        said = statement(one.text)
        if found and pattern("denials").match(one.text):
            found[-1] = (found[-1][0], False, found[-1][2])
        found.append((said, not said.asks, one.heading))
    return tuple(found)


def _rows(text: str) -> Iterator[str]:
    """Each row of a table as `column: cell`."""
    for rule in _RULE.finditer(text) if "|" in text else ():
        head = text[: rule.start()].rstrip("\n").rpartition("\n")[2]
        names = _cells(head)
        if len(names) < 2:
            continue
        for line in text[rule.end() :].lstrip("\n").split("\n"):
            if "|" not in line:
                break
            yield _named(names, _cells(line))
    if _TABLE.search(text):
        rows = [_CELL.split(row)[1:] for row in _ROW.split(text)[1:]]
        for cells in rows[1:]:
            yield _named(rows[0], cells)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _named(names: Sequence[str], cells: Sequence[str]) -> str:
    pairs = zip(names, cells, strict=False)
    said = [f"{name.strip()}: {cell.strip()}" for name, cell in pairs if cell.strip()]
    return "; ".join(said)


def may_be(value: Value, other: Value) -> bool:
    """May `other` be what `value` says, in whatever writing? Where it is open, it may."""
    if value.kind == other.kind:
        relation = compare(value, other)
        if relation is not Relation.OTHER:
            return value.kind != "number" or relation is Relation.SAME or _figure(value, other)
        return "~" in (value.bound, other.bound) and _about(value, other)
    if value.kind == "number" or other.kind == "number":
        if "date" in (value.kind, other.kind):
            date, figure = (value, other) if value.kind == "date" else (other, value)
            return str(figure.amount) in date.unit.split("-")
        amount = value.amount if "percent" in (value.kind, other.kind) else None
        if amount is not None and other.amount in (amount * 100, amount / 100):
            return True
        return value.number is not None and value.number == other.number
    if {value.kind, other.kind} == {"ordinal", "date"}:
        return True
    return value.kind == "ordinal" and other.number == value.amount


def _figure(value: Value, other: Value) -> bool:
    """Unitless figures that are open: of one amount, as 3.10 and 3.1, but not of versions."""
    return bool(value.maybe or other.maybe) or value.high is not None or other.high is not None


def _about(value: Value, other: Value) -> bool:
    if value.amount is None or other.amount is None or value.unit != other.unit:
        return False
    return abs(value.amount - other.amount) <= _ABOUT * max(abs(value.amount), abs(other.amount))


def stands(value: Value, among: Sequence[Value]) -> bool:
    """Does the value stand among these in any writing, or is it a sum or difference of two?"""
    if any(may_be(value, other) for other in among):
        return True
    if value.kind == "code":
        return any(other.kind == "url" and value.unit in other.unit for other in among)
    if value.amount is None or value.high is not None:
        return False
    kin = [
        other.amount
        for other in among
        if (other.kind, other.unit) == (value.kind, value.unit) and other.amount is not None
    ]
    kin = list(dict.fromkeys(kin))[:_SUMS]
    if value.kind in ("clock", "weekday", "ordinal"):
        return False
    if value.kind == "number" and value.amount in _YEARS:
        kin += [o.amount / 12 for o in among if o.unit == "month" and o.amount][:_SUMS]
    return any(value.amount in (a + b, a - b) for a in kin for b in kin if a is not b)
