"""A hook that is slow, stuck or in the way of others costs its own row and no other."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from textwrap import dedent

import pytest

from tests.adapters.plans import asked, build, retriever

ROOT = Path(__file__).parents[2]
SLEEPS = {
    "sync": "def retrieve(question):\n    if question == 'stuck': event.wait()\n",
    "async": "async def retrieve(question):\n    if question == 'stuck': await asyncio.sleep(60)\n",
    "async that blocks its loop": (
        "async def retrieve(question):\n    if question == 'stuck': event.wait()\n"
    ),
    "async in a task of its own that blocks": (
        "async def inner(question):\n    if question == 'stuck': event.wait()\n"
        "async def retrieve(question):\n    await asyncio.gather(inner(question))\n"
    ),
    "async that ignores cancellation": (
        "async def retrieve(question):\n"
        "    while question == 'stuck':\n"
        "        try: await asyncio.sleep(0.1)\n"
        "        except asyncio.CancelledError: pass\n"
    ),
    "sync that returns an awaitable": (
        "def retrieve(question):\n    return inner(question)\n"
        "async def inner(question):\n"
        "    if question == 'stuck': await asyncio.sleep(60)\n"
        "    return [question]\n"
    ),
}
HEAD = "import asyncio, threading, time\nevent = threading.Event()\n"
OK = "    await asyncio.sleep(0.02)\n    return [question]\n"


def stuck(kind: str) -> str:
    code = HEAD + SLEEPS[kind]
    if kind == "sync":
        return code + OK.replace("await asyncio", "time")
    return code if kind.startswith("sync that") else code + OK


def ask(folder: Path, code: str, questions: list[str], **run: float) -> list[str]:
    pipeline = retriever(code, folder, run={"timeout_s": 0.3, **run})
    traces = asked(pipeline, questions)
    return [trace.get("error") or str(trace["candidates"][0].get("text")) for trace in traces]


@pytest.mark.parametrize("kind", SLEEPS)
def test_a_stuck_hook_costs_its_own_row(tmp_path: Path, kind: str) -> None:
    questions = ["a", "stuck", "b", "c", "stuck", *"defghijk"]

    said = ask(tmp_path, stuck(kind), questions)

    assert said == [q if q != "stuck" else "no answer in 0.3 s" for q in questions]


@pytest.mark.parametrize("kind", SLEEPS)
def test_a_stuck_hook_does_not_keep_the_process_alive(tmp_path: Path, kind: str) -> None:
    script = f"""
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(ROOT)!r})
        from tests.adapters.plans import asked, retriever
        code = {stuck(kind)!r}
        run = {{"timeout_s": 0.3}}
        traces = asked(retriever(code, Path({str(tmp_path)!r}), run=run), ["stuck", "a"])
        print([trace.get("error") for trace in traces])
    """

    done = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, timeout=20
    )

    assert (done.returncode, done.stdout) == (0, "['no answer in 0.3 s', None]\n"), done.stderr


def test_blocking_work_that_a_loop_hands_on_does_not_keep_the_process_alive(
    tmp_path: Path,
) -> None:
    code = """
        import asyncio, threading
        async def retrieve(question):
            await asyncio.to_thread(threading.Event().wait)
    """
    script = f"""
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(ROOT)!r})
        from tests.adapters.plans import asked, retriever
        (trace,) = asked(retriever({code!r}, Path({str(tmp_path)!r}), run={{"timeout_s": 0.2}}))
        print(trace["error"])
    """

    done = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, timeout=20
    )

    assert (done.returncode, done.stdout) == (0, "no answer in 0.2 s\n"), done.stderr


def test_a_blocking_async_hook_that_ends_in_time_does_not_cost_the_others(tmp_path: Path) -> None:
    code = HEAD + (
        "async def retrieve(question):\n"
        "    if question == 'slow': time.sleep(1.0)\n"
        "    await asyncio.sleep(0.4)\n"
        "    return [question]\n"
    )

    said = ask(tmp_path, code, ["a", "slow", "b", "c"], timeout_s=0.7)

    assert said == ["a", "no answer in 0.7 s", "b", "c"]


def test_an_async_hook_that_exits_from_a_task_of_its_own_costs_its_row(tmp_path: Path) -> None:
    code = HEAD + (
        "async def inner(question):\n"
        "    if question == 'exit': raise SystemExit(1)\n"
        "async def retrieve(question):\n"
        "    await asyncio.gather(inner(question))\n"
        "    return [question]\n"
    )

    said = ask(tmp_path, code, ["a", "exit", "b"])

    assert said[0] == "a"
    assert said[1].startswith("SystemExit: 1")
    assert said[2] == "b"


def test_a_call_that_fails_is_tried_again(tmp_path: Path) -> None:
    code = """
        seen = []
        def retrieve(question):
            seen.append(question)
            if seen.count(question) < 2:
                raise ConnectionError("reset")
            return [question]
    """

    assert ask(tmp_path, code, ["a", "b"], retries=2) == ["a", "b"]


def test_what_never_answers_says_how_often_it_was_tried(tmp_path: Path) -> None:
    code = "def retrieve(question): raise ConnectionError('reset')"

    (said,) = ask(tmp_path, code, ["a"], retries=1)

    assert said == "ConnectionError: reset (bot.py:1); tried 2 times"


def test_a_wrong_shape_is_not_tried_again(tmp_path: Path) -> None:
    code = "seen = []\ndef retrieve(question):\n    seen.append(1)\n    return len(seen)"

    (said,) = ask(tmp_path, code, ["a"], retries=5)

    assert said.startswith("bot:retrieve returned int 1;")


def test_a_server_that_asks_to_wait_is_waited_for(tmp_path: Path) -> None:
    code = """
        class Limited(Exception):
            retry_after = 0.5
        seen = []
        def retrieve(question):
            seen.append(question)
            if len(seen) == 1:
                raise Limited
            return [question]
    """
    began = time.perf_counter()

    assert ask(tmp_path, code, ["a"], retries=1) == ["a"]
    assert time.perf_counter() - began > 0.5


def test_a_failed_generator_keeps_what_was_retrieved(tmp_path: Path) -> None:
    code = """
        def retrieve(question): return ["a"]
        def generate(question, passages): raise RuntimeError("no model")
    """
    pipeline = {"retriever": {"use": "bot:retrieve"}, "generator": {"use": "bot:generate"}}

    (trace,) = asked(build(tmp_path, pipeline, code=code))

    assert trace["candidates"] == trace["context"] == [{"text": "a"}]
    assert (trace["error"], trace["error_stage"]) == (
        "RuntimeError: no model (bot.py:3)",
        "generation",
    )
    assert set(trace["seconds"]) == {"retrieval", "generation"}


@pytest.mark.parametrize(
    ("word", "wait"), [("def", "time.sleep(0.05)"), ("async def", "await asyncio.sleep(0.05)")]
)
def test_waiting_is_done_together(tmp_path: Path, word: str, wait: str) -> None:
    code = f"""
        import asyncio, time
        now = []
        {word} retrieve(question):
            now.append(question)
            at_once = len(now)
            {wait}
            now.pop()
            return [str(at_once)]
    """

    traces = asked(
        retriever(dedent(code), tmp_path, run={"concurrency": 16}), ["q"] * 64, concurrency=16
    )

    assert max(int(trace["candidates"][0]["text"]) for trace in traces) == 16


def test_threads_end_with_the_pipeline(tmp_path: Path) -> None:
    before = threading.active_count()
    asked(retriever("def retrieve(question): return []", tmp_path), ["q"] * 20)
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)

    assert threading.active_count() <= before
