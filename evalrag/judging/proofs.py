"""What one sentence proves of a claim, and what a whole context proves. Nearness is no proof."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evalrag.judging.derived import no_fact, worked_out
from evalrag.judging.rule_words import listed, opposites
from evalrag.judging.sources import Source, Sources, stands
from evalrag.judging.wording import LONGEST, Statement, Unit, equal, function_words, runs
from evalrag.text import Relation, Value, compare
from evalrag.text.words import units

SHARED = 0.55
"""Share of a claim's content words that a sentence has before a foreign value contradicts it."""

RIVAL = 0.6
"""Share from which another sentence may be the one that the claim tells in its own words."""

_SOME = 0.3
_SUBJECT = 2
"""Content words that a claim has at least before one with another value is of its subject."""
_ALWAYS_BARE = frozenset({"weekday", "ordinal"})
_NAMING = frozenset({"code", "url", "email"})
"""Kinds of values that may be told in words: that they stand nowhere proves nothing."""
_UP, _DOWN = frozenset({">", ">="}), frozenset({"<", "<="})


@dataclass(frozen=True, slots=True)
class Clash:
    """Another word or value in the one place where claim and sentence differ."""

    code: str
    mine: str
    theirs: str
    source: Source
    value: Value | None = None
    """The claim's value in that place."""


def clash(claim: Statement, source: Source, *, cut: bool = True) -> Clash | None:
    """The sentence is the claim in all words but one slot, and says otherwise there."""
    if not source.states or max(len(claim.units), len(source.statement.units)) > LONGEST:
        return None
    for run in runs(source.statement, cut=cut):
        if abs(len(run) - len(claim.units)) > 1 or len(run) < 2:
            continue
        mine, theirs = _slot(claim.units, run)
        if max(len(mine), len(theirs)) > 2 or len(mine) + len(theirs) == 0:
            continue
        code = _code(mine, theirs) or _rate(mine, theirs, claim.units)
        if code:
            said = _written(mine), _written(theirs)
            return Clash(code, *said, source, mine[0].value if mine else None)
    return None


def _slot(mine: Sequence[Unit], theirs: Sequence[Unit]) -> tuple[Sequence[Unit], Sequence[Unit]]:
    """What is left of both between their common beginning and their common end."""
    first = 0
    while first < min(len(mine), len(theirs)) and equal(mine[first], theirs[first], loose=True):
        first += 1
    last = 0
    while last < min(len(mine), len(theirs)) - first and equal(
        mine[-1 - last], theirs[-1 - last], loose=True
    ):
        last += 1
    return mine[first : len(mine) - last], theirs[first : len(theirs) - last]


def _code(mine: Sequence[Unit], theirs: Sequence[Unit]) -> str:
    if len(mine) + len(theirs) == 1:
        (only,) = (*mine, *theirs)
        return "negation" if only.token.word in ("not", "no", "never") else ""
    if {len(mine), len(theirs)} == {1, 2}:
        longer, shorter = (mine, theirs) if len(mine) == 2 else (theirs, mine)
        modals = {longer[0].token.word, shorter[0].token.word}
        denies = longer[1].token.word == "not" and modals <= listed("modals")
        return "negation" if denies else ""
    if len(mine) != 1 or len(theirs) != 1:
        return ""
    one, two = mine[0], theirs[0]
    if one.value is not None and two.value is not None:
        return _values(one.value, two.value)
    words = (one.token.word, two.token.word)
    if one.value is None and two.value is None:
        if words in opposites():
            return "opposite"
        if set(words) in ({"no", "all"}, {"no", "every"}, {"no", "each"}, {"no", "any"}):
            return "negation"
    return ""


