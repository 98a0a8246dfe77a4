"""Data from outside, put where a model reads it as data: behind a marker that it cannot know."""

import re

from evalrag.redaction import well_formed

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f"
    "\ufeff\U000e0000-\U000e007f]"
)
"""Control, zero-width, direction and tag characters: a person sees none of them."""

_FENCES = re.compile(r"<{2,}|>{2,}|\u00ab{2,}|\u00bb{2,}")


def neutral(text: str, marker: str) -> str:
    """`text` without what nobody sees, and with nothing in it that looks like a fence of ours."""
    shown = _UNSEEN.sub("", well_formed(text)).replace(marker, "(marker)")
    return _FENCES.sub(lambda found: found.group()[0], shown)


def fenced(name: str, text: str, marker: str) -> str:
    """One piece of data between two lines that carry the marker.

    >>> print(fenced("answer", "30 days.", "k7"))
    <<k7 answer>>
    30 days.
    <<k7 end>>
    """
    return f"<<{marker} {name}>>\n{neutral(text, marker)}\n<<{marker} end>>"
