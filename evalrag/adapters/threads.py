"""Daemon threads of our own for the user's sync hooks, as many as there are calls in flight."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeAlias

Call: TypeAlias = Callable[[], Any]


class Outcome(NamedTuple):
    """What a call came to: a value, or what it raised. The user's code may raise anything."""

    value: Any = None
    error: BaseException | None = None


class OutOfTime(TimeoutError):
    """A call did not answer within its limit."""


class Threads:
    """Runs sync calls, each within its own limit.

    A thread that is stuck cannot be stopped. It is left behind, its row fails, the next call gets a
    fresh one, and being a daemon it cannot keep the process alive. (A ThreadPoolExecutor joins its
    threads at exit, and `asyncio.to_thread` has too few of them.)
    """

    def __init__(self) -> None:
        self._idle: list[_Worker] = []

    async def run(self, call: Call, limit: float) -> Outcome:
        """What `call()` comes to.

        Raises:
            OutOfTime: It took longer than `limit` seconds.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Outcome] = loop.create_future()
        worker = self._idle.pop() if self._idle else _Worker()
        worker.jobs.put((call, partial(tell, loop, done)))
        try:
            async with asyncio.timeout(limit):
                outcome = await done
        except TimeoutError:
            worker.jobs.put(None)
            raise OutOfTime from None
        except BaseException:
            worker.jobs.put(None)
            raise
        self._idle.append(worker)
        return outcome

    def close(self) -> None:
        for worker in self._idle:
            worker.jobs.put(None)
        self._idle.clear()


class _Worker:
    def __init__(self) -> None:
        self.jobs: SimpleQueue[tuple[Call, Callable[[Outcome], None]] | None] = SimpleQueue()
        threading.Thread(target=self._work, name="evalrag-hook", daemon=True).start()

    def _work(self) -> None:
        while (job := self.jobs.get()) is not None:
            call, done = job
            done(attempt(call))
            del job, call, done


def attempt(call: Call) -> Outcome:
    """`call()` as data. A SystemExit of the user's code ends its row and no thread."""
    try:
        return Outcome(value=call())
    except BaseException as error:  # noqa: BLE001 - kept as the outcome of the user's call
        return Outcome(error=error)


def tell(loop: asyncio.AbstractEventLoop, done: "asyncio.Future[Any]", outcome: Any) -> None:
    """Settle `done` from another thread; nobody may be waiting any more."""

    def settle() -> None:
        if not done.done():
            done.set_result(outcome)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:  # the run has ended
        return


class DaemonExecutor(ThreadPoolExecutor):
    """What an event loop asks for blocking work (`to_thread`, name resolution), in daemon threads.

    The standard one is joined at exit: one look-up that hangs would keep the process alive.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            outcome = attempt(partial(fn, *args, **kwargs))
            if outcome.error is not None:
                future.set_exception(outcome.error)
            else:
                future.set_result(outcome.value)

        threading.Thread(target=work, name="evalrag-blocking", daemon=True).start()
        return future
