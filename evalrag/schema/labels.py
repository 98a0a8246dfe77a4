"""An answer that people labelled: what a judge is calibrated against."""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from evalrag.schema.frozen import Frozen


class ClaimLabel(StrEnum):
    """What a person says of a claim."""

    SUPPORTED = "SUPPORTED"
    ABSENT = "ABSENT"
    CONTRADICTED = "CONTRADICTED"


class AnswerLabel(StrEnum):
    """What a person says of an answer: the worst of its claims, or that it only declines."""

    SUPPORTED = "SUPPORTED"
    ABSENT = "ABSENT"
    CONTRADICTED = "CONTRADICTED"
    ABSTAINED = "ABSTAINED"


WORST_FIRST = (ClaimLabel.CONTRADICTED, ClaimLabel.ABSENT, ClaimLabel.SUPPORTED)


def _listed(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple):
        raise ValueError("text, or a list of texts, is needed")
    return value


class LabelledClaim(Frozen):
    """One statement of the answer, as a person cut it."""

    text: str = Field(min_length=1)
    label: ClaimLabel


class LabelledRow(Frozen):
    """A question, the context that a model was given, its answer, and what a person says of it.

    Any other field is kept: where an example comes from, who labelled it.
    """

    model_config = ConfigDict(extra="allow")

    id: str = Field(min_length=1, description="Unique in the file.")
    question: str = Field(description="What the user typed; no evidence.")
    context: Annotated[
        tuple[str, ...],
        BeforeValidator(_listed),
        WithJsonSchema(
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
        ),
    ] = Field(description="What the model was given: one text, or a list of passages.")
    answer: str
    label: AnswerLabel = Field(description="The worst of its claims.")
    claims: tuple[LabelledClaim, ...] = Field(
        default=(), description="The answer's claims one by one; the worst must equal `label`."
    )
    acceptable_labels: tuple[AnswerLabel, ...] = Field(
        default=(), description="What a careful reader may also say; any of them agrees."
    )

    @property
    def accepted(self) -> frozenset[str]:
        """Every label that agrees, the row's own included."""
        return frozenset({self.label.value, *(label.value for label in self.acceptable_labels)})

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        wrong = _wrong_with(self)
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


def _wrong_with(row: LabelledRow) -> list[str]:
    """What fields that are right by themselves do not say together. The field stands first."""
    wrong: list[str] = []
    if row.id != row.id.strip():
        wrong.append("id has white space at its ends")
    if not row.id.isprintable():
        wrong.append("id has characters that cannot be printed")
    if not row.question.strip():
        wrong.append("question is empty")
    if not row.answer.strip():
        wrong.append("answer is empty: nothing in it can be labelled")
    if row.claims:
        given = {claim.label for claim in row.claims}
        worst = next(label for label in WORST_FIRST if label in given)
        if worst.value != row.label.value:
            wrong.append(f"label is {row.label}, and the worst of its claims is {worst}")
    return wrong
