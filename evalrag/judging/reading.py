"""A sentence as rules read it: its content words, quantities, dates, identifiers, in order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evalrag.judging.dates import NAMED, Moment, moment
from evalrag.judging.lexicon import FRAMING, FUNCTION, NEGATORS
from evalrag.judging.quantities import BEGINS, Quantity, quantity
from evalrag.judging.stems import listed, stem
from evalrag.judging.tokens import Token, plain, tokenize, written
from evalrag.judging.units import UNITS

LONGEST = 120
"""Content words that one reading may have; a longer sentence is read in pieces."""

_BEGINS = NAMED | BEGINS
"""Any other word is a word and nothing else, where no sign or figure is glued to it."""

_LOOKED_BACK = 12
_LONGEST_CODE = 16
_PREFIXES = listed(
    """
    mid pre post non early late sub over under co re anti
    """
)
_AFTER_NO = listed(
    """
    more less fewer later earlier longer than only doubt
    """
)


@dataclass(frozen=True, slots=True)
class Item:
    """One unit of content. `before` holds the signs and small words in front of it."""

    kind: str
    key: str
    text: str
    start: int
    before: tuple[str, ...]
    quantity: Quantity | None = None
    moment: Moment | None = None
    name: bool = False
    negated: bool = False

    @property
    def word(self) -> bool:
        return self.kind == "word"

    @property
    def value(self) -> bool:
        return self.kind in ("quantity", "moment")

    @property
    def framing(self) -> bool:
        return self.kind == "word" and self.key in FRAMING and not self.name


@dataclass(frozen=True, slots=True)
class Reading:
    """`words` are the keys of its content words and identifiers, `lows` all words in lower case."""

    text: str
    items: tuple[Item, ...]
    lows: tuple[str, ...]
    words: frozenset[str]
    tail: tuple[str, ...] = ()
    quantities: tuple[Quantity, ...] = field(default=())
    moments: tuple[Moment, ...] = field(default=())


def read(text: str) -> Reading:
    """Read one sentence."""
    tokens = tokenize(plain(text))
    items, tail = _items(tokens)
    return Reading(
        text=text,
        items=tuple(items),
        lows=tuple(token.low for token in tokens),
        words=frozenset(item.key for item in items if not item.value),
        tail=tail,
        quantities=tuple(item.quantity for item in items if item.quantity is not None),
        moments=tuple(item.moment for item in items if item.moment is not None),
    )


def _items(tokens: Sequence[Token]) -> tuple[list[Item], tuple[str, ...]]:
    titled = _titled(tokens)
    items: list[Item] = []
    before: list[str] = []
    rated = 0  # tokens before this one may belong to the rate of a quantity
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if at < rated and token.low in ("per", "/", "a", "an", "each", "every"):
            at += 2
            continue
        found, end, last = _item(tokens, at, before, titled, _denied(before[-_LOOKED_BACK:]))
        if found is None:
            before.append(token.low)
            at += 1
            continue
        items.append(found)
        before = []
        rated = max(rated, last)
        at = end
    return items, tuple(before)


def _item(
    tokens: Sequence[Token], at: int, before: list[str], titled: bool, negated: bool
) -> tuple[Item | None, int, int]:
    """The item that begins at `at`, the token after it, and after the rates that belong to it."""
    token = tokens[at]
    front = tuple(before)
    if token.kind == "sign" and token.text not in "$€£¥":
        return None, at + 1, at
    if token.word and token.low not in _BEGINS and not _runs_on(tokens, at):
        return _word(tokens, at, front, titled, negated)
    end = _identifier(tokens, at)
    if end:
        text = "".join(t.text for t in tokens[at:end])
        return Item("id", text.lower(), text, at, front, name=True, negated=negated), end, end
    when = moment(tokens, at)
    if when is not None:
        text = written(tokens[at : when[1]])
        return Item("moment", "", text, at, front, moment=when[0]), when[1], when[1]
    size = quantity(tokens, at)
    if size is not None and not _pronoun(tokens, at, size[0]):
        found, end, last = size
        direct = last if last > end and _rate_at(tokens, end) else end
        return Item("quantity", "", found.written, at, front, quantity=found), direct, last
    if token.number:
        return Item("id", token.low, token.text, at, front, name=True), at + 1, at + 1
    return _word(tokens, at, front, titled, negated)


def _word(
    tokens: Sequence[Token], at: int, front: tuple[str, ...], titled: bool, negated: bool
) -> tuple[Item | None, int, int]:
    """The word at `at`, where it says something by itself."""
    token = tokens[at]
    letter = len(token.text) == 1 and token.capital and token.low != "i" and at > 0
    letter = letter and tokens[at - 1].word and tokens[at - 1].low not in ("and", "or")
    modal = token.low == "need" and at + 1 < len(tokens) and tokens[at + 1].low == "not"
    if token.kind != "word" or modal or (token.low in FUNCTION and not letter):
        return None, at + 1, at
    named = not titled and _named(tokens, at)
    key = stem(token.low)
    return Item("word", key, token.text, at, front, name=named, negated=negated), at + 1, at


def _runs_on(tokens: Sequence[Token], at: int) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].glued


def _rate_at(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].low in (
        "per", "/", "a", "an", "each", "every", "daily", "weekly", "monthly", "yearly", "annually",
        "hourly", "quarterly", "nightly",
    )  # fmt: skip


def _pronoun(tokens: Sequence[Token], at: int, found: Quantity) -> bool:
    """`one of them`, `the first`: a word that counts nothing here."""
    return tokens[at].low == "one" and found.plain and not found.nouns


def _identifier(tokens: Sequence[Token], at: int) -> int:
    """The end of a run of letters and digits without a space (`AES-256`, `K-19b`); 0 if none."""
    token = tokens[at]
    if token.glued and at and tokens[at - 1].kind != "sign":
        return 0
    end, letters, digits = at, False, False
    while end < len(tokens) and (end == at or tokens[end].glued):
        part = tokens[end]
        if part.kind == "sign":
            behind = tokens[end + 1] if end + 1 < len(tokens) else None
            if part.text not in "-_./" or behind is None or not behind.glued or end == at:
                break
            if behind.kind == "sign" or (part.text == "." and behind.word):
                break
        letters, digits = letters or part.word, digits or part.number
        end += 1
        if end - at > _LONGEST_CODE:
            return 0
    if not (letters and digits) or end - at < 2:
        return 0
    if token.low in _PREFIXES or not _coded(tokens, at, end):
        return 0
    return end


def _coded(tokens: Sequence[Token], at: int, end: int) -> bool:
    """A code rather than a number with its unit (`24-month`, `20mg`, `2nd`, `5pm`, `10k`)."""
    first, last = tokens[at], tokens[end - 1]
    if first.number:
        if end - at == 2 and last.low in ("st", "nd", "rd", "th", "am", "pm", "k", "m", "s"):
            return last.text.isupper() and last.low == "s"
        words = [token for token in tokens[at:end] if token.word]
        hyphen = tokens[at + 1].text == "-"
        if words[0].low in UNITS and not (len(words[0].text) == 1 and words[0].text in "GSHLV"):
            return False
        return not hyphen or len(words[0].text) == 1
    return first.word and moment(tokens, at) is None


def _named(tokens: Sequence[Token], at: int) -> bool:
    """A proper name: a capital inside a sentence, or at its head before another one."""
    token = tokens[at]
    if not token.capital:
        return False
    if at and tokens[at - 1].text not in ".!?:\"“'\u2018(-•*":
        return True
    if at and tokens[at - 1].text == "-" and tokens[at].glued:
        return True
    if len(token.text) > 1 and token.text.isupper():
        return True
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    return behind is not None and behind.capital and behind.low not in FUNCTION


def _titled(tokens: Sequence[Token]) -> bool:
    """A line in title case or in capitals: its capitals name nothing."""
    words = [token for token in tokens if token.word and token.low not in FUNCTION]
    capital = sum(token.capital for token in words)
    return len(words) >= 3 and capital == len(words)


def _denied(before: Sequence[str]) -> bool:
    """Does a negator stand between the item before and this one?"""
    for place, low in enumerate(before):
        if low not in NEGATORS:
            continue
        after = before[place + 1] if place + 1 < len(before) else ""
        if after in _AFTER_NO or (low == "no" and after == ",") or after == ",":
            continue
        return True
    return False


def pieces(reading: Reading) -> Iterator[Reading]:
    """A reading too long to align, in pieces that overlap by half."""
    if len(reading.items) <= LONGEST:
        yield reading
        return
    for start in range(0, len(reading.items) - LONGEST // 2, LONGEST // 2):
        items = reading.items[start : start + LONGEST]
        yield Reading(
            text=reading.text,
            items=items,
            lows=reading.lows,
            words=frozenset(item.key for item in items if not item.value),
            quantities=tuple(item.quantity for item in items if item.quantity is not None),
            moments=tuple(item.moment for item in items if item.moment is not None),
        )
