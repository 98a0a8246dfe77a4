"""A statement as the offline judge compares it: every word of it, the small ones first of all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from evalrag.judging.rule_words import listed, pattern
from evalrag.text import Token, Value, same_value, tokens

LONGEST = 250
"""Units that a statement may have to be laid on another; a longer one proves nothing."""

_RUNS = 120
"""Clauses of a sentence that are looked at."""

_CITED = re.compile(
    r"\s*(?:[\[(【](?:\^?\d{1,3}(?:\s*[,;\u2013-]\s*\d{1,3}){0,8}"
    r"|(?:docs?|documents?|sources?|passages?|contexts?|refs?|pages?|chunks?|see|as per)\b"
    r"[^\])】]{0,80})[\])】]"
    r"|\[[\w.#/:-]{1,80}\](?!\()|【[^】]{0,60}】)"
)
_ANSWERED = re.compile(r"(yes|no)\b(?:[,.!:;]| \u2014| -)?\s+", re.IGNORECASE)
_BORDERS = frozenset(",;:()\u2013\u2014")
_IRREGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A word or a value. `key` is the word but for the s at its end, `stem` without any ending."""

    key: str
    stem: str
    token: Token
    border: bool
    """A clause border stands before it."""

    @property
    def value(self) -> Value | None:
        return self.token.value


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """What one sentence says.

    Attributes:
        text: the sentence as given.
        units: its words and values, without articles, frames and marks of citation.
        content: the stems of its words that are not small.
        answer: `yes` or `no` where it begins with that.
        asks: it ends in a question mark.
    """

    text: str
    units: tuple[Unit, ...]
    content: frozenset[str]
    answer: str = ""
    asks: bool = False

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(unit.value for unit in self.units if unit.value is not None)

    @property
    def words(self) -> frozenset[str]:
        return frozenset(unit.token.word for unit in self.units if unit.value is None)


def statement(text: str) -> Statement:
    """Read one sentence."""
    return _once(text)


def bare(text: str) -> tuple[str, str]:
    """A sentence without its citations and frames, and the yes or no that it begins with.

    >>> bare("According to our help pages: yes, it costs 5 euros [1].")
    ('it costs 5 euros.', 'yes')
    """
    told = " ".join(_CITED.sub("", text).split()).strip(" *_")
    answer = ""
    for _ in range(4):
        said = _ANSWERED.match(told)
        led = said or pattern("frames").match(told)
        if led is None or not any(map(str.isalnum, told[led.end() :])):
            break
        answer = answer or (said[1].lower() if said else "")
        told = told[led.end() :]
    return told, answer


@lru_cache(maxsize=16384)
def _once(text: str) -> Statement:
    told, answer = bare(text)
    units = tuple(_units(tokens(told)))
    content = frozenset(
        unit.stem
        for unit in units
        if unit.value is None and unit.token.word not in function_words()
    )
    return Statement(text, units, content, answer, told.rstrip("\"')* ").endswith("?"))


def _units(found: tuple[Token, ...]) -> Iterator[Unit]:
    border = False
    for at, token in enumerate(found):
        border = border or bool(_BORDERS & set(token.mark)) or (" - " in token.mark)
        helps = token.word in ("do", "does", "did") and at + 1 < len(found)
        if token.bound or (token.value is None and token.word in listed("articles")):
            continue
        if helps and found[at + 1].word == "not":
            continue
        word = token.word
        yield Unit(_key(word), stem(word), token, border)
        border = False


def _key(word: str) -> str:
    """A word but for the s of a plural or of a verb."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "xes", "zes", "ches", "shes")) else word[:-1]


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without the endings of nouns and verbs: only for how near two sentences are.

    >>> {stem(word) for word in ("return", "returns", "returned", "returning")}
    {'return'}
    """
    key = _key(word)
    for ending, put in (("ied", "y"), ("ing", ""), ("ed", "")):
        cut = key.removesuffix(ending)
        if cut == key or len(cut) < 3 or not re.search("[aeiouy]", cut):
            continue
        key = cut + put
        if not put and len(key) > 3 and key[-1] == key[-2] and key[-1] not in "lsz":
            key = key[:-1]
        break
    return key[:-1] if len(key) > 3 and key.endswith("e") else key


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """English words without content of their own."""
    return listed("conditions") | listed("articles") | listed("small") | listed("verbs")


def equal(one: Unit, two: Unit, *, loose: bool = False) -> bool:
    """The same word but for its s (loosely: but for its ending), or the same value and bound."""
    mine, theirs = one.value, two.value
    if mine is None or theirs is None:
        if mine is not theirs:
            return False
        return one.key == two.key or (loose and one.stem == two.stem)
    if mine.bound != theirs.bound:
        return False
    as_written = one.token.word == two.token.word and mine.kind == theirs.kind
    return same_value(mine, theirs) or (as_written and not mine.closed)


@lru_cache(maxsize=4096)
def runs(sentence: Statement, *, cut: bool = True) -> tuple[tuple[Unit, ...], ...]:
    """The sentence, and each clause of it that leaves no condition behind."""
    units = sentence.units
    found = [units]
    if not cut or len(units) > LONGEST:
        return tuple(found)
    starts = [0, *(at for at, unit in enumerate(units) if at and _begins(units, at))]
    ends = [at for at in range(1, len(units)) if units[at].border or _joins(units, at)]
    ends.append(len(units))
    for start in starts:
        for end in ends:
            if end - start < 3 or (start, end) == (0, len(units)) or len(found) > _RUNS:
                continue
            if _free(units[:start], before=True) and _free(units[end:], before=False):
                found.append(units[start:end])
    return tuple(found)


def _begins(units: tuple[Unit, ...], at: int) -> bool:
    unit = units[at]
    if unit.border:
        return unit.token.word not in ("and", "or", "but", "which", "who", "that", "nor")
    before = units[at - 1]
    return before.token.word == "and" and before.border


def _joins(units: tuple[Unit, ...], at: int) -> bool:
    """At an "and" that may be left out with what follows: all of "A and B" is true."""
    return units[at].token.word == "and" and not {"between", "both"} & {
        unit.token.word for unit in units[:at]
    }


def _free(left: tuple[Unit, ...], *, before: bool) -> bool:
    """May what is left of a sentence be left out? Before a clause only a clause may."""
    words = [unit.token.word for unit in left]
    if not words or (before and words[0] in listed("labels") and len(words) <= 2):
        return True
    if not before and words[0] in ("and", "so", "then", "while", "whereas"):
        words = words[1:]
        if left[0].border and not (listed("conditions") | listed("strict")) & set(words[:2]):
            return not {"or", "nor", "neither"} & set(words)  # a clause of its own
    if not words or {"or", "nor", "neither"} & set(words) or words[0] in listed("conditions"):
        return False
    if (listed("strict") | listed("doubt") | listed("negations")) & set(words):
        return False
    if not before:
        return True
    last = left[-1].token.word
    return bool(listed("verbs") & set(words[:-1])) and last != "that"


def contains(claim: Statement, sentence: Statement, *, cut: bool = True) -> bool:
    """Is the claim the sentence, or a clause of it that can be cut out, in every word?"""
    mine = claim.units
    return any(
        len(run) == len(mine) and all(equal(a, b) for a, b in zip(mine, run, strict=True))
        for run in runs(sentence, cut=cut)
    )
