"""A pipeline as they are: errors, hangs, rubbish and bursts of 429 over 200 rows."""

import json
from collections import Counter

import pytest

from tests.workspace import Done, Workspace

ROWS = 200
BOT = """
    import threading, time

    LOCK, LEFT = threading.Lock(), {}

    class Limited(Exception):
        status_code, retry_after = 429, 0.02

    class Refused(Exception):
        status_code = 400

    def retrieve(question, row_id):
        with LOCK, open("calls.txt", "a") as file:
            file.write(f"retrieval {row_id}\\n")
        return [{"id": f"{row_id}#0", "text": f"The answer to {row_id} is 42."}]

    def generate(question, passages, row_id):
        n = int(row_id[1:])
        with LOCK, open("calls.txt", "a") as file:
            file.write(f"generation {row_id}\\n")
            left = LEFT.setdefault(row_id, 1) if n % 40 < 8 else 0
            LEFT[row_id] = left - 1
        if left > 0:
            raise Limited("slow down")
        if n % 10 == 1:
            raise RuntimeError("the model is down") if n % 20 == 1 else Refused("too long")
        if n % 10 == 2:
            time.sleep(60)
        if n % 10 == 3:
            return [b"\\xff", {"no": object()}]
        return passages[0]["text"]
"""


def kind_of(row: str) -> str:
    n = int(row[1:])
    return {1: "raises" if n % 20 == 1 else "refused", 2: "hangs", 3: "rubbish"}.get(n % 10, "ok")


def tries_of(row: str) -> int:
    """How often the generator is called for a row: two tries, where another may help."""
    limited = int(row[1:]) % 40 < 8
    return 1 + (limited or kind_of(row) in ("raises", "hangs"))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Done]:
    shop = Workspace(tmp_path_factory.mktemp("flaky"), process=True)
    ids = [f"q{n}" for n in range(ROWS)]
    shop.rows(
        [
            {"id": i, "kind": "happy-path", "question": f"What is {i}?", "gold": [f"{i}#0"]}
            for i in ids
        ]
    )
    shop.write("bot.py", BOT)
    shop.plan(
        run={
            "concurrency": 16,
            "timeout_s": 1,
            "retries": 1,
            "stage_concurrency": {"generation": 8},
        },
        gates=[{"name": "found", "metric": "context_recall", "must": {"mean_at_least": 0.9}}],
    )
    return shop, shop.evalrag("run", "plan.yaml", timeout=240)


def test_nothing_is_lost_and_the_run_is_undecided(seen: tuple[Workspace, Done]) -> None:
    shop, done = seen
    lines = (shop.path / ".evalrag/runs/0001/rows.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]

    assert done.code == 3
    assert [row["id"] for row in rows] == [f"q{n}" for n in range(ROWS)]
    errored = [row["id"] for row in rows if row["outcome"] == "error"]
    assert errored == [f"q{n}" for n in range(ROWS) if kind_of(f"q{n}") != "ok"]


def test_every_call_is_made_as_often_as_was_asked_for(seen: tuple[Workspace, Done]) -> None:
    shop, _ = seen
    calls = Counter((shop.path / "calls.txt").read_text().splitlines())

    expected = {f"retrieval q{n}": 1 for n in range(ROWS)}
    expected |= {f"generation q{n}": tries_of(f"q{n}") for n in range(ROWS)}
    assert calls == expected


def test_tries_are_in_the_timings(seen: tuple[Workspace, Done]) -> None:
    shop, _ = seen
    text = (shop.path / ".evalrag/runs/0001/timings.jsonl").read_text()

    for line in map(json.loads, text.splitlines()):
        row, tries = line["id"], tries_of(line["id"])
        assert line.get("attempts") == ({"generation": tries} if tries > 1 else None), row


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("q21", "RuntimeError: the model is down (bot.py:"),
        ("q31", "Refused: too long (bot.py:"),
        ("q12", "no answer in 1 s; tried 2 times"),
        ("q13", "bot:generate returned list"),
    ],
)
def test_what_a_person_reads(seen: tuple[Workspace, Done], row: str, said: str) -> None:
    shop, done = seen

    assert "UNDECIDED (exit 3)" in done.out
    assert "60 rows errored: q1, q2, q3, q11, q12 and 55 more" in " ".join(done.out.split())
    assert "next: evalrag show 0001 q1" in done.out
    shown = shop.evalrag("show", "latest", row).out
    assert said in " ".join(shown.split())
