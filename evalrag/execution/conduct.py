"""A job from its first call to its stored run, or to where it was stopped."""

import asyncio
import contextlib
import itertools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evalrag.errors import Interrupted
from evalrag.execution.first_failure import FirstFailure
from evalrag.execution.halting import Halt, Why
from evalrag.execution.observe import Pipeline
from evalrag.execution.session import (
    Job,
    Keeps,
    Kept,
    Progress,
    Replays,
    Writes,
    observe_job,
    score_job,
)
from evalrag.execution.surroundings import Surroundings, stdout_aside
from evalrag.schema.ask import Ask
from evalrag.schema.trace import Trace


@dataclass(frozen=True, slots=True)
class _Replayed:
    """Attempts that are read where they were recorded, when they are asked for."""

    pipeline: Replays
    repeats: int
    on_progress: Callable[[], None]

    def attempts(self, row: str) -> list[tuple[int, Trace]]:
        self.on_progress()
        return [(repeat, self.pipeline.replay(row, repeat)) for repeat in range(self.repeats)]


def _counted(job: Job, on_progress: Progress) -> Callable[[], None]:
    """Tell of every hundredth row: a bar that is drawn for each takes longer than the row."""
    rows = itertools.count()

    def tell() -> None:
        done = next(rows)
        if done % 100 == 0:
            on_progress(done * job.record.repeats, job.attempts)

    return tell


def conduct(
    job: Job,
    pipeline: Pipeline[Ask],
    journal: Keeps,
    writer: Callable[[], Writes],
    *,
    on_progress: Progress,
    halt: Halt | None = None,
    on_second: Callable[[], None] = lambda: None,
    first: FirstFailure | None = None,
    surroundings: Surroundings | None = None,
    remarks: Callable[[], Sequence[str]] = tuple,
) -> Path:
    """Run a job to its end and say where it is stored. The one place that starts an event loop.

    Args:
        job: What is run.
        pipeline: What is asked.
        journal: Where attempts are kept meanwhile.
        writer: Makes what writes the run, when all was observed.
        on_progress: Told of every attempt.
        halt: What may end the run early.
        on_second: Called every second while the pipeline is asked.
        surroundings: Where the pipeline's code was left when it was made.
        first: Looks out for the first row that fails, which ends the run.
        remarks: What the pipeline has to say of the whole run, once it was asked.

    Raises:
        Interrupted: by Ctrl-C, SIGTERM or a limit; what was finished stays in the journal.
    """
    halt, surroundings = halt or Halt(), surroundings or Surroundings()
    try:
        with halt.listening():
            for cost in journal.paid.costs():
                halt.pay(cost)
            kept: Kept
            if isinstance(pipeline, Replays):
                kept = _Replayed(pipeline, job.record.repeats, _counted(job, on_progress))
            else:
                with surroundings.theirs():
                    asyncio.run(
                        observe_job(
                            job,
                            pipeline,
                            journal,
                            halt=halt,
                            on_progress=on_progress,
                            on_second=on_second,
                            first=first,
                        )
                    )
                whole = len(journal.done) == job.attempts
                if halt.why is not None and not (whole and halt.why.limit):
                    raise KeyboardInterrupt
                kept = journal.reader()
            if said := remarks():
                record = job.record.model_copy(update={"totals": {"remarks": said}})
                job = replace(job, record=record)
            writes = writer()
            try:
                with stdout_aside():
                    record = asyncio.run(
                        score_job(job, kept, writes, halt=halt, paid=journal.paid, first=first)
                    )
                surroundings.restore()
                return writes.finish(record)
            finally:
                writes.close()
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise _interrupted(job, journal, halt) from None
    except OSError as error:
        raise Interrupted(
            f"the run cannot be written ({error.strerror or error}); "
            f"{len(journal.done)} of {job.attempts} attempts are kept",
            where=str(journal.path.parent),
            hint=f"make room, then: evalrag run {_plan(job)} --resume",
        ) from None
    finally:
        with contextlib.suppress(OSError):  # said above, or nothing is left to be kept
            journal.close()


def _interrupted(job: Job, journal: Keeps, halt: Halt) -> Interrupted:
    why = halt.why or Why("stopped")
    more = f" {why.hint}" if why.hint else ""
    return Interrupted(
        f"{why.said}: {len(journal.done)} of {job.attempts} attempts are kept",
        hint=f"evalrag run {_plan(job)} --resume{more}",
    )


def _plan(job: Job) -> str:
    return shlex.quote(job.record.plan_path or "PLAN")
