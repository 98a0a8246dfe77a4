"""Words, numbers and signs of a text, each with its place."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?P<number>(?<!\S)\.\d+|\d+(?:[.,]\d+)*)|(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)*)|[^\w\s]|_"
)
_INVISIBLE = {ord(c): None for c in "\u00ad\u200b\u200c\u200d\u2060\ufeff"}


class Token(NamedTuple):
    """One word, number or sign. `glued` says that no space stands before it."""

    text: str
    low: str
    start: int
    end: int
    glued: bool
    kind: str

    @property
    def number(self) -> bool:
        return self.kind == "number"

    @property
    def word(self) -> bool:
        return self.kind == "word"

    @property
    def capital(self) -> bool:
        return self.kind == "word" and self.text[0].isupper()


def written(tokens: Sequence[Token]) -> str:
    """The tokens as they stand in the text, with a space where there is white space.

    >>> written(tokenize("$5.00  per kg")), written(tokenize("20:00"))
    ('$5.00 per kg', '20:00')
    """
    return "".join(t.text if t.glued or not at else f" {t.text}" for at, t in enumerate(tokens))


def plain(text: str) -> str:
    """Compatibility forms and invisible characters taken out: what the eye reads."""
    return unicodedata.normalize("NFKC", text).translate(_INVISIBLE)


def tokenize(text: str) -> list[Token]:
    """Tokens in order; white space is dropped."""
    tokens: list[Token] = []
    last = -1
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        words = match.group()
        low = words.lower().replace("\u2019", "'")
        tokens.append(Token(words, low, start, end, start == last, match.lastgroup or "sign"))
        last = end
    return tokens
