"""One call of a hook: in a thread or on a loop, within its limit, tried again, and in shape."""

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from evalrag.adapters.hook_process import Spec
from evalrag.adapters.hooks import Hook
from evalrag.adapters.loops import Loops, finished
from evalrag.adapters.passages import ShapeError
from evalrag.adapters.processes import Processes, RaisedElsewhere
from evalrag.adapters.retries import TOO_MANY, Retries, asked_for, pause, status_of
from evalrag.adapters.threads import Outcome, OutOfTime, Threads
from evalrag.adapters.throttle import Throttle
from evalrag.redaction import LIMIT, one_line, raised
from evalrag.schema.words import Stage

T = TypeVar("T")

STAGES: Mapping[str, Stage] = MappingProxyType(
    {
        "rewrite": Stage.REWRITE,
        "retrieve": Stage.RETRIEVAL,
        "generate": Stage.GENERATION,
        "answer": Stage.ANSWER,
    }
)
"""What a hook is called -> the stage whose time, tries and limits are its own."""


NO_PROCESSES: Mapping[str, tuple[Spec, int]] = MappingProxyType({})


class HookFailed(Exception):
    """A hook gave nothing that can be used: its row's error."""

    def __init__(self, message: str, seconds: float, tries: int) -> None:
        super().__init__(message)
        self.seconds, self.tries = seconds, tries


class Called(NamedTuple, Generic[T]):
    """What a hook returned, in shape."""

    value: T
    seconds: float
    """That the last try took."""
    tries: int


class Waiting(NamedTuple):
    """A call that is in flight."""

    row: str
    stage: Stage
    since: float
    """On the monotonic clock: when its first try was sent."""


class _Awaitable(NamedTuple):
    """What a plain def returned, to be awaited elsewhere."""

    made: Any


class Caller:
    """Calls hooks. Whatever they do costs their own row: raise, hang, exit, return rubbish."""

    def __init__(
        self,
        *,
        limit: float,
        retries: Retries,
        at_once: Mapping[Stage, int],
        redact: Callable[[str], str],
        processes: Mapping[str, tuple[Spec, int]] = NO_PROCESSES,
    ) -> None:
        """`at_once` are the calls that may be in flight of each stage.

        `processes` say of a kind of hook what to run, and in how many processes.
        """
        self._limit, self._retries, self.redact = limit, retries, redact
        self._throttles = {stage: Throttle(most) for stage, most in at_once.items()}
        self._threads, self._loops = Threads(), Loops()
        self._processes = {
            kind: Processes(spec, count, self._threads) for kind, (spec, count) in processes.items()
        }
        self._waiting: dict[object, Waiting] = {}

    def bound(self, hook: Hook) -> None:
        """Ask no more of a built-in adapter at once than it says that it can take."""
        most = getattr(hook.owner, "at_once", None) if ":" not in hook.name else None
        if most is not None:
            stage = STAGES[hook.stage]
            self._throttles[stage] = Throttle(min(most, self._throttles[stage].most))

    async def ask(
        self, hook: Hook, offers: Mapping[str, Any], shape: Callable[[Any], T]
    ) -> Called[T]:
        """What the hook returned, through `shape`.

        `shape` runs where the hook ran, since what a hook returns may itself be code that blocks.

        Raises:
            HookFailed: No try gave anything that can be used.
        """
        name = object()
        try:
            return await self._asked(name, hook, offers, shape)
        finally:
            self._waiting.pop(name, None)

    async def _asked(
        self, name: object, hook: Hook, offers: Mapping[str, Any], shape: Callable[[Any], T]
    ) -> Called[T]:
        stage = STAGES[hook.stage]
        throttle = self._throttles[stage]
        for tries in itertools.count(1):
            async with throttle.turn() as sent:
                self._waiting.setdefault(name, Waiting(str(offers["row_id"]), stage, sent))
                outcome = await self._tried(hook, offers, shape)
                seconds = time.monotonic() - sent
            error = outcome.error
            if error is None:
                throttle.answered()
                return Called(outcome.value, seconds, tries)
            if status_of(error) == TOO_MANY:
                throttle.refused(sent, wait=asked_for(error))
            if tries > self._retries.more or not self._retries.worth(error):
                tail = f"; tried {tries} times" if tries > 1 else ""
                raise HookFailed(self._said(hook, error) + tail, seconds, tries)
            await asyncio.sleep(pause(tries, error))
        raise AssertionError("a call ends with an answer or an error")

    def waiting(self) -> list[Waiting]:
        """The calls in flight, the longest first."""
        return sorted(self._waiting.values(), key=lambda call: call.since)

    async def _tried(
        self, hook: Hook, offers: Mapping[str, Any], shape: Callable[[Any], Any]
    ) -> Outcome:
        try:
            return await self._once(hook, offers, shape)
        except OutOfTime as error:
            return Outcome(error=error)

    async def _once(
        self, hook: Hook, offers: Mapping[str, Any], shape: Callable[[Any], Any]
    ) -> Outcome:
        if hook.stage in self._processes:
            return await self._processes[hook.stage].run(offers, shape, self._limit)
        if hook.is_async:
            return await self._loops.run(lambda: _awaited(hook.call(offers), shape), self._limit)
        began = time.monotonic()
        outcome = await self._threads.run(lambda: _called(hook, offers, shape), self._limit)
        if not isinstance(outcome.value, _Awaitable):
            return outcome
        made = [outcome.value.made]
        left = max(self._limit - (time.monotonic() - began), 0.001)
        return await self._loops.run(
            lambda: _awaited(made.pop() if made else hook.call(offers), shape), left
        )

    def _said(self, hook: Hook, error: BaseException) -> str:
        if isinstance(error, OutOfTime):
            return f"no answer in {self._limit:g} s"
        if isinstance(error, RaisedElsewhere):
            return error.said
        if isinstance(error, ShapeError):
            return one_line(f"{hook.name} {self.redact(str(error))}", LIMIT)
        return raised(error, self.redact)

    def close(self) -> None:
        for processes in self._processes.values():
            processes.close()
        self._threads.close()
        self._loops.close()


def _called(hook: Hook, offers: Mapping[str, Any], shape: Callable[[Any], Any]) -> Any:
    made = hook.call(offers)
    if hasattr(made, "__await__") or hasattr(made, "__aiter__"):
        return _Awaitable(made)
    return _shaped(made, shape)


async def _awaited(made: Any, shape: Callable[[Any], Any]) -> Any:
    return _shaped(await finished(made), shape)


def _shaped(made: Any, shape: Callable[[Any], Any]) -> Any:
    """A stream's own exceptions pass; a mapping of the user's that misbehaves has no shape."""
    try:
        return shape(made)
    except RecursionError:
        raise ShapeError("returned something that is nested without end") from None
