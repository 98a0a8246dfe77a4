"""A score is a value, or a reason why there is none. Never NaN, never a silent 0.

In memory a score is one of a few small values. On the wire a row keeps one mapping of numbers
(`scores`) and one of reasons (`reasons`), since a model a score would halve the speed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict


@dataclass(frozen=True, slots=True)
class Scored:
    """A number that was computed."""

    value: float


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The metric does not ask anything of this row (a ratio over nothing, a stage not run)."""

    reason: str


@dataclass(frozen=True, slots=True)
class Absent(NotApplicable):
    """What a position was asked of is not there: no number, and worse than any."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A verdict could not be had. `low` and `high` bound what the value can still be.

    `judge_failed` tells a judge that gave no usable reply from one that looked and left it open.
    """

    reason: str
    low: float | None = None
    high: float | None = None
    judge_failed: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The row could not be measured: the pipeline raised, or its evidence cannot be matched."""

    reason: str


Score: TypeAlias = Scored | NotApplicable | Unresolved | Failed

NOT_APPLICABLE: Final = "not applicable"
ABSENT: Final = "absent"
UNRESOLVED: Final = "unresolved"
FAILED: Final = "failed"


class Reason(TypedDict):
    """The wire form of a score without a value."""

    state: Literal["not applicable", "absent", "unresolved", "failed"]
    reason: str
    low: NotRequired[float]
    high: NotRequired[float]
    judge_failed: NotRequired[bool]


def to_wire(scores: Mapping[str, Score]) -> tuple[dict[str, float], dict[str, Reason]]:
    """Split scores into the mapping of numbers and the mapping of reasons, order kept."""
    numbers: dict[str, float] = {}
    reasons: dict[str, Reason] = {}
    for name, score in scores.items():
        match score:
            case Scored(value=value):
                numbers[name] = value
            case Absent(reason=reason):
                reasons[name] = {"state": ABSENT, "reason": reason}
            case NotApplicable(reason=reason):
                reasons[name] = {"state": NOT_APPLICABLE, "reason": reason}
            case Failed(reason=reason):
                reasons[name] = {"state": FAILED, "reason": reason}
            case Unresolved(reason=reason, low=low, high=high, judge_failed=judge_failed):
                entry: Reason = {"state": UNRESOLVED, "reason": reason}
                if low is not None:
                    entry["low"] = low
                if high is not None:
                    entry["high"] = high
                if judge_failed:
                    entry["judge_failed"] = True
                reasons[name] = entry
    return numbers, reasons


def judge_failed(reasons: Mapping[str, Reason]) -> bool:
    """Is any score unresolved since the judge gave no usable reply?"""
    return any(entry.get("judge_failed", False) for entry in reasons.values())


def from_wire(numbers: Mapping[str, float], reasons: Mapping[str, Reason], name: str) -> Score:
    """The score called `name`; a name that neither mapping knows is not applicable."""
    if name in numbers:
        return Scored(numbers[name])
    entry = reasons.get(name)
    if entry is None:
        return NotApplicable("not measured in this run")
    if entry["state"] == UNRESOLVED:
        failed = entry.get("judge_failed", False)
        return Unresolved(entry["reason"], entry.get("low"), entry.get("high"), failed)
    if entry["state"] == FAILED:
        return Failed(entry["reason"])
    if entry["state"] == ABSENT:
        return Absent(entry["reason"])
    return NotApplicable(entry["reason"])
