"""Where a claim denies what a sentence says, or says what it denies."""

from itertools import pairwise

from evalrag.judging.lexicon import ABSOLUTE, ENDED, EXCEPTIONS, NEGATORS
from evalrag.judging.offline_match import Match
from evalrag.judging.reading import Reading
from evalrag.judging.stems import listed

_CONTRASTS = listed("whereas while but although though however because which who")


def denied(laid: Match) -> int:
    """How often claim and sentence differ in what they deny, among the words they share."""
    mine = laid.claim.items
    theirs = laid.sentence.items
    return sum(
        mine[pair.mine].negated != theirs[pair.theirs].negated
        for pair in laid.pairs
        if not mine[pair.mine].value
    )


def deniable(laid: Match) -> bool:
    """The denial is of the same thing: nothing of the claim is missing but what it is about."""
    if NEGATORS & {*laid.claim.tail, *laid.sentence.tail}:
        return False  # "stones can be pelted, rocks cannot"
    if ENDED & laid.sentence.words - laid.claim.words:
        return False
    first, last = laid.pairs[0].theirs, laid.pairs[-1].theirs
    if last + 1 - first - len(laid.pairs) > max(1, len(laid.pairs) // 2):
        return False  # too much between the words they share
    turn = max(
        pair.theirs
        for pair in laid.pairs
        if laid.claim.items[pair.mine].negated != laid.sentence.items[pair.theirs].negated
    )
    for item in laid.sentence.items[first + 1 : turn + 1]:
        if _CONTRASTS & set(item.before):
            return False  # two clauses: what is denied may be of another subject
    content = [item for item in laid.claim.items if not item.framing]
    return len(laid.missing) <= max(1, len(content) // 4) and not laid.loose


def excepted(laid: Match) -> bool:
    """Is there an exception in one of the two and not in the other?"""
    return _exceptions(laid.claim) != _exceptions(laid.sentence)


def _exceptions(one: Reading) -> set[str]:
    pairs = set(pairwise(one.lows))
    only_if = {"only if"} if {("only", "if"), ("only", "when")} & pairs else set()
    other_than = {"except"} if ("other", "than") in pairs else set()
    return only_if | other_than | (EXCEPTIONS & set(one.lows))


def flat_out(laid: Match) -> bool:
    """Said to hold in every case, where the sentence names a condition."""
    said = ABSOLUTE & (set(laid.claim.lows) - set(laid.sentence.lows))
    return bool(said) and bool(_exceptions(laid.sentence)) and not _exceptions(laid.claim)
