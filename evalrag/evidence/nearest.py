"""A quote that is nowhere in the corpus, though its page is: was the page edited?"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from evalrag.evidence.match import QuoteLeaf, has_all
from evalrag.evidence.quotes import quote_of, text_of
from evalrag.evidence.tokens import normalise, token_places
from evalrag.evidence.tree import Forest
from evalrag.schema.evidence import Evidence
from evalrag.schema.run import Reading
from evalrag.schema.trace import Passage

MOST = 0.5
"""Share of a quote's tokens that must stand close together to be its nearest words."""
ANYWHERE = 100
"""Quotes without a document that are looked for in all of them; of more nothing is said."""
LONG = 160
"""Characters of them that are shown."""
_DIFFERENCES = 3
_AROUND = 6
"""Tokens before and behind the nearest words that are looked at."""
_SHORT = 40
"""Characters that are shown of each side of a difference."""
_COMPARED = 500
"""Tokens of a quote that are held against its nearest words, one by one."""


@dataclass(slots=True)
class _Sought:
    leaf: QuoteLeaf
    words: Counter[str]
    at: int
    """Place of its evidence in the list."""
    page: str | None = None
    """A page that it names, or the one with the nearest words."""
    shared: int = 0
    near: str = ""
    around: tuple[str, str] = ("", "")
    """What stands before and behind the nearest words."""


def seems_edited(
    evidences: Sequence[Evidence], passages: Iterable[Passage], reading: Reading
) -> list[str | None]:
    """For each evidence that was not found: what its page says now, as a sentence for people.

    Args:
        evidences: of which the corpus was seen to hold none.
        passages: the corpus; gone through once.
        reading: the plan's settings.

    Returns:
        A sentence where a quote's own document is there, in the version it names, or where any
        document holds most of its tokens close together; None elsewhere, and for what is no quote.
    """
    sought = list(_quotes(evidences, reading))
    anywhere = [one for one in sought if one.leaf.doc is None][:ANYWHERE]
    by_doc: dict[str, list[_Sought]] = {}
    for one in sought:
        if one.leaf.doc is not None:
            by_doc.setdefault(one.leaf.doc, []).append(one)
    for passage in passages if sought else ():
        for one in (*by_doc.get(passage.get("doc") or "", ()), *anywhere):
            _look(one, passage, reading)
    said: list[str | None] = [None] * len(evidences)
    for one in sorted(sought, key=lambda one: one.shared):
        said[one.at] = _sentence(one) or said[one.at]
    return said


def _quotes(evidences: Sequence[Evidence], reading: Reading) -> Iterator[_Sought]:
    for at, evidence in enumerate(evidences):
        forest = Forest(reading)
        forest.plant([evidence])
        for leaf in forest.leaves:
            if isinstance(leaf, QuoteLeaf) and quote_of(leaf.quote).tokens:
                yield _Sought(leaf, Counter(quote_of(leaf.quote).tokens), at)


def _look(one: _Sought, passage: Passage, reading: Reading) -> None:
    leaf, text = one.leaf, passage.get("text")
    doc = passage.get("doc") or passage.get("id")
    if not text or doc is None or not has_all(passage, leaf.metadata):
        return
    if leaf.doc is not None:
        one.page = one.page or _name(doc, passage, reading)
    words, least = text_of(text), max(one.shared + 1, MOST * one.words.total())
    if sum(n for word, n in one.words.items() if word in words.vocabulary) < least:
        return
    shared, start, end = _closest(one.words, words.tokens)
    if shared >= least:
        one.page, one.shared = _name(doc, passage, reading), shared
        one.near, one.around = _written(text, start, end)


def _closest(wanted: Counter[str], words: Sequence[str]) -> tuple[int, int, int]:
    """The most tokens of the quote within its own length and a third, and from where to where."""
    total = wanted.total()
    size = total + max(3, total // 3)
    held: Counter[str] = Counter()
    shared = best = start = end = 0
    for at, word in enumerate(words):
        held[word] += 1
        shared += held[word] <= wanted[word]
        if at >= size:
            gone = words[at - size]
            shared -= held[gone] <= wanted[gone]
            held[gone] -= 1
        if shared > best:
            best, start, end = shared, max(0, at - size + 1), at + 1
    while start < end and words[start] not in wanted:
        start += 1
    return best, start, end


def _written(text: str, start: int, end: int) -> tuple[str, tuple[str, str]]:
    """Tokens of a text as it is read for matching: its letters small, its punctuation kept.

    And a few before and behind them, among which what is not there may stand in other words.
    """
    plain = normalise(text)
    places = token_places(plain)
    first, last = places[start][0], places[end - 1][1]
    before = plain[places[max(0, start - _AROUND)][0] : first]
    behind = plain[last : places[min(len(places), end + _AROUND) - 1][1]]
    return plain[first:last], (before.strip(), behind.strip())


def _differences(quote: str, near: str, around: tuple[str, str]) -> Iterator[str]:
    """What stands in the place of words of the quote, from its first to its last."""
    sides = normalise(quote), normalise(near)
    places = [token_places(side)[:_COMPARED] for side in sides]
    here, there = (
        [side[start:end] for start, end in held] for side, held in zip(sides, places, strict=True)
    )
    for kind, a, b, c, d in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        ours = sides[0][places[0][a][0] : places[0][b - 1][1]] if a < b else ""
        theirs = sides[1][places[1][c][0] : places[1][d - 1][1]] if c < d else ""
        words = len(ours.split())
        if kind == "delete" and a == 0:
            theirs = " ".join(around[0].split()[-words:])
        elif kind == "delete" and b == len(here):
            theirs = " ".join(around[1].split()[:words])
        if kind in ("replace", "delete"):
            yield f'"{_cut(theirs)}" for "{_cut(ours)}"' if theirs else f'no "{_cut(ours)}"'
        elif kind == "insert" and 0 < a < len(here):
            yield f'"{_cut(theirs)}" put in'


def _cut(words: str, most: int = _SHORT) -> str:
    return words if len(words) <= most else f"{words[: most - 4]} ..."


def _name(doc: str, passage: Passage, reading: Reading) -> str:
    version = (passage.get("metadata") or {}).get(reading.version_key)
    return doc if version is None else f"{doc} ({reading.version_key} {version})"


def _sentence(one: _Sought) -> str | None:
    if one.page is None:
        return None
    now = "it has few of these words"
    if one.near:
        found = list(islice(_differences(one.leaf.quote, one.near, one.around), _DIFFERENCES))
        told = f", with {', '.join(found)}" if found else ""
        now = f'its nearest words are "{_cut(one.near, LONG)}"{told}'
    return f"{one.page} seems edited: {now}; mend the label or the page"
