"""A statement as plain code compares it: its words, names, values, and what it denies."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from evalrag.judging.stems import listed, stem, stemmed
from evalrag.text import Relation, Token, Value, compare, tokens
from evalrag.text.values import says

_CITED = re.compile(r"\s?(?:\[[^\[\]\s]{1,60}\](?!\()|【[^【】]{1,200}】)")
"""`[doc1]`, `[3]`: where an answer has something from, and no part of what it says."""

_SMALL = listed(
    """
    a an the this that these those it its they their them there here he she his her we our us you
    your i my me one ones and or but so if then than as at by for from in into of off on onto out
    over to up down with within is are was were be been being am do does did done has have had will
    would shall should can could may might must not no yes never none nor neither any all each every
    both either some such same only also just even still too very more most less least much many
    which who whom whose what when where how why because while until till before after during since
    about per via please however therefore otherwise according based 's us
    """
)
_GENERIC = stemmed(
    """
    cost costs price take takes last lasts get gets give given need needs require amount amounts
    number total time period window possible available allow allowed accept accepted offer provide
    include apply applies make makes go come long work works keep let say says state states happen
    please answer
    """
)
"""Words that nearly any statement may be put with: that two share one of them shows nothing."""

_NEGATORS = listed(
    """
    not no never none nobody nothing nowhere neither nor without cannot hardly scarcely barely
    """
)
_NEGATIVE = stemmed(
    """
    exclude excluded refuse refused reject rejected deny denied forbid forbidden prohibit prohibited
    ban banned void ineligible unavailable impossible disallowed nonrefundable false wrong untrue
    """
)
_HALF = stemmed(
    """
    free except unless until closed waive waived exempt end ended expire expired stop stopped lose
    lost lack fail failed cancel cancelled only rarely seldom few little avoid prevent separate
    extra other instead final
    """
)
"""Words that may deny or not: beside them a negation more or less shows nothing."""

_PARTS = listed("and but or while whereas although though because since which")
_ONLY = listed("only just merely matter problem doubt later exceed exceeds exceeding")
"""Behind a negator they turn it round, or it denies nothing."""

_OPPOSITES = (
    ("minimum", "maximum"), ("up", "down"), ("on", "off"), ("increase", "decrease"),
    ("rise", "fall"), ("more", "less"), ("before", "after"), ("open", "closed"),
    ("buyer", "seller"), ("sender", "recipient"), ("tenant", "landlord"),
    ("employer", "employee"), ("left", "right"), ("upper", "lower"), ("included", "excluded"),
    ("mandatory", "optional"), ("online", "offline"),
)  # fmt: skip

_ABOUT = Fraction(1, 20)
"""The share by which "about 30" may be off."""

_DIRECTIONS = {
    "from": "start", "since": "start", "after": "start",
    "until": "end", "till": "end", "before": "end", "to": "to", "by": "by",
}  # fmt: skip
_CLASH = frozenset(
    frozenset(pair) for pair in (("start", "end"), ("start", "to"), ("start", "by"), ("to", "by"))
)
_AT_MOST = stemmed(
    "cap capped limit limited maximum max exceed exceeds exceeding within most under"
)
_AT_LEAST = stemmed("minimum min least start starts starting above older from over")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a statement up to a comma or a conjunction."""

    words: frozenset[str]
    denies: bool
    half: frozenset[str]
    """Its words that may deny or not."""

    def opposes(self, other: "Clause") -> bool:
        """Does one deny and the other not, as far as words tell?"""
        return self.denies is not other.denies and not self.half ^ other.half


