"""How many calls of one stage are in flight: fewer while the service says that it is too many."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

LEAST = 1.0


class Throttle:
    """Lets so many calls of a stage go at once, and slows down when the service asks for it.

    A refusal (429) halves the number that may be in flight; every call that is answered raises it
    again by a part of one, up to what the plan allows. All refusals of one burst count once: those
    of calls that were sent before the last halving say nothing new. What a service asks for in
    Retry-After holds for the whole stage. Results are the same, they only come later.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._room = float(most)
        self._flying = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._closed_until = self._halved = 0.0

    @property
    def room(self) -> int:
        """How many may be in flight now."""
        return int(self._room)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Wait for one's turn, and give the time at which it came."""
        await self._enter()
        try:
            yield time.monotonic()
        finally:
            self._flying -= 1
            self._wake()

    def answered(self) -> None:
        """A call of the stage was not refused."""
        self._room = min(self._room + 1 / self._room, float(self.most))

    def refused(self, sent: float, *, wait: float | None) -> None:
        """The service said at a call that was sent at `sent` that there are too many.

        `wait` are the seconds that it asks to be left alone, where it says so.
        """
        now = time.monotonic()
        if sent >= self._halved:
            self._room, self._halved = max(self._room / 2, LEAST), now
        if wait is not None:
            self._closed_until = max(self._closed_until, now + wait)

    async def _enter(self) -> None:
        while True:
            closed = self._closed_until - time.monotonic()
            if closed > 0:
                await asyncio.sleep(closed)
            elif self._flying < self.room:
                self._flying += 1
                return
            else:
                await self._wait()

    async def _wait(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await turn
        except BaseException:
            if turn in self._queue:
                self._queue.remove(turn)
            else:  # it had the turn, and goes without taking it
                self._wake()
            raise

    def _wake(self) -> None:
        for _ in range(min(self.room - self._flying, len(self._queue))):
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