def _rate(mine: Sequence[Unit], theirs: Sequence[Unit], claim: Sequence[Unit]) -> str:
    """`per minute`, `per hour`: another unit of time behind the same word."""
    if len(mine) != 1 or len(theirs) != 1:
        return ""
    one, two = (units()[0].get(unit.token.word) for unit in (mine[0], theirs[0]))
    at = next((n for n, unit in enumerate(claim) if unit is mine[0]), 0)
    if one is None or two is None or not at or claim[at - 1].token.word != "per":
        return ""
    return "other-value" if one.kind == two.kind == "time" and one != two else ""


def _values(mine: Value, theirs: Value) -> str:
    """The code of another value, or of the opposite bound on the same one."""
    relation = compare(mine, theirs)
    up, down = _UP & {mine.bound, theirs.bound}, _DOWN & {mine.bound, theirs.bound}
    if relation is Relation.SAME:
        return "bound" if _opposed(mine, theirs) else ""
    if relation is Relation.OPEN or mine.kind == "ordinal":
        return ""
    if "~" in (mine.bound, theirs.bound) or (up and down):
        return ""
    return "" if mine.bound != theirs.bound and _within(mine, theirs) else "other-value"


def _within(mine: Value, theirs: Value) -> bool:
    """One value may lie within the bound of the other: `takes 2 days`, `up to 5 days`."""
    if mine.amount is None or theirs.amount is None or mine.unit != theirs.unit:
        return True
    for bounded, other in ((mine, theirs), (theirs, mine)):
        low, high = other.amount, bounded.amount
        if low is None or high is None:
            return True
        if (bounded.bound in _DOWN and low <= high) or (bounded.bound in _UP and low >= high):
            return True
    return False


def foreign(claim: Statement, sources: Sources, question: Sequence[Value]) -> Clash | None:
    """A value that stands nowhere, where a sentence on the same subject has another of its kind."""
    pool = (*sources.values, *question)
    new = [
        unit
        for unit in claim.units
        if unit.value
        and _new(unit.value, pool, sources)
        and (stands(unit.value, pool) or not worked_out(unit, claim, pool, question))
    ]
    if not new or len(claim.content) < _SUBJECT or not claim.content <= sources.stems:
        return None
    near = [(share(claim, source.statement), source) for source in sources.near(claim)]
    near = [(part, source) for part, source in near if source.states]
    best = max((part for part, _ in near), default=0.0)
    for part, source in near:
        if part < max(SHARED, best) or conditions(claim) != conditions(source.statement):
            continue
        for unit in new:
            theirs = _rival_value(unit, claim, source.statement)
            if theirs is not None:
                return Clash("foreign-value", unit.token.word, theirs, source, unit.value)
    return None


def _new(value: Value, pool: Sequence[Value], sources: Sources) -> bool:
    """It stands nowhere; or with the opposite bound only."""
    if value.kind in _ALWAYS_BARE | _NAMING:
        return False
    if not stands(value, pool):
        return True
    same = [other for other in sources.bounded if compare(value, other) is Relation.SAME]
    return bool(same) and all(_opposed(value, other) for other in same)


def _opposed(one: Value, two: Value) -> bool:
    return {one.bound, two.bound} & _UP != set() and {one.bound, two.bound} & _DOWN != set()


def _rival_value(unit: Unit, claim: Statement, sentence: Statement) -> str | None:
    """A value of the same kind, and of a bare number one of the same thing."""
    mine = unit.value
    for other in sentence.units:
        theirs = other.value
        if mine is None or theirs is None or theirs.kind != mine.kind:
            continue
        relation = compare(mine, theirs)
        if relation is not Relation.OTHER and not (
            relation is Relation.SAME and _opposed(mine, theirs)
        ):
            continue
        if mine.kind in ("number", "version") and not _of_one(unit, claim, other, sentence):
            continue
        if relation is Relation.OTHER and mine.bound != theirs.bound and _within(mine, theirs):
            continue
        return other.token.word
    return None


