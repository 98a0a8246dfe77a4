"""The desk: calls go before what is read on this side."""

import asyncio

import pytest
from pydantic import JsonValue

from evalrag.judges.desk import Desk
from evalrag.judging.tasks import RelevancyReply, RelevancyTask, Reply, Task
from evalrag.schema.words import Relevancy

TASK = RelevancyTask("How much?", "It is $5.")
STEPS = 15
"""Turns of the loop that a call of this judge takes until it is sent."""


class Distant:
    name = "distant/1"
    offers = frozenset({"answer_relevancy"})

    def __init__(self) -> None:
        self.told: list[str] = []
        self.answered = asyncio.Event()

    def fingerprint(self) -> dict[str, JsonValue]:
        return {"judge": self.name}

    async def ask(self, task: Task) -> Reply:
        for _ in range(STEPS):
            await asyncio.sleep(0)
        self.told.append("sent")
        await self.answered.wait()
        return RelevancyReply(Relevancy.ANSWERS)


def test_a_call_that_can_go_goes_before_a_reply_is_read_further() -> None:
    async def main() -> list[str]:
        judge = Distant()
        desk = Desk(judge)
        call = asyncio.ensure_future(desk.visit().ask(TASK))
        await asyncio.sleep(0)
        await desk.visit().let_calls_go()
        judge.told.append("read")
        judge.answered.set()
        await call
        return judge.told

    assert asyncio.run(main()) == ["sent", "read"]


def test_without_a_call_in_flight_nothing_waits() -> None:
    waiting = Desk(Distant()).visit().let_calls_go()
    with pytest.raises(StopIteration):
        waiting.send(None)
