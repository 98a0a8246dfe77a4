"""One call of a hook: in a thread or on a loop, within its limit, tried again, and in shape."""

import asyncio
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from evalrag.adapters.hooks import Hook
from evalrag.adapters.loops import Loops, finished
from evalrag.adapters.passages import ShapeError
from evalrag.adapters.threads import Outcome, OutOfTime, Threads
from evalrag.redaction import LIMIT, one_line, raised

T = TypeVar("T")

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
LONGEST_ASKED = 30.0
"""Seconds. What a server asks for in Retry-After is honoured up to this."""


class HookFailed(Exception):
    """A hook gave nothing that can be used: its row's error."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class _Awaitable(NamedTuple):
    """What a plain def returned, to be awaited elsewhere."""

    made: Any


class Caller:
    """Calls hooks. Whatever they do costs their own row: raise, hang, exit, return rubbish."""

    def __init__(self, *, limit: float, retries: int, redact: Callable[[str], str]) -> None:
        self._limit, self._retries, self.redact = limit, retries, redact
        self._threads, self._loops = Threads(), Loops()

    async def ask(
        self, hook: Hook, offers: Mapping[str, Any], shape: Callable[[Any], T]
    ) -> tuple[T, float]:
        """What the hook returned, through `shape`, and the seconds that the last try took.

        `shape` runs where the hook ran, since what a hook returns may itself be code that blocks.

        Raises:
            HookFailed: No try gave anything that can be used. What has the wrong shape is not tried
                again: it would have it again.
        """
        for tried in range(self._retries + 1):
            began = perf_counter()
            try:
                outcome = await self._once(hook, offers, shape)
            except OutOfTime:
                outcome, message = Outcome(), f"no answer in {self._limit:g} s"
            else:
                if outcome.error is None:
                    return outcome.value, perf_counter() - began
                message = self._said(hook, outcome.error)
            seconds = perf_counter() - began
            if isinstance(outcome.error, ShapeError) or tried == self._retries:
                break
            await asyncio.sleep(_pause(tried, outcome.error))
        if tried:
            message += f"; tried {tried + 1} times"
        raise HookFailed(message, seconds)

    async def _once(
        self, hook: Hook, offers: Mapping[str, Any], shape: Callable[[Any], Any]
    ) -> Outcome:
        if hook.is_async:
            return await self._loops.run(lambda: _awaited(hook.call(offers), shape), self._limit)
        began = perf_counter()
        outcome = await self._threads.run(lambda: _called(hook, offers, shape), self._limit)
        if not isinstance(outcome.value, _Awaitable):
            return outcome
        made = [outcome.value.made]
        left = max(self._limit - (perf_counter() - began), 0.001)
        return await self._loops.run(
            lambda: _awaited(made.pop() if made else hook.call(offers), shape), left
        )

    def _said(self, hook: Hook, error: BaseException) -> str:
        if isinstance(error, ShapeError):
            return one_line(f"{hook.name} {self.redact(str(error))}", LIMIT)
        return raised(error, self.redact)

    def close(self) -> None:
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


def _pause(tried: int, error: BaseException | None) -> float:
    """Seconds before the next try: doubling, or what the server asks for."""
    pause = min(FIRST_PAUSE * float(2**tried), LONGEST_PAUSE)
    headers = getattr(getattr(error, "response", None), "headers", None)
    asked = getattr(error, "retry_after", None)
    if asked is None and isinstance(headers, Mapping):
        asked = headers.get("retry-after") or headers.get("Retry-After")
    try:
        return max(pause, min(float(asked), LONGEST_ASKED)) if asked is not None else pause
    except (TypeError, ValueError):
        return pause
