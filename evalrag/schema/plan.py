"""The plan: what is run, how it is judged, and what must hold."""

import datetime
from collections.abc import Mapping
from typing import Any, Self

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema

from evalrag.schema.calibration import Requirement
from evalrag.schema.frozen import Frozen, also
from evalrag.schema.gate import Gate, GateEntry
from evalrag.schema.run_plan import RunPlan
from evalrag.schema.words import Probe, Stage


class Use(Frozen):
    """A thing by name: a built-in, an installed plug-in, or `package.module:attribute`."""

    use: str = Field(
        min_length=1, description="A built-in, an installed plug-in, or package.module:attribute."
    )
    with_: dict[str, JsonValue] = Field(
        default_factory=dict, alias="with", description="Its settings."
    )
    model: str | None = Field(default=None, description="For the fingerprint: name it here.")


class JudgePlan(Use):
    """Who judges, how often it is asked, and what it must have shown."""

    use: str = Field(
        default="offline", min_length=1, description="offline, openai, anthropic, or your own."
    )
    votes: int = Field(default=1, ge=1, le=15, description="Majority or unresolved.")
    examples: str | None = Field(
        default=None, description="Labels by people that the judge is shown, relative to the plan."
    )
    decisions: str = Field(
        default="decisions.jsonl", description="What people decided; relative to the plan."
    )
    calibrations: str = Field(
        default="calibrations", description="Folder of calibration records; relative to the plan."
    )
    require_calibration: Requirement | None = Field(
        default=None, description="Refuse a judge that was not measured, or not well enough."
    )
    require_other_family: bool = Field(
        default=False, description="Refuse a judge of the generator's model family."
    )


class DatasetPlan(Frozen):
    """The golden rows."""

    path: str = Field(min_length=1, description="Relative to the plan.")


class CorpusPlan(Frozen):
    """The documents, where `check` and the diagnosis may look whether evidence exists at all."""

    path: str | None = Field(default=None, description="JSON Lines, relative to the plan.")
    fields: dict[str, str] = Field(
        default_factory=dict, description="Passage field -> field of the file, as {id: chunk_id}."
    )
    where: dict[str, JsonValue] = Field(
        default_factory=dict, description="Fields that a line must have to be a passage."
    )
    version_key: str = Field(default="version", description="Metadata key that tells versions.")


class PipelinePlan(Frozen):
    """`{retriever}`, `{retriever, generator, rewriter?}`, or one `{use, with}` that does it all."""

    retriever: Use | None = Field(default=None, description="Question -> passages, best first.")
    generator: Use | None = Field(default=None, description="Question and passages -> answer.")
    rewriter: Use | None = Field(default=None, description="Question and history -> query.")
    use: str | None = Field(
        default=None, min_length=1, description="One thing that does it all, in their place."
    )
    with_: dict[str, JsonValue] = Field(
        default_factory=dict, alias="with", description="Its settings."
    )
    model: str | None = Field(default=None, description="For the fingerprint: name it here.")
    top_k: int = Field(default=20, ge=1, le=100_000, description="Candidates that are kept.")
    context_k: int | None = Field(default=None, ge=1, description="Passages the model is given.")
    context_chars: int | None = Field(default=None, ge=1, description="Characters of text it is.")
    watch: tuple[str, ...] = Field(
        default=(), description="Files, relative to the plan, that are part of the pipeline."
    )
    version: str | None = Field(default=None, description="For show.")

    @model_validator(mode="after")
    def _one_shape(self) -> Self:
        if self.use is not None:
            if self.retriever or self.generator or self.rewriter:
                raise ValueError("give either `use` for the whole pipeline, or its stages")
        elif self.retriever is None:
            raise ValueError("give a retriever, or `use` for a pipeline that does it all")
        elif self.with_ or self.model:
            raise ValueError("`with` and `model` belong to a stage, beside its `use`")
        return self

    @property
    def called(self) -> Mapping[Stage, Use]:
        """What is called for each row, by its stage, in their order."""
        if self.use is not None:
            return {Stage.ANSWER: Use(use=self.use, **{"with": self.with_}, model=self.model)}
        stages = (
            (Stage.REWRITE, self.rewriter),
            (Stage.RETRIEVAL, self.retriever),
            (Stage.GENERATION, self.generator),
        )
        return {stage: entry for stage, entry in stages if entry is not None}


class Thresholds(Frozen):
    """Where a stage passes."""

    faithfulness: float = Field(
        default=0.8, ge=0.0, le=1.0, description="Share of claims that the context supports."
    )
    answer_relevancy: float = Field(
        default=0.5, ge=0.0, le=1.0, description="How far the question is answered."
    )
    answer_correctness: float = Field(
        default=0.8, ge=0.0, le=1.0, description="Agreement with the reference."
    )
    claim_recall: float = Field(
        default=0.8, ge=0.0, le=1.0, description="Share of reference facts in the context."
    )


