"""Runs of a quote inside a passage, and what the passage says where they break off.

By runs alone, "The customer who bought it may not return items within 30 days" covers every token
of the same sentence without its "not", and a sibling with another number lacks one token, which any
passage of the document that is cut there could lend. So the tokens beside a run are looked at.

Half a number beside a run leaves open which number it was: "within 3" may go on to 30 or to 35, and
"0 days" may come from 30 or 300. Such a run counts only where the other half, or the whole number
between its neighbours, stands in the same document and version. So chunks that overlap by less than
a number ("within 3", "30 days") are not put together: 330 would read the same.
"""

from collections.abc import Iterator
from enum import IntEnum

from evalrag.evidence.tokens import is_negation, is_number
from evalrag.evidence.words import RUN, Quote, Text, begins, ends


class Seam(IntEnum):
    """What stands beside a run in the passage, from harmless to contradicting."""

    PLAIN = 0
    """The passage's edge, or a heading, a footer, other words."""
    CUT = 1
    """The passage's edge, with half of the number that the quote goes on with."""
    OTHER = 2
    """Another number, or a number or negation of the quote is left out."""
    DENIED = 3
    """A negation that the quote does not have."""


def runs(quote: Quote, text: Text) -> Iterator[tuple[int, Seam, Seam]]:
    """The longest runs of 5 tokens and more, as bits, with what stands before and after each."""
    hit = _hits(quote, text)
    at = 0
    while at < len(hit):
        if not hit[at]:
            at += 1
            continue
        end = at
        while end < len(hit) and hit[end]:
            end += 1
        last = end - 1 + RUN
        before = min(_before(quote, text, at), default=Seam.PLAIN)
        after = min(_after(quote, text, last), default=Seam.PLAIN)
        yield (1 << last) - (1 << at), before, after
        at = end


def _hits(quote: Quote, text: Text) -> list[bool]:
    """Which runs of 5 stand in the passage. Most passages lack the words for any."""
    known = [token in text.vocabulary for token in quote.tokens]
    return [
        all(known[at : at + RUN]) and gram in text.joined for at, gram in enumerate(quote.grams)
    ]


def _before(quote: Quote, text: Text, first: int) -> Iterator[Seam]:
    """Before the token `first` of the quote, wherever the run that it begins stands."""
    if first == 0:
        return
    for place in _places(quote.grams[first], text.joined):
        beside = text.tokens[max(0, place - 2) : place][::-1]
        if len(beside) == 1 and ends(quote.tokens[first - 1], text.head):
            yield Seam.CUT if quote.numbers >> (first - 1) & 1 else Seam.PLAIN
        else:
            yield _seam(quote, first - 1, beside, -1, beside[-1] if beside else "")


def _after(quote: Quote, text: Text, end: int) -> Iterator[Seam]:
    """After the token before `end` of the quote, wherever the run that it ends stands."""
    if end == len(quote.tokens):
        return
    for place in _places(quote.grams[end - RUN], text.joined):
        beside = text.tokens[place + RUN : place + RUN + 2]
        if len(beside) == 1 and begins(quote.tokens[end], text.tail):
            yield Seam.CUT if quote.numbers >> end & 1 else Seam.PLAIN
        else:
            yield _seam(quote, end, beside, 1, quote.tokens[end - 1])


def _seam(quote: Quote, at: int, beside: tuple[str, ...], step: int, before: str) -> Seam:
    """What stands where the quote has its token `at`: the nearest two, in the way of `step`."""
    if not beside:
        return Seam.PLAIN
    wanted, got = quote.tokens[at], beside[0]
    needed, number = bool(quote.decisive >> at & 1), bool(quote.numbers >> at & 1)
    if is_negation(got, before) and (number or not needed):
        # "do" stands in "don't" as "don", "t".
        resumed = len(beside) == 1 or beside[1] in (wanted, f"{wanted}n")
        return Seam.DENIED if resumed else Seam.PLAIN
    if not needed:
        return Seam.PLAIN
    beyond = at + step
    left_out = 0 <= beyond < len(quote.tokens) and got == quote.tokens[beyond]
    return Seam.OTHER if left_out or (number and is_number(got)) else Seam.PLAIN


def _places(gram: str, joined: str) -> Iterator[int]:
    """Token positions at which a gram stands."""
    at = joined.find(gram)
    while at >= 0:
        yield joined.count(" ", 0, at)
        at = joined.find(gram, at + 1)
