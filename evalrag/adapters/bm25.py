"""An embedded retriever: BM25 over a corpus in JSON Lines, by SQLite's full-text index.

    retriever:
      use: bm25
      with: {path: corpus.jsonl, where: {status: current}, chunk_chars: 1200}

A line of the corpus is a passage, or a page that `chunk_chars` cuts, with `id`, `text` and, where
passages have one, the `doc` that they are cut from. Other fields become metadata.
"""

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator
from typing import Self

from pydantic import Field, JsonValue, model_validator

from evalrag.adapters.chunks import chunked
from evalrag.adapters.words import content_words
from evalrag.errors import PluginError
from evalrag.loading.corpus import read_corpus
from evalrag.loading.plan import LoadedPlan
from evalrag.plugins import settings
from evalrag.schema.frozen import Frozen
from evalrag.schema.plan import Use
from evalrag.schema.trace import Passage

VERSION = 1
"""Raised when the same corpus and question would be ranked otherwise."""
PLACES = 9
"""Decimals of a score. A word in more than half of the passages weighs 0.000001 in SQLite."""
TOKENIZER = "porter unicode61 remove_diacritics 2"
"""English endings are dropped, so that "refunded" finds "refund"."""


class Settings(Frozen):
    """What `with` takes."""

    path: str = Field(min_length=1, description="The corpus, relative to the plan.")
    fields: dict[str, str] = Field(
        default_factory=dict, description="Passage field -> field of the file, as {id: chunk_id}."
    )
    where: dict[str, JsonValue] = Field(
        default_factory=dict, description="Fields that a line must have to be a passage."
    )
    chunk_chars: int | None = Field(
        default=None, ge=1, description="Cut every record; without it a record is one passage."
    )
    overlap_chars: int = Field(
        default=0, ge=0, description="Characters that a chunk repeats of the one before it."
    )
    index: tuple[str, ...] = Field(
        default=("text",),
        min_length=1,
        description="What is searched: `text` (alone, by default), names of metadata.",
    )

    @model_validator(mode="after")
    def _overlap_within_a_chunk(self) -> Self:
        if self.chunk_chars is None:
            if self.overlap_chars:
                raise ValueError("overlap_chars needs chunk_chars")
        elif self.overlap_chars >= self.chunk_chars:
            raise ValueError("overlap_chars must be smaller than chunk_chars")
        return self


def build(use: Use, loaded: LoadedPlan, ids: Collection[str]) -> "Bm25":
    """The retriever that the plan asks for, with its corpus read and indexed."""
    wanted = settings(Settings, use.with_, of="bm25")
    records: Iterable[Passage] = read_corpus(
        loaded.resolve(wanted.path), fields=wanted.fields, where=wanted.where, shown=wanted.path
    )
    if wanted.chunk_chars is not None:
        records = _cut(records, wanted.chunk_chars, wanted.overlap_chars)
    return Bm25(records, wanted.index)


class Bm25:
    """Ranks passages by Okapi BM25 (k1 1.2, b 0.75: SQLite's own) over the question's words.

    A question's stop words are left out and the others are joined by OR. Equal scores keep the
    order of the corpus, so that a ranking is the same on every machine.
    """

    def __init__(self, passages: Iterable[Passage], index: tuple[str, ...] = ("text",)) -> None:
        self.passages = list(passages)
        self._lock = threading.Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            self._base.execute(
                f"CREATE VIRTUAL TABLE corpus USING fts5(body, tokenize='{TOKENIZER}')"
            )
        except sqlite3.OperationalError as error:
            self._base.close()
            raise PluginError(
                f"bm25 needs SQLite with FTS5, which this Python lacks: {error}",
                hint="use another Python build, or a retriever of your own",
            ) from None
        with self._base:
            self._base.executemany(
                "INSERT INTO corpus (rowid, body) VALUES (?, ?)",
                ((n, _indexed(passage, index)) for n, passage in enumerate(self.passages)),
            )

    def retrieve(self, question: str, top_k: int) -> list[Passage]:
        """The best `top_k` passages, each with its score; nothing where no word is left."""
        asked = content_words(question)
        if not asked:
            return []
        query = " OR ".join(f'"{word}"' for word in asked)
        with self._lock:
            found = self._base.execute(
                "SELECT rowid, bm25(corpus) FROM corpus WHERE corpus MATCH ? "
                "ORDER BY round(bm25(corpus), ?), rowid LIMIT ?",
                (query, PLACES, top_k),
            ).fetchall()
        return [self._scored(n, round(-score, PLACES)) for n, score in found]

    def _scored(self, n: int, score: float) -> Passage:
        passage = self.passages[n].copy()
        passage["score"] = score
        return passage

    def fingerprint(self) -> dict[str, JsonValue]:
        """What makes this index, beside the corpus and the settings."""
        return {"bm25": VERSION, "tokenizer": TOKENIZER}

    def corpus(self) -> Iterator[Passage]:
        """All passages, in order."""
        return iter(self.passages)

    def close(self) -> None:
        with self._lock:
            self._base.close()


def _cut(records: Iterable[Passage], size: int, overlap: int) -> Iterator[Passage]:
    for record in records:
        yield from chunked(record, size, overlap)


def _indexed(passage: Passage, index: tuple[str, ...]) -> str:
    metadata = passage.get("metadata", {})
    parts = (passage.get("text") if name == "text" else metadata.get(name) for name in index)
    return "\n".join(str(part) for part in parts if part is not None)
