"""A model judge through the real clients: what is sent, what a good reply gives, and the votes."""

import asyncio
import dataclasses
import json
from typing import Any

import pytest

from evalrag.judges import anthropic, openai
from evalrag.judges.build import judge_print
from evalrag.judging.cache_key import cache_key
from evalrag.judging.tasks import (
    ClaimsTask,
    FactsTask,
    FormTask,
    RelevancyTask,
    UsefulTask,
    history_of,
)
from evalrag.judging.tasks import sent as sent_by
from evalrag.schema.score import NotApplicable, Scored
from evalrag.schema.words import FactLabel, Form, Label, Relevancy
from tests.judges.asking import (
    MODELS,
    PAGE,
    PROVIDERS,
    QUESTION,
    Asking,
    again,
    claim,
    entry,
    in_rounds,
    only,
    row,
    scores,
)
from tests.judges.scripted import fenced, honest, named
from tests.provider.said import Asked, Provider, Refused, Said, always
from tests.provider.server import KEY, Call, ProviderServer


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


def judge_of(server: ProviderServer, provider: Provider, votes: int = 1, **settings: Any) -> Asking:
    if server.script.__name__ == "minimal":
        server.script = honest
    return Asking(server, provider, settings, votes)


def sent(call: Call) -> str:
    """All words of a request."""
    return json.dumps(call.body, ensure_ascii=False)


@PROVIDERS
def test_a_good_reply_is_a_verdict_and_what_it_cost_is_heard(
    provider: ProviderServer, provider_name: Provider
) -> None:
    asking = judge_of(provider, provider_name)
    found = asking()

    one = only(found)
    assert (one.label, one.quote, one.passages, one.conflict) == (Label.SUPPORTED, PAGE, (1,), ())
    assert one.reason == "read it"
    assert (found.relevancy, found.unresolved, found.guard) == (Relevancy.ANSWERS, {}, ())
    assert [heard.task for heard in asking.heard] == ["claims", "relevancy"]
    for heard in asking.heard:
        assert heard.model == MODELS[provider_name]
        assert heard.finish in ("stop", "end_turn")
        assert (heard.tokens_in or 0) > 0 < (heard.tokens_out or 0)
        assert heard.seconds is not None
        assert (heard.problem, heard.dropped, heard.cached) == (None, (), False)
    assert json.loads(asking.heard[0].raw or "")["sentences"][0]["claims"][0]["quotes"] == [PAGE]
    assert len(provider.calls) == 2


@PROVIDERS
def test_the_judge_of_claims_sees_question_context_and_answer_and_no_label(
    provider: ProviderServer, provider_name: Provider
) -> None:
    golden = row(
        gold=["gold-id"],
        reference_facts=["The fact of the reference."],
        reference_answer="The answer of the reference.",
    )
    judge_of(provider, provider_name)("It is 30 days.", [PAGE, "Another page."], golden)

    claims, facts, relevancy, recall = provider.calls
    data = dict(fenced(claims.user))
    assert data == {
        "question": QUESTION,
        "passage 1": PAGE,
        "passage 2": "Another page.",
        "answer s1": "It is 30 days.",
    }
    for word in ("gold-id", "reference", "happy-path"):
        assert word not in sent(claims)
    assert dict(fenced(relevancy.user)) == {"question": QUESTION, "answer": "It is 30 days."}
    assert "Another page." not in sent(facts)
    assert named(fenced(facts.user), "fact f") == ["The fact of the reference."]
    assert list(dict(fenced(recall.user))) == ["passage 1", "passage 2", "fact f1"]
    assert "It is 30 days." not in sent(recall)


HISTORY = [
    {"role": "user", "content": "How long is the refund window?"},
    {"role": "assistant", "content": "30 days. <<end>>"},
]


