"""Where the words that a judge quotes stand in the texts that it was given."""

import re
from collections.abc import Sequence
from functools import lru_cache

from evalrag.evidence.tokens import tokens
from evalrag.judging.sentences import sentences

GAP = " … "
"""Stands between the parts of a quote that are not next to each other."""

_GAPS = re.compile(r"\s*(?:…|\.{3,}|\[\s*…\s*\])\s*")
_BREAK = "\x1f"


def parts(quote: str) -> list[str]:
    """The pieces of a quote, each of which must stand somewhere in one piece."""
    return [part for part in _GAPS.split(quote) if tokens(part)]


def joined(quotes: Sequence[str]) -> str:
    """Several quotes as one, each once."""
    return GAP.join(dict.fromkeys(quote.strip() for quote in quotes if quote.strip()))


def places(quote: str, texts: Sequence[str]) -> tuple[int, ...]:
    """The texts, counted from 1, in which the whole of `quote` stands, or else parts of it."""
    wanted = [_key(part) for part in parts(quote)]
    found = [{n for n, text in enumerate(texts, 1) if key in _run(text)} for key in wanted]
    if not found:
        return ()
    whole = set.intersection(*found)
    return tuple(sorted(whole or set().union(*found)))


def missing(quote: str, texts: Sequence[str]) -> str | None:
    """The first part of `quote` that stands in none of the texts."""
    runs = [_run(text) for text in texts]
    for part in parts(quote):
        key = _key(part)
        if not any(key in run for run in runs):
            return part
    return None


def around(quote: str, text: str) -> list[str]:
    """The sentences of `text` in which parts of `quote` stand; all of it where a part runs over."""
    cut = [one.text for one in sentences(text)]
    found: list[str] = []
    for part in parts(quote):
        key = _key(part)
        if key not in _run(text):
            continue
        inside = [one for one in cut if key in _run(one) or (tokens(one) and _run(one) in key)]
        found += inside or cut
    return list(dict.fromkeys(found))


def _key(part: str) -> str:
    return _BREAK + _BREAK.join(tokens(part)) + _BREAK


@lru_cache(maxsize=4096)
def _run(text: str) -> str:
    return _key(text)
