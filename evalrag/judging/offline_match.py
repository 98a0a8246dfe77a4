"""A claim laid on a sentence: what it shares, what it misses."""

from dataclasses import dataclass
from math import fsum

from evalrag.judging import dates, quantities
from evalrag.judging.alignment import CLOSE, OTHER, SAME, Pair, align
from evalrag.judging.reading import Item, Reading


@dataclass(frozen=True, slots=True)
class Match:
    """A claim laid on a sentence."""

    claim: Reading
    sentence: Reading
    pairs: tuple[Pair, ...]
    loose: frozenset[int]
    """Items of the claim that stand in the sentence, out of order."""
    taken: frozenset[int]
    """Items of the sentence that an equal item of the claim stands for."""

    @property
    def missing(self) -> list[int]:
        """Content words of the claim that the sentence does not have."""
        paired = {pair.mine for pair in self.pairs} | self.loose
        named = {pair.mine for pair in self.pairs if pair.code == "entity"}
        items = self.claim.items
        paired |= {
            place
            for name in named
            for place in (name - 1, name + 1)
            if 0 <= place < len(items) and items[place].name and not items[max(place, name)].before
        }
        return [
            place
            for place, item in enumerate(self.claim.items)
            if place not in paired and not item.framing
        ]

    @property
    def shared(self) -> float:
        """Share of the claim's content that the sentence has, another value counted as half."""
        items = [place for place, item in enumerate(self.claim.items) if not item.framing]
        if not items:
            return 0.0
        worth = {SAME: 1.0, CLOSE: 1.0, OTHER: 0.0}
        have = {pair.mine: worth[pair.how] for pair in self.pairs}
        swapped = sum(1 for pair in self.pairs if pair.how == OTHER)
        got = fsum(have.get(place, 1.0 if place in self.loose else 0.0) for place in items)
        return got / max(1, len(items) - swapped / 2)


def match(claim: Reading, sentence: Reading) -> Match:
    pairs = align(claim.items, sentence.items)
    at = {(pair.mine, pair.theirs) for pair in pairs}
    paired = {
        pair.mine
        for pair in pairs
        if pair.how != OTHER
        or {(pair.mine - 1, pair.theirs - 1), (pair.mine + 1, pair.theirs + 1)} <= at
    }
    taken = {pair.theirs for pair in pairs if pair.how != OTHER}
    loose: set[int] = set()
    dropped: set[int] = set()
    for place, item in enumerate(claim.items):
        if place in paired:
            continue
        for other, theirs in enumerate(sentence.items):
            if other not in taken and _same(item, theirs):
                loose.add(place)
                taken.add(other)
                dropped.add(place)
                break
    placed = {pair.mine for pair in pairs if pair.how != OTHER}
    if any(item.value and place not in placed for place, item in enumerate(claim.items)):
        # "a high of 79 and a low of 56": the word may stand where the value stands
        for pair in pairs:
            if pair.code == "antonym" and claim.items[pair.mine].key in sentence.words:
                loose.add(pair.mine)
                dropped.add(pair.mine)
    kept = tuple(
        pair
        for pair in pairs
        if pair.mine not in dropped and (pair.how != OTHER or pair.theirs not in taken)
    )
    return Match(claim, sentence, kept, frozenset(loose), frozenset(taken))


def _same(mine: Item, theirs: Item) -> bool:
    if mine.quantity is not None and theirs.quantity is not None:
        return quantities.comparable(mine.quantity, theirs.quantity) and (
            quantities.clash(mine.quantity, theirs.quantity) in (None, "?rate", "?bound")
            and quantities.equal(mine.quantity, theirs.quantity)
        )
    if mine.moment is not None and theirs.moment is not None:
        return mine.moment.kind == theirs.moment.kind and (
            dates.clash(mine.moment, theirs.moment) is None
        )
    return not mine.value and not theirs.value and mine.key == theirs.key
