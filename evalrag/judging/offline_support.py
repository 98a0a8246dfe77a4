"""What stands against calling a claim supported by a sentence that shares its words."""

from collections.abc import Sequence
from itertools import pairwise

from evalrag.judging.alignment import OTHER, SAME, Pair
from evalrag.judging.lexicon import (
    CONDITIONS,
    DOUBT,
    LIMITING,
    PERMITS,
    REQUIRES,
    UNIVERSAL,
)
from evalrag.judging.reading import Item, Reading

_OPENS = {",", ";", ":", "(", "—", "\u2013", "and", "but", "or", "which", "while", "who", "then"}
_JOINS = {"and", "but", ","}
_RESTRICTS = {"for", "who", "whose", "where", "when", "only", "if", "unless", "except", "until"}
_ORDERED = {"before", "after", "above", "below", "over", "under", "without", "since", "until"}


def objection(claim: Reading, sentence: Reading, pairs: Sequence[Pair]) -> str | None:
    """The code of the first thing that stands against support; None where nothing does."""
    mine, theirs = claim.items, sentence.items
    if not pairs:
        return "low-overlap"
    paired = {pair.mine for pair in pairs}
    missing = [
        item
        for place, item in enumerate(mine)
        if place not in paired and not item.framing and not _moved(item, claim, sentence)
    ]
    if missing:
        return _missing(missing, sentence)
    for pair in pairs:
        if pair.how == OTHER:
            return pair.code.lstrip("?") or "replaced"
        if pair.how != SAME:
            return pair.code
    return (
        _gap(theirs, pairs)
        or _small_words(claim, sentence, pairs)
        or _dropped(claim, sentence, pairs)
        or _stretched(claim, sentence, pairs)
    )


def _moved(item: Item, claim: Reading, sentence: Reading) -> bool:
    """The one date at the head of the sentence: `In 2021 they met`, `They met in 2021`."""
    if item.moment is None or len(claim.moments) != 1 or len(sentence.moments) != 1:
        return False
    return sentence.items[0].moment == item.moment


def _missing(missing: Sequence[Item], sentence: Reading) -> str:
    first = missing[0]
    if all(item.key in sentence.words for item in missing if not item.value) and not any(
        item.value for item in missing
    ):
        return "word-order"
    if first.value:
        return "new-number"
    return "new-name" if first.name else "replaced"


def _gap(theirs: Sequence[Item], pairs: Sequence[Pair]) -> str | None:
    """Content skipped inside the claim, unless it is one whole part of a list."""
    for place, (left, right) in enumerate(pairwise(pairs)):
        if right.theirs == left.theirs + 1:
            continue
        joined = bool(_JOINS & set(theirs[right.theirs].before))
        last = pairs[-1].theirs + 1
        closed = last >= len(theirs) or bool(_OPENS & set(theirs[last].before))
        one_gap = all(b.theirs == a.theirs + 1 for a, b in pairwise(pairs[place + 1 :]))
        if not (joined and closed and one_gap):
            return "gap"
    return None


def _small_words(claim: Reading, sentence: Reading, pairs: Sequence[Pair]) -> str | None:
    """Small words that turn a statement: before, after, without, over, under."""
    for left, right in zip((None, *pairs), pairs, strict=False):
        mine = claim.items[right.mine]
        theirs = sentence.items[right.theirs]
        if left is not None and right.theirs != left.theirs + 1:
            continue
        if mine.value:
            continue
        if left is None and not (_ORDERED & set(mine.before)):
            continue
        if (_ORDERED & set(mine.before)) != (_ORDERED & set(theirs.before)):
            return "antonym"
    return None


def _dropped(claim: Reading, sentence: Reading, pairs: Sequence[Pair]) -> str | None:
    """A condition or a doubt of the sentence that the claim leaves out."""
    kept = set(claim.lows)
    lost = (CONDITIONS | {"only"}) & set(sentence.lows)
    if lost - kept:
        return "condition-dropped"
    theirs = sentence.items
    first, last = pairs[0].theirs, pairs[-1].theirs
    for item in theirs[:first]:
        if item.key in DOUBT or item.negated:
            return "condition-dropped"
    after = theirs[last + 1].before if last + 1 < len(theirs) else sentence.tail
    trails = last + 1 < len(theirs)
    for low in after:
        if low in _OPENS:
            break
        if trails and low in _RESTRICTS:
            return "condition-dropped"
    head = theirs[0].before if theirs else ()
    if first > 0 and {"if", "when", "unless"} & set(head):
        return "condition-dropped" if not ({"if", "when", "unless"} & kept) else None
    return None


def _stretched(claim: Reading, sentence: Reading, pairs: Sequence[Pair]) -> str | None:
    """All for some, must for may: the claim says more than the sentence."""
    mine, theirs = set(claim.lows), _near(sentence, pairs)
    if (UNIVERSAL & mine) - set(sentence.lows):
        return "quantifier"
    if (LIMITING & theirs) - mine:
        return "quantifier"
    if REQUIRES & mine and not REQUIRES & set(sentence.lows):
        return "quantifier"
    if PERMITS & theirs and not (PERMITS | {"can", "cannot"}) & mine:
        return "quantifier"
    return None


def _near(sentence: Reading, pairs: Sequence[Pair]) -> set[str]:
    """The small words of the part of the sentence that the claim rests on."""
    found: set[str] = set()
    for place in range(pairs[0].theirs, pairs[-1].theirs + 1):
        found |= set(sentence.items[place].before)
    return found | {sentence.items[p.theirs].text.lower() for p in pairs}
