"""The JSON report as a published shape: a verdict, and what the run was of."""

from typing import Literal

from pydantic import Field

from evalrag.schema.frozen import Frozen
from evalrag.schema.run import JudgePrint, PipelinePrint
from evalrag.schema.verdict import Verdict

SCHEMA_VERSION = 1
"""Raised when a key is taken away or means something else; keys may be added without."""


class Fingerprints(Frozen):
    """What the run was of: equal digests are equal things."""

    plan: str = Field(description="Digest of the plan.")
    dataset: str = Field(description="Digest over all rows of the dataset.")
    pipeline: PipelinePrint
    judge: JudgePrint | None = Field(description="None where nothing judged.")
    scoring: int = Field(description="Version of the rules that scores are made by.")


class PublishedReport(Verdict):
    """What `--format json` prints and `--output FILE.json` writes."""

    schema_version: Literal[1] = Field(description="Version of this shape.")
    verdict: Literal["passed", "failed", "undecided", "no baseline"] = Field(
        description="The exit code in a word."
    )
    plan: str = Field(description="Name of the plan.")
    day: str = Field(description="Day of the run, YYYY-MM-DD.")
    fingerprints: Fingerprints
