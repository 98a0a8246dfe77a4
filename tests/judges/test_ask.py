"""Asking a judge about a row: what it is asked, and what becomes of what it does not say."""

import asyncio
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import JsonValue

from evalrag.judges.ask import judge_row
from evalrag.judges.desk import Desk
from evalrag.judges.offline import OfflineJudge
from evalrag.judging.citations import Citations
from evalrag.judging.forms import FORMS
from evalrag.judging.measures import JUDGED, OPTIONAL
from evalrag.judging.scores import judged_scores
from evalrag.judging.tasks import (
    ClaimsReply,
    ClaimsTask,
    FactsReply,
    FactsTask,
    FormReply,
    FormTask,
    Heard,
    RecallTask,
    RelevancyReply,
    RelevancyTask,
    Reply,
    Task,
    UsefulReply,
    UsefulTask,
    task_name,
)
from evalrag.schema.result import Claim, FactVerdict, Verdicts
from evalrag.schema.row import Row
from evalrag.schema.score import NotApplicable, Scored, Unresolved
from evalrag.schema.words import FactLabel, Form, Label, Relevancy

UNSURE = "Hello!"
"""An answer whose form plain code leaves open."""


@dataclass
class Scripted:
    """A judge that says what a test tells it to, and keeps what it was asked."""

    replies: Callable[[Task], Reply]
    offers: frozenset[str] = frozenset(JUDGED) - OPTIONAL | {"answer_form"}
    name: str = "scripted/1"
    asked: list[Task] = field(default_factory=list)

    def fingerprint(self) -> dict[str, JsonValue]:
        return {"judge": self.name}

    async def ask(self, task: Task) -> Reply:
        self.asked.append(task)
        return self.replies(task)


def claim(name: str = "c1", **fields: Any) -> Claim:
    return Claim.model_validate({"id": name, "text": "It is $5.", "label": "SUPPORTED"} | fields)


def good(task: Task) -> Reply:
    match task:
        case FormTask():
            return FormReply(Form.QUALIFIED, "it greets")
        case ClaimsTask():
            return ClaimsReply((claim("c1"), claim("c2", label="ABSENT")))
        case FactsTask(facts=facts) | RecallTask(facts=facts):
            return FactsReply(
                tuple(FactVerdict(fact=fact, label=FactLabel.STATED) for fact in reversed(facts))
            )
        case RelevancyTask():
            return RelevancyReply(Relevancy.PARTLY, padded=True)
        case UsefulTask(context=context):
            return UsefulReply((True,) * len(context))


def row(**fields: Any) -> Row:
    base = {"id": "r", "kind": "happy-path", "question": "How much is it?"}
    return Row.model_validate(
        base | {"reference_facts": ["It is $5.", "The price is $5."]} | fields
    )


def judged(judge: Any, answer: str | None, of: Row | None = None, **more: Any) -> Verdicts:
    context = more.pop("context", ["It is $5."])
    return asyncio.run(judge_row(judge, of or row(), context=context, answer=answer, **more))


def test_all_that_is_offered_is_asked_once() -> None:
    judge = Scripted(good)
    found = judged(judge, "It is $5.")

    assert [type(task) for task in judge.asked] == [
        ClaimsTask,
        FactsTask,
        RelevancyTask,
        RecallTask,
    ]
    assert (found.form, found.form_by) == (Form.ANSWERED, FORMS)
    assert [c.label for c in found.claims] == [Label.SUPPORTED, Label.ABSENT]
    assert [fact.fact for fact in found.facts] == ["It is $5.", "The price is $5."]
    assert (found.relevancy, found.padded) == (Relevancy.PARTLY, True)
    assert found.unresolved == {}


def test_the_judge_decides_a_form_only_where_plain_code_does_not() -> None:
    found = judged(Scripted(good), UNSURE)
    assert (found.form, found.form_by, found.form_reason) == (
        Form.QUALIFIED,
        "scripted/1",
        "it greets",
    )


def test_a_decline_is_not_asked_for_claims_or_relevancy_and_states_no_fact() -> None:
    judge = Scripted(good)
    found = judged(judge, "I don't know.")
    assert [type(task) for task in judge.asked] == [RecallTask]
    assert found.claims == ()
    assert {fact.label for fact in found.facts} == {FactLabel.MISSING}


def test_a_decline_states_a_reference_that_declines() -> None:
    unanswerable = row(
        kind="unanswerable",
        unanswerable_because="not-in-corpus",
        reference_facts=[],
        reference_answer="The documents do not say.",
    )
    found = judged(Scripted(good), "I could not find that in the documents.", unanswerable)
    assert [fact.label for fact in found.facts] == [FactLabel.STATED]


def test_a_reference_answer_is_cut_into_facts() -> None:
    judge = Scripted(good)
    judged(judge, "A b. C d.", row(reference_facts=[], gold=["c"], reference_answer="A b. C d."))
    assert [task.facts for task in judge.asked if isinstance(task, FactsTask)] == [("A b.", "C d.")]
    assert not any(isinstance(task, RecallTask) for task in judge.asked)


