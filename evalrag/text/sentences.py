"""Sentences of a text: also at a bullet, a line of bold text, a cell of a table."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from evalrag.text.plain import plain, visible
from evalrag.text.words import listed, numbers

LONGEST = 1500
"""Characters of a sentence; what runs on is cut there, so that no text takes for ever."""

_SHORT = 4000

_STOP = re.compile(
    r"[.!?;…\u3002\uff01\uff1f]{1,8}[\"'”\u2019)\]*_~]{0,6}(?=\s|\Z|<|[【\[])|[\u3002\uff01\uff1f]"
    r"|\n|[|•]|</?(?:td|th|tr|li|p|br|div|h[1-6]|ul|ol|table|hr|blockquote)(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_BULLET = re.compile(
    r"\s*(?:[-*•\u2013—·▪◦‣\u2043+]\s+|#{1,6}\s+|\(?\d{1,3}[.)]\s+|\(?[a-z][.)]\s+|\(?[A-Z]\)\s+|>\s*){1,4}"
)
_BOLD = re.compile(r"\s*(?:\*\*|__)(?=\S)([^*_\n]{3,200})(?:\*\*|__)(?=\s+[A-Z])")
_MONTH = re.compile(r"[^\W\d_]{3,10}")
_LAST_WORD = re.compile(r"[\w.]{1,12}\Z")
_UNIT = re.compile(r"(?:[\u00b0\u00ba] ?|\d)[A-Za-z]\Z")
_ENTITY = re.compile(r"&#?\w{1,31}\Z")


class Sentence(NamedTuple):
    """What stands at `start:end`; `text` is what a reader sees of it, without its bullet.

    `heading` marks a heading, the lead of a list ("The following apply:"), and no statement.
    """

    text: str
    start: int
    end: int
    heading: bool = False


def sentences(text: str) -> tuple[Sentence, ...]:
    """All sentences in order; a line is joined with the next only where it runs on.

    >>> [one.text for one in sentences("Park in zone A. It is free, e.g. on 5.5. sundays.")]
    ['Park in zone A.', 'It is free, e.g. on 5.5. sundays.']
    """
    return _once(text) if len(text) <= _SHORT else tuple(_cut(text))


def _cut(text: str) -> Iterator[Sentence]:
    text = visible(text)
    start = 0
    for match in _STOP.finditer(text):
        if match.start() < start:
            continue
        if (bold := _BOLD.match(text, start, match.start())) and _bold_line(bold):
            yield from _sentence(text, start, bold.end())
            start = bold.end()
        sign = match.group()
        if sign == "\n":
            if _runs_on(text, start, match.start()):
                continue
        elif sign[0] in "|•<":
            yield from _sentence(text, start, match.start())
            start = match.end()
            continue
        elif not _ends(text, match.start(), match.end(), sign):
            continue
        yield from _sentence(text, start, match.end())
        start = match.end()
    if (bold := _BOLD.match(text, start)) and _bold_line(bold):
        yield from _sentence(text, start, bold.end())
        start = bold.end()
    yield from _sentence(text, start, len(text))


_once = lru_cache(maxsize=2048)(lambda text: tuple(_cut(text)))


def _bold_line(bold: re.Match[str]) -> bool:
    """Bold text of several words that stands where a sentence begins is a line of its own."""
    return len(bold[1].split()) > 1


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    while end - start > LONGEST:
        space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = space if space > 0 else start + LONGEST
        yield from _short(text, start, cut)
        start = cut
    yield from _short(text, start, end)


def _short(text: str, start: int, end: int) -> Iterator[Sentence]:
    bullet = _BULLET.match(text, start, end)
    hashes = False
    if bullet:
        hashes = "#" in bullet.group()
        start = bullet.end()
    raw = text[start:end]
    start += len(raw) - len(raw.lstrip())
    piece = raw.strip()
    if not any(c.isalnum() for c in piece):
        return
    clean = " ".join(plain(piece).text.split())
    if not any(c.isalnum() for c in clean):
        return
    closed = clean.rstrip("\"') ").endswith((".", "!", "?", ";", "…", "\u3002"))
    above = text[end - 1 : end] == "\n" and bool(text[end : end + 400].strip())
    titled = above and not bullet and not closed and _titled(clean)
    yield Sentence(clean, start, start + len(piece), hashes or clean.endswith(":") or titled)


def _titled(line: str) -> bool:
    """Few words, no figure, and no mark at its end: a heading rather than a statement."""
    return len(line.split()) <= 6 and not any(c.isdigit() for c in line)


def _ends(text: str, at: int, end: int, sign: str) -> bool:
    """Does the sign at `at` end a sentence?"""
    if sign[0] == ";":
        return not _ENTITY.search(text, max(0, at - 33), at)
    if sign[0] != ".":
        return True
    follows = text[end : end + 40].lstrip(" \t\"'“\u2018(*_[")
    found = _LAST_WORD.search(text, max(0, at - 12), at)
    last = found.group().lower().strip(".") if found else ""
    if last in listed("abbreviations"):
        if last in listed("before_figure"):
            return not follows[:1].isdigit() and (last == "no" or follows[:1] in ("", "\n"))
        return last in listed("often_last") and (
            not follows or follows[0].isupper() or follows[0] == "\n"
        )
    if len(last) == 1 and last.isalpha():
        if _UNIT.search(text, max(0, at - 8), at):
            return not follows[:1].islower()
        return text[at - 1 : at].islower() or _letter_ends(text, at, follows)
    if last.isdigit() and len(last) <= 3 and _starts_line(text, at - len(last)):
        return False  # "1. Open the lid": a number of a list
    month = _MONTH.match(follows) if last.isdigit() and len(last) < 3 else None
    if month and month.group().lower() in {**numbers("months"), **numbers("more_months")}:
        return False  # "am 31. Dezember"
    return not follows[:1].islower()


def _letter_ends(text: str, at: int, follows: str) -> bool:
    """`zone A. Parking is free` ends; `J. Smith` and `George W. Bush` do not."""
    if not follows[:1].isupper():
        return not follows[:1].islower()
    word = re.match(r"[A-Za-z]+", follows)
    if word and word.group().lower() in listed("starters"):
        return True
    before = text[max(0, at - 40) : at - 1].split()
    return bool(before) and (before[-1][:1].islower() or before[-1].lower() in listed("labels"))


def _starts_line(text: str, at: int) -> bool:
    before = text[max(0, at - 8) : at]
    return not before.rpartition("\n")[2].strip() and (at == 0 or "\n" in before or at < 8)


def _runs_on(text: str, start: int, at: int) -> bool:
    """A line that a narrow column broke: no mark at its end, and a small letter follows."""
    line = text[max(start, at - 400) : at]
    tail = line.rstrip()[-1:]
    follows = text[at + 1 : at + 40]
    if not follows.strip() or follows[0] == "\n" or tail in ".!?:;…|":
        return False
    return follows.lstrip(" \t")[:1].islower() and len(line.split()) >= 5
