"""How much of a quote one passage covers, and what passages of one document cover together.

A passage covers runs of 5 tokens wherever they stand in it, and shorter ones only where the chunker
cut (`cuts`): a beginning of the quote at the passage's end, an end of it at the passage's start, a
passage that lies wholly inside the quote.

Two readings are kept apart. What is *shared* is every run, and answers how much of the quote is
there. What is *firm* decides whether the quote is found and which passage is relevant for it, and
leaves out runs that break off at another number, or where a number or negation of the quote is
missing: they belong to a sibling or an old version (`seams`). A run that breaks off at a negation
which the quote does not have ("may not return" for "may return") is neither.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from evalrag.evidence.cuts import edges
from evalrag.evidence.seams import Seam, runs
from evalrag.evidence.words import RUN, Quote, Text, begins, ends

EDGE = 3
"""Tokens in a row at a cut that are worth the name of partial cover."""

Halves: TypeAlias = tuple[tuple[int, int], ...]
"""(position of a token in the quote, characters of it)."""
Conditional: TypeAlias = tuple[int, int, int]
"""(tokens, number that must have begun elsewhere, number that must end elsewhere); -1 for none."""


@dataclass(frozen=True, slots=True)
class Cover:
    """What is covered of a quote, by one passage or by several. Token positions are bits."""

    shared: int = 0
    firm: int = 0
    started: int = 0
    """Numbers that follow on the token before them, hence are surely not cut at their start."""
    finished: int = 0
    """Numbers that the token after them follows, hence are surely not cut at their end."""
    begun: Halves = ()
    """Beginnings of tokens, at the end of passages."""
    ended: Halves = ()
    """Ends of tokens, at the start of passages."""
    conditional: tuple[Conditional, ...] = ()
    """Firm if the number that they hang on is cut there, or stands whole elsewhere."""
    part: bool = False
    """Of one passage: shares a run of 5, or an edge of 3."""
    solid: bool = False
    """Of one passage: the same, of what is firm or may be."""

    def settled(self, quote: Quote) -> int:
        """All that is firm, cut tokens put together."""
        joined, begun, ended = self._joined(quote)
        firm = self.firm | joined
        for mask, before, after in self.conditional:
            if (before < 0 or before in begun or self.finished >> before & 1) and (
                after < 0 or after in ended or self.started >> after & 1
            ):
                firm |= mask
        return firm

    def shown(self, quote: Quote) -> int:
        """All that is shared, cut tokens put together."""
        return self.shared | self._joined(quote)[0]

    def _joined(self, quote: Quote) -> tuple[int, dict[int, int], dict[int, int]]:
        if not self.begun and not self.ended:
            return 0, {}, {}
        begun, ended = dict(self.begun), dict(self.ended)
        mask = 0
        for at in begun.keys() & ended.keys():
            if begun[at] + ended[at] >= len(quote.tokens[at]):
                mask |= 1 << at
        return mask, begun, ended


def cover(quote: Quote, text: Text) -> Cover | None:
    """What this passage covers of the quote; None for nothing."""
    if quote.tokens and quote.joined in text.joined:
        whole = quote.all
        return Cover(whole, whole, quote.numbers, quote.numbers, part=True, solid=True)
    if len(quote.tokens) < RUN or not text.tokens:
        return None
    shared = firm = 0
    part = solid = False
    conditional: list[Conditional] = []
    for mask, before, after in runs(quote, text):
        if Seam.DENIED in (before, after):
            continue
        shared |= mask
        part = True
        if Seam.OTHER in (before, after):
            continue
        solid = True
        first, end = (mask & -mask).bit_length() - 1, mask.bit_length()
        hangs = (first - 1 if before is Seam.CUT else -1, end if after is Seam.CUT else -1)
        if hangs == (-1, -1):
            firm |= mask
        else:
            conditional.append((mask, *hangs))
    begun: dict[int, int] = {}
    ended: dict[int, int] = {}
    for start, size, half_before, half_after in edges(quote, text):
        mask = ((1 << size) - 1) << start
        shared |= mask
        part, solid = part or size >= EDGE, solid or size >= EDGE
        if half_before:
            ended[start - 1] = len(text.head)
        if half_after:
            begun[start + size] = len(text.tail)
        hangs = (
            start - 1 if half_before and quote.numbers >> (start - 1) & 1 else -1,
            start + size if half_after and quote.numbers >> (start + size) & 1 else -1,
        )
        if hangs == (-1, -1):
            firm |= mask
        else:
            conditional.append((mask, *hangs))
    if not shared and not begun and not ended:
        return None
    uncut = _uncut(quote, text, shared & quote.numbers)
    halves = tuple(begun.items()), tuple(ended.items())
    return Cover(shared, firm, *uncut, *halves, tuple(conditional), part, solid)


def together(one: Cover, two: Cover) -> Cover:
    """What two passages of one document and version cover, or two sets of them."""
    return Cover(
        one.shared | two.shared,
        one.firm | two.firm,
        one.started | two.started,
        one.finished | two.finished,
        _longest(one.begun, two.begun),
        _longest(one.ended, two.ended),
        one.conditional + two.conditional,
    )


@lru_cache(maxsize=8192)
def quote_of(text: str) -> Quote:
    """Prepare a quote; the same one is asked for at every row and attempt."""
    return Quote.of(text)


@lru_cache(maxsize=2048)
def text_of(text: str) -> Text:
    """Prepare a passage's text; one text meets many quotes, and returns for many rows."""
    return Text.of(text)


def _uncut(quote: Quote, text: Text, numbers: int) -> tuple[int, int]:
    """Which of these numbers are not cut at their start, and which not at their end."""
    q, t = quote.tokens, text.tokens
    started = finished = 0
    for at in range(numbers.bit_length()):
        if not numbers >> at & 1:
            continue
        if at and (
            f" {q[at - 1]} {q[at]} " in text.joined
            or (t[1:2] == q[at : at + 1] and ends(q[at - 1], text.head))
        ):
            started |= 1 << at
        if at + 1 < len(q) and (
            f" {q[at]} {q[at + 1]} " in text.joined
            or (t[-2:-1] == q[at : at + 1] and begins(q[at + 1], text.tail))
        ):
            finished |= 1 << at
    return started, finished


def _longest(one: Halves, two: Halves) -> Halves:
    if not one or not two or one == two:
        return one or two
    longest: dict[int, int] = {}
    for at, characters in one + two:
        longest[at] = max(characters, longest.get(at, 0))
    return tuple(sorted(longest.items()))