@dataclass(frozen=True, slots=True)
class Statement:
    """Read once, compared often."""

    text: str
    tokens: tuple[Token, ...]
    words: frozenset[str]
    """Stems of what it is about."""
    names: frozenset[str]
    """Stems of the words that are written as names within it."""
    stems: frozenset[str]
    """Of all its words, small ones too."""
    values: tuple[Token, ...]
    clauses: tuple[Clause, ...]

    def written(self, token: Token) -> str:
        return self.text[token.start : token.end]

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two claims one: their words and values, and what they deny."""
        said = frozenset(str(one.value) for one in self.values)
        return self.words or self.stems, said, frozenset(one.denies for one in self.clauses)


@lru_cache(maxsize=16384)
def statement(text: str) -> Statement:
    """The reading of one statement; what stands in brackets as a source is left out."""
    shown = _CITED.sub("", text)
    found = _behind_yes_or_no(tokens(shown))
    words = [one for one in found if one.value is None and not one.bound]
    kept = {one: stem(one.word) for one in words}
    content = {one: root for one, root in kept.items() if one.word not in _SMALL}
    names = {
        root
        for at, one in enumerate(found)
        if (root := content.get(one)) and shown[one.start].isupper() and (at and one.mark != ".")
    }
    return Statement(
        text=shown,
        tokens=found,
        words=frozenset(content.values()) - _GENERIC,
        names=frozenset(names)
        if len(names) * 2 <= len(content) or len(names) <= 2
        else frozenset(),
        stems=frozenset(kept.values()),
        values=tuple(one for one in found if one.value is not None),
        clauses=tuple(_clauses(found)),
    )


def _behind_yes_or_no(found: tuple[Token, ...]) -> tuple[Token, ...]:
    """`No, it is 30 days.` denies what was asked, and nothing of what it says."""
    lead = (
        len(found) > 1 and found[0].word in ("yes", "no") and found[1].mark[:1] in (",", ".", "-")
    )
    return found[1:] if lead else found


def _clauses(found: Sequence[Token]) -> Iterable[Clause]:
    begin = 0
    for at in range(1, len(found) + 1):
        if at == len(found) or _parts(found[at - 1], found[at]):
            yield _clause(found[begin:at])
            begin = at


def _parts(before: Token, one: Token) -> bool:
    """Does a new clause begin here? A hyphen within a word begins none."""
    hyphen = one.mark == "-" and one.start == before.end + 1
    return one.word in _PARTS or bool(one.mark and not hyphen)


def _clause(found: Sequence[Token]) -> Clause:
    words = [one for one in found if one.value is None and not one.bound]
    stems = {stem(one.word) for one in words if one.word not in _SMALL}
    negators = [
        n
        for n, one in enumerate(words)
        if one.word in _NEGATORS and (n + 1 == len(words) or words[n + 1].word not in _ONLY)
    ]
    half = frozenset(_HALF & {stem(one.word) for one in words})
    return Clause(frozenset(stems), bool(negators) or bool(_NEGATIVE & stems), half)


def borne_out(claim: Statement, token: Token, said: Sequence[Statement]) -> str | None:
    """Why none of `said` bears out a value of `claim`; None where one does.

    An equal value in any writing does, with the same bound and on the same side: "up to 5 days"
    is not "5 days", and "until Monday" is not "from Monday".
    """
    assert token.value is not None
    name = repr(claim.written(token))
    why = f"{name} is not borne out by those words"
    for one in said:
        for other in one.values:
            assert other.value is not None
            if not _one_value(token, other):
                if compare(token.value, other.value) is Relation.OTHER:
                    why = (
                        f"{name} is not borne out by those words, which say {one.written(other)!r}"
                    )
                continue
            if not _same_bound(claim, token.value, one, other.value):
                why = f"{name} has another bound in those words: {short(one.text)!r}"
            elif _turned(claim, token, one, other):
                why = f"{name} stands on another side in those words: {short(one.text)!r}"
            else:
                return None
    return why


def rivals(token: Token, said: Iterable[Statement], claim: Statement) -> list[Token]:
    """Values of the same kind that differ from `token`, and that the claim does not say as well."""
    assert token.value is not None
    found = [other for one in said for other in one.values]
    return [
        other
        for other in found
        if other.value is not None
        and compare(token.value, other.value) is Relation.OTHER
        and not any(_one_value(mine, other) for mine in claim.values)
    ]


def has(one: Statement, token: Token) -> bool:
    """Does it say this value, whatever bounds it?"""
    return any(_one_value(token, other) for other in one.values)


def _one_value(mine: Token, theirs: Token) -> bool:
    assert mine.value is not None
    assert theirs.value is not None
    kinds = {mine.value.kind, theirs.value.kind}
    if mine.word == theirs.word and kinds <= {"number", "version"}:
        return True
    sure = mine.value.closed and theirs.value.closed
    if not sure and len(kinds) == 1 and compare(mine.value, theirs.value) is not Relation.OTHER:
        return True  # `10:00` and `10 am`, `3/4/2026` and `3 April 2026`
    return says(theirs.value, mine.value) or _bare(mine.value, theirs.value)


def _bare(mine: Value, theirs: Value) -> bool:
    """The same figure with its unit elsewhere ("1.5 vacation days"), or about the same amount."""
    if theirs.kind == "number" and mine.number is not None and theirs.amount == mine.number:
        return True
    if (mine.kind, mine.unit) != (theirs.kind, theirs.unit) or mine.bound != "~":
        return False
    if mine.amount is None or theirs.amount is None or mine.high or theirs.high:
        return False
    return abs(mine.amount - theirs.amount) <= abs(theirs.amount) * _ABOUT


def _same_bound(claim: Statement, mine: Value, said: Statement, theirs: Value) -> bool:
    if mine.bound == theirs.bound or "~" in (mine.bound, theirs.bound):
        return True
    if mine.bound and theirs.bound:
        return False
    words = said.stems if mine.bound else claim.stems
    return bool(words & (_AT_MOST if (mine.bound or theirs.bound)[0] == "<" else _AT_LEAST))


def _turned(claim: Statement, mine: Token, said: Statement, theirs: Token) -> bool:
    """`by 5%` and `to 5%`, `before 5 pm` and `after 5 pm`."""
    return frozenset((_direction(claim, mine), _direction(said, theirs))) in _CLASH


def _direction(one: Statement, token: Token) -> str:
    at = one.tokens.index(token) - 1
    while at >= 0 and (one.tokens[at].bound or one.tokens[at].word in ("a", "an", "the")):
        at -= 1
    return _DIRECTIONS.get(one.tokens[at].word, "") if at >= 0 else ""


def denied(claim: Statement, said: Sequence[Statement]) -> str | None:
    """The words of `said` nearest to a clause of `claim` deny what it says, or it what they say."""
    theirs = [(clause, one) for one in said for clause in one.clauses]
    for mine in claim.clauses:
        best = max((len(mine.words & clause.words) for clause, _ in theirs), default=0)
        near = [pair for pair in theirs if best and len(mine.words & pair[0].words) == best]
        if near and all(mine.opposes(clause) for clause, _ in near):
            return f"one of the two denies what the other says: {short(near[0][1].text)!r}"
        if near and (pair := next(_opposites(claim, [one for _, one in near]), None)):
            return f"it says {pair[0]!r} where those words say {pair[1]!r}"
    return None


def _opposites(claim: Statement, said: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    for one, two in _OPPOSITES:
        for mine, theirs in ((one, two), (two, one)):
            here = stem(mine) in claim.stems and stem(theirs) not in claim.stems
            if here and all(stem(theirs) in s.stems and stem(mine) not in s.stems for s in said):
                yield mine, theirs


def verbatim(claim: Statement, said: Iterable[Statement]) -> bool:
    """Is it one of them, word for word?"""
    mine = [(one.word, one.value) for one in claim.tokens]
    return any(mine == [(one.word, one.value) for one in other.tokens] for other in said)


def foreign(one: Statement) -> bool:
    """Fewer small words of English in it than its length would have: stems say nothing of it."""
    words = [token.word for token in one.tokens if token.value is None]
    english = len(_SMALL & set(words))
    if len(words) >= 6:
        return english < 2
    return not english and (len(words) >= 4 or not all(map(str.isascii, words)))


def short(text: str, limit: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
