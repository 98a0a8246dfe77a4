"""What one golden row scored in one run."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, NotRequired

from pydantic import Field, JsonValue
from typing_extensions import TypedDict

from evalrag.schema.frozen import Frozen
from evalrag.schema.score import Reason, Score, from_wire
from evalrag.schema.words import (
    FactLabel,
    Form,
    Kind,
    Label,
    Mark,
    Outcome,
    Probe,
    Relevancy,
    Stage,
)


class Placed(TypedDict):
    """A passage without its text, as it is stored: what goes without saying is left out.

    The candidates stand first, in their order, which is their rank; an unjudged one outside the
    context is stored as its id alone.
    """

    id: NotRequired[str]
    doc: NotRequired[str]
    mark: NotRequired[Mark]
    """Missing where it is unjudged."""
    window: NotRequired[int]
    """Position in the context, from 1; missing where the model did not see it."""
    gold: NotRequired[list[int]]
    """Indexes of the gold evidences it finds, completes or covers in part."""
    extra: NotRequired[bool]
    """In the context and not among the candidates."""


class Place(NamedTuple):
    """The same with everything said."""

    name: str
    mark: Mark
    rank: int | None
    """Position among the candidates, from 1; None where the context alone has it."""
    window: int | None
    gold: Sequence[int]


class Nearly(TypedDict):
    """What was looked for, and what is there in its place."""

    why: Literal["key", "value", "spelling", "document"]
    """No candidate has the metadata key; a value, or a name, in another writing; the same words in
    another document."""
    field: str
    """`id`, `doc`, or the metadata key."""
    wanted: Any
    there: list[Any]
    """The keys, the value or the name that is there; a few."""
    candidate: int
    """Position of the candidate, from 1; 0 where it is none of them."""


class Sought(TypedDict):
    """What became of one gold evidence."""

    candidates: bool
    """Found among the candidates."""
    context: bool
    """Found in the context."""
    covered: float
    """Share of it that the context covers, in [0, 1]."""
    rank: NotRequired[int]
    """Position of the candidate that completes it, from 1."""
    reranked: NotRequired[bool]
    """Found within the window of the reranked list, where the pipeline gave one."""
    handed: NotRequired[bool]
    """Found in what the generator was handed, where it named itself what it used of that."""
    split: NotRequired[bool]
    """The chunker cut it, and a part of it is in the context."""
    replaced_by: NotRequired[int]
    """Position in the context, from 1, of an old version of its document, where it is missing."""
    nearly: NotRequired[Nearly]
    """What is among the candidates in its place: the same in another writing, say."""
    corpus: NotRequired[int]
    """Matches in the corpus, where it is known and was asked: 0 is missing content."""


class Claim(Frozen):
    """A statement of the answer, its label, and the words of the context it rests on."""

    id: str
    text: str
    label: Label
    reason: str = ""
    code: str | None = None
    quote: str | None = None
    passages: tuple[int, ...] = Field(default=(), description="Context positions, from 1.")
    conflict: tuple[int, ...] = Field(
        default=(), description="Context positions that contradict a supported claim."
    )
    judge_failed: bool = Field(
        default=False, description="UNRESOLVED since the judge gave no usable label."
    )


class FactVerdict(Frozen):
    """A reference fact held against the answer, or against the context."""

    fact: str
    label: FactLabel
    reason: str = ""
    quote: str | None = Field(default=None, description="The words that it rests on.")
    judge_failed: bool = Field(default=False, description="As of a claim.")


class AnswerCheck(Frozen):
    """What a right answer says, or never says, looked for in an answer by plain code."""

    texts: tuple[str, ...] = Field(description="What was looked for; one of these is enough.")
    excluded: bool = Field(default=False, description="It must not be there.")
    holds: bool
    at: int | None = Field(
        default=None, description="Where it stands in the answer: characters, from 0."
    )
    quote: str | None = Field(default=None, description="The words of the answer that stand there.")
    passages: tuple[int, ...] = Field(
        default=(), description="Of one that does not hold: context positions that say it, from 1."
    )


class Verdicts(Frozen):
    """All that one judge said about one answer. Scores are derived from this by plain code."""

    judge: str = Field(description="Digest of the judge's fingerprint.")
    form: Form | None = None
    form_by: str | None = Field(default=None, description="The code or judge that decided it.")
    form_reason: str = ""
    claims: tuple[Claim, ...] = ()
    facts: tuple[FactVerdict, ...] = Field(default=(), description="Facts against the answer.")
    recalled: tuple[FactVerdict, ...] = Field(
        default=(), description="Facts against the context: STATED is supported."
    )
    relevancy: Relevancy | None = None
    padded: bool = False
    useful: tuple[bool, ...] = Field(
        default=(), description="Whether each passage of the context helps, where it was asked."
    )
    unresolved: dict[str, str] = Field(
        default_factory=dict, description="Tasks that gave no verdict, and why."
    )
    failed: tuple[str, ...] = Field(
        default=(),
        description="Those of them in which the judge gave no usable reply; it left others open.",
    )
    guard: tuple[str, ...] = Field(
        default=(), description="Verdicts that plain code held against their words, and why."
    )
    suspicious: tuple[str, ...] = Field(
        default=(), description="Text in context or answer that speaks to a judge."
    )


class Finding(Frozen):
    """A diagnosis or a warning that holds, and what shows it."""

    code: str
    because: str = ""


class Probed(Frozen):
    """What one probe found out. `outcome` and `because` follow from the rest and the thresholds."""

    outcome: Outcome = Field(
        description="fail: what it looks for was found; unresolved: it could not be had."
    )
    because: str = ""
    unresolved: str | None = Field(default=None, description="Why it could not be had.")
    finds: tuple[int, ...] = Field(
        default=(), description="Gold, from 0, that the standalone question finds."
    )
    missed: tuple[int, ...] = Field(
        default=(), description="What of that the rewritten query does not find."
    )
    scores: dict[str, float] = Field(default_factory=dict)
    reasons: dict[str, Reason] = Field(default_factory=dict)
    answer: str | None = None
    checks: tuple[AnswerCheck, ...] = ()
    verdicts: Verdicts | None = None

    def score(self, metric: str) -> Score:
        """The score called `metric`, as one of the four kinds."""
        return from_wire(self.scores, self.reasons, metric)


EMPTY = "the answer is empty"


class Attempt(Frozen):
    """One attempt at a row, scored."""

    outcome: Outcome
    stages: dict[Stage, Outcome] = Field(
        default_factory=dict, description="Stages that had something to decide; the rest is na."
    )
    scores: dict[str, float] = Field(default_factory=dict)
    reasons: dict[str, Reason] = Field(default_factory=dict)
    diagnoses: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    passages: tuple[Placed | str, ...] = ()
    evidence: tuple[Sought, ...] = ()
    answer: str | None = None
    checks: tuple[AnswerCheck, ...] = Field(
        default=(), description="The row's answer checks held against the answer."
    )
    verdicts: Verdicts | None = None
    error: str | None = None
    error_stage: Stage | None = Field(
        default=None, description="The stage whose call failed; later ones were not reached."
    )
    probes: dict[Probe, Probed] = Field(
        default_factory=dict, description="What the probes of it found out."
    )

    def score(self, metric: str) -> Score:
        """The score called `metric`, as one of the four kinds."""
        return from_wire(self.scores, self.reasons, metric)

    def places(self) -> list[Place]:
        """Every passage, candidates first, with its rank."""
        return [_place(entry, rank) for rank, entry in enumerate(self.passages, start=1)]

    @property
    def diagnosis(self) -> str | None:
        """The code of the first diagnosis."""
        return self.diagnoses[0].code if self.diagnoses else None

    @property
    def empty(self) -> str | None:
        """Said of an answer without a word, which no diagnosis explains."""
        return EMPTY if self.answer is not None and not self.answer.strip() else None


def _place(entry: Placed | str, rank: int) -> Place:
    if isinstance(entry, str):
        return Place(entry, Mark.UNJUDGED, rank, None, ())
    return Place(
        entry.get("id") or entry.get("doc") or "(no id)",
        entry.get("mark", Mark.UNJUDGED),
        None if entry.get("extra") else rank,
        entry.get("window"),
        entry.get("gold", ()),
    )


class _Identity(Frozen):
    """Which row it is, and what of it outlives the dataset."""

    id: str
    kind: Kind
    digest: str = Field(description="Over everything that can change a score.")
    asked: str = Field(description="Over question, history and kind alone: an edit changes it.")
    question: str = Field(default="", description="Empty in a run of an earlier evalrag.")
    about: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="The row's fields that a gate's `where` can name, those that are not default.",
    )
    expect: tuple[Form, ...] = Field(default=(), description="As the row says; empty: default.")
    asks: tuple[str, ...] = Field(
        default=(),
        description="Of each label that asks something its field and digest: which were dropped.",
    )


class RowResult(Attempt, _Identity):
    """A row's line in `rows.jsonl`.

    With several attempts the fields of `Attempt` hold what gates look at (lower median, majority of
    stages, worst `hard_fail`) and `attempts` holds each; with one attempt `attempts` is empty.
    """

    flaky: bool = False
    attempts: tuple[Attempt, ...] = ()
    other_verdicts: dict[str, Verdicts] = Field(
        default_factory=dict, description="Verdicts of other judges, by fingerprint digest."
    )
