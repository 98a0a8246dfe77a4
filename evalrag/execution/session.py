"""One run from its first call to its stored folder: observe, then score what was stored."""

import asyncio
import contextlib
import itertools
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from evalrag.errors import Interrupted, RunError
from evalrag.execution.judged import Attempts, Calls, Scorer, score_rows
from evalrag.execution.observe import Pipeline, observe
from evalrag.judging.tasks import Heard
from evalrag.schema.alike import Like
from evalrag.schema.ask import Ask
from evalrag.schema.digest import digest
from evalrag.schema.result import RowResult
from evalrag.schema.row import Row
from evalrag.schema.rows import Golden, goldens_of, ids_of
from evalrag.schema.run import RunRecord
from evalrag.schema.trace import Trace


class Kept(Protocol):
    """The journalled attempts of a row, read back."""

    def attempts(self, row: str) -> list[tuple[int, Trace]]: ...


class Keeps(Protocol):
    """Where finished attempts go while a run goes on."""

    path: Path
    done: set[tuple[str, int]]

    def add(self, row: str, repeat: int, trace: Trace) -> None: ...
    def reader(self) -> Kept: ...
    def close(self) -> None: ...


class Writes(Protocol):
    """Where the finished run goes."""

    def row(self, result: RowResult | Like) -> None: ...
    def trace(self, line: bytes) -> None: ...
    def timing(self, line: bytes) -> None: ...
    def call(self, line: bytes) -> None: ...
    def finish(self, record: RunRecord) -> Path: ...
    def close(self) -> None: ...


@runtime_checkable
class Replays(Protocol):
    """A pipeline that calls nobody: what it gives can be had again, so none of it is journalled."""

    def replay(self, row: str, repeat: int) -> Trace: ...


@dataclass(frozen=True, slots=True)
class _Replayed:
    """Attempts that are read where they were recorded, when they are asked for."""

    pipeline: Replays
    repeats: int
    on_progress: Callable[[], None]

    def attempts(self, row: str) -> list[tuple[int, Trace]]:
        self.on_progress()
        return [(repeat, self.pipeline.replay(row, repeat)) for repeat in range(self.repeats)]


@dataclass(frozen=True, slots=True)
class Job:
    """All that a run is made of, but for where it is kept."""

    rows: Sequence[Row]
    record: RunRecord
    """Its head, without totals; the run's id and day are already in it."""
    scorer: Scorer
    concurrency: int
    trace_line: Callable[[Golden, int, Trace], bytes]
    timing_line: Callable[[str, int, Trace], bytes]
    call_line: Callable[[str, int, Heard], bytes]

    @property
    def attempts(self) -> int:
        return len(self.rows) * self.record.repeats

    def key(self) -> str:
        """What a journal must belong to for this job to go on from it."""
        record = self.record
        return digest(
            [
                record.plan_digest,
                record.dataset.digest,
                record.pipeline.digest,
                ids_of(self.rows),
                record.repeats,
            ]
        )


Progress = Callable[[int, int], None]
"""Called with the attempts that are done and all of them."""


async def observe_job(
    job: Job, pipeline: Pipeline[Ask], journal: Keeps, *, on_progress: Progress
) -> None:
    """Call the pipeline for every attempt that the journal does not hold."""
    total = job.attempts

    def done(ask: Ask, trace: Trace) -> None:
        journal.add(ask.row_id, ask.repeat, trace)
        on_progress(len(journal.done), total)

    on_progress(len(journal.done), total)
    await observe(_asks(job, journal.done), pipeline, concurrency=job.concurrency, on_done=done)


def _asks(job: Job, done: set[tuple[str, int]]) -> Iterator[Ask]:
    for row in job.rows:
        history = [{"role": turn.role, "content": turn.content} for turn in row.history]
        for repeat in range(job.record.repeats):
            if (row.id, repeat) not in done:
                yield Ask(row.id, row.question, history, repeat)


async def score_job(job: Job, kept: Kept, writer: Writes) -> Path:
    """Score what was observed and write the run whole."""
    outcomes: Counter[str] = Counter()
    merged = 0
    served: set[str] = set()
    unpinned: set[str] = set()

    def keep(result: RowResult | Like, row: Golden, attempts: Attempts, calls: Calls) -> None:
        nonlocal merged
        writer.row(result)
        had_context_alone = False
        for repeat, trace in attempts:
            writer.trace(job.trace_line(row, repeat, trace))
            writer.timing(job.timing_line(row.id, repeat, trace))
            had_context_alone |= "merged" in trace and trace["merged"]
        if calls:
            for (repeat, _), heard in zip(attempts, calls, strict=False):
                for one in heard:
                    writer.call(job.call_line(row.id, repeat, one))
                    served.update([one.model] if one.model else ())
                    unpinned.update(one.dropped)
        outcomes[result.outcome._value_] += 1
        merged += had_context_alone

    await score_rows(_observed(job, kept), job.scorer, at_once=job.concurrency, on_done=keep)
    totals: dict[str, Any] = {"rows": len(job.rows), "outcomes": dict(sorted(outcomes.items()))}
    if merged:
        totals["merged"] = merged
    if served:
        totals["judge_models"] = sorted(served)
    if unpinned:
        totals["judge_unpinned"] = sorted(unpinned)
    if job.scorer.decisions.rows:
        ran = ids_of(job.rows)
        totals["decided"] = [row for row in ran if row in job.scorer.decisions.rows]
    return writer.finish(job.record.model_copy(update={"totals": totals}))


def _observed(job: Job, kept: Kept) -> Iterable[tuple[Golden, Attempts]]:
    for row in goldens_of(job.rows):
        attempts = kept.attempts(row.id)
        if len(attempts) != job.record.repeats:
            raise RunError(
                f"row {row.id} has {len(attempts)} of {job.record.repeats} attempts",
                hint="go on with: evalrag run PLAN --resume",
            )
        yield row, attempts


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
) -> Path:
    """Run a job to its end and say where it is stored. The one place that starts an event loop.

    Raises:
        Interrupted: by Ctrl-C or SIGTERM; what was finished stays in the journal.
    """
    try:
        kept: Kept
        if isinstance(pipeline, Replays):
            kept = _Replayed(pipeline, job.record.repeats, _counted(job, on_progress))
        else:
            with contextlib.redirect_stdout(sys.stderr):
                asyncio.run(observe_job(job, pipeline, journal, on_progress=on_progress))
            kept = journal.reader()
        writes = writer()
        try:
            return asyncio.run(score_job(job, kept, writes))
        finally:
            writes.close()
    except KeyboardInterrupt:
        raise Interrupted(
            f"stopped with {len(journal.done)} of {job.attempts} attempts kept",
            hint=f"evalrag run {_plan(job)} --resume",
        ) from None
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


def _plan(job: Job) -> str:
    return shlex.quote(job.record.plan_path or "PLAN")
