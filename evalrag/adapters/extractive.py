"""A generator without a model: it answers in the words of one passage, or declines.

generator: {use: extractive, with: {sentences: 2}}
"""

import re
from collections.abc import Collection, Iterator, Sequence
from math import fsum
from typing import Any, NamedTuple

from pydantic import Field

from evalrag.adapters.words import content_words, stem, words
from evalrag.loading.plan import LoadedPlan
from evalrag.plugins import settings
from evalrag.schema.frozen import Frozen
from evalrag.schema.plan import Use
from evalrag.schema.trace import Passage

VERSION = 1
DECLINE = "I do not have information about that in the documents I was given."

_BREAK = re.compile(r"(?<=[.!?])[\"')\]\u2019\u201d]*\s+(?=[\"'(\[\u2018\u201c]?[^\sa-z])|\n+")


class Settings(Frozen):
    """What `with` takes."""

    min_overlap: float = Field(
        default=0.5,
        ge=0.0,
        le=1.0,
        description="Share of the question's words a passage must hold.",
    )
    sentences: int = Field(default=1, ge=1, le=20, description="Of an answer, at most.")
    decline: bool = Field(
        default=True, description="Say so where no passage holds enough of the question's words."
    )
    decline_text: str = Field(default=DECLINE, description="In these words.")


class _Candidate(NamedTuple):
    cover: float
    passage: int
    sentence: int
    text: str


def build(use: Use, loaded: LoadedPlan, ids: Collection[str]) -> "Extractive":
    return Extractive(settings(Settings, use.with_, of="extractive"))


class Extractive:
    """Takes the sentences of one passage that cover most of the question's content words.

    A passage that holds too few of those words is not answered from; with no other, it declines.
    Of a sentence, words that few passages of the context hold weigh more than those that all hold.
    Ties go to the earlier passage, then to the earlier sentence. Sentences of two passages are
    never mixed: two versions of a rule would read as one.
    """

    def __init__(self, wanted: Settings) -> None:
        self._wanted = wanted

    def generate(self, question: str, passages: list[Passage]) -> dict[str, Any]:
        """The answer, and the id of the passage it is taken from."""
        asked = set(map(stem, content_words(question)))
        least = self._wanted.min_overlap if self._wanted.decline else 0.0
        candidates = list(_candidates(asked, passages, least))
        best = max(candidates, key=lambda c: (c.cover, -c.passage, -c.sentence), default=None)
        if best is None or (self._wanted.decline and best.cover == 0):
            return {"answer": self._wanted.decline_text}
        same = [c for c in candidates if c.passage == best.passage and (c.cover > 0 or c == best)]
        chosen = sorted(same, key=lambda c: (-c.cover, c.sentence))[: self._wanted.sentences]
        answer = " ".join(c.text for c in sorted(chosen, key=lambda c: c.sentence))
        source = passages[best.passage].get("id")
        return {"answer": answer} if source is None else {"answer": answer, "citations": [source]}

    def fingerprint(self) -> dict[str, int]:
        """Raised when the same passages would be answered from otherwise."""
        return {"extractive": VERSION}


def sentences(text: str) -> list[str]:
    """`text` cut at line ends and behind full stops that a capital or a figure follows."""
    return [part.strip() for part in _BREAK.split(text) if part.strip()]


def _candidates(asked: set[str], passages: Sequence[Passage], least: float) -> Iterator[_Candidate]:
    held = [asked & set(map(stem, words(passage.get("text", "")))) for passage in passages]
    weights = {word: 1 / (1 + sum(word in found for found in held)) for word in sorted(asked)}
    total = fsum(weights.values()) or 1.0
    for p, passage in enumerate(passages):
        if len(held[p]) < least * len(asked):
            continue
        for s, sentence in enumerate(_without_heading(sentences(passage.get("text", "")))):
            found = asked & set(map(stem, words(sentence)))
            # Rounded: Pythons add floats differently, and a tie must be one in each of them.
            cover = round(fsum(weights[w] for w in found) / total, 9)
            yield _Candidate(cover, p, s, sentence)


def _without_heading(parts: list[str]) -> list[str]:
    """A first line without a stop, with text behind it, names what follows and says nothing."""
    return parts[1:] if len(parts) > 1 and parts[0][-1].isalnum() else parts
