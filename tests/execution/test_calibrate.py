"""Labelled answers in front of a judge: each once, a few at a time, none at another's cost."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from evalrag.execution.calibrate import Answer, calibrate, judge_answers
from evalrag.judging.calibration import answer_figures
from evalrag.judging.measures import JUDGED
from evalrag.judging.probes import PROBES
from evalrag.judging.tasks import ClaimsReply, ClaimsTask, Reply, Task
from evalrag.schema.labels import LabelledRow
from evalrag.schema.result import Claim
from tests.execution.labelled import judge_file

PAIRS = Path(__file__).parents[1] / "judging" / "minimal_pairs.jsonl"


@dataclass
class Slow:
    """Supports every answer, after some turns of the loop; refuses the one called `bad`."""

    offers: frozenset[str] = frozenset(JUDGED) | {"answer_form"}
    name: str = "slow/1"
    now: int = 0
    most: int = 0
    asked: list[Task] = field(default_factory=list)

    def fingerprint(self) -> dict[str, JsonValue]:
        return {"judge": self.name}

    async def ask(self, task: Task) -> Reply:
        assert isinstance(task, ClaimsTask)
        self.asked.append(task)
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(3):
            await asyncio.sleep(0)
        self.now -= 1
        if "bad" in task.answer:
            raise RuntimeError("no quota")
        return ClaimsReply((Claim(id="c1", text=task.answer, label="SUPPORTED"),))


def answers(*texts: str) -> list[Answer]:
    return [Answer(str(n), "What is it?", ("one", "two"), text) for n, text in enumerate(texts)]


def test_each_is_asked_once_a_few_at_a_time_and_comes_back_in_order() -> None:
    judge, done = Slow(), []
    texts = [f"It is {letter}." for letter in "abcdefghijklmnopqrst"]

    found = asyncio.run(
        judge_answers(
            answers(*texts),
            judge,
            at_once=4,
            on_done=lambda: done.append(1),
        )
    )

    assert [said.claims[0].text for said in found] == [
        f"It is {letter}." for letter in "abcdefghijklmnopqrst"
    ]
    assert len(judge.asked) == len(done) == 20
    assert judge.most == 4


def test_only_claims_are_asked_for() -> None:
    """`Slow` asserts it: a form that plain code knows, relevancy and facts cost no call."""
    judge = Slow()

    asyncio.run(judge_answers(answers("It is blue."), judge, at_once=1))

    assert judge.asked == [ClaimsTask("What is it?", ("one", "two"), "It is blue.")]


def test_a_judge_that_fails_on_one_answer_leaves_that_one_unresolved() -> None:
    found = asyncio.run(judge_answers(answers("It is bad.", "It is blue."), Slow(), at_once=2))

    assert found[0].unresolved == {"claims": "RuntimeError: no quota"}
    assert found[1].claims[0].label == "SUPPORTED"


def test_an_answer_that_declines_costs_no_call() -> None:
    judge = Slow()

    (said,) = asyncio.run(
        judge_answers(answers("The documents do not mention that."), judge, at_once=1)
    )

    assert said.form == "DECLINED"
    assert judge.asked == []


def test_what_was_settled_before_is_not_asked_again() -> None:
    judge, kept = Slow(), Kept()

    for _ in range(2):
        asyncio.run(judge_answers(answers("It is blue."), judge, at_once=1, cache=kept))

    assert len(judge.asked) == 1


class Kept:
    """A cache that lives as long as a test."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        return self.texts.get(key)

    def put(self, key: str, value: str, **about: object) -> None:
        self.texts[key] = value


def rows() -> list[LabelledRow]:
    plain = {"question": "What is it?", "label": "SUPPORTED"}
    texts = ["The box is blue.", "The box is bad."]
    return [
        LabelledRow(id=str(n), answer=text, context=("The box is here.", "It is big."), **plain)
        for n, text in enumerate(texts)
    ]


def test_probes_are_asked_for_and_counted() -> None:
    judge = Slow()
    done: list[tuple[int, int]] = []

    plain = asyncio.run(calibrate(rows(), judge, at_once=2, on_done=lambda *at: done.append(at)))
    probed = asyncio.run(calibrate(rows(), judge, at_once=2, probes=True))

    assert done == [(1, 2), (2, 2)]
    assert plain.probes == {}
    assert [one.label for one in plain.found] == ["SUPPORTED", "UNRESOLVED"]
    assert [one.label for one in probed.found] == ["SUPPORTED", "UNRESOLVED"]
    assert set(probed.probes) == set(PROBES)
    turned = probed.probes["passages reordered"]
    assert (turned.moved.hits, turned.moved.n, turned.failed) == (0, 1, 1)
    contexts = {task.context for task in judge.asked if isinstance(task, ClaimsTask)}
    assert contexts == {("The box is here.", "It is big."), ("It is big.", "The box is here.")}


def test_the_offline_judge_on_minimal_pairs_is_what_its_table_says() -> None:
    """Each figure as `tests/judging/test_minimal_pairs.py` reads the same rows."""
    found = judge_file(PAIRS)
    ours = answer_figures(found)

    verbatim = [one for one in found if (one.row.model_extra or {})["edit_type"] == "verbatim"]
    assert [one.label for one in verbatim] == ["SUPPORTED"] * 17
    assert ours.confusion["SUPPORTED"]["CONTRADICTED"] == 0
    assert ours.confusion["CONTRADICTED"]["SUPPORTED"] == 0
    assert ours.confusion["ABSENT"]["SUPPORTED"] == 0
    assert (ours.recall["CONTRADICTED"].hits, ours.recall["CONTRADICTED"].n) == (85, 93)
    assert (ours.precision["CONTRADICTED"].hits, ours.precision["CONTRADICTED"].n) == (85, 85)
    assert (ours.unresolved.hits, ours.unresolved.n) == (31, 156)
    assert (ours.recall["ABSTAINED"].hits, ours.recall["ABSTAINED"].n) == (1, 1)
