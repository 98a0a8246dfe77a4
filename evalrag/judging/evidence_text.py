"""The context as rules look it up: its sentences, and which of them share a claim's words."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evalrag.judging.language import foreign
from evalrag.judging.quantities import Quantity, family
from evalrag.judging.reading import Reading, pieces, read
from evalrag.judging.sentences import sentences

CANDIDATES = 24
"""Sentences that a claim is held against: those that share most of its words."""

_WORK, _AT_LEAST = 60_000, 3
"""Pairs of words that are looked at for one claim, once some sentences were."""
_POSTINGS = 5000
_KEPT = 2000
_CLOSING = frozenset(".!;:,\"'”\u2019)*")
_OPENING = frozenset("\"'“\u2018(*-•")


@lru_cache(maxsize=16384)
def _read_short(text: str) -> Reading:
    return read(text)


def reading(text: str) -> Reading:
    """Read once: the same passage stands in the context of many rows."""
    return _read_short(text) if len(text) <= _KEPT else read(text)


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence of the context. `passage` counts from 1; `topic` is what its passage names."""

    reading: Reading
    passage: int
    topic: frozenset[str]


class Sources:
    """The sentences of a context, found by the words they share with a claim."""

    def __init__(self, context: Sequence[str]) -> None:
        self.all: list[Source] = []
        self.verbatim: dict[tuple[str, ...], list[Source]] = defaultdict(list)
        self.quantities: list[Quantity] = []
        words: set[str] = set()
        index: dict[str, list[int]] = defaultdict(list)
        for passage, text in enumerate(context, start=1):
            for source in _sources(passage, text):
                for key in _keys(source.reading):
                    if len(index[key]) < _POSTINGS:
                        index[key].append(len(self.all))
                self.all.append(source)
                words |= source.reading.words
                self.quantities += source.reading.quantities
                self.verbatim[verbatim(source.reading)].append(source)
        self.words = frozenset(words)
        self.foreign = frozenset(at for at, text in enumerate(context, start=1) if foreign(text))
        self.moments = [moment for source in self.all for moment in source.reading.moments]
        self.lows = frozenset(low for source in self.all for low in source.reading.lows)
        self._index = dict(index)

    def near(self, claim: Reading) -> list[Source]:
        """The sentences that share most with `claim`, best first; ties in the context's order."""
        counts: Counter[int] = Counter()
        for key in sorted(_keys(claim)):
            counts.update(self._index.get(key, ()))
        best = sorted(counts, key=lambda place: (-counts[place], place))[:CANDIDATES]
        found: list[Source] = []
        work = 0
        for source in (self.all[place] for place in best):
            work += len(claim.items) * len(source.reading.items)
            if work > _WORK and len(found) >= _AT_LEAST:
                break
            found.append(source)
        return found


@lru_cache(maxsize=16)
def sources_of(context: tuple[str, ...]) -> Sources:
    """The same context is looked up for every claim of an answer."""
    return Sources(context)


def verbatim(one: Reading) -> tuple[str, ...]:
    """A sentence's words and figures, without the signs at its ends: equal means verbatim."""
    lows = one.lows
    first, last = 0, len(lows)
    while last > first and lows[last - 1] in _CLOSING:
        last -= 1
    while first < last and lows[first] in _OPENING:
        first += 1
    return lows[first:last]


def _sources(passage: int, text: str) -> Iterator[Source]:
    found = [reading(told) for told in dict.fromkeys(one.text for one in sentences(text))]
    topic = frozenset[str]().union(*(one.words for one in found)) if found else frozenset()
    for one in found:
        for piece in pieces(one):
            yield Source(piece, passage, topic)


def _keys(one: Reading) -> set[str]:
    keys = set(one.words)
    keys |= {f"{family(quantity.dimension)}?" for quantity in one.quantities}
    keys |= {f"{moment.kind}?" for moment in one.moments}
    return keys
