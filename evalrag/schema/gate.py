"""Gates as the plan writes them, and what each one decided."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    Tag,
    model_validator,
)
from pydantic_core import CoreSchema

from evalrag.schema.frozen import Frozen, also

RELATIVE = ("not_drop", "not_rise", "not_break", "mean_drop_at_most")
ABSOLUTE = ("at_least", "at_most", "total_at_most", "mean_at_least", "rate_at_least")


class Rule(Frozen):
    """One thing that must hold. Written as a word (`not_drop`) or as `{at_least: 0.8}`."""

    must: Literal[
        "not_drop",
        "not_rise",
        "not_break",
        "at_least",
        "at_most",
        "total_at_most",
        "mean_at_least",
        "mean_drop_at_most",
        "rate_at_least",
    ] = Field(description="The rule; evalrag explain NAME says what it asks.")
    value: float | None = Field(default=None, description="The number of a rule that has one.")

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        words = ("not_drop", "not_rise", "not_break")
        if isinstance(value, str):
            if value not in words:
                numbers = ", ".join(f"{{{name}: ...}}" for name in (*ABSOLUTE, "mean_drop_at_most"))
                raise ValueError(f"one of {', '.join(words)}, {numbers}")
            return {"must": value}
        if isinstance(value, dict) and "must" not in value:
            if len(value) != 1:
                raise ValueError("one rule an entry, such as {at_least: 0.8}; several as a list")
            name, number = next(iter(value.items()))
            if name in words:
                raise ValueError(f"{name} takes no number: write `must: {name}`")
            return {"must": name, "value": number}
        return value

    @model_validator(mode="after")
    def _numbers(self) -> Self:
        if (self.value is None) != (self.must in ("not_drop", "not_rise", "not_break")):
            raise ValueError(f"{self.must} needs a number")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A word, or one rule with its number, as files write it."""
        numbered = {name: {"type": "number"} for name in (*ABSOLUTE, "mean_drop_at_most")}
        return also(
            handler(core_schema),
            {"enum": ["not_drop", "not_rise", "not_break"]},
            {
                "type": "object",
                "properties": numbered,
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
            },
        )

    @property
    def relative(self) -> bool:
        return self.must in RELATIVE

    def __str__(self) -> str:
        return self.must if self.value is None else f"{self.must} {self.value:g}"


def _one_or_many(schema: dict[str, Any]) -> None:
    """Say in JSON Schema that one entry need not stand in a list."""
    many = {key: schema.pop(key) for key in ("type", "items", "minItems")}
    schema["anyOf"] = [many["items"], many]


class Gate(Frozen):
    """A rule over some rows. `where` names row fields: a list is any-of, keys are and."""

    name: str = Field(min_length=1, description="How reports call it; a plan has each once.")
    where: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Rows that it looks at, by their fields, as {kind: [near-miss, multi-hop]}; "
        "empty: all.",
    )
    metric: str = Field(
        description="A metric, stage.NAME, outcome, seconds, tokens or cost: evalrag explain."
    )
    must: tuple[Rule, ...] = Field(
        min_length=1,
        description="What must hold: one rule, or a list.",
        json_schema_extra=_one_or_many,
    )
    tolerance: float = Field(default=0.0, ge=0.0, description="Of not_drop and not_rise.")
    on_unresolved: Literal["undecided", "fail", "ignore"] = Field(
        default="undecided", description="What a row without a verdict does to the gate."
    )
    allow_empty: bool = Field(
        default=False, description="Whether it may match no row of the dataset without failing."
    )

    @model_validator(mode="before")
    @classmethod
    def _one_rule_or_a_list(cls, value: Any) -> Any:
        if isinstance(value, dict) and "must" in value:
            rules = value["must"]
            if isinstance(rules, str | dict):
                return {**value, "must": [rules]}
        return value

    @property
    def relative(self) -> bool:
        """At least one of its rules compares with the baseline."""
        return any(rule.relative for rule in self.must)


TAGS = ("<word>", "<gate>")
"""Of the two forms of an entry. They stand in the places of errors, where no file has such keys."""


def _either(value: Any) -> str:
    return TAGS[0] if isinstance(value, str) else TAGS[1]


GateEntry = Annotated[
    Annotated[Literal["defaults"], Tag(TAGS[0])] | Annotated[Gate, Tag(TAGS[1])],
    Discriminator(_either),
]
"""A gate of a plan's list, or the word that stands for the ten default gates."""


class GateStatus(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    NOT_EVALUATED = "not evaluated"
    """A selection emptied it."""
    NO_BASELINE = "no baseline"
    """It compares with a baseline, and there is none."""


class RowStatus(StrEnum):
    """What a gate says of one row."""

    FAILED = "failed"
    UNDECIDED = "undecided"
    NOT_COMPARED = "not compared"
    HIDDEN = "hidden"
    """Unresolved, and the gate says `on_unresolved: ignore`."""
    WAIVED = "waived"
    PASSED = "passed"


class GateRow(Frozen):
    """A row that a gate names, with what it was and what it is."""

    id: str
    status: RowStatus
    why: str
    before: str | None = None
    after: str | None = None
    diagnosis: str | None = None
    look: str | None = None


class GateResult(Frozen):
    """What one gate decided, and on which rows."""

    name: str
    metric: str
    must: str
    status: GateStatus
    message: str
    rows: tuple[GateRow, ...] = ()
    looked_at: int = 0
    compared: int | None = Field(default=None, description="Rows compared; None if absolute.")
    at_floor: int = Field(default=0, description="Compared rows that cannot get worse.")
    unprotected: int = Field(default=0, description="Better than the baseline until accepted.")
    hidden: int = 0
    waived: int = 0

    def named(self, status: RowStatus) -> tuple[GateRow, ...]:
        return tuple(row for row in self.rows if row.status is status)


class Missing(Frozen):
    """A default gate that was not installed, why, and what nothing guards therefore."""

    name: str
    why: str
    unguarded: str
    optional: bool = Field(
        default=False, description="No row carries the label that it is for, which none need."
    )
