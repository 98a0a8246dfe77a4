"""Where the words that a judge quotes stand in the texts that it was given."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from evalrag.judging.fence import seen
from evalrag.text import Sentence, Span, find, sentences, tokens

GAP = " … "
"""Stands between the parts of a quote that are not next to each other."""

_GAPS = re.compile(r"\s*(?:…|\.{3,}|\[\s*…\s*\])\s*")
_MOST = 8
"""Places of one part in one text that are looked at."""


def parts(quote: str) -> list[str]:
    """The pieces of a quote, each of which must stand somewhere in one piece."""
    return [part for part in _GAPS.split(quote) if tokens(seen(part))]


def joined(quotes: Sequence[str]) -> str:
    """Several quotes as one, each once."""
    return GAP.join(dict.fromkeys(quote.strip() for quote in quotes if quote.strip()))


def places(quote: str, texts: Sequence[str]) -> tuple[int, ...]:
    """The texts, counted from 1, in which the whole of `quote` stands, or else parts of it."""
    found = [
        {n for n, text in enumerate(texts, 1) if _first(part, text) is not None}
        for part in parts(quote)
    ]
    if not found:
        return ()
    whole = set.intersection(*found)
    return tuple(sorted(whole or set().union(*found)))


def missing(quote: str, texts: Sequence[str]) -> str | None:
    """The first part of `quote` that stands in none of the texts."""
    for part in parts(quote):
        if all(_first(part, text) is None for text in texts):
            return part
    return None


def around(quote: str, text: str) -> list[int]:
    """The sentences of `text`, by their place from 0, in which parts of `quote` stand."""
    cut = sentences(text)
    spans = [span for part in parts(quote) for span in _spans(part, text)]
    return [n for n, one in enumerate(cut) if any(_meet(one, span) for span in spans)]


def _meet(one: Sentence, span: Span) -> bool:
    return one.start < span.end and span.start < one.end


@lru_cache(maxsize=4096)
def _first(part: str, text: str) -> Span | None:
    return find(seen(part), seen(text))


def _spans(part: str, text: str) -> Iterator[Span]:
    """All its places in `text`, which is as it is seen."""
    begin, wanted = 0, seen(part)
    for _ in range(_MOST):
        found = find(wanted, text[begin:])
        if found is None:
            return
        yield Span(begin + found.start, begin + found.end)
        begin += found.end
