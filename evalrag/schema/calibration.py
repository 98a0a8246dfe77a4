"""What a judge's calibration against people's labels came to, as it is shown and kept."""

from typing import Self

from pydantic import Field, model_validator

from evalrag.schema.frozen import Frozen
from evalrag.schema.result import Claim


class Figure(Frozen):
    """A number with what it was counted over, or the reason why there is none."""

    value: float | None = None
    n: int = Field(ge=0, description="What it was counted over.")
    hits: int | None = Field(default=None, description="Of a share: how many of the n.")
    low: float | None = Field(default=None, description="Of a share: its 95 % interval.")
    high: float | None = None
    reason: str | None = Field(default=None, description="Why there is no value.")

    @model_validator(mode="after")
    def _value_or_reason(self) -> Self:
        if (self.value is None) is (self.reason is None):
            raise ValueError("give a value, or the reason why there is none")
        return self


class Figures(Frozen):
    """How far a judge and people agree; `evalrag.judging.agreement` says how each is counted."""

    n: int = Field(description="Labelled items.")
    decided: int = Field(description="Those for which the judge gave a label.")
    accepted: int = Field(
        default=0, description="Items that agree only by what else was acceptable."
    )
    agreement: Figure
    agreement_decided: Figure
    unresolved: Figure
    kappa: Figure
    ac1: Figure
    recall: dict[str, Figure]
    precision: dict[str, Figure]
    confusion: dict[str, dict[str, int]] = Field(description="[people's label][judge's label].")


class ClaimFigures(Frozen):
    """Agreement on single claims, where people labelled them."""

    labelled: int = Field(description="Claims that people labelled.")
    matched: int = Field(description="Those that the judge cut in the same words.")
    figures: Figures = Field(description="Over the matched ones.")


class Moved(Frozen):
    """A row whose label is another one now."""

    id: str
    before: str
    after: str


class Probe(Frozen):
    """How many labels moved where nothing that is true of an answer was changed."""

    moved: Figure = Field(description="Over the answers that the probe fits.")
    failed: int = Field(default=0, description="Answers that the judge failed on, left out.")
    rows: tuple[Moved, ...] = ()


class Disagreement(Frozen):
    """An answer on which people and judge do not agree, or that the judge left open."""

    id: str
    human: str
    acceptable: tuple[str, ...] = ()
    judge: str
    why: str = ""
    claims: tuple[Claim, ...] = Field(
        default=(), description="The judge's, each with its reason and the words it rests on."
    )
