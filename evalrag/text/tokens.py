"""A text as tokens: its words in one spelling, and each value as one token."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from evalrag.text.amounts import amount, ordinal, unit_at
from evalrag.text.lex import Raw, lex
from evalrag.text.numerals import low
from evalrag.text.plain import Plain, plain
from evalrag.text.times import moment
from evalrag.text.values import Value
from evalrag.text.words import phrases, table, units

_SHORT = 4000
_PHONE = re.compile(
    r"(?:\+\d{1,3}|00\d{1,3}|\(?0\d{1,4}\)?|1?-?\d{3}-\d{3})(?:[ ()-]{1,2}\d{2,8}){1,6}(?!\w)"
)
_DIGITS = 7
"""Digits of the shortest telephone number."""
_MARKS = 16
"""Signs that are kept of a run of them."""
_PER = frozenset({"a", "an", "each", "every", "/"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a value in any writing.

    Attributes:
        word: the word in one spelling (small letters, contractions opened: "don't" is "do",
            "not"); of a value its words as written.
        start, end: where it stands in the text as given.
        value: what it is, where it is a value.
        mark: the signs between the token before and this one.
        bound: a word that only bounds the value beside it ("at least"), which carries the bound.
        unit: the words of a value's unit as written, so that "euros" is found in "5 euros".
    """

    word: str
    start: int
    end: int
    value: Value | None = None
    mark: str = ""
    bound: bool = False
    unit: tuple[str, ...] = ()


def tokens(text: str) -> tuple[Token, ...]:
    """All tokens of `text`, in order; none of a text without words.

    >>> [token.word for token in tokens("It **can't** exceed 10&nbsp;000&euro;.")]
    ['it', 'can', 'not', 'exceed', '10 000€']
    """
    return _once(text) if len(text) <= _SHORT else _tokens(text)


def _tokens(text: str) -> tuple[Token, ...]:
    return _Reader(plain(text)).read()


_once = lru_cache(maxsize=8192)(_tokens)


@cache
def _leading() -> frozenset[str]:
    """Words that a value may begin with, or that open into others: the rest are only words."""
    names = ("numbers", "scales", "ordinals", "months", "more_months", "weekdays", "clock")
    found = {"half", "a", "minus", *_PER}
    for name in (*names, "short_weekdays", "contractions"):
        found |= set(table(name))
    found |= {f"{day}s" for day in table("weekdays")}
    found |= {
        word.lower() for words in units() for word, unit in words.items() if unit.kind == "money"
    }
    return frozenset(found)


class _Reader:
    def __init__(self, seen: Plain) -> None:
        self.seen = seen
        self.raws = lex(seen.text)
        self.out: list[Token] = []
        self.mark = ""

    def read(self) -> tuple[Token, ...]:
        at = 0
        while at < len(self.raws):
            at = self._one(at)
        return _bounded(self.out)

    def _one(self, at: int) -> int:
        raw = self.raws[at]
        if raw.kind == "word" and raw.low not in _leading() and raw.low.isalpha():
            if at + 1 == len(self.raws) or not self.raws[at + 1].glued:
                self._word(raw.low, raw.start, raw.end)
                return at + 1
            if self.raws[at + 1].text in ",.;:?!)-":
                self._word(raw.low, raw.start, raw.end)
                return at + 1
        found = self._value(at)
        if found is not None:
            value, end = found
            self._put(at, end, value)
            return end
        if raw.kind == "sign":
            if raw.text == "&":
                self._word("and", raw.start, raw.end)
            elif raw.text == "/" and self._per(at):
                self._word("per", raw.start, raw.end)
            else:
                if len(self.mark) < _MARKS:
                    self.mark += raw.text
            return at + 1
        if raw.kind == "word" and raw.low in _PER and self._per(at):
            self._word("per", raw.start, raw.end)
            return at + 1
        if raw.kind == "word":
            return self._open(at)
        self._word(raw.low, raw.start, raw.end)
        return at + 1

    def _value(self, at: int) -> tuple[Value, int] | None:
        raw = self.raws[at]
        if raw.kind in ("url", "email"):
            return Value(raw.kind, unit=_address(raw.low)), at + 1
        if raw.kind == "word" and any(map(str.isdecimal, raw.low)):
            return self._code(at)
        found = moment(self.raws, at)
        if found is None and (raw.kind == "number" or raw.text in "+("):
            found = self._phone(at)
        if found is None and raw.text != "+":
            found = ordinal(self.raws, at) or amount(self.raws, at)
        if found is None:
            return (Value("version", unit=raw.text), at + 1) if raw.kind == "number" else None
        value, end = found
        behind = self.raws[end] if end < len(self.raws) else None
        alone = raw.kind == "number" and value.kind == "number" and end == at + 1
        if alone and behind is not None and behind.glued and behind.kind == "word":
            return self._code(at)
        return found

    def _code(self, at: int) -> tuple[Value, int]:
        """Letters and digits without a sign between: `19b`, `iphone15`."""
        end = at + 1
        while end < len(self.raws) and self.raws[end].glued and self.raws[end].kind != "sign":
            end += 1
        return Value("code", unit="".join(raw.low for raw in self.raws[at:end])), end

    def _phone(self, at: int) -> tuple[Value, int] | None:
        begin = self.raws[at].start
        match = _PHONE.match(self.seen.text, begin)
        if match is None or sum(map(str.isdecimal, match.group())) < _DIGITS:
            return None
        end = at
        while end < len(self.raws) and self.raws[end].start < match.end():
            end += 1
        digits = "".join(sign for sign in match.group() if sign.isdecimal())
        return Value("code", unit=digits.removeprefix("00")), end

    def _per(self, at: int) -> bool:
        """`19 euros a month`, `600 requests/minute`: a rate."""
        last = self.out[-1] if self.out else None
        if last is None or self.mark:
            return False
        slash = self.raws[at].text == "/"
        if last.value is None and not slash:
            return False
        unit, end = unit_at(self.raws, at + 1)
        return (
            unit is not None
            and unit.kind == "time"
            and low(self.raws, at + 1) != "s"
            and (end == at + 2)
        )

    def _open(self, at: int) -> int:
        """A word, with what an apostrophe joins to it."""
        raw = self.raws[at]
        known = table("contractions")
        joined = (
            at + 2 < len(self.raws)
            and self.raws[at + 1].text == "'"
            and self.raws[at + 1].glued
            and self.raws[at + 2].glued
            and self.raws[at + 2].kind == "word"
        )
        if not joined:
            opened = str(known[raw.low]).split() if raw.low in known else [raw.low]
            self._words(opened, raw.start, raw.end)
            return at + 1
        tail = self.raws[at + 2]
        whole = f"{raw.low}'{tail.low}"
        endings = table("endings")
        if whole in known:
            self._words(str(known[whole]).split(), raw.start, tail.end)
        elif tail.low == "t" and raw.low.endswith("n"):
            self._words([raw.low[:-1], "not"], raw.start, tail.end)
        elif f"'{tail.low}" in endings:
            self._words([raw.low, str(endings[f"'{tail.low}"])], raw.start, tail.end)
        elif tail.low == "s":
            verb = raw.low in str(table("is")["words"]).split()
            self._word(raw.low, raw.start, raw.end)
            self._word("is" if verb else "'s", self.raws[at + 1].start, tail.end)
        else:
            self._word(raw.low, raw.start, raw.end)
            self._word(tail.low, tail.start, tail.end)
        return at + 3

    def _words(self, words: Sequence[str], start: int, end: int) -> None:
        """Words that one stretch stands for, which share it out between them."""
        cut = start
        for word in words[:-1]:
            stop = min(cut + len(word), end - 1)
            self._word(word, cut, max(stop, cut + 1))
            cut = max(stop, cut + 1)
        self._word(words[-1], min(cut, end - 1), end)

    def _word(self, word: str, start: int, end: int, value: Value | None = None) -> None:
        seen = self.seen
        self.out.append(Token(word, seen.starts[start], seen.ends[end - 1], value, self.mark))
        self.mark = ""

    def _put(self, at: int, end: int, value: Value) -> None:
        raws = self.raws[at:end]
        self._word("".join(_spaced(raws)), raws[0].start, raws[-1].end, value)
        tail: list[str] = []
        for raw in reversed(raws[1:]):
            if raw.kind != "word":
                break
            tail.insert(0, raw.low)
        if tail:
            self.out[-1] = replace(self.out[-1], unit=tuple(tail))


