"""The only place that calls the user's pipeline. Failures come back as data."""

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from typing import Protocol, TypeVar

from evalrag.execution.halting import Halt
from evalrag.schema.trace import Trace

A = TypeVar("A")
A_contra = TypeVar("A_contra", contravariant=True)

BREATH = 16
"""Rows after which a worker whose pipeline never waits lets others on, such as Ctrl-C."""


class Pipeline(Protocol[A_contra]):
    """What can be asked. It keeps its own limits, and its errors stand in the trace."""

    async def run(self, ask: A_contra, /) -> Trace: ...


async def observe(
    asks: Iterable[A],
    pipeline: Pipeline[A],
    *,
    concurrency: int,
    on_done: Callable[[A, Trace], None],
    halt: Halt | None = None,
) -> None:
    """Ask `pipeline` everything, `concurrency` at a time; hand each trace to `on_done` as it comes.

    A few workers share one iterator, so memory does not grow with rows. What the user's code prints
    goes to stderr: stdout belongs to the report. An exception of `on_done` (a full disk) ends all
    workers and is raised as it is. After `halt` nothing more is asked, and what was is kept.
    """
    queue, halt = iter(asks), halt or Halt()

    async def worker(waiting: Iterator[A]) -> None:
        for done, ask in enumerate(waiting, 1):
            if halt.why is not None:
                return
            with halt.flight():
                trace = await pipeline.run(ask)
            on_done(ask, trace)
            if done % BREATH == 0:
                await asyncio.sleep(0)

    with redirect_stdout(sys.stderr):
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(worker(queue))
        except BaseExceptionGroup as errors:
            raise _first(errors) from None


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
