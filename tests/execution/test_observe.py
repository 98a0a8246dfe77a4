"""Everything is asked once, a few at a time, and each trace is handed on as it comes."""

import asyncio
import sys
from collections.abc import Iterator

import pytest

from evalrag.execution.observe import observe
from evalrag.schema.trace import Trace


class Echo:
    """Answers with the question, after as many turns of the loop as it is told."""

    def __init__(self, turns: int = 1) -> None:
        self.turns, self.now, self.most = turns, 0, 0

    async def run(self, ask: str) -> Trace:
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(self.turns):
            await asyncio.sleep(0)
        self.now -= 1
        return Trace(candidates=[], context=[], answer=ask)


def test_each_is_asked_once() -> None:
    seen: list[str] = []

    asyncio.run(
        observe(
            map(str, range(50)),
            Echo(),
            concurrency=7,
            on_done=lambda _, t: seen.append(t["answer"]),
        )
    )

    assert sorted(seen, key=int) == [str(n) for n in range(50)]


def test_no_more_than_the_concurrency_are_asked_at_once() -> None:
    echo = Echo(turns=3)

    asyncio.run(observe(map(str, range(50)), echo, concurrency=7, on_done=lambda *_: None))

    assert echo.most == 7


def test_rows_are_taken_as_they_are_asked() -> None:
    taken: list[int] = []
    done: list[int] = []

    def asks() -> Iterator[str]:
        for n in range(100):
            taken.append(n)
            assert len(taken) - len(done) <= 4
            yield str(n)

    asyncio.run(observe(asks(), Echo(), concurrency=4, on_done=lambda *_: done.append(1)))

    assert len(done) == 100


def test_a_full_disk_ends_the_run_with_its_own_error() -> None:
    seen: list[str] = []

    def on_done(ask: str, _: Trace) -> None:
        if ask == "3":
            raise OSError(28, "No space left on device")
        seen.append(ask)

    with pytest.raises(OSError, match="No space left"):
        asyncio.run(observe(map(str, range(1000)), Echo(), concurrency=2, on_done=on_done))

    assert len(seen) < 10


def test_cancelling_ends_the_workers() -> None:
    seen: list[str] = []

    async def main() -> None:
        task = asyncio.create_task(
            observe(
                map(str, range(10**6)),
                Echo(turns=0),
                concurrency=4,
                on_done=lambda a, _: seen.append(a),
            )
        )
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())

    assert seen


def test_what_is_printed_meanwhile_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    class Loud(Echo):
        async def run(self, ask: str) -> Trace:
            sys.stdout.write("here I am\n")
            return await super().run(ask)

    asyncio.run(observe(["a"], Loud(), concurrency=1, on_done=lambda *_: None))
    sys.stdout.write("done\n")

    assert capsys.readouterr() == ("done\n", "here I am\n")
