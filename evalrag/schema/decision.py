"""What a person decided about an answer, where a judge could not or was wrong."""

import datetime
import json
from collections.abc import Callable, Iterable
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from evalrag.schema.digest import whole_digest
from evalrag.schema.frozen import Frozen
from evalrag.schema.row import Row
from evalrag.schema.words import FactLabel, Form, Label

CLAIM_LABELS = tuple(label.value for label in Label if label is not Label.UNRESOLVED)
FACT_LABELS = tuple(label.value for label in FactLabel if label is not FactLabel.UNRESOLVED)


class Decision(Frozen):
    """One line of the file of decisions: one claim, one fact, or the form of one answer."""

    content: str = Field(
        pattern="^[0-9a-f]{64}$",
        description="Digest of what the verdict reads beside the claim or fact itself: question "
        "and answer for a form or a fact, question and context for a claim.",
    )
    row: str = Field(min_length=1, description="For people: content is what a decision is kept by.")
    answer: str | None = Field(
        default=None,
        pattern="^[0-9a-f]{64}$",
        description="With a claim: digest of question and answer, whose claims are `claims`.",
    )
    claims: tuple[str, ...] = Field(
        default=(), description="With a claim: all claims of that answer, in their order."
    )
    claim: str | None = None
    form: Form | None = None
    fact: str | None = None
    label: str = Field(default="", description="Of the claim or the fact.")
    reason: str = Field(min_length=1)
    by: str = Field(min_length=1)
    on: str = Field(description="The day, as YYYY-MM-DD.")

    @field_validator("on")
    @classmethod
    def _day(cls, value: str) -> str:
        try:
            return datetime.date.fromisoformat(value).isoformat()
        except ValueError:
            raise ValueError("a day is written YYYY-MM-DD") from None

    @model_validator(mode="after")
    def _decides_one_thing(self) -> Self:
        said = [name for name in ("claim", "form", "fact") if getattr(self, name) is not None]
        if len(said) != 1:
            raise ValueError("a decision is about a claim, a form or a fact: about one of them")
        labels = {"claim": CLAIM_LABELS, "fact": FACT_LABELS, "form": ()}[said[0]]
        if labels and self.label not in labels:
            raise ValueError(f"label of a {said[0]} is one of {', '.join(labels)}")
        if not labels and self.label:
            raise ValueError("label is for a claim or a fact, and this is about the form")
        if self.claim is None and (self.claims or self.answer):
            raise ValueError("claims and answer go with a claim")
        if self.claim is not None and self.claim not in self.claims:
            raise ValueError("claim is not among the claims")
        return self

    @property
    def why(self) -> str:
        """The reason as a verdict gives it."""
        return f"decided by {self.by} on {self.on}: {self.reason}"


def answer_digest(row: Row, answer: str, *, redact: Callable[[bytes], bytes] | None = None) -> str:
    """Digest of what a form or a fact is read from: the question with its history, and the answer.

    White space at the ends is no change. `redact` takes secrets out of JSON, as it does of what is
    stored, so that a stored answer and the same answer fresh from a pipeline have one digest.
    """
    return _digest([*_question(row), answer.strip()], redact)


def context_digest(
    row: Row, context: Iterable[str], *, redact: Callable[[bytes], bytes] | None = None
) -> str:
    """Digest of what a claim is read from: the question with its history, and the passages.

    The order of the passages and repeats of one decide nothing. `redact` as in `answer_digest`.
    """
    return _digest([*_question(row), sorted(set(context))], redact)


def _question(row: Row) -> list[Any]:
    return [row.question.strip(), [[turn.role, turn.content.strip()] for turn in row.history]]


def _digest(content: list[Any], redact: Callable[[bytes], bytes] | None) -> str:
    if redact is not None:
        content = json.loads(redact(json.dumps(content, ensure_ascii=False).encode("utf-8")))
    return whole_digest(content)
