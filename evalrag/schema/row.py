"""A row of the golden dataset."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    WithJsonSchema,
    model_validator,
)

from evalrag.schema.evidence import Evidence
from evalrag.schema.frozen import Frozen
from evalrag.schema.words import Because, Form, Kind, Origin, Split


class Turn(Frozen):
    """One earlier turn of the conversation."""

    role: Literal["user", "assistant", "system"] = Field(description="Who spoke.")
    content: str = Field(description="What was said.")


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty: write the words, or take it out")
    from evalrag.text import tokens  # here, as --help reads no text

    if not tokens(value):
        raise ValueError("has no word or figure to look for: write the words, or take it out")
    return value


def _one_or_more(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple):
        raise ValueError("a text is needed, or a list of texts")
    if not value:
        raise ValueError("is empty: at least one text is needed")
    return value


def _names_a_place(evidence: Evidence) -> Evidence:
    for leaf in evidence.leaves():
        if leaf.chunk is None and leaf.doc is None and leaf.quote is None:
            raise ValueError(
                "metadata alone is for forbidden: give one of chunk, doc, quote, any_of, all_of"
            )
    return evidence


def _inputs(value: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    for name in value:
        if not name.strip() or name != name.strip() or not name.isprintable():
            raise ValueError(f"{name!r} is no name for an input")
    return value


Text: TypeAlias = Annotated[str, AfterValidator(_text)]
"""A text with something in it."""
Wordings: TypeAlias = Annotated[
    tuple[Text, ...],
    BeforeValidator(_one_or_more),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
            ]
        }
    ),
]
"""Texts of which one is enough; a file may write a single one without the list."""
Named: TypeAlias = Annotated[Evidence, AfterValidator(_names_a_place)]
"""Evidence that names a chunk, a document or words, and not metadata alone."""


class Row(Frozen):
    """A question, what is needed to answer it, and what must not win."""

    id: str = Field(min_length=1, description="Stable for ever; how a row is compared across runs.")
    kind: Kind = Field(description="What it is built to find out: evalrag explain KIND.")
    question: str = Field(description="What the user typed.")
    gold: tuple[Named, ...] = Field(default=(), description="All that is needed to answer.")
    superseded: tuple[Named, ...] = Field(default=(), description="Old versions that must not win.")
    near_miss: tuple[Named, ...] = Field(
        default=(), description="Similar passages that are wrong here."
    )
    acceptable: tuple[Named, ...] = Field(
        default=(), description="Supports the answer and is not needed."
    )
    answer_contains: tuple[Wordings, ...] = Field(
        default=(),
        description="What a right answer says, in so many words; of a list in it, one is enough.",
    )
    answer_excludes: tuple[Text, ...] = Field(
        default=(), description="What a right answer never says: the old figure, the sibling's."
    )
    reference_answer: str | None = Field(
        default=None, description="A right answer, to hold answers against."
    )
    reference_facts: tuple[Wordings, ...] = Field(
        default=(),
        description="Facts that a right answer states, each in a sentence, or a list of wordings.",
    )
    forbidden: tuple[Evidence, ...] = Field(
        default=(),
        description="What must not be retrieved at all, such as another tenant's pages; metadata"
        " alone is enough.",
    )
    inputs: Annotated[dict[str, JsonValue], AfterValidator(_inputs)] = Field(
        default_factory=dict,
        description="What the pipeline is given beside the question: tenant, roles, locale.",
    )
    unanswerable_because: Because | None = Field(
        default=None, description="Why it cannot be answered: on unanswerable rows alone."
    )
    expect: tuple[Form, ...] = Field(
        default=(), description="Answer forms that are right: evalrag explain form."
    )
    history: tuple[Turn, ...] = Field(default=(), description="Earlier turns, oldest first.")
    standalone_question: str | None = Field(
        default=None, description="The question as it reads without the history."
    )
    split: Split = Field(
        default=Split.DEV, description="holdout: runs where --split holdout asks for it alone."
    )
    origin: Origin = Field(default=Origin.HUMAN, description="Where the question comes from.")
    intent: str | None = Field(default=None, description="What the user is after.")
    tags: tuple[str, ...] = Field(default=(), description="For --tag and for gates.")
    labelled_by: str | None = Field(default=None, description="Who wrote the labels.")
    reviewed_by: str | None = Field(default=None, description="Who read them a second time.")
    labelled_on: str | None = Field(default=None, description="The day, YYYY-MM-DD.")
    note: str | None = Field(default=None, description="For people.")
    meta: dict[str, JsonValue] = Field(
        default_factory=dict, description="Fields of your own, for gates as meta.NAME."
    )

    @model_validator(mode="after")
    def _kind_has_what_it_needs(self) -> Self:
        wrong = wrong_with(self)
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    @property
    def expected_forms(self) -> tuple[Form, ...]:
        """The forms that are right here, defaults filled in."""
        return self.expect or default_forms(self.kind, self.unanswerable_because)

    @property
    def labels(self) -> tuple[str, ...]:
        """What of a row lets a metric ask something of it that asks nothing of others."""
        held = {
            "gold": bool(self.gold),
            "facts alone": bool(self.reference_facts) and not self.gold and self.answerable,
            "rivals": bool(self.superseded or self.near_miss) and self.answerable,
            "forbidden": bool(self.forbidden),
            "answer checks": bool(self.answer_contains or self.answer_excludes),
            "reference": bool(self.reference_facts or self.reference_answer),
        }
        return tuple(name for name, has in held.items() if has)

    @property
    def answerable(self) -> bool:
        return self.kind is not Kind.UNANSWERABLE


def wrong_with(row: Row) -> list[str]:
    """What its kind asks of a row and it has not."""
    wrong: list[str] = []
    if not row.question.strip():
        wrong.append("question is empty")
    if row.id != row.id.strip():
        wrong.append("id has white space at its ends")
    if not row.id.isprintable():
        wrong.append("id has characters that cannot be printed")
    if row.kind is Kind.UNANSWERABLE:
        if row.gold:
            wrong.append("an unanswerable row has no gold: move it to near_miss")
        if row.unanswerable_because is None:
            reasons = ", ".join(Because)
            wrong.append(f"an unanswerable row needs unanswerable_because ({reasons})")
    else:
        if row.unanswerable_because is not None:
            wrong.append("unanswerable_because is for kind unanswerable alone")
        if not row.gold and not row.reference_facts:
            wrong.append("gold is empty: give evidence, or reference_facts to recall")
    if len(row.gold) > 1 and _twice(row.gold):
        wrong.append("gold has one evidence twice")
    if row.kind is Kind.MULTI_HOP and row.gold and len(row.gold) < 2:
        wrong.append("a multi-hop row needs at least two gold evidences")
    if row.kind is Kind.STALE_POLICY and not row.superseded:
        wrong.append("a stale-policy row needs at least one superseded evidence")
    if row.kind is Kind.NEAR_MISS and not row.near_miss:
        wrong.append("a near-miss row needs at least one near_miss evidence")
    return wrong


def _twice(evidences: Sequence[Evidence]) -> bool:
    chunks = {evidence.chunk for evidence in evidences}
    if len(chunks) == len(evidences):
        return False
    return any(evidence in evidences[:index] for index, evidence in enumerate(evidences))


LOOSE = {
    "superseded": "superseded entry",
    "near_miss": "near-miss entry",
    "forbidden": "forbidden entry",
    "reference_facts": "fact",
    "reference_answer": "reference",
    "answer_contains": "answer check",
    "answer_excludes": "answer check of what is excluded",
}
"""Labels that ask less of a row where an entry is taken out, and what people call an entry."""


def default_forms(kind: Kind, because: str | None) -> tuple[Form, ...]:
    """The forms that are right on a row that does not say."""
    if kind is not Kind.UNANSWERABLE:
        return (Form.ANSWERED, Form.QUALIFIED)
    if because == Because.FALSE_PREMISE:
        return (Form.DECLINED, Form.QUALIFIED, Form.CORRECTS)
    return (Form.DECLINED, Form.QUALIFIED)
