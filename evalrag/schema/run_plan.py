"""How a plan asks its rows: how many at once, how often again, and when to stop."""

from typing import Annotated

from pydantic import Field, StrictInt, StrictStr, field_validator

from evalrag.schema.frozen import Frozen


class RunPlan(Frozen):
    """How the rows are asked."""

    concurrency: int = Field(default=8, ge=1, le=1024, description="Rows that are asked at once.")
    stage_concurrency: dict[str, Annotated[int, Field(ge=1, le=1024)]] = Field(
        default_factory=dict,
        description="Calls in flight of a stage (rewrite, retrieval, generation; answer where one "
        "hook does it all), below `concurrency`.",
    )
    processes: dict[str, Annotated[int, Field(ge=1, le=64)]] = Field(
        default_factory=dict,
        description="Processes in which a stage's hook runs, for one that computes: each imports "
        "it anew. A call that is stuck is killed with its process.",
    )
    timeout_s: float = Field(default=60.0, gt=0.0, description="Of one call.")
    retries: int = Field(
        default=0,
        ge=0,
        le=20,
        description="More tries of a call that failed. What has the wrong shape, or a status of "
        "4xx other than 408, 425 and 429, is not tried again.",
    )
    retry_on: tuple[StrictStr | StrictInt, ...] = Field(
        default=(),
        description="What alone is tried again: names of exceptions, with their module unless "
        "they are built-in, and HTTP codes.",
    )
    max_seconds: float | None = Field(
        default=None,
        gt=0.0,
        description="After these nothing new is asked; the run can be resumed, and then has them "
        "again.",
    )
    max_cost: float | None = Field(
        default=None,
        gt=0.0,
        description="What pipeline (`usage.cost`) and judge (by its `price`) may cost in all; then "
        "nothing new is asked, and the run can be resumed.",
    )
    repeats: int = Field(default=1, ge=1, le=100, description="Attempts at each row, all kept.")
    allow_errors: int = Field(
        default=0, ge=0, description="Errored rows that are left out of gates and run, and named."
    )

    @field_validator("retry_on")
    @classmethod
    def _codes(cls, value: tuple[str | int, ...]) -> tuple[str | int, ...]:
        wrong = [code for code in value if isinstance(code, int) and not 400 <= code < 600]
        if wrong:
            raise ValueError(f"an HTTP code of a failure is from 400 to 599, not {wrong[0]}")
        return value
