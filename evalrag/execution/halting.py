"""A run that ends before its end: what asks for it, and what is in flight let finish first."""

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, TracebackType

GRACE_S = 10.0
"""Seconds after SIGTERM, which a kill follows, in which what is in flight may finish."""
ECHO_S = 0.3
"""A second Ctrl-C within this is the same one, passed on twice (by a shell and by a wrapper)."""


def _to_nobody(text: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take; None is no limit."""

    seconds: float | None = None
    """Of this sitting: a run that is resumed has them again."""
    cost: float | None = None
    """Of the run as a whole, however often it was resumed."""


@dataclass(frozen=True, slots=True)
class Why:
    """Why nothing new is started."""

    said: str
    hint: str = ""
    """What `--resume` needs beside it to go on."""
    limit: bool = False
    """It stops calls alone: what is left to do without one is done."""


class Halt:
    """Nothing new is started once there is a reason; the first one stands.

    A limit or Ctrl-C lets what is in flight finish, and all of it is kept. A second Ctrl-C, or
    `GRACE_S` after SIGTERM, stops at once; what was kept stays kept.
    """

    def __init__(
        self, limits: Limits | None = None, *, on_said: Callable[[str], None] = _to_nobody
    ) -> None:
        self.limits = limits or Limits()
        self.why: Why | None = None
        self.cost = 0.0
        self.uncounted = 0
        """Calls that may have cost something and did not say what."""
        self.flying = 0
        self._say = on_said
        self._began = time.monotonic()
        self._task: asyncio.Task[object] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._signalled: float | None = None

    def ask(self, why: Why, *, again: str = "") -> None:
        """Start nothing new from now on."""
        if self.why is None:
            self.why = why
            if self.flying:
                calls = f"{self.flying} call{'s' * (self.flying != 1)} in flight"
                self._say(f"{why.said}: finishing {calls}{again}")

    def pay(self, cost: float | None) -> None:
        """Count what a call cost; None is not known."""
        if cost is None:
            self.uncounted += 1
            return
        self.cost += cost
        most = self.limits.cost
        if most is not None and self.cost >= most:
            more = f"--max-cost {_money(self.cost + most)}"
            self.ask(Why(f"max_cost {_money(most)} is used up", more, limit=True))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Around what runs on an event loop: signals and the limit of time reach it."""
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        timer: asyncio.TimerHandle | None = None
        most = self.limits.seconds
        if most is not None:
            left = most - (time.monotonic() - self._began)
            why = Why(f"max_seconds {most:g} have passed", limit=True)
            timer = self._loop.call_later(max(left, 0.0), self.ask, why)
        try:
            yield
        finally:
            self._loop = self._task = None
            if timer is not None:
                timer.cancel()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Around a run: Ctrl-C and SIGTERM ask for its end."""
        before = [
            (number, signal.signal(number, self._on_signal))
            for number in (signal.SIGINT, signal.SIGTERM)
        ]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._signalled is not None and now - self._signalled < ECHO_S:
            return
        if self._loop is None or self._signalled is not None:
            raise KeyboardInterrupt
        self._signalled = now
        self._loop.call_soon_threadsafe(self._asked_by, number)

    def _asked_by(self, number: int) -> None:
        if not self.flying:
            self._give_up()
        if number == signal.SIGINT:
            self.ask(Why("stopped by Ctrl-C"), again="; Ctrl-C again stops now")
            return
        self.ask(Why("stopped by SIGTERM"), again=f" for {GRACE_S:g} s at most")
        if self._loop is not None:
            self._loop.call_later(GRACE_S, self._give_up)

    def _give_up(self) -> None:
        if self._task is not None:
            self._task.cancel()

    @contextmanager
    def flight(self) -> Iterator[None]:
        """Around what is not broken off when the run is to end."""
        self.flying += 1
        try:
            yield
        finally:
            self.flying -= 1

    async def admit(self) -> None:
        """Return at once while calls may be started; else never. The last one in flight ends all.

        Raises:
            CancelledError: in the task of the run, when nothing is in flight any more.
        """
        while self.why is not None:
            if not self.flying:
                self._give_up()
            await asyncio.sleep(0.05)


class Room:
    """So many calls of a judge at once, and none any more once the run is to end."""

    def __init__(self, at_once: int, halt: Halt) -> None:
        self._places, self._halt = asyncio.Semaphore(at_once), halt

    async def __aenter__(self) -> None:
        await self._places.acquire()
        try:
            await self._halt.admit()
        except BaseException:
            self._places.release()
            raise
        self._halt.flying += 1

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._halt.flying -= 1
        self._places.release()


def _money(amount: float) -> str:
    return f"{amount:.4f}".rstrip("0").rstrip(".")