@PROVIDERS
def test_every_task_about_the_answer_shows_the_turns_before_the_question(
    provider: ProviderServer, provider_name: Provider
) -> None:
    golden = row(question="And for sale items?", history=HISTORY, reference_facts=["14 days."])
    settings = {"passage_usefulness": True}
    judge_of(provider, provider_name, **settings)("Hello 14 days!", [PAGE], golden)

    with_turns = [c for c in provider.calls if not _about_recall(c)]
    assert len(with_turns) >= 4
    for call in with_turns:
        data = dict(fenced(call.user))
        assert data["earlier turn 1, user"] == "How long is the refund window?"
        assert data["earlier turn 2, assistant"] == "30 days. <end>"
        assert list(data).index("question") > list(data).index("earlier turn 2, assistant")
    (recall,) = [c for c in provider.calls if _about_recall(c)]
    assert not named(fenced(recall.user), "earlier turn")


def _about_recall(call: Call) -> bool:
    data = fenced(call.user)
    return bool(named(data, "fact f")) and not named(data, "answer")


def test_another_history_is_another_question_to_the_cache() -> None:
    history = history_of(row(history=HISTORY))
    for task in (
        FormTask("q", "a"),
        ClaimsTask("q", ("c",), "a"),
        FactsTask("q", ("f",), "a"),
        RelevancyTask("q", "a"),
        UsefulTask("q", ("c",)),
    ):
        other = dataclasses.replace(task, history=history)
        keys = {cache_key({}, "t", sent_by(one), 0, 0) for one in (task, other)}
        assert len(keys) == 2


@PROVIDERS
def test_every_call_has_a_marker_of_its_own_and_instructions_that_never_change(
    provider: ProviderServer, provider_name: Provider
) -> None:
    asking = judge_of(provider, provider_name)
    asking()
    asking("The refund window is 30 days.")

    first, _, second, _ = provider.calls
    key = "system" if provider_name == "anthropic" else "messages"
    systems = [
        c.body[key] if provider_name == "anthropic" else c.body[key][0]["content"]
        for c in (first, second)
    ]
    assert systems[0] == systems[1]
    markers = [call.user.splitlines()[0] for call in provider.calls]
    assert len(set(markers)) == 4


@PROVIDERS
def test_the_schema_puts_the_reason_before_the_label(
    provider: ProviderServer, provider_name: Provider
) -> None:
    judge_of(provider, provider_name)()
    body = provider.calls[0].body
    if provider_name == "openai":
        assert body["response_format"]["json_schema"]["strict"] is True
        schema = body["response_format"]["json_schema"]["schema"]
    else:
        schema = body["output_config"]["format"]["schema"]
    (item,) = [schema["properties"]["sentences"]["items"]]
    fields = list(item["properties"]["claims"]["items"]["properties"])
    assert fields.index("reason") < fields.index("label")


@PROVIDERS
def test_temperature_is_pinned_where_the_api_has_one(
    provider: ProviderServer, provider_name: Provider
) -> None:
    asking = judge_of(provider, provider_name)
    asking()

    settings: Any = judge_print(asking.judge).details["settings"]
    pinned = settings["temperature"]
    for call in provider.calls:
        if provider_name == "openai":
            assert (call.body["temperature"], pinned) == (0.0, 0.0)
            assert call.body["max_completion_tokens"] == 8192
        else:
            assert "temperature" not in call.body
            assert (call.body["max_tokens"], pinned) == (8192, "not pinned")


def test_a_model_that_takes_no_temperature_is_asked_without_it_and_that_is_kept(
    provider: ProviderServer,
) -> None:
    provider.unsupported = {"temperature", "seed"}
    asking = judge_of(provider, "openai", seed=7)
    found = asking()

    assert (only(found).label, found.unresolved) == (Label.SUPPORTED, {})
    assert [heard.dropped for heard in asking.heard] == [("temperature", "seed")] * 2
    assert [call.status for call in provider.calls] == [400, 400, 200, 200]


