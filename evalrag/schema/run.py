"""The head of a stored run: `run.json`. Everything that is needed to score and gate it again."""

from typing import Any

from pydantic import Field, JsonValue

from evalrag.schema.decision import Decision
from evalrag.schema.frozen import Frozen
from evalrag.schema.gate import Gate
from evalrag.schema.plan import Quarantine, Retired, Thresholds, Waiver
from evalrag.schema.words import Probe

FORMAT = 1
"""Number of the stored format. `formats.py` refuses any other."""


class Selection(Frozen):
    """Which rows were asked for; empty lists ask for all."""

    kind: tuple[str, ...] = ()
    row: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    split: tuple[str, ...] = ("dev",)
    failing: str | None = Field(default=None, description="The run whose failing rows were taken.")

    @property
    def partial(self) -> bool:
        """Some dev rows, or all holdout rows, may have been left out by it."""
        return self.narrow or "dev" not in self.split

    @property
    def narrow(self) -> bool:
        """Some rows of the splits that were asked for were left out by it."""
        return bool(self.kind or self.row or self.tag or self.failing)

    @property
    def holdout(self) -> bool:
        return "holdout" in self.split

    def words(self) -> str:
        parts = [
            *(f"--kind {kind}" for kind in self.kind),
            *(f"--row {row}" for row in self.row),
            *(f"--tag {tag}" for tag in self.tag),
        ]
        if self.split != ("dev",):
            parts += [f"--split {split}" for split in self.split]
        if self.failing:
            parts.append("--failing")
        return " ".join(parts)


class PipelinePrint(Frozen):
    """The pipeline's fingerprint, in the parts that a change can be laid to.

    A part is a digest; `unknown` where nothing can be said of it. `shown` is for people, with
    environment variables left as names.
    """

    window: str
    index: str
    prompt: str
    model: str
    other: str
    digest: str
    shown: dict[str, JsonValue] = Field(default_factory=dict)
    files: dict[str, str] = Field(
        default_factory=dict, description="Watched file -> digest, to name the one that changed."
    )
    unknown: tuple[str, ...] = Field(default=(), description="What nothing is known of.")


class JudgePrint(Frozen):
    """Who judged, with everything that can change a verdict."""

    name: str
    digest: str
    details: dict[str, JsonValue] = Field(default_factory=dict)
    offers: tuple[str, ...] = ()


class DatasetPrint(Frozen):
    """Which golden rows the run was over."""

    path: str
    digest: str = Field(description="Over the digests of all its rows, in order of id.")
    rows: int
    kinds: dict[str, int] = Field(description="Rows of each kind in the whole dataset.")
    labels: dict[str, int] = Field(
        default_factory=dict, description="Label -> rows of the whole dataset that carry it."
    )
    holdout: tuple[str, ...] = Field(default=(), description="Ids of its holdout rows.")
    left_out: tuple[str, ...] = Field(
        default=(), description="Ids of its rows that this run did not select."
    )
    gate_rows: dict[str, int] = Field(
        default_factory=dict, description="Gate name -> rows of the whole dataset it looks at."
    )


MATCHING = ("quote_coverage", "version_key", "superseded_when", "valid_until")
"""Settings of a `Reading` by which evidence is matched; the rest is the pipeline's window."""


class Reading(Frozen):
    """How evidence was matched: the plan's settings and the run's day."""

    quote_coverage: float = Field(default=1.0, gt=0.0, le=1.0)
    version_key: str = "version"
    superseded_when: dict[str, JsonValue] = Field(default_factory=dict)
    valid_until: str | None = None
    day: str = Field(default="1970-01-01", description="ISO date that valid_until is held against.")
    top_k: int | None = None
    context_k: int | None = None
    context_chars: int | None = None

    def matches_as(self, other: "Reading") -> bool:
        """Evidence that one of them finds, the other finds too."""
        return all(getattr(self, name) == getattr(other, name) for name in MATCHING)


class RunRecord(Frozen):
    """`run.json`."""

    format: int = FORMAT
    id: str
    day: str
    tool: str
    commit: str | None = None
    scoring: int
    plan: str
    plan_path: str | None = None
    plan_digest: str
    baseline: str | None = Field(default=None, description="Where the plan keeps its baseline.")
    dataset: DatasetPrint
    pipeline: PipelinePrint
    generates: bool = Field(description="False in a retrieval-only plan.")
    judge: JudgePrint | None = None
    reading: Reading
    selection: Selection = Selection()
    repeats: int = 1
    probes: tuple[Probe, ...] = Field(default=(), description="What its rows were probed with.")
    thresholds: Thresholds = Thresholds()
    metrics: tuple[str, ...] | None = Field(
        default=None, description="Retrieval metrics that the plan keeps; None keeps all."
    )
    gates: tuple[Gate, ...] | None = Field(
        default=None,
        description="As the plan writes them, its word `defaults` as ten gates that may be empty; "
        "None where it has none (the defaults).",
    )
    fail_on_loosened: bool = False
    allow_errors: int = 0
    waivers: tuple[Waiver, ...] = ()
    quarantine: tuple[Quarantine, ...] = ()
    retired: tuple[Retired, ...] = ()
    decisions: tuple[Decision, ...] = Field(
        default=(), description="What people had decided: it is read on both sides of a comparison."
    )
    totals: dict[str, Any] = Field(default_factory=dict)


class Acceptance(Frozen):
    """One line of a baseline's history."""

    run: str
    day: str
    reason: str
    by: str | None = None
    rows: int = Field(description="Rows that were replaced or added.")
    partial: bool = False
    taken: tuple[str, ...] = Field(
        default=(), description="Of a partial acceptance: the rows that were replaced or added."
    )
    kept: tuple[str, ...] = Field(
        default=(), description="Of a whole one: undecided rows that kept their older result."
    )
    moved: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="How an outcome changed -> rows."
    )


class Accepted(Frozen):
    """`accepted.json`: how a baseline came to be."""

    format: int = FORMAT
    files: dict[str, str] = Field(
        default_factory=dict,
        description="SHA-256 of each of the baseline's other files, its line ends read as \\n.",
    )
    history: tuple[Acceptance, ...] = ()
    first: dict[str, str] = Field(
        default_factory=dict, description="Outcome of each row when it was first accepted."
    )
    first_scores: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        description="Row -> metric -> value when it was first accepted, of those that moved since.",
    )
    last_scores: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        description="The same before the newest acceptance, of those that it moved.",
    )