UNSEEN = ("concurrency", "stage_concurrency", "max_seconds", "max_cost", "processes")
"""Keys of `run` that cannot change a result: an unfinished run goes on under others."""


def _day(value: str) -> str:
    try:
        return datetime.date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError("a day is written YYYY-MM-DD") from None


class Waiver(Frozen):
    """A row that may fail a gate to the end of a day (UTC)."""

    row: str = Field(min_length=1, description="The row's id.")
    gate: str = Field(min_length=1, description="The gate's name.")
    until: str = Field(description="The last day, YYYY-MM-DD (UTC).")
    reason: str = Field(min_length=1, description="Why; every report shows it.")

    _until = field_validator("until")(_day)


class Quarantine(Frozen):
    """A row that runs and is shown, and stands outside every gate to the end of a day (UTC)."""

    row: str = Field(min_length=1, description="The row's id.")
    until: str = Field(description="The last day, YYYY-MM-DD (UTC).")
    owner: str = Field(min_length=1, description="Who mends it.")
    reason: str = Field(min_length=1, description="Why; every report shows it.")

    _until = field_validator("until")(_day)


class Retired(Frozen):
    """A row that was taken out of the dataset on purpose."""

    row: str = Field(description="The row's id.")
    reason: str = Field(min_length=1, description="Why it was taken out.")


class BaselinePlan(Frozen):
    """Where the accepted run is kept."""

    path: str = Field(min_length=1, description="Relative to the plan.")


class ReportPlan(Use):
    """A report in a format of its own: a word, or `{use: junit, to: out/junit.xml}`."""

    to: str | None = Field(
        default=None, min_length=1, description="The file, relative to the working directory."
    )

    @model_validator(mode="before")
    @classmethod
    def _a_word(cls, value: Any) -> Any:
        return {"use": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        word = {"type": "string", "minLength": 1, "description": "terminal or github, on stdout."}
        return also(handler(core_schema), word)


class Plan(Frozen):
    version: int = Field(description="Format of the plan: 1.")
    name: str = Field(min_length=1, description="How reports call it.")
    dataset: DatasetPlan
    corpus: CorpusPlan = CorpusPlan()
    pipeline: PipelinePlan
    judge: JudgePlan = JudgePlan()
    metrics: tuple[str, ...] | None = Field(
        default=None, description="Retrieval metrics to keep; all when missing."
    )
    probes: tuple[Probe, ...] = Field(
        default=(), description="Further calls that tell two causes apart; they cost."
    )
    thresholds: Thresholds = Thresholds()
    quote_coverage: float = Field(
        default=1.0, gt=0.0, le=1.0, description="Share of a quote's words that must be there."
    )
    superseded_when: dict[str, Any] = Field(
        default_factory=dict, description="{metadata: {KEY: VALUE}}: old for the whole corpus."
    )
    valid_until: str | None = Field(
        default=None, description="Metadata key of the last day a passage holds."
    )
    run: RunPlan = RunPlan()
    runs: str | None = Field(default=None, description="Folder of runs; .evalrag/runs by default.")
    baseline: BaselinePlan | None = Field(
        default=None, description="Where the accepted run is kept that a run is held against."
    )
    gates: tuple[GateEntry, ...] | None = Field(
        default=None,
        description="What must hold; the word `defaults` among them stands for the ten default "
        "gates, which a plan without `gates` has as well.",
    )
    fail_on_loosened: bool = Field(
        default=False, description="Fail where something became easier to pass."
    )
    waivers: tuple[Waiver, ...] = Field(default=(), description="Rows that may fail a gate.")
    quarantine: tuple[Quarantine, ...] = Field(default=(), description="Rows outside every gate.")
    retired: tuple[Retired, ...] = Field(default=(), description="Rows that were taken out.")
    reports: tuple[ReportPlan, ...] = Field(
        default=(), description="Files that `run` writes beside what it prints."
    )

    @field_validator("version")
    @classmethod
    def _known_version(cls, value: int) -> int:
        if value != 1:
            raise ValueError(f"this evalrag reads plans of version 1, not {value}")
        return value

    @field_validator("probes")
    @classmethod
    def _each_once(cls, value: tuple[Probe, ...]) -> tuple[Probe, ...]:
        twice = sorted({probe.value for probe in value if value.count(probe) > 1})
        if twice:
            raise ValueError(f"{', '.join(twice)} stands there twice: keep one")
        return value

    @field_validator("superseded_when")
    @classmethod
    def _metadata_alone(cls, value: dict[str, Any]) -> dict[str, Any]:
        if value and (set(value) != {"metadata"} or not isinstance(value["metadata"], dict)):
            raise ValueError("write {metadata: {KEY: VALUE}}")
        return value

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        names = [gate.name for gate in self.gates or () if isinstance(gate, Gate)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"gates: two gates are called {', '.join(map(repr, twice))}")
        if len(self.gates or ()) - len(names) > 1:
            raise ValueError("gates: `defaults` stands there twice: keep one")
        return self
