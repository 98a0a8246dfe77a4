"""Bounds of a quantity: at least, at most, about."""

from collections.abc import Sequence

from evalrag.judging.tokens import Token

UP, DOWN, APPROXIMATE = "at least", "at most", "about"

_BEFORE: tuple[tuple[str, str], ...] = (
    ("at least", UP), ("at minimum", UP), ("minimum of", UP), ("minimum", UP),
    ("no less than", UP), ("not less than", UP), ("no fewer than", UP), ("no earlier than", UP),
    ("more than", UP), ("greater than", UP), ("longer than", UP), ("older than", UP),
    ("higher than", UP), ("over", UP), ("above", UP), ("exceeding", UP), ("exceeds", UP),
    ("after", UP), ("upwards of", UP),
    ("at most", DOWN), ("maximum of", DOWN), ("maximum", DOWN), ("no more than", DOWN),
    ("not more than", DOWN), ("not exceed", DOWN), ("never exceed", DOWN), ("not exceeding", DOWN),
    ("cannot exceed", DOWN), ("no later than", DOWN), ("no longer than", DOWN),
    ("less than", DOWN), ("fewer than", DOWN), ("lower than", DOWN), ("younger than", DOWN),
    ("under", DOWN), ("below", DOWN), ("up to", DOWN), ("within", DOWN), ("before", DOWN),
    ("not to exceed", DOWN), ("capped at", DOWN), ("limited to", DOWN),
    ("about", APPROXIMATE), ("around", APPROXIMATE), ("roughly", APPROXIMATE),
    ("approximately", APPROXIMATE), ("nearly", APPROXIMATE), ("almost", APPROXIMATE),
    ("approx", APPROXIMATE), ("circa", APPROXIMATE), ("some", APPROXIMATE), ("~", APPROXIMATE),
    ("≥", UP), (">", UP), ("≤", DOWN), ("<", DOWN),
)  # fmt: skip
_AFTER: tuple[tuple[str, str], ...] = (
    ("or more", UP), ("and more", UP), ("or above", UP), ("and above", UP), ("or later", UP),
    ("and later", UP), ("or newer", UP), ("and newer", UP), ("and up", UP), ("or older", UP),
    ("and older", UP), ("and over", UP), ("or over", UP), ("or longer", UP), ("or higher", UP),
    ("and higher", UP), ("+", UP), ("at least", UP),
    ("or less", DOWN), ("or fewer", DOWN), ("or below", DOWN), ("and below", DOWN),
    ("or earlier", DOWN), ("and earlier", DOWN), ("or older", DOWN), ("and under", DOWN),
    ("or under", DOWN), ("or younger", DOWN), ("and younger", DOWN), ("or lower", DOWN),
    ("and lower", DOWN), ("at most", DOWN), ("or so", APPROXIMATE), ("maximum", DOWN),
    ("minimum", UP), ("max", DOWN), ("min", UP),
)  # fmt: skip
_LONGEST = 3
_LEADS = {tuple(words.split()): bound for words, bound in _BEFORE}
_TAILS = {tuple(words.split()): bound for words, bound in reversed(_AFTER)}
BOUND_WORDS = {word for words in (*_LEADS, *_TAILS) for word in words}
"""Words that may belong to a bound, and then are no content of their own."""


def bound_before(tokens: Sequence[Token], at: int) -> str:
    """The bound whose words end right before `at`; an article or a sign may stand between."""
    end = at
    while end and tokens[end - 1].low in ("a", "an", "the", "exactly", "of", ":", "age", "ages"):
        if tokens[end - 1].low == "of" and tokens[end - 2].low not in ("minimum", "maximum"):
            break
        end -= 1
    for length in range(_LONGEST, 0, -1):
        words = tuple(token.low for token in tokens[max(0, end - length) : end])
        if len(words) == length and words in _LEADS:
            return _LEADS[words]
    return ""


def bound_after(tokens: Sequence[Token], at: int) -> str:
    """The bound whose words begin at `at`, behind one word at most ("16 years or older")."""
    for start in (at, at + 1):
        for length in (2, 1):
            words = tuple(token.low for token in tokens[start : start + length])
            if len(words) == length and words in _TAILS and (length == 2 or start == at):
                return _TAILS[words]
    return ""
