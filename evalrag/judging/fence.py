"""Data from outside, put where a model reads it as data: behind a marker that it cannot know."""

import re

from evalrag.redaction import well_formed

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Control, zero-width, direction, filler, selector and tag characters: nobody sees them."""

_OPENS, _CLOSES = (
    "<\uff1c\ufe64\u2039\u27e8\u2329\u3008\u276e",
    ">\uff1e\ufe65\u203a\u27e9\u232a\u3009\u276f",
)
_TWO_OPEN, _TWO_CLOSE = "\u226a\u22d8\u27ea", "\u226b\u22d9\u27eb"
_FENCES = re.compile(
    f"[{_OPENS}]{{2,}}|[{_CLOSES}]{{2,}}|\u00ab{{2,}}|\u00bb{{2,}}|[{_TWO_OPEN}{_TWO_CLOSE}]"
)
"""Two angle brackets side by side, and what looks like them."""


def seen(text: str) -> str:
    """`text` without what nobody sees: what a model is shown, and what plain code checks."""
    if text.isascii() and text.isprintable():
        return text  # as most lines are
    return _UNSEEN.sub("", well_formed(text))


def neutral(text: str, marker: str) -> str:
    """`text` as it is seen, with nothing in it that looks like a fence of ours."""
    shown = seen(text).replace(marker, "(marker)")
    if shown.isascii() and "<<" not in shown and ">>" not in shown:
        return shown
    return _FENCES.sub(_single, shown)


def fenced(name: str, text: str, marker: str) -> str:
    """One piece of data between two lines that carry the marker.

    >>> print(fenced("answer", "30 days.", "k7"))
    <<k7 answer>>
    30 days.
    <<k7 end>>
    """
    label = " ".join(neutral(name, marker).split())
    return f"<<{marker} {label}>>\n{neutral(text, marker)}\n<<{marker} end>>"


def _single(found: re.Match[str]) -> str:
    sign = found.group()[0]
    if sign in _TWO_OPEN:
        return "<"
    return ">" if sign in _TWO_CLOSE else sign
