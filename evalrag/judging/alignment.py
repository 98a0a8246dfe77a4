"""Which item of a claim stands where in a sentence of the context."""

from collections.abc import Sequence
from dataclasses import dataclass

from evalrag.judging import dates, quantities
from evalrag.judging.lexicon import CONTRASTS, OPPOSITES
from evalrag.judging.reading import Item

SAME, CLOSE, OTHER = "same", "close", "other"
"""Equal; equal but for a bound, a rate or a detail; another value in the same place."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Positions in claim and sentence, and what they are to each other."""

    mine: int
    theirs: int
    how: str
    code: str = ""


def relation(mine: Item, theirs: Item) -> tuple[str, str] | None:
    """How two items go together, and the code of the difference; None where they do not."""
    if mine.quantity is not None and theirs.quantity is not None:
        if not quantities.comparable(mine.quantity, theirs.quantity):
            return None
        return _graded(quantities.clash(mine.quantity, theirs.quantity))
    if mine.moment is not None and theirs.moment is not None:
        if not dates.overlapping(mine.moment, theirs.moment):
            return None
        return _graded(dates.clash(mine.moment, theirs.moment))
    if mine.value or theirs.value:
        return None
    if mine.key == theirs.key:
        return SAME, ""
    pair = (mine.key, theirs.key)
    if pair in OPPOSITES:
        return OTHER, "antonym"
    if pair in CONTRASTS:
        return OTHER, "?antonym"
    if mine.kind == theirs.kind == "id":
        return (OTHER, "identifier") if _shape(mine.key) == _shape(theirs.key) else None
    if mine.name and theirs.name and mine.word and theirs.word:
        return OTHER, "entity"
    return None


def _graded(code: str | None) -> tuple[str, str]:
    if code is None:
        return SAME, ""
    return (CLOSE, code[1:]) if code.startswith("?") else (OTHER, code)


def _shape(key: str) -> str:
    """What is alike in `AES-256` and `AES-128`: the letters before the first digit."""
    for place, letter in enumerate(key):
        if letter.isdigit():
            return key[:place].strip("-_./")
    return key


_WORTH = {SAME: 1.0, CLOSE: 0.9, OTHER: 0.45}
_TOGETHER = 0.12


def align(claim: Sequence[Item], sentence: Sequence[Item]) -> list[Pair]:
    """The best pairing that keeps the order of both, by dynamic programming."""
    rows, columns = len(claim), len(sentence)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for i in range(rows - 1, -1, -1):
        below, here = best[i + 1], best[i]
        for j in range(columns - 1, -1, -1):
            score = max(below[j], here[j + 1])
            related = relation(claim[i], sentence[j])
            if related is not None:
                found[i, j] = related
                worth = _WORTH[related[0]] + below[j + 1]
                beside = found.get((i + 1, j + 1))
                if beside is not None:
                    worth += _TOGETHER
                score = max(score, worth)
            here[j] = score
    return _walk(best, found, rows, columns)


def _walk(
    best: Sequence[Sequence[float]],
    found: dict[tuple[int, int], tuple[str, str]],
    rows: int,
    columns: int,
) -> list[Pair]:
    pairs: list[Pair] = []
    i = j = 0
    while i < rows and j < columns:
        related = found.get((i, j))
        if related is not None:
            worth = _WORTH[related[0]] + best[i + 1][j + 1]
            if (i + 1, j + 1) in found:
                worth += _TOGETHER
            if worth >= best[i][j] - 1e-12:
                pairs.append(Pair(i, j, *related))
                i, j = i + 1, j + 1
                continue
        if best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
