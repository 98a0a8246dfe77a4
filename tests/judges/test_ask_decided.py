"""A judge is not asked what people decided, and what they decided stands before what it says."""

import asyncio
import dataclasses
from typing import Any

import pytest

from evalrag.judges.ask import judge_row
from evalrag.judges.desk import Desk
from evalrag.judges.given import GivenJudge
from evalrag.judging.decided import PEOPLE, Decided, Decisions
from evalrag.judging.tasks import (
    ClaimsReply,
    ClaimsTask,
    FactsTask,
    FormReply,
    FormTask,
    Heard,
    Reply,
    Task,
    task_name,
)
from evalrag.schema.decision import Decision, answer_digest, context_digest
from evalrag.schema.result import Claim, Verdicts
from evalrag.schema.words import FactLabel, Form, Label
from tests.judges.test_ask import UNSURE, Kept, Scripted, claim, good, row

CONTEXT = ["It is $5.", "The price is $5."]
ANSWER = "It is $5. It is blue. The price is $5."
CLAIMS = ("It is $5.", "It is blue.", "The price is $5.")
WHY = "decided by Ana on 2026-11-30: read it"


def decision(answer: str = ANSWER, **fields: Any) -> Decision:
    base: dict[str, Any] = {"row": "r", "reason": "read it", "by": "Ana", "on": "2026-11-30"}
    content = answer_digest(row(), answer)
    if "claim" in fields:
        base |= {"claims": CLAIMS, "answer": content}
        content = context_digest(row(), CONTEXT)
    return Decision.model_validate(base | {"content": content} | fields)


def judged(judge: Any, *said: Decision, answer: str = ANSWER, **more: Any) -> Verdicts:
    of = more.pop("of", row())
    decided = Decisions(said).about(of, CONTEXT, answer)
    return asyncio.run(
        judge_row(judge, of, context=CONTEXT, answer=answer, decided=decided, **more)
    )


def labels(found: Verdicts) -> list[tuple[str, str, str | None]]:
    return [(claim.id, claim.label.value, claim.code) for claim in found.claims]


def labelling(task: Task) -> Reply:
    """Labels the claims that it is given, as nothing that the guard would doubt."""
    if isinstance(task, ClaimsTask) and task.claims:
        return ClaimsReply(
            tuple(
                Claim(id=f"c{n}", text=text, label=Label.ABSENT)
                for n, text in enumerate(task.claims, 1)
            )
        )
    return good(task)


def test_the_judge_labels_what_people_left_to_it_under_its_place_among_all() -> None:
    judge = Scripted(labelling)

    found = judged(judge, decision(claim="It is blue.", label="CONTRADICTED"))

    (asked,) = (task for task in judge.asked if isinstance(task, ClaimsTask))
    assert asked.claims == ("It is $5.", "The price is $5.")
    assert labels(found) == [
        ("c1", "ABSENT", None),
        ("c2", "CONTRADICTED", "people"),
        ("c3", "ABSENT", None),
    ]
    assert found.claims[1].reason == WHY
    assert found.judge == Desk(judge).digest


def test_a_judge_is_not_asked_where_nothing_is_left_to_it() -> None:
    judge = Scripted(labelling)
    said = [decision(claim=text, label="SUPPORTED") for text in CLAIMS]
    said += [decision(fact=text, label="MISSING") for (text,) in row().reference_facts]

    found = judged(judge, *said)

    assert not [task for task in judge.asked if isinstance(task, ClaimsTask | FactsTask)]
    assert [label for _, label, _ in labels(found)] == ["SUPPORTED"] * 3
    assert [fact.label for fact in found.facts] == [FactLabel.MISSING] * 2


def test_a_form_by_people_stands_before_plain_code_and_judge() -> None:
    judge = Scripted(good)

    sure = judged(judge, decision(form="DECLINED"))
    unsure = judged(judge, decision(UNSURE, form="CORRECTS"), answer=UNSURE)

    assert not [task for task in judge.asked if isinstance(task, FormTask)]
    assert (sure.form, sure.form_by, sure.form_reason) == (Form.DECLINED, PEOPLE, WHY)
    assert (unsure.form, unsure.form_by) == (Form.CORRECTS, PEOPLE)
    assert sure.claims == ()
    assert "form" not in unsure.unresolved


def test_a_fact_by_people_stands_even_where_the_answer_declines() -> None:
    found = judged(
        Scripted(good),
        decision(form="DECLINED"),
        decision(fact="The price is $5.", label="STATED"),
    )

    assert [(fact.fact, fact.label.value) for fact in found.facts] == [
        ("It is $5.", "MISSING"),
        ("The price is $5.", "STATED"),
    ]


def test_a_fact_is_asked_of_the_judge_without_those_that_are_decided() -> None:
    judge = Scripted(good)

    found = judged(judge, decision(fact="It is $5.", label="CONTRADICTED"))

    (asked,) = (task for task in judge.asked if isinstance(task, FactsTask))
    assert asked.facts == ("The price is $5.",)
    assert [fact.label.value for fact in found.facts] == ["CONTRADICTED", "STATED"]
    assert found.facts[0].reason == WHY
    assert [fact.label.value for fact in found.recalled] == ["STATED", "STATED"]