def _rated(said: Statement) -> Iterator[tuple[Unit, str]]:
    """Each value with the unit of time that it is per."""
    for at, unit in enumerate(said.units[:-2]):
        if unit.value is not None and said.units[at + 1].token.word == "per":
            word = said.units[at + 2].token.word
            if word in units()[0] and units()[0][word].kind == "time":
                yield unit, units()[0][word].word


def other_rate(claim: Statement, sources: Sources) -> Clash | None:
    """The same value per another time, in the nearest sentence and nowhere as in the claim."""
    for unit, rate in _rated(claim):
        found = [
            (source, word, theirs)
            for source in sources.near(claim)
            for theirs, word in _rated(source.statement)
            if source.states and equal(unit, theirs)
        ]
        if not found or any(word == rate for _, word, _ in found):
            continue
        for source, word, _ in found:
            near = share(claim, source.statement) >= SHARED
            if near and conditions(claim) == conditions(source.statement):
                return Clash("other-value", f"per {rate}", f"per {word}", source, unit.value)
    return None


def _of_one(mine: Unit, claim: Statement, theirs: Unit, sentence: Statement) -> bool:
    """Two bare numbers with the same word behind them, or before them where nothing follows."""
    one, two = _beside(mine, claim), _beside(theirs, sentence)
    if one[1] and two[1]:
        return one[1] == two[1]
    return bool(one[0]) and one[0] == two[0]


def _beside(unit: Unit, said: Statement) -> tuple[str, str]:
    """The word before it, and the word behind it where that has content."""
    at = next(n for n, one in enumerate(said.units) if one is unit)
    before = said.units[at - 1].stem if at else ""
    after = said.units[at + 1] if at + 1 < len(said.units) else None
    named = after is not None and after.value is None and after.stem in said.content
    return before, after.stem if after is not None and named else ""


def absent(
    claim: Statement, sources: Sources, question: Sequence[Value], counts: Sequence[int]
) -> str | None:
    """A figure, date, code or address of the claim that stands nowhere, as written there."""
    pool = (*sources.values, *question)
    for unit in claim.units:
        value = unit.value
        if value is None or value.kind in _ALWAYS_BARE:
            continue
        if value.kind == "number" and (value.amount in (0, 1) or value.amount in counts):
            continue
        if stands(value, pool) or no_fact(unit, claim, pool):
            continue
        if not worked_out(unit, claim, pool, question):
            return unit.token.word
    return None


def conditions(said: Statement) -> frozenset[str]:
    """The words of a statement that make it depend on something, or deny it."""
    return said.words & (listed("limits") | listed("negations"))


def english(said: Statement) -> bool:
    """Has it small English words, so that the lists know what its other small words do?"""
    return bool(said.words & function_words())


def share(claim: Statement, sentence: Statement) -> float:
    """Share of the claim's content words that the sentence has; 1 of a claim without any."""
    if not claim.content:
        return 1.0
    return len(claim.content & sentence.content) / len(claim.content)


def elsewhere(value: Value, claim: Statement, others: Sequence[Source]) -> bool:
    """Does the value stand in another sentence, of which the claim may be?

    The very same value may be told of the subject in any words; one that is only not comparable
    counts in a sentence that shares some words.
    """
    for source in others:
        for theirs in source.statement.values:
            relation = compare(value, theirs)
            if relation is Relation.SAME or (theirs.kind != value.kind and stands(value, [theirs])):
                return True
            near = share(claim, source.statement) >= _SOME
            if relation is Relation.OPEN and near and stands(value, [theirs]):
                return True
    return False


def rivals(claim: Statement, sources: Sources, but: Sequence[Source]) -> Iterator[Source]:
    """Other sentences that may be what the claim tells."""
    for source in sources.near(claim):
        if any(source is one for one in but) or not source.states:
            continue
        known = source.statement.values
        telling = not claim.values or any(stands(value, known) for value in claim.values)
        if telling and share(claim, source.statement) >= RIVAL:
            yield source


def _written(units: Sequence[Unit]) -> str:
    return " ".join(unit.token.word for unit in units)
