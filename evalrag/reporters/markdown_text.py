"""Untrusted text in Markdown, drawn as text by GitHub and by any CommonMark renderer.

A backslash does for what CommonMark reads. What GitHub looks for in the drawn text (@names, #1,
addresses, :emoji:) is broken by a space of no width, as no escape reaches there.
"""

import re

from evalrag.loading.show import clean
from evalrag.reporters.plain import BLANK, disarmed, safe

GAP = "&#8203;"
_SIGNS = re.compile(r"[\\`*_{}\[\]<>|~&!#$]")
_AS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "<span>$</span>"}
"""The sign for money stands as GitHub's manual has it, or a second one makes both mathematics."""
_OPENING = re.compile(r"^(?:[-+=](?!\d)|(\d+)(?=[.)]))")
_DRAWN = (
    (re.compile(r"(?<=[@#])(?=\w)"), GAP),
    (re.compile(r":(?=//)"), f":{GAP}"),
    (re.compile(r"(?<=www)(?=\.)", re.IGNORECASE), GAP),
    (re.compile(r"(?<=\bGH-)(?=\d)", re.IGNORECASE), GAP),
    (re.compile(r":(?=[\w+-]+:)"), f":{GAP}"),
)


def text(said: object, limit: int = 400) -> str:
    """One line of plain text, whatever stands in it."""
    found = _SIGNS.sub(lambda sign: _AS.get(sign[0], f"\\{sign[0]}"), safe(said, limit))
    found = _OPENING.sub(lambda sign: f"{sign[1]}\\" if sign[1] else f"\\{sign[0]}", found)
    for pattern, broken in _DRAWN:
        found = pattern.sub(broken, found)
    return found


def named(said: object, limit: int = 400) -> str:
    """The same where nothing would be no name: between the signs of bold words."""
    return text(said, limit) or BLANK


def fenced(lines: list[str]) -> list[str]:
    """Lines of code as they are, to be copied: in a fence that none of them can end."""
    said = [disarmed(clean(line, 4_000)) for line in lines]
    runs = [len(run) for line in said for run in re.findall("`+", line)]
    fence = "`" * max(3, 1 + max(runs, default=0))
    return [fence, *said, fence]