def test_the_judge_of_faithfulness_never_sees_the_reference() -> None:
    judge = Scripted(good)
    judged(judge, "It is $5.", row(reference_facts=["SECRET"]), context=["It is $5."])
    (task,) = (task for task in judge.asked if isinstance(task, ClaimsTask))
    assert "SECRET" not in repr(task)


@pytest.mark.parametrize("answer", [None, "", " \n"])
def test_without_an_answer_only_recall_is_asked(answer: str | None) -> None:
    judge = Scripted(good)
    found = judged(judge, answer)
    assert [type(task) for task in judge.asked] == [RecallTask]
    assert found.form is None
    assert len(found.recalled) == 2


def test_what_is_not_offered_is_not_asked() -> None:
    judge = Scripted(good, offers=frozenset({"faithfulness"}))
    found = judged(judge, UNSURE)
    assert {type(task) for task in judge.asked} == {ClaimsTask}
    assert found.unresolved["form"]


def raises(error: BaseException) -> Callable[[Task], Reply]:
    def reply(task: Task) -> Reply:
        raise error

    return reply


@pytest.mark.parametrize("error", [RuntimeError("no key"), TimeoutError("30 s"), ValueError()])
def test_what_a_judge_raises_is_never_a_pass(error: Exception) -> None:
    of = row()
    found = judged(Scripted(raises(error)), UNSURE, of)
    assert set(found.unresolved) == {"form", "claims", "facts", "recall", "relevancy"}
    assert all(type(error).__name__ in reason for reason in found.unresolved.values())
    assert set(found.failed) == set(found.unresolved)
    cited = Citations(["a"], ["a"])
    scores = judged_scores(of, found, UNSURE, offers=set(JUDGED), citations=cited)
    assert scores.pop("citation_validity") == Scored(1.0)  # plain code, whatever a judge does
    assert scores.pop("answer_checks") == NotApplicable("no answer check")
    assert all(isinstance(score, Unresolved) for score in scores.values())


def test_cancellation_is_not_caught() -> None:
    with pytest.raises(asyncio.CancelledError):
        judged(Scripted(raises(asyncio.CancelledError())), "It is $5.")


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        pytest.param((claim("c1"), claim("c1")), "more than one verdict", id="one id twice"),
        pytest.param((claim(passages=(2,)),), "passage 2 of 1", id="a passage that is not there"),
        pytest.param((claim(passages=(0,)),), "passage 0 of 1", id="positions count from 1"),
        pytest.param((claim(conflict=(9,)),), "passage 9 of 1", id="so does a conflict"),
    ],
)
def test_claims_are_reconciled(claims: tuple[Claim, ...], reason: str) -> None:
    found = judged(
        Scripted(lambda task: ClaimsReply(claims), offers=frozenset({"faithfulness"})), "It is $5."
    )
    assert reason in found.unresolved["claims"]
    assert found.claims == ()


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param(["It is $5."], "no verdict on the fact 'The price is $5.'", id="one missing"),
        pytest.param(
            ["It is $5.", "The price is $5.", "The price is $5."],
            "was not asked for",
            id="one twice",
        ),
        pytest.param(
            ["It is $5.", "The price is $5.", "It is big."], "not asked for", id="one extra"
        ),
        pytest.param(["It is $5.", "It is Red."], "no verdict", id="one in other words"),
        pytest.param([], "no verdict", id="none"),
    ],
)
def test_facts_are_reconciled(facts: list[str], reason: str) -> None:
    reply = FactsReply(tuple(FactVerdict(fact=fact, label=FactLabel.STATED) for fact in facts))
    offers = frozenset({"answer_correctness", "claim_recall"})
    found = judged(Scripted(lambda task: reply, offers=offers), "It is $5.")
    assert reason in found.unresolved["facts"]
    assert reason in found.unresolved["recall"]
    assert found.facts == found.recalled == ()


def test_a_fact_that_the_row_lists_twice_is_judged_twice() -> None:
    found = judged(Scripted(good), "It is $5.", row(reference_facts=["a b", "c d", "a b"]))
    assert [fact.fact for fact in found.recalled] == ["a b", "c d", "a b"]


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        pytest.param(("MISSING", "STATED"), "STATED", id="one that is stated is enough"),
        pytest.param(("STATED", "CONTRADICTED"), "STATED", id="whatever is said of the other"),
        pytest.param(("UNRESOLVED", "STATED"), "STATED", id="or open of it"),
        pytest.param(("MISSING", "CONTRADICTED"), "CONTRADICTED", id="none stated, one denied"),
        pytest.param(("UNRESOLVED", "CONTRADICTED"), "CONTRADICTED", id="an open one hides none"),
        pytest.param(("MISSING", "UNRESOLVED"), "UNRESOLVED", id="one that may be stated"),
        pytest.param(("MISSING", "MISSING"), "MISSING", id="none"),
    ],
)
def test_wordings_of_one_fact_are_one_verdict(labels: tuple[str, str], label: str) -> None:
    said = dict(zip(("It is $5.", "The price is $5."), labels, strict=True))

    def labelled(task: Task) -> Reply:
        if isinstance(task, FactsTask | RecallTask):
            return FactsReply(
                tuple(
                    FactVerdict(fact=fact, label=FactLabel(said.get(fact, "MISSING")), quote=fact)
                    for fact in task.facts
                )
            )
        return good(task)

    facts = [list(said), "It is red."]
    found = judged(Scripted(labelled), "It is $5. The price is $5.", row(reference_facts=facts))

    assert [(fact.fact, fact.label) for fact in found.facts] == [
        ("It is $5.", label),
        ("It is red.", "MISSING"),
    ]


