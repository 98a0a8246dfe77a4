"""A quote that is nowhere in the corpus, though its page is: was the page edited?"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
        one.near = _written(text, start, end)


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


def _written(text: str, start: int, end: int) -> str:
    """Tokens of a text as it is read for matching: its letters small, its punctuation kept."""
    plain = normalise(text)
    places = token_places(plain)
    words = plain[places[start][0] : places[end - 1][1]]
    return words if len(words) <= LONG else f"{words[: LONG - 4]} ..."


def _name(doc: str, passage: Passage, reading: Reading) -> str:
    version = (passage.get("metadata") or {}).get(reading.version_key)
    return doc if version is None else f"{doc} ({reading.version_key} {version})"


def _sentence(one: _Sought) -> str | None:
    if one.page is None:
        return None
    now = f'its nearest words are "{one.near}"' if one.near else "it has few of these words"
    return f"{one.page} seems edited: {now}; mend the label or the page"
