"""What a gate or a diff may ask of a row: a metric, a stage, the outcome, or a running cost."""

from collections.abc import Mapping
from dataclasses import dataclass

from evalrag.judging.measures import JUDGED, UNJUDGED
from evalrag.metrics.table import MEASURES
from evalrag.schema.brief import Brief
from evalrag.schema.result import Attempt
from evalrag.schema.score import (
    Absent,
    Failed,
    NotApplicable,
    Score,
    Scored,
    Unresolved,
    judge_failed,
)
from evalrag.schema.words import Direction, Outcome, Stage

COSTS = ("seconds", "tokens", "cost")
STAGE = "stage."

Costs = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measurable:
    """What is known of a name that a gate can carry."""

    name: str
    direction: Direction
    low: float | None
    high: float | None
    judged: bool
    """A judge, or the form of the answer, is read for it."""
    stage: bool = False
    binary: bool = False


def measurable(name: str) -> Measurable | None:
    """Look `name` up; None where nothing is called that."""
    if name.startswith(STAGE) or name == "outcome":
        stage = name.removeprefix(STAGE)
        if name != "outcome" and stage not in tuple(Stage):
            return None
        judged = stage in (Stage.GENERATION, Stage.BOUNDARY, Stage.ANSWER) or name == "outcome"
        return Measurable(name, Direction.UP, 0.0, 1.0, judged, stage=True, binary=True)
    if name in COSTS:
        return Measurable(name, Direction.DOWN, 0.0, None, judged=False)
    known = MEASURES.get(name) or JUDGED.get(name)
    if known is None:
        return None
    return Measurable(
        name,
        known.direction,
        known.low,
        known.high,
        judged=name in JUDGED and name not in UNJUDGED,
        binary=known.binary,
    )


def measurable_names() -> tuple[str, ...]:
    """Every name that `measurable` knows."""
    stages = tuple(f"{STAGE}{stage}" for stage in Stage)
    return (*MEASURES, *JUDGED, *stages, "outcome", *COSTS)


def measured(result: Attempt | Brief, name: str, costs: Costs | None = None) -> Score:
    """The score of `name` on a row. A stage or outcome is 1 (pass), 0 (fail) or a reason."""
    if name in COSTS:
        value = (costs or {}).get(name)
        return NotApplicable(f"no {name} recorded") if value is None else Scored(value)
    if name == "outcome":
        return from_outcome(result.outcome, result.error, judge_failed(result.reasons))
    if name.startswith(STAGE):
        stage = Stage(name.removeprefix(STAGE))
        failed = judge_failed(
            {name: why for name, why in result.reasons.items() if _stage_of(name) is stage}
        )
        return from_outcome(result.stages.get(stage, Outcome.NA), result.error, failed)
    return result.score(name)


def _stage_of(name: str) -> Stage | None:
    known = JUDGED.get(name)
    return known.stage if known is not None else None


def from_outcome(outcome: Outcome, error: str | None = None, failed: bool = False) -> Score:
    match outcome:
        case Outcome.PASS:
            return Scored(1.0)
        case Outcome.FAIL:
            return Scored(0.0)
        case Outcome.UNRESOLVED:
            return Unresolved("undecided", 0.0, 1.0, failed)
        case Outcome.ERROR:
            return Failed(error or "the row errored")
        case Outcome.NA:
            return NotApplicable("no verdict is asked of this stage here")


def words(score: Score | None, name: str) -> str | None:
    """A score as people read it."""
    match score:
        case None:
            return None
        case Scored(value=value):
            if name.startswith(STAGE) or name == "outcome":
                return "pass" if value else "fail"
            return f"{value:.4f}".rstrip("0").rstrip(".")
        case Absent():
            return "absent"
        case NotApplicable():
            return "n/a"
        case Failed():
            return "error"
        case Unresolved():
            return "unresolved"
