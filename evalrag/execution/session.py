"""One run from its first call to its stored folder: observe, then score what was stored."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from evalrag.errors import RunError
from evalrag.execution.first_failure import FirstFailure
from evalrag.execution.halting import Halt, Room
from evalrag.execution.judged import Attempts, Calls, Scorer, score_rows
from evalrag.execution.observe import Pipeline, observe
from evalrag.judging.tasks import Heard
from evalrag.schema.ask import Ask
from evalrag.schema.digest import digest
from evalrag.schema.result import RowResult
from evalrag.schema.row import Row
from evalrag.schema.rows import Golden, goldens_of, ids_of
from evalrag.schema.run import RunRecord
from evalrag.schema.trace import Trace, known_cost


class Kept(Protocol):
    """The journalled attempts of a row, read back."""

    def attempts(self, row: str) -> list[tuple[int, Trace]]: ...


class Payments(Protocol):
    """What an unfinished run has cost so far."""

    def costs(self) -> Iterable[float | None]: ...
    def add(self, cost: float) -> None: ...


class Keeps(Protocol):
    """Where finished attempts go while a run goes on."""

    path: Path
    done: set[tuple[str, int]]

    @property
    def paid(self) -> Payments: ...
    def add(self, row: str, repeat: int, trace: Trace) -> None: ...
    def reader(self) -> Kept: ...
    def close(self) -> None: ...


class Writes(Protocol):
    """Where the finished run goes."""

    def row(self, result: RowResult) -> None: ...
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
class Job:
    """All that a run is made of, but for where it is kept."""

    rows: Sequence[Row]
    record: RunRecord
    """Its head, the run's id and day already in it; of totals there are the remarks, if any."""
    scorer: Scorer
    concurrency: int
    trace_line: Callable[[Golden, int, Trace], bytes]
    timing_line: Callable[[str, int, Trace], bytes]
    call_line: Callable[[str, int, Heard], bytes]
    cost_of: Callable[[Heard], float | None] = lambda heard: None
    """What a call of the judge cost, where its price is known."""
    judge_calls: bool = True
    """False of a judge that is plain code: no limit of calls stops it."""
    settings: str = ""
    """Digest of the plan, but for what cannot change a result."""

    @property
    def attempts(self) -> int:
        return len(self.rows) * self.record.repeats

    def key(self) -> str:
        """What a journal must belong to for this job to go on from it."""
        record = self.record
        return digest(
            [
                self.settings or record.plan_digest,
                record.dataset.digest,
                record.pipeline.digest,
                ids_of(self.rows),
                record.repeats,
            ]
        )


Progress = Callable[[int, int], None]
"""Called with the attempts that are done and all of them."""


async def observe_job(
    job: Job,
    pipeline: Pipeline[Ask],
    journal: Keeps,
    *,
    halt: Halt,
    on_progress: Progress,
    on_second: Callable[[], None] = lambda: None,
    first: FirstFailure | None = None,
) -> None:
    """Call the pipeline for every attempt that the journal does not hold, up to a halt."""
    total = job.attempts

    def done(ask: Ask, trace: Trace) -> None:
        journal.add(ask.row_id, ask.repeat, trace)
        halt.pay(known_cost(trace))
        why = first.observed(ask.row_id, trace) if first is not None else None
        if why is not None:
            halt.ask(why)
        on_progress(len(journal.done), total)

    on_progress(len(journal.done), total)
    asks = _asks(job, journal.done)
    with halt.running():
        ticking = asyncio.create_task(_each_second(on_second))
        try:
            await observe(asks, pipeline, concurrency=job.concurrency, on_done=done, halt=halt)
        finally:
            ticking.cancel()


async def _each_second(call: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(1.0)
        call()


def _asks(job: Job, done: set[tuple[str, int]]) -> Iterator[Ask]:
    for row in job.rows:
        history = [{"role": turn.role, "content": turn.content} for turn in row.history]
        for repeat in range(job.record.repeats):
            if (row.id, repeat) not in done:
                yield Ask(row.id, row.question, history, repeat)


async def score_job(
    job: Job,
    kept: Kept,
    writer: Writes,
    *,
    halt: Halt | None = None,
    paid: Payments | None = None,
    first: FirstFailure | None = None,
) -> RunRecord:
    """Score what was observed, and give the head of the run with its totals: `finish` is left."""
    halt = halt or Halt()
    outcomes: Counter[str] = Counter()
    merged = assumed = 0
    whole = job.record.pipeline.shown.get("use") not in (None, "recorded")
    served: set[str] = set()
    unpinned: set[str] = set()
    full: list[OSError] = []

    def keep(result: RowResult, row: Golden, attempts: Attempts, calls: Calls) -> None:
        nonlocal merged, assumed
        if full:
            raise full[0]
        writer.row(result)
        had_context_alone = took_the_window = False
        for repeat, trace in attempts:
            writer.trace(job.trace_line(row, repeat, trace))
            writer.timing(job.timing_line(row.id, repeat, trace))
            had_context_alone |= "merged" in trace and trace["merged"]
            took_the_window |= whole and "answer" in trace and "told" not in trace
        if calls:
            for (repeat, _), heard in zip(attempts, calls, strict=False):
                for one in heard:
                    writer.call(job.call_line(row.id, repeat, one))
                    served.update([one.model] if one.model else ())
                    unpinned.update(one.dropped)
        outcomes[result.outcome._value_] += 1
        why = first.scored(result) if first is not None else None
        if why is not None and outcomes.total() < len(job.rows):
            halt.ask(why)
            raise asyncio.CancelledError
        merged += had_context_alone
        assumed += took_the_window

    def hear(heard: Heard) -> None:
        if heard.cached:
            return
        cost = job.cost_of(heard)
        halt.pay(cost)
        if cost and paid is not None:
            try:
                paid.add(cost)
            except OSError as error:  # raised here it would be the judge's, and cost a verdict
                full.append(error)

    room = Room(job.concurrency, halt) if job.judge_calls else None
    with halt.running():
        await score_rows(
            _observed(job, kept),
            job.scorer,
            at_once=job.concurrency,
            on_done=keep,
            room=room,
            on_heard=hear,
        )
    counts = {"rows": len(job.rows), "outcomes": dict(sorted(outcomes.items()))}
    totals: dict[str, Any] = {**job.record.totals, **counts}
    if merged:
        totals["merged"] = merged
    if assumed:
        totals["assumed"] = assumed
    if served:
        totals["judge_models"] = sorted(served)
    if unpinned:
        totals["judge_unpinned"] = sorted(unpinned)
    if job.scorer.decisions.rows:
        ran = ids_of(job.rows)
        totals["decided"] = [row for row in ran if row in job.scorer.decisions.rows]
    return job.record.model_copy(update={"totals": totals})


def _observed(job: Job, kept: Kept) -> Iterable[tuple[Golden, Attempts]]:
    for row in goldens_of(job.rows):
        attempts = kept.attempts(row.id)
        if len(attempts) != job.record.repeats:
            raise RunError(
                f"row {row.id} has {len(attempts)} of {job.record.repeats} attempts",
                hint="go on with: evalrag run PLAN --resume",
            )
        yield row, attempts
