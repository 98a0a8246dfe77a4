"""What a run may take, as plan and command line say, and what of it cannot be counted."""

import math

from evalrag.cli.output import note
from evalrag.cli.prepare import Setting
from evalrag.cli.verdicts import Against
from evalrag.errors import UsageError
from evalrag.execution.first_failure import FirstFailure
from evalrag.execution.halting import Halt, Limits
from evalrag.execution.session import Job
from evalrag.regression.narrative import counted
from evalrag.schema.words import Outcome


def above_zero(flag: str, value: float | None) -> float | None:
    """The value of a flag that sets a limit.

    Raises:
        UsageError: nothing could be done within it.
    """
    if value is not None and not (value > 0 and math.isfinite(value)):
        raise UsageError(
            f"{flag} must be above 0, not {value:g}", hint=f"evalrag run PLAN {flag} 5"
        )
    return value


def halt_of(setting: Setting, max_cost: float | None, max_seconds: float | None) -> Halt:
    """What ends the run early: a flag stands before the plan."""
    run = setting.loaded.plan.run
    limits = Limits(
        seconds=run.max_seconds if max_seconds is None else max_seconds,
        cost=run.max_cost if max_cost is None else max_cost,
    )
    return Halt(limits, on_said=note)


def first_failure_of(job: Job, against: Against) -> FirstFailure:
    """What looks out for the first row that fails and may not."""
    known = {one.row for one in job.record.quarantine if one.until >= job.record.day}
    if against.run is not None:
        known |= {one.id for one in against.run.briefs if one.outcome is Outcome.FAIL}
    return FirstFailure(
        job.rows,
        job.scorer,
        repeats=job.record.repeats,
        known=known,
        allow_errors=job.record.allow_errors,
    )


def note_uncounted(halt: Halt) -> None:
    """Where a run may cost so much alone, say of how many calls nobody knows the cost."""
    if halt.limits.cost is not None and halt.uncounted:
        note(
            f"max_cost did not count {counted(halt.uncounted, 'call')} that named no cost: give "
            "usage.cost in the pipeline's answers, and the judge's price under judge.with"
        )
