"""A run that is stopped or reaches a limit: what is in flight is kept, and it goes on later."""

import json
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from subprocess import PIPE, Popen
from typing import Any

import pytest

from tests.judges.scripted import honest
from tests.provider import said
from tests.provider.server import KEY, ProviderServer
from tests.workspace import BOT, Done, Workspace

MODEL = "gpt-5.5-2026-04-23"

CALLS = BOT.replace(
    "def retrieve(question, top_k):",
    """def retrieve(question, top_k):
        import os, time
        with open("calls.txt", "a") as file:
            file.write(question + "\\n")
        time.sleep(float(os.environ.get("SLOW", "0")))""",
)
COSTS = CALLS + (
    "\n    PLAIN = generate\n"
    "    def generate(question, passages):\n"
    "        return {'answer': PLAIN(question, passages), 'usage': {'cost': 0.5}}\n"
)


def many(shop: Workspace, n: int = 20, bot: str = CALLS, **run: Any) -> None:
    rows = [
        {
            "id": f"q{i}",
            "kind": "unanswerable",
            "question": f"Question {i}?",
            "unanswerable_because": "out-of-scope",
        }
        for i in range(n)
    ]
    shop.rows(rows)
    shop.write("bot.py", bot)
    shop.plan(run={"concurrency": 2, **run})


def calls(shop: Workspace) -> list[str]:
    return (shop.path / "calls.txt").read_text().splitlines()


def kept(shop: Workspace) -> int:
    journals = list((shop.path / ".evalrag/runs").glob("*.part/journal.jsonl"))
    return sum(path.read_bytes().count(b"\n") - 1 for path in journals)


def until(condition: Any, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def started(shop: Workspace, *more: str, **environment: str) -> "Popen[str]":
    return Popen(
        [sys.executable, "-m", "evalrag", "run", "plan.yaml", *more],
        cwd=shop.path,
        env=shop.environment(**environment),
        stdout=PIPE,
        stderr=PIPE,
        text=True,
    )


def undisturbed(shop: Workspace) -> dict[str, bytes]:
    assert shop.evalrag("run", "plan.yaml").code == 4
    (shop.path / "calls.txt").unlink()
    return shop.run_files("0001")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (signal.SIGINT, "stopped by Ctrl-C: finishing 2 calls in flight; Ctrl-C again stops now"),
        (signal.SIGTERM, "stopped by SIGTERM: finishing 2 calls in flight for 10 s at most"),
    ],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_what_is_in_flight_is_finished_and_kept(
    shop: Workspace, how: signal.Signals, said: str
) -> None:
    many(shop)
    whole = undisturbed(shop)
    process = started(shop, SLOW="1.5")
    until(lambda: (shop.path / "calls.txt").exists() and len(calls(shop)) == 2)
    time.sleep(0.2)
    process.send_signal(how)
    out, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert out == ""
    assert said in err
    assert "2 of 20 attempts are kept\nnext: evalrag run plan.yaml --resume\n" in err
    assert shop.evalrag("run", "--resume").code == 4
    assert sorted(calls(shop)) == sorted(f"Question {i}?" for i in range(20))
    assert shop.run_files("0002") == whole


def test_ctrl_c_again_stops_now(shop: Workspace) -> None:
    many(shop)
    process = started(shop, SLOW="60")
    until(lambda: (shop.path / "calls.txt").exists() and len(calls(shop)) == 2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.6)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert "stopped by Ctrl-C: 0 of 20 attempts are kept" in err


def test_a_ctrl_c_that_comes_twice_at_once_is_one(shop: Workspace) -> None:
    many(shop)
    process = started(shop, SLOW="1.5")
    until(lambda: (shop.path / "calls.txt").exists() and len(calls(shop)) == 2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)

    assert "2 of 20 attempts are kept" in err


def test_sigterm_waits_for_so_long_and_no_longer(shop: Workspace) -> None:
    many(shop)
    process = started(shop, SLOW="60")
    until(lambda: (shop.path / "calls.txt").exists() and len(calls(shop)) == 2)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)

    assert process.returncode == 130
    assert time.monotonic() - began > 9


def test_a_limit_of_time_ends_a_run_that_can_be_resumed(shop: Workspace) -> None:
    many(shop, max_seconds=1.0)
    whole = undisturbed(shop)

    done = shop.evalrag("run", "plan.yaml", SLOW="0.4")

    assert done.code == 130
    assert re.search(
        r"max_seconds 1 have passed: finishing 2 calls in flight\n"
        r"error: max_seconds 1 have passed: [46] of 20 attempts are kept\n"
        r"next: evalrag run plan.yaml --resume\n",
        done.err,
    )
    assert shop.evalrag("run", "--resume").code == 4
    assert len(calls(shop)) == 20
    assert shop.run_files("0002") == whole


@pytest.mark.parametrize("by", ["flag", "environment"])
def test_the_command_line_stands_before_the_plan(shop: Workspace, by: str) -> None:
    many(shop, max_seconds=0.001, max_cost=0.001, bot=COSTS)
    if by == "flag":
        done = shop.evalrag("run", "plan.yaml", "--max-seconds", "100", "--max-cost", "100")
    else:
        done = shop.evalrag("run", "plan.yaml", EVALRAG_MAX_SECONDS="100", EVALRAG_MAX_COST="100")

    assert done.code == 4, done.err


