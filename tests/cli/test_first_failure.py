"""`--first-failure` ends at the first row that fails, names it, and never passes."""

import pytest

from tests.workspace import BOT, ROWS, Workspace

BROKEN = BOT.replace('["wrap#0"]', '["other#0", "market#0"]')
RAISES = BOT.replace(
    "first = FIRST.get(question, [])",
    "first = FIRST.get(question, [])\n"
    "        if 'gift wrapping cost' in question: raise OSError(5)",
)
LIES = BOT.replace('return "I do not have information about that."', 'return "It was Leinster."')


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        pytest.param(BROKEN, "row h2 failed (ranking)", id="by plain code"),
        pytest.param(RAISES, "row h2 errored (OSError: 5 (bot.py:", id="errored"),
    ],
)
def test_it_ends_at_the_row_and_what_was_asked_is_kept(
    shop: Workspace, bot: str, said: str
) -> None:
    shop.plan(run={"concurrency": 1})
    shop.accepted()
    shop.write("bot.py", bot)

    done = shop.evalrag("run", "plan.yaml", "--first-failure")

    assert (done.code, done.out) == (130, "")
    assert said in done.err
    assert "2 of 6 attempts are kept\nnext: evalrag run plan.yaml --resume" in done.err
    assert not (shop.path / ".evalrag/runs/0002").exists()
    assert shop.evalrag("run", "--resume").code in (1, 3)


def test_a_row_that_a_judge_fails_ends_it_while_rows_are_judged(shop: Workspace) -> None:
    shop.accepted()
    shop.rows([ROWS[-1], *ROWS[:-1]])
    shop.write("bot.py", LIES)

    done = shop.evalrag("run", "plan.yaml", "--first-failure")

    assert done.code == 130
    assert "row u1 failed (generation, boundary)" in done.err
    assert "6 of 6 attempts are kept" in done.err


def test_the_last_row_ends_nothing(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", LIES)

    done = shop.evalrag("run", "plan.yaml", "--first-failure")

    assert done.code == 1
    assert "FAIL nothing is invented" in done.out


def test_a_row_that_the_baseline_has_failing_is_no_news(shop: Workspace) -> None:
    shop.write("bot.py", BROKEN)
    shop.accepted()

    assert shop.evalrag("run", "plan.yaml", "--first-failure").code == 0


def test_quarantined_rows_and_allowed_errors_end_nothing(shop: Workspace) -> None:
    shop.accepted()
    shop.write("bot.py", RAISES)
    quarantine = [{"row": "h2", "until": "2030-01-01", "owner": "me", "reason": "flaky"}]
    shop.plan(quarantine=quarantine)
    assert shop.evalrag("run", "plan.yaml", "--first-failure").code != 130
    shop.plan(run={"allow_errors": 1})

    assert shop.evalrag("run", "plan.yaml", "--first-failure").code != 130


def test_all_attempts_of_a_row_decide(shop: Workspace) -> None:
    once = BOT.replace("(question, top_k):", "(question, top_k, repeat):", 1).replace(
        "first = FIRST.get(question, [])",
        "first = FIRST.get(question, [])\n"
        "        if repeat == 1 and 'gift wrapping cost' in question:\n"
        "            first = ['other#0', 'market#0']",
    )
    shop.plan(run={"repeats": 3, "concurrency": 1})
    shop.accepted()
    shop.write("bot.py", once)

    assert shop.evalrag("run", "plan.yaml", "--first-failure").code == 0
