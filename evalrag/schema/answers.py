"""A row's answer then and now, and the words in which the two differ."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import groupby

from pydantic import computed_field

from evalrag.schema.frozen import Frozen

LONGEST = 20_000
"""Characters of an answer whose words are told apart; a longer pair is one change as a whole."""
_SCRIPTS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts that put no space between words: each sign stands by itself."""
_WORD = re.compile(rf"[{_SCRIPTS}]|[^\W{_SCRIPTS}](?:[^\s{_SCRIPTS}]*[^\W{_SCRIPTS}])?|\S")


class Wording(StrEnum):
    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


class Piece(Frozen):
    """Words that stand together, with the white space before each."""

    how: Wording
    text: str


class Answers(Frozen):
    """The answers of one row; None where the baseline, or the run, has none."""

    before: str | None = None
    after: str | None = None

    @computed_field(description="Apart from white space at the ends.")  # type: ignore[prop-decorator]
    @property
    def changed(self) -> bool:
        return _trimmed(self.before) != _trimmed(self.after)

    @computed_field(description="Empty where nothing changed, or one of the answers is missing.")  # type: ignore[prop-decorator]
    @cached_property
    def words(self) -> tuple[Piece, ...]:
        if self.before is None or self.after is None or not self.changed:
            return ()
        return word_diff(self.before.strip(), self.after.strip())


def _trimmed(text: str | None) -> str | None:
    return text.strip() if text is not None else None


def word_diff(before: str, after: str) -> tuple[Piece, ...]:
    """What was kept, removed and added, in reading order.

    The texts of the kept and removed pieces make up `before`, those of the kept and added pieces
    `after`. Removed words stand before the added ones that took their place.
    """
    if before == after:
        return (Piece(how=Wording.KEPT, text=before),) if before else ()
    if max(len(before), len(after)) > LONGEST:
        return tuple(_merged([(Wording.REMOVED, before), (Wording.ADDED, after)]))
    old, new = _tokens(before), _tokens(after)
    pairs = _matched([word for _, word in old], [word for _, word in new])
    return tuple(_merged(_pieces(old, new, _readable(pairs, old, new))))


Token = tuple[str, str]
"""White space, and the word behind it: empty at the end of a text."""


def _tokens(text: str) -> list[Token]:
    found, end = [], 0
    for word in _WORD.finditer(text):
        found.append((text[end : word.start()], word[0]))
        end = word.end()
    if text[end:]:
        found.append((text[end:], ""))
    return found


def _matched(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of the words that both have, growing on both sides, as many as there can be."""
    start, end = 0, 0
    least = min(len(old), len(new))
    while start < least and old[start] == new[start]:
        start += 1
    while end < least - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle = _longest(old[start : len(old) - end], new[start : len(new) - end])
    return [
        *((n, n) for n in range(start)),
        *((start + i, start + j) for i, j in middle),
        *((len(old) - n, len(new) - n) for n in range(end, 0, -1)),
    ]


def _longest(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest common subsequence, in a step a word of `new` (Hyyrö, bit-parallel).

    Bit i of a step is 0 where one word more of `old`, up to its word i, makes it longer by one.
    """
    at: dict[str, int] = {}
    for place, word in enumerate(old):
        at[word] = at.get(word, 0) | 1 << place
    every = (1 << len(old)) - 1
    steps, bits = [], every
    for word in new:
        shared = bits & at.get(word, 0)
        bits = ((bits + shared) | (bits - shared)) & every
        steps.append(bits)
    found, i, j = [], len(old), len(new)
    while i and j:
        if steps[j - 1] >> (i - 1) & 1:
            i -= 1
        elif j > 1 and not steps[j - 2] >> (i - 1) & 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            found.append((i, j))
    return found[::-1]


def _readable(
    pairs: Sequence[tuple[int, int]], old: Sequence[Token], new: Sequence[Token]
) -> list[tuple[int, int]]:
    """Without lone commas and words that happen to stand in two sentences of nothing in common."""
    runs: list[list[tuple[int, int]]] = []
    for pair in pairs:
        if runs and (pair[0] - 1, pair[1] - 1) == runs[-1][-1]:
            runs[-1].append(pair)
        else:
            runs.append([pair])
    kept: list[list[tuple[int, int]]] = []
    for place, run in enumerate(runs):
        last = kept[-1][-1] if kept else (-1, -1)
        after = runs[place + 1][0] if place + 1 < len(runs) else (len(old), len(new))
        gaps = [
            (run[0][0] - last[0] - 1) + (run[0][1] - last[1] - 1),
            (after[0] - run[-1][0] - 1) + (after[1] - run[-1][1] - 1),
        ]
        words = [old[i][1] for i, _ in run]
        alone = not any(any(map(str.isalnum, word)) for word in words)
        if all(gaps) and (alone or (len(words) == 1 and min(gaps) > 3)):
            continue
        kept.append(run)
    return [pair for run in kept for pair in run]


def _pieces(
    old: Sequence[Token], new: Sequence[Token], pairs: Iterable[tuple[int, int]]
) -> Iterator[tuple[Wording, str]]:
    at, to = 0, 0
    for i, j in (*pairs, (len(old), len(new))):
        yield Wording.REMOVED, "".join(map("".join, old[at:i]))
        yield Wording.ADDED, "".join(map("".join, new[to:j]))
        if i < len(old):
            space, word = old[i]
            if space != new[j][0]:
                yield Wording.REMOVED, space
                yield Wording.ADDED, new[j][0]
                space = ""
            yield Wording.KEPT, space + word
        at, to = i + 1, j + 1


def _merged(parts: Iterable[tuple[Wording, str]]) -> Iterator[Piece]:
    """Neighbours that say the same as one; of a change, first what went and then what came."""
    told = (part for part in parts if part[1])
    for kept, group in groupby(told, lambda part: part[0] is Wording.KEPT):
        same = list(group)
        for how in (Wording.KEPT,) if kept else (Wording.REMOVED, Wording.ADDED):
            text = "".join(text for what, text in same if what is how)
            if text:
                yield Piece(how=how, text=text)
