"""The end of the data's way: what the run means for a build."""

from enum import IntEnum

from pydantic import Field

from evalrag.schema.diff import Mean, RunDiff
from evalrag.schema.frozen import Frozen
from evalrag.schema.gate import GateResult, Missing


class ExitCode(IntEnum):
    PASSED = 0
    FAILED = 1
    WRONG_INPUT = 2
    UNDECIDED = 3
    NO_BASELINE = 4
    BUG = 70
    INTERRUPTED = 130


class CellRows(Frozen):
    """One cell of the reading table, with its rows by name."""

    cell: str
    reading: str
    rows: tuple[str, ...]
    rivals: tuple[str, ...] = Field(
        default=(), description="Those of them in which a rival stands before the evidence."
    )


class TurnRecall(Frozen):
    """Rows of one turn of a conversation: what of their evidence the model saw."""

    turn: int = Field(description="User turns before the question, and the question: from 1.")
    kind: str
    origin: str
    rows: int
    scored: int
    recall: float | None = Field(description="Mean context_recall; None where nothing was scored.")
    reused: int = Field(description="Rows that used an earlier turn's passages again.")


class Spent(Frozen):
    """What the pipeline, its probes, or the judge, took in a run."""

    what: str
    calls: int
    kept: int = Field(
        default=0, description="Verdicts, or probes, that were kept, and nobody was asked for."
    )
    failed: int = Field(default=0, description="Calls that settled nothing.")
    tokens_in: int | None = Field(default=None, description="None where some call did not say.")
    tokens_out: int | None = None
    cost: float | None = Field(default=None, description="US dollars; None where not known.")


class StageCost(Frozen):
    """What one stage of the pipeline, or the judge, took. What nobody said is None."""

    stage: str
    calls: int
    tries: int = Field(description="Calls with those that were tried again.")
    seconds: float | None = Field(default=None, description="Of the last tries, summed.")
    p50: float | None = Field(default=None, description="Seconds that half of the calls took.")
    p95: float | None = Field(default=None, description="Seconds that 95 of 100 calls took.")
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = Field(default=None, description="US dollars, of the calls that said it.")


class Verdict(Frozen):
    """What a report is drawn from, with the run's diff."""

    exit_code: ExitCode
    run: str
    baseline: str | None
    reasons: tuple[str, ...] = Field(description="Why the exit code is what it is.")
    next: tuple[str, ...] = Field(default=(), description="Commands to type next.")
    head: tuple[str, ...] = Field(default=(), description="Notes that stand first.")
    background: tuple[str, ...] = Field(
        default=(), description="Notes that are no news: the same on every run until one acts."
    )
    hidden_means: tuple[str, ...] = Field(
        default=(), description="Metrics of which too little is decided for a mean to say anything."
    )
    gates: tuple[GateResult, ...] = ()
    missing_gates: tuple[Missing, ...] = ()
    means: tuple[Mean, ...] = ()
    outcomes: dict[str, dict[str, int]] = Field(
        default_factory=dict, description="Kind -> outcome -> rows."
    )
    stages: dict[str, dict[str, int]] = Field(
        default_factory=dict, description="Stage -> outcome -> rows."
    )
    cells: tuple[CellRows, ...] = ()
    diagnoses: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="First diagnosis -> rows."
    )
    warnings: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    errored: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    answers: int = Field(default=0, description="Rows with an answer.")
    unjudged: tuple[str, ...] = Field(
        default=(), description="Rows whose answer neither a check nor a judge decided."
    )
    probes: dict[str, dict[str, int]] = Field(
        default_factory=dict, description="Probe -> outcome -> rows that were probed."
    )
    turns: tuple[TurnRecall, ...] = Field(
        default=(), description="By turn, kind and origin, where any row has a history."
    )
    spent: tuple[Spent, ...] = ()
    running: tuple[StageCost, ...] = Field(
        default=(), description="Running costs a stage; never part of an outcome."
    )
    diff: RunDiff
