"""Which quotes a passage can touch at all, for many quotes held against a large corpus."""

from collections.abc import Iterable, Iterator, Mapping

from evalrag.evidence.quotes import quote_of, text_of
from evalrag.evidence.words import RUN


class QuoteIndex:
    """Quotes by their runs of 5, and by the beginnings and ends of their tokens.

    A passage touches a quote through a run of 5, or through a token, whole or cut, at one of its
    own edges (`cuts`); a quote under 5 tokens by its first token.
    """

    def __init__(self, quotes: Mapping[int, str]) -> None:
        self._grams: dict[str, set[int]] = {}
        self._firsts: dict[str, set[int]] = {}
        self._beginnings: dict[str, set[int]] = {}
        self._ends: dict[str, set[int]] = {}
        for at, written in quotes.items():
            quote = quote_of(written)
            if len(quote.tokens) < RUN:
                _add(self._firsts, quote.tokens[:1], at)
                continue
            _add(self._grams, quote.grams, at)
            for token in quote.tokens:
                sizes = range(1, len(token) + 1)
                _add(self._beginnings, (token[:size] for size in sizes), at)
                _add(self._ends, (token[-size:] for size in sizes), at)

    def by(self, written: str) -> set[int]:
        """The quotes that a passage with this text may touch, and few others."""
        text = text_of(written)
        words = text.tokens
        found: set[int] = set()
        if not words:
            return found
        for token in text.vocabulary & self._firsts.keys():
            found |= self._firsts[token]
        if self._grams:
            for gram in _grams(words):
                found |= self._grams.get(gram, _NONE)
        for edge in (text.tail, words[-1]):
            found |= self._beginnings.get(edge, _NONE)
        for edge in (text.head, words[0]):
            found |= self._ends.get(edge, _NONE)
        return found


_NONE: frozenset[int] = frozenset()


def _grams(words: tuple[str, ...]) -> Iterator[str]:
    for at in range(len(words) - RUN + 1):
        yield f" {' '.join(words[at : at + RUN])} "


def _add(index: dict[str, set[int]], keys: Iterable[str], at: int) -> None:
    for key in keys:
        index.setdefault(key, set()).add(at)