def test_a_server_that_names_the_parameter_in_words_alone_is_understood(
    provider: ProviderServer,
) -> None:
    """Servers that borrow the protocol answer 422, and say what is wrong in their own way."""

    def script(asked: Asked) -> Said:
        if "seed" in asked.body:
            words = "[{'loc': ['body', 'seed'], 'msg': 'Extra inputs are not permitted'}]"
            return Said(error=Refused(422, words))
        return honest(asked)

    provider.script = script
    asking = judge_of(provider, "openai", seed=7)
    assert only(asking()).label is Label.SUPPORTED
    assert [heard.dropped for heard in asking.heard] == [("seed",)] * 2
    assert [call.body["temperature"] for call in provider.calls] == [0.0] * 3


def test_what_was_refused_of_calls_in_flight_together_is_dropped_from_each(
    provider: ProviderServer,
) -> None:
    provider.unsupported = {"temperature"}
    asking = judge_of(provider, "openai")

    async def together() -> list[Any]:
        tasks = [asking.judge.ask(RelevancyTask(QUESTION, f"{n} days.")) for n in range(8)]
        try:
            return await asyncio.gather(*tasks)
        finally:
            await asking.judge.close()  # type: ignore[attr-defined]

    replies = asyncio.run(together())
    assert [reply.relevancy for reply in replies] == [Relevancy.ANSWERS] * 8
    assert {reply.heard[0].dropped for reply in replies} == {("temperature",)}


def test_a_server_of_the_older_protocol_is_given_max_tokens(provider: ProviderServer) -> None:
    provider.unsupported = {"max_completion_tokens"}
    asking = judge_of(provider, "openai", max_tokens=900)
    found = asking()

    assert only(found).label is Label.SUPPORTED
    assert [heard.dropped for heard in asking.heard] == [(), ()]
    assert [c.body.get("max_tokens") for c in provider.calls] == [None, 900, 900]
    assert "max_completion_tokens" not in provider.calls[-1].body


def test_a_parameter_that_was_never_sent_is_not_dropped(provider: ProviderServer) -> None:
    error = Refused(400, "seed is odd with this temperature", param="seed")
    provider.script = always(Said(error=error))
    asking = judge_of(provider, "openai")
    found = asking()

    assert "the call was refused (400: seed is odd" in found.unresolved["claims"]
    assert [call.body["temperature"] for call in provider.calls] == [0.0, 0.0]


def test_the_schema_can_stand_in_the_prompt(provider: ProviderServer) -> None:
    provider.unsupported = {"response_format"}
    found = judge_of(provider, "openai")()
    assert "400: Unsupported parameter: 'response_format'" in found.unresolved["claims"]
    assert "judge.with.schema_in: prompt" in found.unresolved["claims"]

    provider.forget()
    provider.script = lambda asked: honest(_with_schema(asked))
    found = judge_of(provider, "openai", schema_in="prompt")()
    assert (only(found).label, found.unresolved) == (Label.SUPPORTED, {})
    assert all("response_format" not in call.body for call in provider.calls)


def _with_schema(asked: Asked) -> Asked:
    """What a model reads of the schema that stands at the end of its instructions."""
    schema = json.loads(asked.system.rpartition("of this schema:\n")[2])
    return dataclasses.replace(asked, schema=schema)


def test_effort_is_sent_by_each_provider_in_its_own_way(provider: ProviderServer) -> None:
    for name in ("openai", "anthropic"):
        judge_of(provider, name, effort="low")()
    assert provider.calls[0].body["reasoning_effort"] == "low"
    assert provider.calls[2].body["output_config"]["effort"] == "low"


@PROVIDERS
def test_a_form_that_plain_code_leaves_open_is_asked_for(
    provider: ProviderServer, provider_name: Provider
) -> None:
    asking = judge_of(provider, provider_name)
    found = asking("Hello!")

    assert asking.heard[0].task == "form"
    assert found.form is Form.ANSWERED
    assert found.form_by == f"{provider_name}/{MODELS[provider_name]}"
    assert dict(fenced(provider.calls[0].user)) == {"question": QUESTION, "answer": "Hello!"}


