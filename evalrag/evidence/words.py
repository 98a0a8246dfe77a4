"""A quote and a passage's text, prepared to be compared."""

from dataclasses import dataclass
from typing import Self

from evalrag.evidence.tokens import decisive, is_number, normalise, tokenise, tokens

RUN = 5
"""Tokens in a row that are cover wherever they stand; a shorter quote is found whole."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote, ready to be looked for. Sets of token positions are the bits of an integer."""

    tokens: tuple[str, ...]
    grams: tuple[str, ...]
    """Every run of 5, each token between single spaces."""
    joined: str
    all: int
    decisive: int
    """Its numbers and negations."""
    numbers: int

    @classmethod
    def of(cls, text: str) -> Self:
        words = tuple(tokens(text))
        grams = tuple(_join(words[at : at + RUN]) for at in range(len(words) - RUN + 1))
        needed = sum(1 << at for at, one in enumerate(decisive(words)) if one)
        numbers = sum(1 << at for at, word in enumerate(words) if is_number(word))
        return cls(words, grams, _join(words), (1 << len(words)) - 1, needed, numbers)

    def found(self, mask: int, coverage: float) -> bool:
        """The share is reached and nothing decisive is missing."""
        return mask == self.all or (
            mask & self.decisive == self.decisive and self.share(mask) >= coverage
        )

    def share(self, mask: int) -> float:
        """Covered tokens per token."""
        return mask.bit_count() / len(self.tokens)


@dataclass(frozen=True, slots=True)
class Text:
    """A passage's text, ready to be looked in."""

    tokens: tuple[str, ...]
    joined: str
    vocabulary: frozenset[str]
    head: str
    """From the first character to the end of the first token: half a token, if cut there."""
    tail: str
    """From the start of the last token to the last character."""

    @classmethod
    def of(cls, text: str) -> Self:
        plain = normalise(text)
        words = tuple(tokenise(plain))
        if not words:
            return cls((), " ", frozenset(), plain, plain)
        head = plain[: plain.find(words[0]) + len(words[0])]
        tail = plain[plain.rfind(words[-1]) :]
        return cls(words, _join(words), frozenset(words), head, tail)


def begins(token: str, tail: str) -> bool:
    """A passage's tail is the beginning of this token, and not all of it."""
    return token != tail and token.startswith(tail)


def ends(token: str, head: str) -> bool:
    """A passage's head is the end of this token, and not all of it."""
    return token != head and token.endswith(head)


def _join(words: tuple[str, ...]) -> str:
    return f" {' '.join(words)} "