def test_a_limit_of_cost_counts_what_was_spent_before(shop: Workspace) -> None:
    many(shop, bot=COSTS, concurrency=1)
    whole = undisturbed(shop)

    first = shop.evalrag("run", "plan.yaml", "--max-cost", "2")
    again = shop.evalrag("run", "plan.yaml", "--resume", "--max-cost", "2")

    assert (first.code, again.code) == (130, 130)
    assert "max_cost 2 is used up: 4 of 20 attempts are kept" in first.err
    assert "next: evalrag run plan.yaml --resume --max-cost 4\n" in first.err
    assert "max_cost 2 is used up: 4 of 20 attempts are kept" in again.err
    assert len(calls(shop)) == 4
    more = shop.evalrag("run", "plan.yaml", "--resume", "--max-cost", "4")
    assert (more.code, len(calls(shop))) == (130, 8)
    assert shop.evalrag("run", "plan.yaml", "--resume", "--max-cost", "10").code == 4
    assert len(calls(shop)) == 20
    assert shop.run_files("0002") == whole


def test_a_limit_that_is_reached_with_the_last_row_interrupts_nothing(shop: Workspace) -> None:
    many(shop, bot=COSTS, max_cost=10.0, concurrency=1)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 4, done.err
    assert len(calls(shop)) == 20


def test_a_limit_can_be_changed_in_the_plan_before_it_goes_on(shop: Workspace) -> None:
    many(shop, bot=COSTS, max_cost=2.0)
    assert shop.evalrag("run", "plan.yaml").code == 130
    many(shop, bot=COSTS, max_cost=100.0, concurrency=5, max_seconds=100)

    assert shop.evalrag("run", "plan.yaml", "--resume").code == 4


def test_calls_without_a_cost_are_said(shop: Workspace) -> None:
    many(shop, max_cost=1.0)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 4
    assert "max_cost did not count 20 calls that named no cost" in done.err


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_a_limit_within_which_nothing_can_be_done(shop: Workspace, value: str) -> None:
    done = shop.evalrag("run", "plan.yaml", f"--max-cost={value}")

    assert done.code == 2
    assert "--max-cost must be above 0" in done.err
    assert not (shop.path / ".evalrag").exists()


class Judged:
    """A shop with a judge of known price; each of its calls costs a unit or more."""

    def __init__(self, shop: Workspace, server: ProviderServer) -> None:
        self.shop, self.server = shop, server
        shop.write("bot.py", CALLS)
        with_ = {
            "model": MODEL,
            "base_url": server.openai_url,
            "retries": 0,
            "price": {"input": 1e6, "output": 0.0},
        }
        shop.plan(judge={"use": "openai", "with": with_}, run={"concurrency": 2})

    def run(self, *more: str) -> Done:
        self.server.forget()
        return self.shop.evalrag("run", "plan.yaml", *more, OPENAI_API_KEY=KEY)


@pytest.fixture
def judged(shop: Workspace) -> Iterator[Judged]:
    with ProviderServer(honest) as server:
        yield Judged(shop, server)


def test_what_the_judge_costs_is_counted_and_the_run_goes_on_with_what_it_said(
    judged: Judged,
) -> None:
    shop, server = judged.shop, judged.server
    assert judged.run().code == 4
    whole, all_calls = shop.run_files("0001"), len(server.calls)
    shutil.rmtree(shop.path / ".evalrag/cache")
    assert all_calls > 6

    first = judged.run("--max-cost", "2")
    spent = len(server.calls)
    again = judged.run("--resume", "--max-cost", "2")

    assert (first.code, again.code) == (130, 130)
    assert "max_cost 2 is used up: 6 of 6 attempts are kept" in first.err
    assert 1 <= spent < all_calls
    assert len(server.calls) == 0
    pipeline_calls = len(calls(shop))
    done = judged.run("--resume", "--max-cost", "1000000")
    assert done.code == 4
    assert len(server.calls) < all_calls
    assert len(calls(shop)) == pipeline_calls
    assert shop.run_files("0002") == whole


def test_the_price_of_a_judge_is_known_or_that_is_said(judged: Judged) -> None:
    text = (judged.shop.path / "plan.yaml").read_text()
    plan = json.loads(text)
    del plan["judge"]["with"]["price"]
    judged.shop.write("plan.yaml", json.dumps(plan))

    done = judged.run("--max-cost", "0.01")

    assert done.code == 4
    assert re.search(r"max_cost did not count \d+ calls that named no cost", done.err)
    plan["run"] = {"max_cost": 1}
    judged.shop.write("plan.yaml", json.dumps(plan))
    checked = judged.shop.evalrag("check", "plan.yaml", OPENAI_API_KEY=KEY)
    assert "run.max_cost cannot count the judge, whose price is not known" in checked.out


def test_ctrl_c_while_the_judge_is_asked_keeps_its_replies(judged: Judged) -> None:
    shop, server = judged.shop, judged.server
    assert judged.run().code == 4
    whole, all_calls = shop.run_files("0001"), len(server.calls)
    shutil.rmtree(shop.path / ".evalrag/cache")
    server.forget()
    server.script = lambda asked: said.slow(0.7, honest(asked))
    process = started(shop, OPENAI_API_KEY=KEY)
    until(lambda: server.in_flight == 2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)

    assert process.returncode == 130
    assert "stopped by Ctrl-C: finishing 2 calls in flight; Ctrl-C again stops now" in err
    assert "6 of 6 attempts are kept" in err
    first = len(server.calls)
    server.script = honest
    assert judged.run("--resume").code == 4
    assert first + len(server.calls) == all_calls
    assert shop.run_files("0002") == whole
