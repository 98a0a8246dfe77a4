"""Runs of a quote at a passage's edges, where the chunker cut.

A chunker that counts characters cuts in the middle of words and numbers. The first half of a token
at a passage's end and the second half at a passage's start cover the token together, when nothing
is missing between them; each half alone covers nothing, so "within 3" never shows "within 30". A
passage that is a piece out of the middle of one single token is not matched.
"""

from collections.abc import Iterator
from typing import TypeAlias

from evalrag.evidence.words import Quote, Text, begins, ends

Edge: TypeAlias = tuple[int, int, bool, bool]
"""(start in the quote, whole tokens, half a token before them, half a token after)."""


def edges(quote: Quote, text: Text) -> Iterator[Edge]:
    """The runs of the quote, of any length, that the passage's edges cut."""
    q, t = quote.tokens, text.tokens
    n, m = len(q), len(t)
    if t[-1] in q:
        for size in range(min(n - 1, m), 0, -1):
            if q[size - 1] == t[-1] and q[:size] == t[m - size :]:
                yield 0, size, False, False
                break
    if t[0] in q:
        for size in range(min(n - 1, m), 0, -1):
            if q[n - size] == t[0] and q[n - size :] == t[:size]:
                yield n - size, size, False, False
                break
    if f" {text.tail}" in quote.joined:
        for size in range(min(n, m)):
            if begins(q[size], text.tail) and q[:size] == t[m - 1 - size : m - 1]:
                yield 0, size, False, True
    if f"{text.head} " in quote.joined:
        for size in range(min(n, m)):
            if ends(q[n - 1 - size], text.head) and q[n - size :] == t[1 : size + 1]:
                yield n - size, size, True, False
    if m <= n + 1:
        yield from _inside(quote, text)


def _inside(quote: Quote, text: Text) -> Iterator[Edge]:
    """The whole passage stands inside the quote, its first and last token cut or not."""
    q, t = quote.tokens, text.tokens
    n = len(q)
    for before, after in ((0, 0), (1, 0), (0, 1), (1, 1)):
        if len(t) < before + after:
            continue
        inner = t[before : len(t) - after]
        for start in range(before, n - len(inner) - after + 1):
            end = start + len(inner)
            if (
                q[start:end] == inner
                and (not before or ends(q[start - 1], text.head))
                and (not after or begins(q[end], text.tail))
            ):
                yield start, len(inner), bool(before), bool(after)
