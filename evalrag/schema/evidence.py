"""One thing that must be found: a chunk, a document, a quote, a span, or alternatives of these."""

from typing import Any, Self

from pydantic import Field, GetJsonSchemaHandler, JsonValue, model_validator
from pydantic_core import CoreSchema

from evalrag.schema.frozen import Frozen, also


class Evidence(Frozen):
    """Written as a chunk id (a string) or as an object with exactly one way to match.

    `{"chunk": id}`, `{"doc": id}`, `{"quote": text}` with or without a doc,
    `{"doc": id, "span": [start, end]}` in characters of the document,
    `{"any_of": [...]}`, `{"all_of": [...]}`; among what is forbidden `{"metadata": {...}}` too.
    """

    chunk: str | None = Field(default=None, min_length=1, description="Id of a chunk.")
    doc: str | None = Field(
        default=None, min_length=1, description="Id of a document; of a quote or span, its own."
    )
    metadata: dict[str, JsonValue] = Field(
        default_factory=dict, description="Every key must equal the passage's."
    )
    quote: str | None = Field(default=None, description="Words that stand in the corpus.")
    span: tuple[int, int] | None = Field(
        default=None, description="Start and end in characters of the document."
    )
    any_of: tuple["Evidence", ...] | None = Field(
        default=None, description="One of these is enough."
    )
    all_of: tuple["Evidence", ...] | None = Field(
        default=None, description="Found when all of these are."
    )
    grade: int = Field(default=1, ge=1, le=1000, description="Gain, for nDCG alone.")

    @model_validator(mode="before")
    @classmethod
    def _a_string_is_a_chunk_id(cls, value: Any) -> Any:
        return {"chunk": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_way_to_match(self) -> Self:
        leaf = self.any_of is None and self.all_of is None
        if not leaf:
            others = (self.chunk, self.doc, self.quote, self.span)
            if any(value is not None for value in others) or self.metadata:
                raise ValueError("any_of and all_of stand alone, beside grade")
            if self.any_of is not None and self.all_of is not None:
                raise ValueError("any_of and all_of stand alone: nest one in the other")
            parts = self.any_of if self.any_of is not None else self.all_of
            if not parts:
                raise ValueError("any_of and all_of need at least one part")
            if any(part.grade != 1 for part in parts):
                raise ValueError("grade belongs to the whole evidence, not to a part of it")
            return self
        if self.chunk is not None:
            if self.doc is not None or self.quote is not None or self.span is not None:
                raise ValueError("a chunk id stands alone: drop it, or drop doc, quote and span")
            return self
        if self.quote is not None and self.span is not None:
            raise ValueError("give a quote or a span, not both")
        if self.quote is not None:
            if not self.quote.strip():
                raise ValueError("the quote is empty")
            return self
        if self.doc is None and (self.span is not None or not self.metadata):
            raise ValueError("give one of chunk, doc, quote, any_of, all_of")
        if self.span is not None and not 0 <= self.span[0] < self.span[1]:
            raise ValueError("a span is [start, end] in characters with 0 <= start < end")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        chunk = {"type": "string", "minLength": 1, "description": "Id of a chunk."}
        return also(handler(core_schema), chunk)

    def leaves(self) -> tuple["Evidence", ...]:
        """The evidences without alternatives that this one is made of, in order."""
        parts = self.any_of or self.all_of
        if not parts:
            return (self,)
        return tuple(leaf for part in parts for leaf in part.leaves())

    def label(self) -> str:
        """A short name for people."""
        if self.any_of:
            return " or ".join(part.label() for part in self.any_of)
        if self.all_of:
            return " and ".join(part.label() for part in self.all_of)
        if self.chunk is not None:
            return self.chunk
        name = self.doc or ""
        if self.metadata:
            name += "[" + ", ".join(f"{k}={v}" for k, v in self.metadata.items()) + "]"
        if self.span is not None:
            name += f"[{self.span[0]}:{self.span[1]}]"
        if self.quote is not None:
            words = self.quote.split()
            short = " ".join(words[:8]) + (" ..." if len(words) > 8 else "")
            name = f'{name} "{short}"'.strip()
        return name
