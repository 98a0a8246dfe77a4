"""Where the words that a judge quotes stand in the texts that it was given."""

import re
from collections.abc import Sequence
from functools import lru_cache

from evalrag.evidence.tokens import tokens
from evalrag.judging.fence import seen
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


def whole(text: str, texts: Sequence[str]) -> tuple[int, ...]:
    """The texts, counted from 1, of which `text` is a sentence, or several, from end to end."""
    key = _key(text)
    found = []
    for n, one in enumerate(texts, 1):
        if key in _run(one):
            keys = [_run(sentence.text) for sentence in sentences(one)]
            if key in keys or any(_starting(keys, at, key) for at in range(len(keys))):
                found.append(n)
    return tuple(found)


def around(quote: str, text: str) -> list[str]:
    """The sentences of `text` in which parts of `quote` stand; all of it where a part runs over."""
    keys = [key for part in parts(quote) if (key := _key(part)) in _run(text)]
    if not keys:
        return []
    cut = [one.text for one in sentences(text)]
    found: list[str] = []
    for key in keys:
        inside = [one for one in cut if key in _run(one) or (tokens(one) and _run(one) in key)]
        found += inside or cut
    return list(dict.fromkeys(found))


def _starting(keys: Sequence[str], at: int, wanted: str) -> bool:
    """Do the sentences from `at` on make up what is wanted?"""
    made = keys[at]
    while wanted.startswith(made) and made != wanted and at + 1 < len(keys):
        at += 1
        made += keys[at][len(_BREAK) :]
    return made == wanted


def _key(part: str) -> str:
    return _BREAK + _BREAK.join(tokens(seen(part))) + _BREAK


@lru_cache(maxsize=4096)
def _run(text: str) -> str:
    return _key(text)
