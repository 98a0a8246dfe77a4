"""An event loop in a daemon thread of its own for the user's async hooks."""

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any
from weakref import WeakKeyDictionary

from evalrag.adapters.threads import DaemonExecutor, Outcome, OutOfTime, tell

PROMPT = 0.1
"""Seconds within which a loop answers that nobody holds."""
GRACE = 0.5
"""Seconds more, after which the call that holds the loop is left behind with it."""
EXTENSIONS = 4
"""How often a call whose time was eaten by another one's blocking gets its time again."""

Start = Callable[[], Any]


class Loops:
    """Runs async calls on one private loop, each within its own limit.

    A hook may block the loop for ever (`time.sleep` in an `async def`). Then the loop is left
    behind with its thread, the call that blocks it fails, and the others begin again on a fresh
    one. The runner's own loop is never blocked by a hook.
    """

    def __init__(self) -> None:
        self._lane: _Lane | None = None

    async def run(self, start: Start, limit: float) -> Outcome:
        """What the awaitable (or async generator) that `start()` makes comes to.

        Args:
            start: Called in the loop's thread; called again when its loop had to be left behind.
            limit: Seconds.

        Raises:
            OutOfTime: It took longer than `limit` seconds, and no other call was to blame.
        """
        while True:
            if self._lane is None:
                self._lane = _Lane()
            lane = self._lane
            call = _Call(start)
            lane.submit(call)
            try:
                outcome = await self._watch(lane, call, limit)
            except BaseException:
                lane.cancel(call)
                raise
            finally:
                lane.calls.discard(call)
            if outcome is not None:
                return outcome

    async def _watch(self, lane: "_Lane", call: "_Call", limit: float) -> Outcome | None:
        """The call's outcome; None when its loop was left behind through no fault of its own."""
        for _ in range(EXTENSIONS):
            if await _settled(call.done, limit):
                return call.done.result()
            answer = lane.ping()
            if await _settled(answer, PROMPT):
                break
            if lane.owner() in (call, None):
                if await _settled(answer, GRACE):
                    break
                if call.done.done():  # another watch has just left this loop behind
                    return call.done.result()
                self._leave(lane, call)
                raise OutOfTime
            # Another call holds the loop. It ends, or its own watch leaves the loop behind.
            waiting: list[asyncio.Future[Any]] = [answer, call.done]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        lane.cancel(call)
        await _settled(call.done, GRACE)
        raise OutOfTime

    def _leave(self, lane: "_Lane", guilty: "_Call") -> None:
        if self._lane is lane:
            self._lane = None
        lane.end()
        for call in lane.calls - {guilty}:
            if not call.done.done():
                call.done.set_result(None)

    def close(self) -> None:
        if self._lane is not None:
            self._lane.end()
            self._lane.thread.join(GRACE)
            self._lane = None


class _Call:
    """One call in flight; `done` belongs to the runner's loop, `task` to the private one."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.home = asyncio.get_running_loop()
        self.done: asyncio.Future[Outcome | None] = self.home.create_future()
        self.task: asyncio.Task[None] | None = None
        self.cancelled = False


_CALL: ContextVar[_Call | None] = ContextVar("evalrag_call", default=None)


class _Lane:
    """A loop and its thread, and which call each of its tasks belongs to."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(DaemonExecutor())
        self.loop.set_task_factory(self._make_task)
        self.calls: set[_Call] = set()
        self._owners: WeakKeyDictionary[asyncio.Task[Any], _Call] = WeakKeyDictionary()
        self._ended = False
        self.thread = threading.Thread(target=self._work, name="evalrag-loop", daemon=True)
        self.thread.start()

    def submit(self, call: _Call) -> None:
        self.calls.add(call)
        self._soon(self._begin, call)

    def cancel(self, call: _Call) -> None:
        call.cancelled = True
        self._soon(self._cancel, call)

    def ping(self) -> "asyncio.Future[Any]":
        """A future of the runner's loop that is settled when this loop takes its next step."""
        home = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = home.create_future()
        self._soon(tell, home, answer, Outcome())
        return answer

    def owner(self) -> _Call | None:
        """The call whose task, or whose sub-task, the loop is in."""
        task = asyncio.current_task(self.loop)
        return None if task is None else self._owners.get(task)

    def end(self) -> None:
        """Cancel what is left and stop, as soon as the loop can."""
        self._ended = True
        self._soon(self._stop)

    def _soon(self, function: Callable[..., None], *args: Any) -> None:
        try:
            self.loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # closed
            return

    def _work(self) -> None:
        asyncio.set_event_loop(self.loop)
        while True:
            try:
                self.loop.run_forever()
            except BaseException:  # noqa: BLE001 - a task of the user's that exits must not end us
                continue
            if self._ended:
                break
        self.loop.close()

    def _make_task(
        self, loop: asyncio.AbstractEventLoop, coroutine: Any, **kwargs: Any
    ) -> "asyncio.Task[Any]":
        task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, **kwargs)
        call = _CALL.get()
        if call is not None:
            self._owners[task] = call
        return task

    def _begin(self, call: _Call) -> None:
        if call.cancelled:
            return
        context = copy_context()
        context.run(_CALL.set, call)
        call.task = self.loop.create_task(_drive(call), context=context)
        self._owners[call.task] = call  # its sub-tasks inherit the context, hence the owner

    def _cancel(self, call: _Call) -> None:
        if call.task is not None:
            call.task.cancel()

    def _stop(self) -> None:
        left = asyncio.all_tasks(self.loop)
        for task in left:
            task.cancel()
        self.loop.call_later(0.05 if left else 0, self.loop.stop)


async def _drive(call: _Call) -> None:
    try:
        outcome = Outcome(value=await finished(call.start()))
    except BaseException as error:  # noqa: BLE001 - kept as the outcome of the user's call
        outcome = Outcome(error=error)
    tell(call.home, call.done, outcome)


async def finished(made: Any) -> Any:
    """What an awaitable or an async generator comes to; anything else as it is."""
    if hasattr(made, "__await__"):
        made = await made
    if hasattr(made, "__aiter__"):
        return [item async for item in made]
    return made


async def _settled(future: "asyncio.Future[Any]", limit: float) -> bool:
    """Whether `future` is settled within `limit` seconds. It is not cancelled otherwise."""
    if not future.done():
        await asyncio.wait([future], timeout=limit)
    return future.done()
