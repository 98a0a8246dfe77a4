"""What the bot said of a row, then and now, cut to what a report has room for."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalrag.schema.answers import Answers, Piece, Wording
from evalrag.schema.diff import RowChange

CUT = "…"
_CONTEXT = 12
"""Characters of unchanged words that stay beside a change, if there is any room at all."""


class Part(NamedTuple):
    """Words of an answer, and whether the other answer has them."""

    text: str
    how: Wording


class Told(NamedTuple):
    """The answer of one side."""

    name: str
    """`then`, `now`, `then and now` where it is the same, or `answer` without a baseline."""
    parts: Sequence[Part]
    note: str
    """Why there is nothing to read; empty where there is an answer."""


def sides(change: RowChange, *, compared: bool, limit: int) -> tuple[Told, ...]:
    """The answers to show of a row, each within about `limit` characters.

    None at all where neither run has an answer.
    """
    answers = change.answers
    before, after = answers.before, answers.after
    if before is None and after is None:
        return ()
    if not compared or (before is None and change.before is None):
        return (_told("answer", after, limit),)
    if not answers.changed:
        return (_told("then and now", after, limit),)
    then, now = _told("then", before, limit), _told("now", after, limit)
    if _in_part(answers.words):
        then = then._replace(parts=excerpt(_of(answers.words, Wording.ADDED), limit))
        now = now._replace(parts=excerpt(_of(answers.words, Wording.REMOVED), limit))
    return (then,) if change.after is None else (then, now)


def _in_part(words: Sequence[Piece]) -> bool:
    """A word was kept; else two answers are to be read, and marks would be over all of both."""
    return any(p.how is Wording.KEPT and any(map(str.isalnum, p.text)) for p in words)


def _told(name: str, text: str | None, limit: int) -> Told:
    if text is None:
        return Told(name, (), "no answer")
    parts = excerpt([Part(text.strip(), Wording.KEPT)], limit)
    return Told(name, parts, "" if parts else "an empty answer")


def inline(answers: Answers, limit: int) -> tuple[Part, ...]:
    """Both answers in one line: what was removed, then what came in its place."""
    return excerpt([Part(piece.text, piece.how) for piece in answers.words], limit)


def _of(words: Sequence[Piece], without: Wording) -> list[Part]:
    return [Part(piece.text, piece.how) for piece in words if piece.how is not without]


def excerpt(parts: Sequence[Part], limit: int) -> tuple[Part, ...]:
    """The changes with as much around them as there is room for: what is cut is marked by `…`.

    White space within is one space, so that a list or a table is still one line.
    """
    flat = _flat(parts)
    if sum(len(part.text) for part in flat) <= limit:
        return tuple(_apart(flat))
    changed = [part for part in flat if part.how is not Wording.KEPT]
    room = max(limit - sum(len(part.text) for part in changed), 0)
    share = max(room // max(len(flat) - len(changed), 1), _CONTEXT)
    each = max(limit // max(len(changed), 1), _CONTEXT)
    found: list[Part] = []
    for place, part in enumerate(flat):
        first, last = place == 0, place == len(flat) - 1
        if part.how is not Wording.KEPT:
            text = part.text if room else _start(part.text, each)
        elif first and not last:
            text = _end(part.text, share)
        elif last:
            text = _start(part.text, share)
        else:
            text = _middle(part.text, share)
        found.append(Part(text, part.how))
    return tuple(_apart(_within(found, limit)))


def _apart(parts: Sequence[Part]) -> Iterator[Part]:
    """With the spaces at the ends of a change outside of it, where no mark is drawn over them."""
    for text, how in parts:
        core = text.strip(" ")
        if how is Wording.KEPT or not core:
            yield Part(text, Wording.KEPT)
            continue
        start = text.index(core)
        for said, what in (
            (text[:start], Wording.KEPT),
            (core, how),
            (text[start + len(core) :], Wording.KEPT),
        ):
            if said:
                yield Part(said, what)


def _flat(parts: Sequence[Part]) -> list[Part]:
    """On one line, with one space between words wherever a part begins or ends."""
    found: list[Part] = []
    spaced = True
    for part in parts:
        text = " ".join(part.text.split())
        if part.text[:1].isspace() and not spaced:
            text = f" {text}"
        if part.text[-1:].isspace() and text.strip():
            text = f"{text} "
        if text:
            found.append(Part(text, part.how))
            spaced = text[-1].isspace()
    return found


def _within(parts: Sequence[Part], limit: int) -> tuple[Part, ...]:
    """The first so many characters, however many small parts there are."""
    found: list[Part] = []
    for part in parts:
        if len(part.text) > limit:
            found.append(Part(_start(part.text, limit), part.how))
            break
        found.append(part)
        limit -= len(part.text)
    return tuple(part for part in found if part.text)


def _start(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[: max(limit - 1, 0)]
    word = cut.rpartition(" ")[0]
    return (word if len(word) > limit // 2 else cut) + CUT


def _end(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[-max(limit - 1, 1) :]
    word = cut.partition(" ")[2]
    return CUT + (word if len(word) > limit // 2 else cut)


def _middle(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = max(limit // 2, 4)
    return f"{_start(text, half)} {_end(text, half).removeprefix(CUT).lstrip()}"