def test_a_reply_to_another_task_settles_nothing() -> None:
    found = judged(Scripted(lambda task: FormReply(Form.ANSWERED)), "It is $5.")
    assert set(found.unresolved) == {"claims", "facts", "recall", "relevancy"}


def test_a_form_that_nobody_is_sure_of_is_open_and_no_failure() -> None:
    found = judged(Scripted(lambda task: FormReply(None, "unsure")), UNSURE)
    assert "form" in found.unresolved
    assert "form" not in found.failed


def test_a_judge_that_is_not_sure_leaves_the_form_open() -> None:
    found = judged(Scripted(lambda task: FormReply(None, "cannot tell")), UNSURE)
    assert (found.form, found.form_by) == (None, None)
    assert found.unresolved["form"] == "cannot tell"


@dataclass
class Kept:
    """A cache that lives as long as a test."""

    texts: dict[str, str] = field(default_factory=dict)

    def get(self, key: str) -> str | None:
        return self.texts.get(key)

    def put(self, key: str, value: str, **about: Any) -> None:
        self.texts[key] = value


def test_what_was_settled_is_not_asked_again() -> None:
    cache = Kept()
    first = Scripted(_priced)
    second = Scripted(_priced)

    found = judged(first, "It is $5.", visit=Desk(first, cache=cache).visit())
    again = judged(second, "It is $5.", visit=Desk(second, cache=cache).visit())

    assert len(first.asked) == 4
    assert second.asked == []
    assert again == found


def test_what_was_held_against_a_fact_is_kept_with_its_verdict() -> None:
    def hasty(task: Task) -> Reply:
        if isinstance(task, FactsTask | RecallTask) and not task.doubts:
            stated = (
                FactVerdict(fact=fact, label=FactLabel.STATED, quote="") for fact in task.facts
            )
            return FactsReply(tuple(stated), (Heard(task_name(task), model="m"),))
        if isinstance(task, FactsTask | RecallTask):
            missing = (FactVerdict(fact=fact, label=FactLabel.MISSING) for fact in task.facts)
            return FactsReply(tuple(missing), (Heard(task_name(task), model="m"),))
        return _priced(task)

    cache = Kept()
    judge = Scripted(hasty)
    found = judged(judge, "It is $5.", visit=Desk(judge, cache=cache).visit())
    asked = len(judge.asked)
    again = judged(judge, "It is $5.", visit=Desk(judge, cache=cache).visit())

    assert [line for line in found.guard if line.startswith("fact ")]
    assert again == found
    assert len(judge.asked) == asked


def test_another_repeat_and_another_answer_are_asked() -> None:
    cache = Kept()
    judge = Scripted(_priced)
    judged(judge, "It is $5.", visit=Desk(judge, cache=cache).visit())
    judged(judge, "It is $5.", visit=Desk(judge, cache=cache).visit(repeat=1))
    judged(judge, "It costs $5.", visit=Desk(judge, cache=cache).visit())
    assert len(judge.asked) == 4 + 4 + 3  # the facts that the context supports are the same


def test_what_is_open_is_asked_again() -> None:
    def unsure(task: Task) -> Reply:
        if isinstance(task, ClaimsTask):
            return ClaimsReply((claim("c1", label="UNRESOLVED"),), (Heard("claims"),))
        return _priced(task)

    cache = Kept()
    judge = Scripted(unsure)
    for _ in range(2):
        judged(judge, "It is $5.", visit=Desk(judge, cache=cache).visit())
    assert [type(task) for task in judge.asked[4:]] == [ClaimsTask]


def _priced(task: Task) -> Reply:
    return dataclasses.replace(good(task), heard=(Heard(task_name(task), model="m"),))


def test_the_offline_judge_from_end_to_end() -> None:
    of = row(
        question="How much is the permit?", reference_facts=["The permit costs $45 per month."]
    )
    context = ["Parking\nThe permit costs $45 per month."]
    right = judged(OfflineJudge(), "The permit costs $45 per month.", of, context=context)
    wrong = judged(OfflineJudge(), "The permit costs $45 per year.", of, context=context)

    assert [c.label for c in right.claims] == [Label.SUPPORTED]
    assert [fact.label for fact in right.facts] == [FactLabel.STATED]
    assert [fact.label for fact in right.recalled] == [FactLabel.STATED]
    assert [c.label for c in wrong.claims] == [Label.CONTRADICTED]
    assert [fact.label for fact in wrong.facts] == [FactLabel.CONTRADICTED]
    assert wrong.claims[0].quote == "The permit costs $45 per month."