def test_what_a_judge_does_not_say_is_open_beside_what_people_said() -> None:
    def silent(task: Task) -> Reply:
        raise TimeoutError("30 s")

    found = judged(
        Scripted(silent),
        decision(claim="The price is $5.", label="SUPPORTED"),
        decision(fact="The price is $5.", label="STATED"),
    )

    assert [label for _, label, _ in labels(found)] == ["UNRESOLVED", "UNRESOLVED", "SUPPORTED"]
    assert found.claims[0].reason == "TimeoutError: 30 s"
    assert [fact.label.value for fact in found.facts] == ["UNRESOLVED", "STATED"]
    assert found.facts[0].reason == "TimeoutError: 30 s"
    assert not {"claims", "facts"} & set(found.unresolved)


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["It is $5."], id="one missing"),
        pytest.param(["It is $5.", "The price is $5.", "The price is $5."], id="one twice"),
        pytest.param(["It is $5.", "It is RED."], id="one in other words"),
    ],
)
def test_verdicts_on_other_claims_than_were_asked_about_settle_none(texts: list[str]) -> None:
    def other(task: Task) -> Reply:
        if isinstance(task, ClaimsTask):
            return ClaimsReply(tuple(claim(f"x{n}", text=text) for n, text in enumerate(texts)))
        return good(task)

    found = judged(Scripted(other), decision(claim="It is blue.", label="ABSENT"))

    assert [label for _, label, _ in labels(found)] == ["UNRESOLVED", "ABSENT", "UNRESOLVED"]
    assert "other claims" in found.claims[0].reason


def test_no_cache_keeps_what_people_said() -> None:
    cache = Kept()
    judge = Scripted(_priced)
    said = [
        decision(claim="It is blue.", label="ABSENT"),
        decision(fact="It is $5.", label="MISSING"),
    ]
    first = judged(judge, *said, visit=Desk(judge, cache=cache).visit())
    silent = Scripted(_priced)

    again = judged(silent, *said, visit=Desk(silent, cache=cache).visit())
    free = judged(silent, visit=Desk(silent, cache=cache).visit())

    assert cache.texts
    assert not any("Ana" in text or PEOPLE in text for text in cache.texts.values())
    assert again == first
    assert PEOPLE not in [claim.code for claim in free.claims]
    assert len([task for task in silent.asked if isinstance(task, ClaimsTask)]) == 1
    assert len([task for task in silent.asked if isinstance(task, FactsTask)]) == 1


def _priced(task: Task) -> Reply:
    return dataclasses.replace(labelling(task), heard=(Heard(task_name(task), tokens_in=1),))


def test_no_judge_signs_for_people() -> None:
    def forging(task: Task) -> Reply:
        if isinstance(task, ClaimsTask):
            return ClaimsReply((claim("c1", code=PEOPLE, label="ABSENT"),))
        return good(task)

    assert [one.code for one in judged(Scripted(forging)).claims] == [None]

    def forging_when_asked_again(task: Task) -> Reply:
        if isinstance(task, ClaimsTask) and task.doubts:
            return ClaimsReply(tuple(claim(text=text, code=PEOPLE) for text in task.claims))
        if isinstance(task, ClaimsTask):
            return ClaimsReply((claim(text="It is $5.", quote="It is $9."),))
        return good(task)

    found = judged(Scripted(forging_when_asked_again), answer="It is $5.")
    assert found.guard
    assert [(one.label, one.code) for one in found.claims] == [(Label.SUPPORTED, None)]

    class Posing:
        name = PEOPLE
        offers = frozenset({"faithfulness"})

        def fingerprint(self) -> dict[str, str]:
            return {}

        async def ask(self, task: Task) -> Reply:
            return FormReply(None)

    with pytest.raises(ValueError, match="people"):
        GivenJudge(Posing(), limit=1.0, redact=str)


def test_what_the_guard_doubts_is_named_by_its_place_among_all_claims() -> None:
    def careless(task: Task) -> Reply:
        if isinstance(task, ClaimsTask) and task.claims:
            return ClaimsReply(
                tuple(claim(f"c{n}", text=text) for n, text in enumerate(task.claims, 1))
            )
        return good(task)

    def about(answer: str) -> Decision:
        claims = ("It is blue.", "It is $7.")
        return decision(answer, claim="It is blue.", label="ABSENT", claims=claims)

    answer = "It is blue. It is $7."
    fact = decision(answer, fact="The price is $5.", label="STATED")
    of = row(reference_facts=["The price is $5.", "It is $5."])
    found = judged(Scripted(careless), about(answer), fact, answer=answer, of=of)

    assert labels(found)[1][:2] == ("c2", "UNRESOLVED")
    assert [said.split(":")[0] for said in found.guard] == ["c2", "fact 2"]


def test_what_nobody_decided_is_asked_as_ever() -> None:
    one, other = Scripted(good), Scripted(good)

    plain = asyncio.run(judge_row(one, row(), context=CONTEXT, answer=ANSWER))
    empty = asyncio.run(judge_row(other, row(), context=CONTEXT, answer=ANSWER, decided=Decided()))

    assert plain == empty
    assert one.asked == other.asked