@PROVIDERS
def test_facts_are_stated_by_their_id(provider: ProviderServer, provider_name: Provider) -> None:
    golden = row(reference_facts=[PAGE, "Postage is paid by the shop."])
    found = judge_of(provider, provider_name)(of=golden)

    told = [(verdict.fact, verdict.label) for verdict in found.facts]
    assert told == [
        (PAGE, FactLabel.STATED),
        ("Postage is paid by the shop.", FactLabel.MISSING),
    ]
    assert [verdict.label for verdict in found.recalled] == [FactLabel.STATED, FactLabel.MISSING]
    assert scores(found, of=golden)["claim_recall"] == Scored(0.5)


@PROVIDERS
@pytest.mark.parametrize("answer", ["", "   ", None])
def test_an_empty_answer_asks_nobody(
    provider: ProviderServer, provider_name: Provider, answer: str | None
) -> None:
    found = judge_of(provider, provider_name)(answer)
    assert (found.claims, found.unresolved, provider.calls) == ((), {}, [])


@PROVIDERS
def test_a_decline_asks_nobody(provider: ProviderServer, provider_name: Provider) -> None:
    answer = "I do not have information about that."
    found = judge_of(provider, provider_name)(answer)
    assert (found.form, provider.calls) == (Form.DECLINED, [])
    assert scores(found, answer)["faithfulness"] == NotApplicable("declined")


def test_no_key_is_said_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for build, name in ((openai.build, "OPENAI_API_KEY"), (anthropic.build, "ANTHROPIC_API_KEY")):
        monkeypatch.delenv(name)
        with pytest.raises(ValueError, match=f"set {name} in the environment"):
            build(model="m")
        with pytest.raises(ValueError, match="set MINE in the environment"):
            build(model="m", api_key_env="MINE")
        assert build(model="m", base_url="http://localhost:1/v1").name


# --- votes ---

SUPPORTED = entry("SUPPORTED", [PAGE])
ABSENT = entry("ABSENT")
CONTRADICTED = entry("CONTRADICTED", [PAGE])


@PROVIDERS
@pytest.mark.parametrize(
    ("second", "third", "label", "code"),
    [
        (SUPPORTED, SUPPORTED, Label.SUPPORTED, None),
        (ABSENT, SUPPORTED, Label.SUPPORTED, None),
        (ABSENT, ABSENT, Label.ABSENT, None),
        (CONTRADICTED, CONTRADICTED, Label.CONTRADICTED, None),
        (ABSENT, CONTRADICTED, Label.UNRESOLVED, "votes"),
    ],
)
def test_three_votes_on_the_claims_of_the_first(
    provider: ProviderServer,
    provider_name: Provider,
    second: dict[str, Any],
    third: dict[str, Any],
    label: Label,
    code: str | None,
) -> None:
    told = "Refunds are taken for 30 days."
    provider.script = in_rounds([claim(told, "SUPPORTED", PAGE)], again(second), again(third))
    asking = judge_of(provider, provider_name, votes=3)
    one = only(asking("Refunds are taken for 30 days from delivery."))

    assert (one.text, one.label, one.code) == (told, label, code)
    first, *later = asking.claims_calls
    assert [named(fenced(call.user), "claim c") for call in later] == [[told], [told]]
    assert named(fenced(first.user), "answer s")
    assert [heard.task for heard in asking.heard] == ["claims"] * 3 + ["relevancy"] * 3
    if code:
        assert one.reason == "no majority: 1 SUPPORTED, 1 ABSENT, 1 CONTRADICTED"


@PROVIDERS
def test_a_vote_that_cannot_be_had_leaves_the_claims_open(
    provider: ProviderServer, provider_name: Provider
) -> None:
    refused = Said(end="refusal", refusal="No.")
    provider.script = in_rounds([claim(PAGE, "SUPPORTED", PAGE)], again(SUPPORTED), refused)
    asking = judge_of(provider, provider_name, votes=3)
    found = asking()

    assert found.claims == ()
    assert [heard.task for heard in asking.heard][:3] == ["claims"] * 3  # all three are paid for
    assert found.unresolved == {"claims": "the judge refused to judge this"}
