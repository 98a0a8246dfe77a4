"""Words, numbers and signs of a plain text, before values are read."""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from evalrag.text.plain import SPACELESS

_URL = (
    r"(?P<url>(?:https?://|www\.)[^\s<>\"|]{1,800}"
    r"|(?<![\w@.-])(?:[A-Za-z0-9-]{1,40}\.){1,4}(?:com|org|net|io|dev|edu|gov|co\.uk|de|app|ai|eu)"
    r"(?:/[^\s<>\"|]{0,800})?(?![\w@]))"
)
_EMAIL = r"(?P<email>[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5})"
_NUMBER = r"(?P<number>\d{1,3}(?: \d{3})+(?![\d.,]?\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*)"
_WORDS = rf"{_NUMBER}|(?P<word>[A-Za-z]\w*(?:\+\+|#(?!\w))?)|(?P<sign>[^\w\s]|_)"
_LETTERS = (
    rf"(?P<letter>[{SPACELESS}])|{_NUMBER}|(?P<fraction>[\u00bc-\u00be\u2150-\u215e])"
    rf"|(?P<word>(?:(?![{SPACELESS}])[^\W\d_])(?:(?![{SPACELESS}])\w)*)|(?P<sign>[^\w\s]|_)"
)
_MAY_HOLD = re.compile(r"://|www\.|[A-Za-z0-9]\.[A-Za-z]{2}")
_CLOSING = ".,;:!?)]}'\""


class Raw(NamedTuple):
    """A word, a number or a sign; `glued` says that nothing stands before it but another one."""

    text: str
    low: str
    start: int
    end: int
    glued: bool
    kind: str


@cache
def _pattern(*, ascii_: bool, mail: bool, url: bool) -> re.Pattern[str]:
    """What is looked for: addresses only where there may be one."""
    parts = [_EMAIL] * mail + [_URL] * url + [_WORDS if ascii_ else _LETTERS]
    return re.compile("|".join(parts), re.ASCII if ascii_ else 0)


def lex(text: str) -> list[Raw]:
    """All of them in order."""
    found: list[Raw] = []
    last = -1
    url = _MAY_HOLD.search(text) is not None
    pattern = _pattern(ascii_=text.isascii(), mail="@" in text, url=url)
    at = 0
    while match := pattern.search(text, at):
        start, end = match.span()
        kind = match.lastgroup or "sign"
        if kind in ("url", "email"):
            while end > start + 1 and text[end - 1] in _CLOSING:
                end -= 1
        said = text[start:end]
        if kind == "sign" and not said.isascii() and unicodedata.category(said)[0] == "M":
            kind = "letter"  # a vowel sign is a part of the word
        if kind == "letter":
            kind = "word"
        low = said.casefold()
        found.append(Raw(said, low, start, end, start == last, kind))
        last = at = end
    return found
