"""A judge of the user's own: whatever it does, it costs its own question and never passes a row."""

import pytest

from tests.workspace import Workspace

JUDGE = """
    import asyncio, os, sys, time
    from types import SimpleNamespace
    from evalrag.judges.offline import OfflineJudge
    from evalrag.judging.tasks import ClaimsReply, ClaimsTask
    from evalrag.schema.result import Claim

    class Judge:
        name = "mine/1"
        offers = {offers}

        def __init__(self):
            self.inner = OfflineJudge()

        def fingerprint(self):
            {fingerprint}

        async def ask(self, task):
            if isinstance(task, ClaimsTask):
                {ask}
            return await self.inner.ask(task)
"""


def judge(
    shop: Workspace,
    ask: str = "pass",
    offers: str = "['faithfulness', 'hard_fail']",
    fingerprint: str = "return {'judge': 'mine'}",
) -> None:
    text = JUDGE.replace("{ask}", ask).replace("{offers}", offers)
    shop.write("judges.py", text.replace("{fingerprint}", fingerprint))
    shop.plan(judge={"use": "judges:Judge"}, run={"timeout_s": 1, "concurrency": 2})


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        pytest.param("sys.exit(0)", "SystemExit", id="exits"),
        pytest.param("raise asyncio.CancelledError()", "CancelledError", id="cancels"),
        pytest.param("raise KeyboardInterrupt()", "KeyboardInterrupt", id="interrupts"),
        pytest.param("raise RuntimeError('no quota')", "RuntimeError: no quota", id="raises"),
        pytest.param("return 'SUPPORTED'", "replied with str", id="says a word"),
        pytest.param(
            "return ClaimsReply(claims=(SimpleNamespace(id='c1'),))",
            "cannot be used",
            id="says what is no claim",
        ),
        pytest.param(
            "return ClaimsReply((Claim.model_construct(id='c1', text='t', label='GOOD'),))",
            "label",
            id="says a label that there is not",
        ),
        pytest.param("return ClaimsReply(claims=None)", "cannot be used", id="says nothing"),
    ],
)
def test_a_judge_that_misbehaves_leaves_its_rows_unresolved(
    shop: Workspace, ask: str, said: str
) -> None:
    judge(shop, ask)

    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json")

    assert done.json["unresolved"] == ["h1", "h2", "n1", "s1", "m1"]
    assert done.json["outcomes"]["unanswerable"] == {"pass": 1}
    assert said in shop.evalrag("show", "latest", "h1").out.replace("\n", " ")


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param("time.sleep(3600)", id="blocks its loop", marks=pytest.mark.process),
        pytest.param("await asyncio.sleep(3600)", id="waits for ever"),
    ],
)
def test_a_judge_that_never_answers_is_unresolved_and_the_process_ends(
    shop: Workspace, ask: str
) -> None:
    judge(shop, ask)

    done = shop.evalrag("run", "plan.yaml", "--no-baseline", "--format", "json", timeout=50)

    assert done.json["unresolved"] == ["h1", "h2", "n1", "s1", "m1"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"offers": "'faithfulness'"}, "not a set of metric names", id="one word"),
        pytest.param({"offers": "['hard_fial']"}, "did you mean 'hard_fail'", id="a typo"),
        pytest.param({"offers": "None"}, "not a set of metric names", id="nothing"),
        pytest.param({"fingerprint": "return 'x'"}, "not a dict", id="a print that is a word"),
        pytest.param({"fingerprint": "sys.exit(0)"}, "SystemExit", id="a print that exits"),
        pytest.param({"fingerprint": "return {'x': {1}}"}, "cannot be made", id="no JSON"),
    ],
)
def test_a_judge_that_is_none_is_said_before_anything_runs(
    shop: Workspace, change: dict[str, str], said: str
) -> None:
    judge(shop, **change)

    done = shop.evalrag("run", "plan.yaml")

    assert done.code == 2, done
    assert said in done.err
    assert not (shop.path / ".evalrag").exists()


def test_a_fingerprint_is_taken_once_a_run(shop: Workspace) -> None:
    judge(
        shop,
        fingerprint="self.n = getattr(self, 'n', 0) + 1; return {'n': self.n}",
    )
    shop.accepted()

    assert shop.evalrag("run", "plan.yaml").code == 0


def test_rows_of_another_judge_in_the_baseline_stay_undecided(shop: Workspace) -> None:
    shop.accepted()
    judge(shop)
    shop.evalrag("run", "plan.yaml", "--row", "h1")

    accepted = shop.evalrag("baseline", "accept", "latest", "--reason", "one row")
    done = shop.evalrag("run", "plan.yaml")

    assert accepted.code == 2
    assert "another judge than the baseline" in accepted.err
    assert done.code == 3
