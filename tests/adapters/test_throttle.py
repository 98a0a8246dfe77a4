"""A service that says it is too much is asked less, and more again when it answers."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evalrag.adapters.throttle import Throttle
from evalrag.schema.trace import Trace
from tests.adapters.plans import asked, build, retriever


def test_a_refusal_halves_and_answers_raise_again() -> None:
    throttle = Throttle(16)

    throttle.refused(time.monotonic(), wait=None)
    assert throttle.room == 8
    for _ in range(8):
        throttle.answered()
    assert throttle.room in (8, 9)
    for _ in range(200):
        throttle.answered()
    assert throttle.room == 16


def test_one_burst_of_refusals_halves_once() -> None:
    throttle, sent = Throttle(16), time.monotonic()

    for _ in range(16):
        throttle.refused(sent, wait=None)

    assert throttle.room == 8


def test_one_call_is_left_however_often_it_is_refused() -> None:
    throttle = Throttle(4)
    for _ in range(10):
        throttle.refused(time.monotonic() + 1, wait=None)

    assert throttle.room == 1


def test_no_more_than_the_room_are_in_flight() -> None:
    throttle, now, most = Throttle(3), 0, 0

    async def call() -> None:
        nonlocal now, most
        async with throttle.turn():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.001)
            now -= 1

    async def main() -> None:
        await asyncio.gather(*(call() for _ in range(30)))

    asyncio.run(main())

    assert (now, most) == (0, 3)


@pytest.mark.parametrize("woken", [False, True], ids=["waiting", "just woken"])
def test_who_gives_up_waiting_leaves_the_turn_to_the_next(woken: bool) -> None:
    throttle, seen = Throttle(1), []

    async def call(name: str) -> None:
        async with throttle.turn():
            seen.append(name)

    async def main() -> None:
        async with throttle.turn():
            first, second = (asyncio.create_task(call(name)) for name in "ab")
            await asyncio.sleep(0)
            if not woken:
                first.cancel()
        first.cancel()
        async with asyncio.timeout(1):
            await asyncio.gather(first, second, return_exceptions=True)

    asyncio.run(main())

    assert seen == ["b"]


def test_all_of_a_stage_wait_for_what_one_was_asked_to() -> None:
    throttle = Throttle(4)
    throttle.refused(time.monotonic(), wait=0.3)

    async def call() -> float:
        async with throttle.turn() as sent:
            return sent

    async def main() -> list[float]:
        return await asyncio.gather(*(call() for _ in range(4)))

    began = time.monotonic()

    assert min(asyncio.run(main())) - began >= 0.29


LIMITED = """
    import threading, time
    lock, now, most, seen, refused = threading.Lock(), 0, 0, [], 0
    class Limited(Exception):
        status_code, retry_after = 429, 0.02
    def retrieve(question):
        global now, most, refused
        with lock:
            now += 1
            seen.append(question)
            most, over = max(most, now), now > 4
            refused += over
        try:
            time.sleep(0.002 if over else 0.01)
            if over: raise Limited
            return [question]
        finally:
            with lock: now -= 1
"""


def counted(folder: Path, code: str = LIMITED, **run: Any) -> tuple[list[Trace], dict[str, int]]:
    """What 150 rows came to, and what the service counted meanwhile."""
    pipeline = retriever(code, folder, run=run)
    traces = asked(pipeline, [f"q{n}" for n in range(150)], concurrency=run["concurrency"])
    service = sys.modules["bot"]
    return traces, {"calls": len(service.seen), "most": service.most, "refused": service.refused}


def test_a_service_with_a_limit_is_not_hammered_and_nothing_is_lost(tmp_path: Path) -> None:
    traces, told = counted(tmp_path, concurrency=32, retries=20)

    assert [trace["candidates"] for trace in traces] == [[{"text": f"q{n}"}] for n in range(150)]
    assert told["calls"] - told["refused"] == 150
    # Without slowing down 32 calls fight for 4 places, and 140 of them are refused (with it: 50).
    assert told["refused"] < 100


def test_a_stage_has_a_limit_of_its_own(tmp_path: Path) -> None:
    code = LIMITED.replace("now > 4", "False")

    traces, told = counted(tmp_path, code, concurrency=16, stage_concurrency={"retrieval": 3})

    assert told == {"calls": 150, "most": 3, "refused": 0}
    assert not any("error" in trace for trace in traces)


def test_another_stage_goes_on_meanwhile(tmp_path: Path) -> None:
    code = """
        import threading
        together = threading.Barrier(2, timeout=30)
        def retrieve(question): return [question]
        def generate(question, passages):
            together.wait()
            return question
    """
    plan = {"retriever": {"use": "bot:retrieve"}, "generator": {"use": "bot:generate"}}
    run = {"concurrency": 8, "stage_concurrency": {"retrieval": 1}}
    pipeline = build(tmp_path, plan, code=code, run=run)

    traces = asked(pipeline, ["q"] * 40, concurrency=8)

    assert not any("error" in trace for trace in traces)  # two of them were there at once