def _spaced(raws: Sequence[Raw]) -> list[str]:
    return [raw.low if raw.glued or not at else f" {raw.low}" for at, raw in enumerate(raws)]


def _address(text: str) -> str:
    """An address without what changes nothing: its scheme, `www.`, a slash at its end."""
    for lead in ("https://", "http://", "www."):
        text = text.removeprefix(lead)
    return text.rstrip("/")


def _bounded(found: list[Token]) -> tuple[Token, ...]:
    """The bounds around values put into them."""
    before = phrases("bounds_before", by_last=True)
    behind = phrases("bounds_behind", by_last=False)
    for at, token in enumerate(found):
        value = token.value
        if value is None or value.kind in ("code", "url", "email", "version"):
            continue
        last = found[at - 1].word if at and token.mark in ("", ".") else ""
        if value.high is not None and last == "between":
            found[at - 1] = replace(found[at - 1], bound=True)
            continue
        if last in before and (bound := _before(found, at, before[last])):
            _bind(found, at, range(at - len(bound[0]), at), bound[1])
            continue
        first = found[at + 1] if at + 1 < len(found) else None
        if first is None or first.word not in behind or first.mark not in ("", "("):
            continue
        if after := _behind(found, at + 1, behind[first.word]):
            _bind(found, at, range(at + 1, at + 1 + len(after[0])), after[1])
    return tuple(found)


_Phrase = tuple[tuple[str, ...], str]


def _before(found: Sequence[Token], at: int, known: Sequence[_Phrase]) -> _Phrase | None:
    for phrase in known:
        begin = at - len(phrase[0])
        if begin >= 0 and _stands(found, begin, phrase[0]):
            return phrase
    return None


def _behind(found: Sequence[Token], at: int, known: Sequence[_Phrase]) -> _Phrase | None:
    """A bound behind a value, unless it is the bound of the value that follows."""
    for phrase in known:
        end = at + len(phrase[0])
        if not _stands(found, at, phrase[0]):
            continue
        if end < len(found) and found[end].value is not None and not found[end].mark:
            continue
        return phrase
    return None


def _stands(found: Sequence[Token], begin: int, words: Sequence[str]) -> bool:
    if begin + len(words) > len(found):
        return False
    return all(
        found[begin + n].word == word and not (n and found[begin + n].mark)
        for n, word in enumerate(words)
    )


def _bind(found: list[Token], at: int, words: range, meaning: str) -> None:
    value = found[at].value
    if value is not None:
        found[at] = replace(found[at], value=replace(value, bound=meaning))
    for place in words:
        found[place] = replace(found[place], bound=True)
