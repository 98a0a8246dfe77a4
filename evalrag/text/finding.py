"""Whether a text says something in so many words, whatever the writing."""

from collections.abc import Sequence
from typing import NamedTuple

from evalrag.text.tokens import Token, tokens
from evalrag.text.values import says


class Span(NamedTuple):
    """Where it stands in the text as given."""

    start: int
    end: int


def find(needle: str, text: str) -> Span | None:
    """Where `needle` first stands in `text`: whole tokens in a row, equal values equal.

    None where it stands nowhere, or has no tokens. Signs between words, negation and bounds are
    not read.

    >>> find("30 days", "Within thirty days."), find("3 days", "In 30 days, or -3 days.")
    (Span(start=7, end=18), None)
    """
    wanted, words = tokens(needle), tokens(text)
    if not wanted:
        return None
    for at in range(len(words)):
        last = _match(wanted, words, at)
        if last is not None:
            return Span(words[at].start, words[last].end)
    return None


def _match(wanted: Sequence[Token], words: Sequence[Token], at: int) -> int | None:
    """The place of the last token of a match that begins at `at`."""
    tail = words[at].unit if wanted[0].value is None else ()
    for skip in range(len(tail)) if tail else ():
        lead = tail[skip:]
        if len(lead) <= len(wanted) and all(
            one.word == word and one.value is None for one, word in zip(wanted, lead, strict=False)
        ):
            rest = wanted[len(lead) :]
            if _row(rest, words, at + 1):
                return at + len(rest)
    return at + len(wanted) - 1 if _row(wanted, words, at) else None


def _row(wanted: Sequence[Token], words: Sequence[Token], at: int) -> bool:
    if at + len(wanted) > len(words):
        return False
    return all(_equal(one, words[at + n]) for n, one in enumerate(wanted))


def _equal(wanted: Token, token: Token) -> bool:
    if wanted.value is None or token.value is None:
        return wanted.value is None and token.value is None and wanted.word == token.word
    if wanted.word == token.word and {wanted.value.kind, token.value.kind} <= {"number", "version"}:
        return True
    if not wanted.value.closed and wanted.word == token.word:
        return True
    return says(token.value, wanted.value)
