"""What changed from one run to another, as data."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import ConfigDict, Field, computed_field

from evalrag.schema.answers import Answers
from evalrag.schema.frozen import Frozen
from evalrag.schema.words import Kind, Outcome, Stage

_CLOSED = ConfigDict(
    extra="forbid",
    allow_inf_nan=False,
    hide_input_in_errors=True,
    json_schema_serialization_defaults_required=True,
)


class Change(StrEnum):
    """Every id of either run has exactly one; worst first."""

    BROKE = "broke"
    NOW_FAILING = "now failing"
    LOST = "lost"
    REMOVED = "removed"
    EDITED = "edited"
    NEW = "new"
    RELABELLED = "relabelled"
    """Only labels changed, and scored with the new ones it stands where it stood."""
    STILL_FAILING = "still failing"
    STILL_UNDECIDED = "still undecided"
    IMPROVED = "improved"
    FIXED = "fixed"
    RECOVERED = "recovered"
    STILL_PASSING = "still passing"


BROKEN = (Change.BROKE, Change.NOW_FAILING)
"""Rows that fail and did not fail before."""


class Relation(StrEnum):
    """How a row of this run stands to the row of the baseline with its id."""

    SAME = "same"
    RELABELLED = "relabelled"
    """Only labels changed; the baseline's stored trace was scored again with the new ones."""
    RENAMED = "renamed"
    """A new id with the question, history and labels of a removed one, and compared with that."""
    EDITED = "edited"
    NEW = "new"
    REMOVED = "removed"


_ASKED_ALIKE = (Relation.SAME, Relation.RELABELLED)


class Moved(Frozen):
    """A metric before and after; None where it has no value, and then why."""

    metric: str
    before: float | None = None
    after: float | None = None
    before_why: str | None = None
    after_why: str | None = None


NO_ANSWERS = Answers()
"""Of a row that neither run answered."""


@dataclass(slots=True)
class RowChange:
    """One row's change: the worst of its stages."""

    __pydantic_config__ = _CLOSED

    id: str
    kind: Kind
    change: Change
    relation: Relation
    stages: dict[Stage, Change] = field(default_factory=dict)
    before: Outcome | None = None
    after: Outcome | None = None
    moved: tuple[Moved, ...] = ()
    diagnosis_before: str | None = None
    diagnosis_after: str | None = None
    warnings: tuple[str, ...] = ()
    flaky: bool = False
    note: str | None = None
    warnings_before: tuple[str, ...] = ()
    outcomes: dict[Stage, tuple[Outcome, Outcome]] = field(default_factory=dict)
    """Of each stage that ended otherwise than before: then and now."""
    question: str = ""
    """As this run asked it, or the baseline where it is removed; empty where neither stores it."""
    answers: Answers = NO_ANSWERS

    @property
    def answers_differ(self) -> bool:
        """Both runs asked the same, and were not answered the same."""
        return self.compared and self.answers.changed

    @property
    def compared(self) -> bool:
        """Both runs have the row, and asked the same."""
        return self.relation in _ASKED_ALIKE

    @property
    def new_warnings(self) -> tuple[str, ...]:
        """Those that the baseline did not have; without a baseline all are."""
        return tuple(code for code in self.warnings if code not in self.warnings_before)


class Mean(Frozen):
    """A mean and its denominator, over the rows of one kind and origin (or of all)."""

    metric: str
    kind: str
    origin: str
    value: float | None = Field(description="None when nothing was scored.")
    scored: int
    eligible: int
    not_applicable: int
    absent: int = Field(
        default=0, description="Rows without a position, which count in no mean of positions."
    )
    unresolved: int
    errored: int
    before: float | None = Field(default=None, description="On the rows that both runs scored.")
    after: float | None = Field(default=None, description="On the same rows.")
    paired: int = 0


class Topic(StrEnum):
    """What a sentence of the paragraph is about."""

    PIPELINE = "pipeline"
    """What is known to have changed in it."""
    STAGES = "stages"
    MEANS = "means"
    ROWS = "rows"
    LOOK = "look"


class Sentence(Frozen):
    """One of the paragraph, and what it lists."""

    topic: Topic
    text: str
    parts: tuple[str, ...] = Field(
        default=(), description="Where it is a list: its entries. Of `look`: where, and the change."
    )


class Part(StrEnum):
    """A part of a pipeline, or of what it is measured with, that a person can go and look at."""

    REWRITER = "rewriter"
    INDEX = "index"
    """How it is built and searched: chunks, embeddings, filters."""
    HYGIENE = "index hygiene"
    """What it holds: old versions, copies, rivals."""
    TOP_K = "top-k"
    RERANKER = "reranker"
    WINDOW = "window"
    PROMPT = "prompt"
    MODEL = "model"
    PERMISSIONS = "permissions"
    LABELS = "labels"
    JUDGE = "judge"


class Look(Frozen):
    """One place to look, and what it was chosen by."""

    part: Part
    stage: Stage = Field(description="The stage that moved most.")
    rows: int = Field(description="Rows that broke in it first, or that its gates fail.")
    of: int = Field(description="Of how many.")
    code: str | None = Field(default=None, description="Their commonest diagnosis of this stage.")
    key: str | None = Field(
        default=None, description="The setting or the file that changed, where one explains it."
    )


class RunDiff(Frozen):
    """All changes, what they mean together, and what may not be compared."""

    baseline: str | None = Field(description="Id of the run it was compared with.")
    run: str
    changes: tuple[RowChange, ...] = ()
    pipeline_changes: tuple[str, ...] = Field(
        default=(), description="Which of window, index, prompt, model and the rest changed."
    )
    pipeline_details: tuple[str, ...] = Field(
        default=(), description="Settings of the plan and watched files that changed, by name."
    )
    loosened: tuple[str, ...] = ()
    notes: tuple[str, ...] = Field(default=(), description="Said in the head of every report.")
    sentences: tuple[Sentence, ...] = Field(default=(), description="The paragraph, by topic.")
    look: Look | None = Field(default=None, description="Where to look first.")
    answers_compared: int = Field(
        default=0, description="Rows that both runs asked the same, and that one of them answered."
    )
    answers_changed: int = Field(default=0, description="How many of these were answered anew.")

    @computed_field(description="The text of `sentences`.")  # type: ignore[prop-decorator]
    @property
    def paragraph(self) -> tuple[str, ...]:
        return tuple(sentence.text for sentence in self.sentences)

    def about(self, *topics: Topic) -> tuple[Sentence, ...]:
        """The sentences on these topics, in their order."""
        return tuple(sentence for sentence in self.sentences if sentence.topic in topics)

    def counts(self) -> dict[str, int]:
        """Rows a change, those that are none left out, in the order of `Change`."""
        found = Counter([row.change for row in self.changes])
        return {change.value: found[change] for change in Change if change in found}
