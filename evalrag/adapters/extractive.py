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

VERSION = 2
DECLINE = "I do not have information about that in the documents I was given."

_PART = re.compile(
    r",?\s+and\s+(?=(?:(?:at|by|for|from|in|of|on|to|until|up|with|within)\s+)*"
    r"(?:how|what|when|where|which|who)\b)",
    re.IGNORECASE,
)
_WORDS_OF_A_PART = 3
"""Content words that make a question of its own."""
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
    Ties go to the passage that holds more of the question, then to the earlier passage, then to the
    earlier sentence. A question of two parts ("what ..., and how many ...?") is answered part by
    part. Sentences of two passages are never mixed within a part: two versions of a rule would read
    as one.
    """

    def __init__(self, wanted: Settings) -> None:
        self._wanted = wanted

    def generate(self, question: str, passages: list[Passage]) -> dict[str, Any]:
        """The answer, and the ids of the passages it is taken from."""
        texts: dict[str, None] = {}
        sources: dict[str, None] = {}
        for part in parts(question):
            chosen = self._chosen(part, question, passages)
            for candidate in chosen:
                texts[candidate.text] = None
                source = passages[candidate.passage].get("id")
                if source is not None:
                    sources[source] = None
        if not texts:
            return {"answer": self._wanted.decline_text}
        answer = " ".join(texts)
        return {"answer": answer, "citations": list(sources)} if sources else {"answer": answer}

    def _chosen(self, part: str, question: str, passages: list[Passage]) -> list[_Candidate]:
        """The sentences that answer one part, in the order of their passage; none to decline."""
        asked = set(map(stem, content_words(part)))
        whole = set(map(stem, content_words(question)))
        least = self._wanted.min_overlap if self._wanted.decline else 0.0
        candidates = list(_candidates(asked, passages, least))
        held = [len(whole & set(map(stem, words(p.get("text", ""))))) for p in passages]
        best = max(
            candidates,
            key=lambda c: (c.cover, held[c.passage], -c.passage, -c.sentence),
            default=None,
        )
        if best is None or (self._wanted.decline and best.cover == 0):
            return []
        same = [c for c in candidates if c.passage == best.passage and (c.cover > 0 or c == best)]
        first = sorted(same, key=lambda c: (-c.cover, c.sentence))[: self._wanted.sentences]
        return sorted(first, key=lambda c: c.sentence)

    def fingerprint(self) -> dict[str, int]:
        """Raised when the same passages would be answered from otherwise."""
        return {"extractive": VERSION}


def parts(question: str) -> list[str]:
    """`question` cut before each "and" that asks once more, where each part says what about."""
    found = [part.strip() for part in _PART.split(question)]
    whole = all(len(content_words(part)) >= _WORDS_OF_A_PART for part in found)
    return found if whole else [question]


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
