"""Sentences of a text: abbreviations, decimals, bullets, headings and line breaks survived."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from evalrag.judging.stems import listed

LONGEST = 1500
"""Characters of a sentence; what runs on is cut there, so that no text takes for ever."""

_KEPT = 4000
"""Characters of a text whose sentences are kept."""

_STOP = re.compile(r"[.!?;…]{1,8}[\"'”\u2019)\]]{0,4}(?=\s)|\n")
_ABBREVIATIONS = listed(
    """
    mr mrs ms dr prof sr jr st no nos vs etc approx dept est fig inc ltd co corp e.g i.e eg
    ie cf al jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k a.m p.m art sec para
    vol ed rev gen gov sen rep hon ave blvd rd max min tel ext
    """
)
_OFTEN_LAST = listed(
    """
    etc a.m p.m u.s u.k inc ltd co corp jr sr no
    """
)
_BULLET = re.compile(
    r"\s*(?:[-*•\u2013—·▪◦]+\s+|#{1,6}\s+|\(?\d{1,3}[.)]\s+|\(?[a-zA-Z][.)]\s+|>\s*)+"
)
_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_LAST_WORD = re.compile(r"[\w.]{1,12}\Z")


class Sentence(NamedTuple):
    """`text` without its bullet; `start` and `end` are where it stands in the whole."""

    text: str
    start: int
    end: int
    heading: bool = False


def sentences(text: str) -> list[Sentence]:
    """All sentences in order; a line is never joined with the next unless it runs on.

    A heading, or the lead of a list ("The following apply:"), is a sentence marked as such.
    """
    return list(_cut_once(text) if len(text) <= _KEPT else _cut_long(text))


@lru_cache(maxsize=1024)
def _cut_once(text: str) -> tuple[Sentence, ...]:
    """An answer and its passages are cut by all that reads them."""
    return tuple(_cut(text))


@lru_cache(maxsize=8)
def _cut_long(text: str) -> tuple[Sentence, ...]:
    """The few long texts of a row: each claim of a long answer would cut them anew."""
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[Sentence]:
    start = 0
    for match in _STOP.finditer(text):
        if match.start() < start:
            continue
        if match.group() == "\n":
            if _runs_on(text, start, match.start()):
                continue
        elif not _ends(text, match.start(), match.end(), match.group()):
            continue
        yield from _sentence(text, start, match.end())
        start = match.end()
    yield from _sentence(text, start, len(text))


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    while end - start > LONGEST:
        space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = space if space > 0 else start + LONGEST
        yield from _short(text, start, cut)
        start = cut
    yield from _short(text, start, end)


def _short(text: str, start: int, end: int) -> Iterator[Sentence]:
    bullet = _BULLET.match(text, start, end)
    if bullet:
        hashes = "#" in bullet.group()
        start = bullet.end()
    else:
        hashes = False
    piece = text[start:end].strip()
    if not any(c.isalnum() for c in piece):
        return
    lead = len(text[start:end]) - len(text[start:end].lstrip())
    start += lead
    bare = piece.rstrip("*_ ")
    closed = bare.endswith((".", "!", "?", ";", "…"))
    above = text[end - 1 : end] == "\n" and bool(text[end : end + 400].strip())
    titled = above and not bullet and not closed and _titled(bare)
    heading = hashes or bare.endswith(":") or titled
    clean = " ".join(_MARKS.sub("", piece).split())
    yield Sentence(clean, start, start + len(piece), heading)


def _titled(line: str) -> bool:
    """Few words, no figure, and no mark at its end: a heading rather than a statement."""
    words = line.split()
    return len(words) <= 6 and not any(c.isdigit() for c in line)


def _ends(text: str, at: int, end: int, mark: str) -> bool:
    """Does the mark at `at` end a sentence?"""
    if mark[0] != ".":
        return True
    follows = text[end : end + 40].lstrip(" \t\"'“\u2018(*_[")
    word = _LAST_WORD.search(text, max(0, at - 12), at)
    last = word.group().lower().strip(".") if word else ""
    if last in _ABBREVIATIONS:
        return last in _OFTEN_LAST and (not follows or follows[0].isupper() or follows[0] == "\n")
    if len(last) == 1 and last.isalpha() and last not in "i":  # an initial: J. Smith
        before = text[max(0, at - 2) : at - 1]
        return not (follows[:1].isupper() and (not before or not before.isalnum())) or (
            text[at - 1 : at].islower()
        )
    if last.isdigit() and len(last) <= 3 and _starts_line(text, at - len(last)):
        return False  # "1. Open the lid": a number of a list
    return not follows[:1].islower()


def _starts_line(text: str, at: int) -> bool:
    before = text[max(0, at - 8) : at]
    return not before.rpartition("\n")[2].strip() and (at == 0 or "\n" in before or at < 8)


def _runs_on(text: str, start: int, at: int) -> bool:
    """A line that a narrow column broke: no mark at its end, and a small letter follows."""
    line = text[max(start, at - 400) : at]
    tail = line.rstrip()[-1:]
    follows = text[at + 1 : at + 40]
    if not follows.strip() or follows[0] == "\n" or tail in ".!?:;…":
        return False
    return follows.lstrip(" \t")[:1].islower() and len(line.split()) >= 5
