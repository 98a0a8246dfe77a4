"""A row that is waited for is named while it is."""

import os
import pty
import subprocess
import sys
import time

import pytest

from evalrag.adapters.calls import Waiting
from evalrag.cli.progress import Silent
from evalrag.cli.stuck import Stuck
from evalrag.schema.words import Stage
from tests.workspace import BOT, Workspace

SLOW = BOT.replace(
    "def generate(question, passages):",
    "def generate(question, passages):\n"
    "        import time\n"
    "        if 'gift wrapping cost' in question: time.sleep(SECONDS)",
)


def waiting(*rows: tuple[str, float]) -> list[Waiting]:
    now = time.monotonic()
    return [Waiting(row, Stage.GENERATION, now - seconds) for row, seconds in rows]


@pytest.mark.parametrize(
    ("seconds", "limit", "named"),
    [
        pytest.param(31, 60, True, id="past half of its time"),
        pytest.param(29, 60, False, id="before"),
        pytest.param(11, 12, True, id="past ten seconds"),
        pytest.param(9, 12, False, id="sooner than ten seconds"),
    ],
)
def test_a_log_is_told_of_each_late_row_once(
    capsys: pytest.CaptureFixture[str], seconds: float, limit: float, named: bool
) -> None:
    stuck = Stuck(lambda: waiting(("q1", seconds), ("q2\x1b[2J", 1.0)), Silent(), limit=limit)

    for _ in range(3):
        stuck.tell()

    line = f"waiting {seconds} s for row q1 (generation); a call may take {limit} s\n"
    assert capsys.readouterr() == ("", line * named)


def test_a_terminal_shows_the_longest_while_it_lasts(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []

    class Bar(Silent):
        watched = True

        def beside(self, text: str) -> None:
            shown.append(text)

    calls = [waiting(("q7\x1b[2J", 45), ("q8", 44)), waiting(("q8", 3))]
    stuck = Stuck(lambda: calls.pop(0), Bar(), limit=60)
    stuck.tell()
    stuck.tell()

    assert shown == ["waiting 45 s for row q7\ufffd[2J (generation)", ""]
    assert capsys.readouterr() == ("", "")


def test_in_a_run(shop: Workspace) -> None:
    shop.write("bot.py", SLOW.replace("SECONDS", "12"))
    shop.plan(run={"timeout_s": 20})

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 4
    assert done.err.count("s for row h2 (generation); a call may take 20 s\n") == 1


def test_on_a_terminal(shop: Workspace) -> None:
    shop.write("bot.py", SLOW.replace("SECONDS", "8"))
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "evalrag", "run", "plan.yaml"],
        cwd=shop.path,
        env=shop.environment(COLUMNS="120", TERM="xterm"),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ):
        os.close(theirs)
        seen = b""
        while True:
            try:
                seen += os.read(ours, 4096)
            except OSError:  # the other end was closed
                break
    os.close(ours)

    assert b"waiting 6 s for row h2 (generation)" in seen
