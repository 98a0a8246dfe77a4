"""What a judge's calibration against people's labels came to, as it is shown and kept."""

import datetime
from typing import Self

from pydantic import Field, JsonValue, field_validator, model_validator

from evalrag.schema.frozen import Frozen
from evalrag.schema.result import Claim

FORMAT = 1
"""Of a record that is kept."""


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


class LabelsPrint(Frozen):
    """Which labelled answers they were."""

    file: str = Field(description="Its name, for people.")
    digest: str
    n: int


class Calibration(Frozen):
    """What a judge was found to be worth on some day: a record, kept by the judge's fingerprint.

    It holds labels and ids, and none of the texts.
    """

    format: int = FORMAT
    number: int = Field(default=0, description="In the order of their making, from 1.")
    day: str
    version: str = Field(description="Of evalrag.")
    judge: str
    fingerprint: str = Field(description="Digest of `details`.")
    details: dict[str, JsonValue]
    labels: LabelsPrint
    failed: int = Field(default=0, description="Rows on which the judge failed; all unresolved.")
    figures: Figures
    claims: ClaimFigures | None = None
    probes: dict[str, Probe] = Field(default_factory=dict)
    judged: dict[str, str] = Field(description="Row id -> the judge's label.")

    @field_validator("day")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        return datetime.date.fromisoformat(value).isoformat()


class Change(Frozen):
    """A figure that is another one now; None where it could not be had."""

    before: float | None
    after: float | None


class Movement(Frozen):
    """What moved between two calibrations on the same labels."""

    day: str = Field(description="Of the earlier one.")
    judge: str
    fingerprint: str
    figures: dict[str, Change]
    rows: tuple[Moved, ...] = ()


class Requirement(Frozen):
    """What a judge must have been found to be worth before its verdicts may gate."""

    min_agreement: float = Field(default=0.85, ge=0.0, le=1.0, description="With people.")
    min_contradicted_recall: float = Field(
        default=0.9, ge=0.0, le=1.0, description="Share of contradictions that it found."
    )
    min_labels: int = Field(default=30, ge=1, description="Answers that people labelled.")
    max_age_days: int = Field(default=90, ge=1, description="Of the calibration.")


def days_between(earlier: str, later: str) -> int:
    """Days from one ISO date to another; below 0 where `earlier` is the later one."""
    one, other = map(datetime.date.fromisoformat, (earlier, later))
    return (other - one).days


class CalibrationReport(Frozen):
    """A calibration with what is said of it once and kept nowhere."""

    record: Calibration
    disagreements: tuple[Disagreement, ...] = ()
    moved: Movement | None = Field(
        default=None, description="Since the last record on the same labels, if there is one."
    )
    notes: tuple[str, ...] = ()
    kept: str | None = Field(default=None, description="The file that holds the record.")
    next: str
    exit_code: int
