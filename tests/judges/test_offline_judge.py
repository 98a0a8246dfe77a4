"""The offline judge as a plan gets it: no settings, no SDK, the same print every time."""

import asyncio
import subprocess
import sys

import pytest

from evalrag.judges.build import BUILTIN, GROUP, judge_print
from evalrag.judges.offline import OfflineJudge, build
from evalrag.judging.forms import FORMS
from evalrag.judging.measures import JUDGED
from evalrag.judging.tasks import (
    ClaimsReply,
    ClaimsTask,
    FactsReply,
    FactsTask,
    FormReply,
    FormTask,
    RecallTask,
    RelevancyReply,
    RelevancyTask,
    Reply,
    Task,
)
from evalrag.plugins import resolve
from evalrag.schema.words import FactLabel, Form, Label


def ask(task: Task) -> Reply:
    return asyncio.run(build().ask(task))


def test_it_is_found_by_its_name() -> None:
    assert resolve("offline", group=GROUP, builtins=BUILTIN) is build


def test_it_takes_no_settings_and_names_the_one_it_was_given() -> None:
    with pytest.raises(ValueError, match="takes no settings, and was given: model, votes"):
        build(votes=3, model="m")


def test_its_print_says_which_rules() -> None:
    found = judge_print(OfflineJudge())
    assert found.name == "offline-rules/2"
    assert found.details == {"judge": "offline", "rules": "offline-rules/2", "forms": FORMS}
    assert found == judge_print(build())
    assert "answer_relevancy" not in found.offers
    assert set(found.offers) <= {*JUDGED, "answer_form"}


def test_importing_it_imports_no_sdk() -> None:
    code = (
        "import sys, evalrag.judges.offline, evalrag.judges.ask, evalrag.judges.build\n"
        "print([m for m in ('openai', 'anthropic', 'httpx', 'asyncio') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_task_has_its_reply() -> None:
    context = ("The stipend is $500 per year.",)
    form = ask(FormTask("How much is the stipend?", "I don't know."))
    claims = ask(ClaimsTask("How much?", context, "The stipend is $600 per year."))
    stated = ask(FactsTask("How much?", context, "The stipend is $500 per year."))
    recalled = ask(RecallTask(context, context))
    relevancy = ask(RelevancyTask("How much?", "$500."))

    assert isinstance(form, FormReply)
    assert form.form is Form.DECLINED
    assert isinstance(claims, ClaimsReply)
    assert [claim.label for claim in claims.claims] == [Label.CONTRADICTED]
    assert isinstance(stated, FactsReply)
    assert [verdict.label for verdict in stated.verdicts] == [FactLabel.STATED]
    assert isinstance(recalled, FactsReply)
    assert [verdict.label for verdict in recalled.verdicts] == [FactLabel.STATED]
    assert isinstance(relevancy, RelevancyReply)
    assert relevancy.relevancy is None


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("The stipend is $500 per year.", FactLabel.STATED),
        ("The stipend is $600 per year.", FactLabel.CONTRADICTED),
        ("Breakfast is free.", FactLabel.MISSING),
        ("Every employee gets some money for study.", FactLabel.MISSING),
        ("", FactLabel.MISSING),
    ],
)
def test_a_fact_held_against_an_answer(answer: str, label: FactLabel) -> None:
    reply = ask(FactsTask("How much is it?", ("The stipend is $500 per year.",), answer))
    assert isinstance(reply, FactsReply)
    assert [verdict.label for verdict in reply.verdicts] == [label]


def test_a_fact_in_other_words_is_left_open() -> None:
    facts = ("Employees receive a yearly study stipend.",)
    reply = ask(FactsTask("What do they get?", facts, "Staff get some money for courses."))
    assert isinstance(reply, FactsReply)
    assert reply.verdicts[0].label is FactLabel.UNRESOLVED


def test_a_short_answer_is_read_behind_its_question() -> None:
    facts = ("The refund window for shoes is 30 days.",)
    reply = ask(FactsTask("How long is the refund window for shoes?", facts, "30 days."))
    assert isinstance(reply, FactsReply)
    assert reply.verdicts[0].label is FactLabel.STATED


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("It includes five seats.", FactLabel.UNRESOLVED),
        ("The plan includes 5 seats.", FactLabel.UNRESOLVED),
        ("Yours includes five seats.", FactLabel.UNRESOLVED),
        ("The Team plan includes five seats.", FactLabel.STATED),
        ("It includes help by phone.", FactLabel.UNRESOLVED),
    ],
)
def test_a_fact_is_stated_in_its_own_words_alone(answer: str, label: FactLabel) -> None:
    question, facts = "What does the Team plan include?", ("The Team plan includes five seats.",)
    reply = ask(FactsTask(question, facts, answer))
    assert isinstance(reply, FactsReply)
    assert reply.verdicts[0].label is label
