"""Text as the tokens that a quote is matched by.

Both sides of a match go through the same two steps, so whatever they drop is dropped on both.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

from evalrag.text.plain import SPACELESS, plain

_MARKED = re.compile(r"[&<~\\\[*_`]")
"""What a plain ASCII text has none of: entities, tags, Markdown marks."""

_ASCII = re.compile(
    r"(?:\$(?=[0-9]))?[a-z0-9]+(?:(?<=[0-9])[.,](?=[0-9])[a-z0-9]+)*(?:(?<=[0-9])(?:%|\$(?![0-9])))?"
    r"|[%$]"
)
_ASCII_GAP = re.compile(r"(?<=[0-9]) (?=%|\$(?! ?[0-9]))|(?<=\$) (?=[0-9])")
"""What `_patterns` gives, for plain English: five times as fast."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBER_WORDS = _words(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
    ninety hundred thousand million billion half twice"""
)
_NEGATIONS = _words(
    """no not never none neither nor cannot without nobody nothing nowhere
    cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt hasnt havent hadnt
    nicht kein keine keinen keinem keiner keines nie niemals ohne weder
    ne pas jamais sans aucun aucune ni non mai senza nessun nessuna
    nunca sin ningún ninguna não sem niet geen nooit zonder
    不 没 沒 無 无 未 非 勿"""
)
_BEFORE_T = _words(
    """don doesn didn isn aren wasn weren won wouldn shouldn couldn can hasn haven hadn mustn needn
    ain shan mightn"""
)
"""What stands before the `t` of "don't" and its kin, since an apostrophe is no word character."""


def normalise(text: str) -> str:
    """What a reader sees, with case, Unicode forms and white space made equal.

    Entities are read; tags, comments, emphasis and the targets of links are dropped, as
    `evalrag.text` drops them.

    A space between a number and its `%` or currency sign goes too: "30 %" is "30%".

    >>> normalise("Within \u201c**30**\u00a0days\u201d \u2014 30 %")
    'within "30 days" — 30%'
    """
    if not text.isascii() or _MARKED.search(text):
        text = plain(text).text
    text = text.casefold()
    if text.isascii():
        text = " ".join(text.split())
        return _ASCII_GAP.sub("", text) if "%" in text or "$" in text else text
    text = unicodedata.normalize("NFKC", text)
    return _patterns()[1].sub("", " ".join(text.split()))


def tokenise(normalised: str) -> list[str]:
    """Tokens of a normalised text, in order.

    >>> tokenise("it's $1,029.99, or 30% of 2.5m. 返金")
    ['it', 's', '$1,029.99', 'or', '30%', 'of', '2.5m', '返', '金']
    """
    return _pattern(normalised).findall(normalised)


def token_places(normalised: str) -> list[tuple[int, int]]:
    """Where each token begins and ends in its normalised text.

    >>> token_places("it's 30%")
    [(0, 2), (3, 4), (5, 8)]
    """
    return [found.span() for found in _pattern(normalised).finditer(normalised)]


def _pattern(normalised: str) -> re.Pattern[str]:
    return _ASCII if normalised.isascii() else _patterns()[0]


def tokens(text: str) -> list[str]:
    """The tokens of a text."""
    return tokenise(normalise(text))


def token_count(text: str) -> int:
    """How many tokens a quote has: under 5 it needs a doc.

    >>> token_count("within 30 days of delivery")
    5
    """
    return len(tokens(text))


def is_number(token: str) -> bool:
    """The token says how much: a digit in any script, a number word, `%`, a currency sign.

    >>> [is_number(token) for token in ("30%", "$", "thirty", "三", "days")]
    [True, True, True, True, False]
    """
    return (
        token in _NUMBER_WORDS
        or token == "%"
        or any(c.isnumeric() or unicodedata.category(c) == "Sc" for c in token)
    )


def is_negation(token: str, before: str = "") -> bool:
    """The token denies. `before` is the token before it, which tells the t of "don't".

    >>> is_negation("never"), is_negation("t", "don"), is_negation("t", "plan")
    (True, True, False)
    """
    return token in _NEGATIONS or (token == "t" and before in _BEFORE_T)


def decisive(words: Sequence[str]) -> tuple[bool, ...]:
    """For each token: a number or a negation, without which a quote is never found."""
    return tuple(
        is_number(word) or is_negation(word, words[at - 1] if at else "")
        for at, word in enumerate(words)
    )


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The token, and the space that is no boundary. Built at first use: it walks Unicode."""
    points = [chr(point) for point in range(0x300, 0x1E94B)]
    spaceless = re.compile(f"[{SPACELESS}]")
    marks = _ranges(
        c for c in points if unicodedata.category(c) in ("Mn", "Mc") and not spaceless.match(c)
    )
    money = "$¢£¤¥" + _ranges(c for c in points if unicodedata.category(c) == "Sc")
    letter = f"(?:(?![{SPACELESS}])[^\\W_]|[{marks}])"
    word = f"{letter}+(?:(?<=\\d)[.,](?=\\d){letter}+)*"
    sign = f"(?<=\\d)(?:%|[{money}](?!\\d))"
    token = f"[{SPACELESS}]|(?:[{money}](?=\\d))?{word}(?:{sign})?|[%{money}]"
    gap = f"(?<=\\d) (?=%|[{money}](?! ?\\d))|(?<=[{money}]) (?=\\d)"
    return re.compile(token), re.compile(gap)


def _ranges(characters: Iterable[str]) -> str:
    """Characters as the inside of a character class."""
    spans: list[list[int]] = []
    for point in map(ord, characters):
        if spans and spans[-1][1] == point - 1:
            spans[-1][1] = point
        else:
            spans.append([point, point])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in spans)
