"""Where the questions of a run are put to its judge: kept verdicts first, so many at once."""

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

from evalrag.judging.cache_key import cache_key
from evalrag.judging.kept import model_of, reply_of, settled, text_of
from evalrag.judging.tasks import FormTask, Heard, Judge, Reply, Task, Unjudged, sent, task_name
from evalrag.schema.digest import digest

if TYPE_CHECKING:
    from asyncio import Future, Lock
    from collections.abc import Callable, Sequence


TURNS = 24
"""Of the event loop, in which a call gets from one reply to the next request."""


class Cache(Protocol):
    """Verdicts that were settled before. It never raises."""

    def get(self, key: str) -> str | None: ...

    def put(
        self,
        key: str,
        value: str,
        *,
        judge: str,
        model: str | None,
        tokens_in: int | None,
        tokens_out: int | None,
    ) -> None: ...


class Desk:
    """One judge for one run."""

    def __init__(
        self,
        judge: Judge,
        *,
        room: AbstractAsyncContextManager[object] | None = None,
        cache: Cache | None = None,
        on_heard: "Callable[[Heard], None] | None" = None,
    ) -> None:
        """`room` is entered for every call: a semaphore, where they are to be so many at once.

        `on_heard` is told what came of each call as soon as it is known.
        """
        self.judge = judge
        self.print = judge.fingerprint()
        self.digest = digest(self.print)
        self.cache = cache
        self.room, self.on_heard = room or nullcontext(), on_heard
        self.forms: dict[FormTask, Future[Reply]] = {}
        self.in_flight = 0
        self.reading: Lock | None = None

    def visit(self, repeat: int = 0) -> "Visit":
        """One attempt at one row."""
        return Visit(self, repeat)


class Visit:
    """The questions about one attempt at one row, and what was heard of them."""

    def __init__(self, desk: Desk, repeat: int) -> None:
        self._desk, self._repeat = desk, repeat
        self.judge = desk.judge
        self.judge_digest = desk.digest
        self.heard: list[Heard] = []
        self._keys: dict[Task, str] = {}

    async def ask(self, task: Task) -> Reply:
        """The verdict on a task. One form is decided once a run, however often it is asked for.

        Raises:
            Exception: whatever the judge raises.
        """
        if isinstance(task, FormTask):
            return await self._form(task)
        return await self._ask(task, self._repeat)

    async def let_calls_go(self) -> None:
        """Wait, one row after the other, until calls that can go have gone.

        What is read here takes a few milliseconds of the one processor that also sends: read first,
        it would hold up the calls of all other rows, and the judge would have nothing to do.
        """
        import asyncio

        desk = self._desk
        if not desk.in_flight:
            return
        if desk.reading is None:
            desk.reading = asyncio.Lock()
        async with desk.reading:
            for _ in range(TURNS):
                await asyncio.sleep(0)

    def keep(self, task: Task, reply: Reply) -> None:
        """Keep a verdict that held. What is open, or was an error, is asked again next time."""
        desk = self._desk
        fresh = [one for one in reply.heard if not one.cached]
        known = bool(reply.heard) and not fresh
        if desk.cache is None or known or not settled(reply):
            return
        desk.cache.put(
            self._key(task, self._repeat),
            text_of(reply),
            judge=desk.digest,
            model=model_of(reply),
            tokens_in=_sum([one.tokens_in for one in fresh]),
            tokens_out=_sum([one.tokens_out for one in fresh]),
        )

    async def _form(self, task: FormTask) -> Reply:
        import asyncio

        forms = self._desk.forms
        if task not in forms:
            forms[task] = asyncio.ensure_future(self._ask(task, 0))
            reply = await forms[task]
            self.keep(task, reply)
            return reply
        return await asyncio.shield(forms[task])

    async def _ask(self, task: Task, repeat: int) -> Reply:
        desk = self._desk
        if desk.cache is not None:
            found = desk.cache.get(self._key(task, repeat))
            kept = None if found is None else reply_of(task, found)
            if kept is not None:
                self.heard += kept.heard
                return kept
        try:
            async with desk.room:
                desk.in_flight += 1
                try:
                    reply = await desk.judge.ask(task)
                finally:
                    desk.in_flight -= 1
        except Unjudged as error:
            self._hear(error.heard)
            raise
        self._hear(getattr(reply, "heard", ()))
        return reply

    def _hear(self, heard: "Sequence[Heard]") -> None:
        self.heard += heard
        if self._desk.on_heard is not None:
            for one in heard:
                self._desk.on_heard(one)

    def _key(self, task: Task, repeat: int) -> str:
        """Made once: a verdict is looked for and kept under the same."""
        if task not in self._keys:
            repeat = 0 if isinstance(task, FormTask) else repeat
            name, told = task_name(task), sent(task)
            self._keys[task] = cache_key(self._desk.print, name, told, repeat, 0)
        return self._keys[task]


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
