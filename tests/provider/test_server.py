"""The local server is what a provider is to the real clients: the success path and the record."""

import asyncio
import json
import threading
from typing import Any

import anthropic
import openai
import pytest

from tests.provider import said
from tests.provider.clients import (
    SCHEMA,
    anthropic_client,
    ask_anthropic,
    ask_openai,
    openai_client,
)
from tests.provider.openai_rules import CHAT, DECISIONS, KNOWN, RESPONSES
from tests.provider.said import Asked, Said
from tests.provider.server import ProviderServer

VERDICT = json.dumps({"label": "ABSENT", "quotes": ["30 days"]})


def test_chat_completions_return_what_the_script_says(provider: ProviderServer) -> None:
    asked: list[Asked] = []

    def script(request: Asked) -> Said:
        asked.append(request)
        return said.text(VERDICT, usage=(120, 7))

    provider.script = script
    reply = asyncio.run(ask_openai(provider, user="Is it so?", system="You judge."))
    assert reply.choices[0].message.content == VERDICT
    assert reply.choices[0].finish_reason == "stop"
    assert reply.model == "gpt-5.5-2026-04-23"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (120, 7)
    assert reply._request_id == "req_00000001"
    (request,) = asked
    assert (request.provider, request.path) == ("openai", CHAT)
    assert (request.system, request.user, request.schema) == ("You judge.", "Is it so?", SCHEMA)


def test_messages_return_what_the_script_says(provider: ProviderServer) -> None:
    asked: list[Asked] = []

    def script(request: Asked) -> Said:
        asked.append(request)
        return said.text(VERDICT, usage=(120, 7))

    provider.script = script
    reply = asyncio.run(ask_anthropic(provider, user="Is it so?", system="You judge."))
    assert [block.type for block in reply.content] == ["text"]
    assert reply.content[0].to_dict()["text"] == VERDICT
    assert reply.stop_reason == "end_turn"
    assert reply.model == "claude-haiku-4-5-20251001"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (120, 7)
    assert reply._request_id == "req_00000001"
    (request,) = asked
    assert (request.provider, request.path) == ("anthropic", "/v1/messages")
    assert (request.system, request.user, request.schema) == ("You judge.", "Is it so?", SCHEMA)


def test_without_a_script_the_reply_is_the_least_that_fits(provider: ProviderServer) -> None:
    least = {"label": "SUPPORTED", "quotes": []}
    chat = asyncio.run(ask_openai(provider))
    assert json.loads(chat.choices[0].message.content or "") == least
    message = asyncio.run(ask_anthropic(provider))
    assert json.loads(message.content[0].to_dict()["text"]) == least  # type: ignore[arg-type]


def test_responses_return_text_and_a_thought_before_it(provider: ProviderServer) -> None:
    provider.script = said.always(said.text(VERDICT, thought="Let me see."))

    async def run() -> Any:
        async with openai_client(provider) as client:
            return await client.responses.create(
                model="gpt-6.2-sol",
                instructions="You judge.",
                input="Is it so?",
                text={
                    "format": {
                        "type": "json_schema",
                        "name": "verdict",
                        "strict": True,
                        "schema": SCHEMA,
                    }
                },
            )

    reply = asyncio.run(run())
    assert reply.output_text == VERDICT
    assert (reply.status, [item.type for item in reply.output]) == (
        "completed",
        ["reasoning", "message"],
    )
    assert reply.usage.output_tokens_details.reasoning_tokens > 0


def test_decisions_carry_probabilities_and_refusals(provider: ProviderServer) -> None:
    shares = {"SUPPORTED": 0.2, "ABSENT": 0.7, True: 0.1}
    provider.script = said.always(said.decided(shares, 0.25, None, {"low": 0.5, "high": 0.5}))

    async def run() -> Any:
        async with openai_client(provider) as client:
            return await client.decisions.create(
                model="gpt-6-luna",
                input=[{"role": "user", "content": "Context and claim."}],
                questions=[
                    {
                        "type": "choice",
                        "name": "label",
                        "instructions": "Which?",
                        "choices": [{"value": "SUPPORTED"}, {"value": "ABSENT"}, {"value": True}],
                    },
                    {"type": "predicate", "instructions": "It is so."},
                    {"type": "predicate", "instructions": "It may be said."},
                    {
                        "type": "score",
                        "instructions": "How much?",
                        "levels": [{"label": "low"}, {"label": "high"}],
                    },
                ],
            )

    label, first, second, score = asyncio.run(run()).answers
    assert (label.type, label.name, label.choice, label.confidence) == (
        "choice",
        "label",
        "ABSENT",
        0.7,
    )
    assert {part.value: part.probability for part in label.probabilities} == shares
    assert (first.type, first.probability) == ("predicate", 0.25)
    assert second.type == "refusal"
    assert (score.type, score.score) == ("score", 0.5)
    assert provider.calls[0].path == DECISIONS


def test_without_a_script_a_decision_is_its_first_choice(provider: ProviderServer) -> None:
    async def run() -> Any:
        async with openai_client(provider) as client:
            return await client.decisions.create(
                model="gpt-6-luna",
                input="Context and claim.",
                questions=[
                    {
                        "type": "choice",
                        "instructions": "Which?",
                        "choices": [{"value": "a"}, {"value": "b"}, {"value": "c"}],
                    }
                ],
            )

    (answer,) = asyncio.run(run()).answers
    assert answer.choice == "a"
    assert sum(part.probability for part in answer.probabilities) == pytest.approx(1)


def test_models_are_listed_and_looked_up(provider: ProviderServer) -> None:
    async def run() -> tuple[set[str], str, str]:
        async with openai_client(provider) as ours, anthropic_client(provider) as theirs:
            listed = {model.id for model in (await ours.models.list()).data}
            one = await ours.models.retrieve("gpt-6-luna")
            other = await theirs.models.retrieve("claude-haiku-4-5")
            return listed, one.id, other.id

    listed, one, other = asyncio.run(run())
    assert "gpt-5.5" in listed
    assert not any(name.startswith("claude") for name in listed)
    assert (one, other) == ("gpt-6-luna", "claude-haiku-4-5-20251001")


def test_the_served_model_may_drift(provider: ProviderServer) -> None:
    provider.served["gpt-5.5"] = "gpt-5.5-2026-12-01"
    assert asyncio.run(ask_openai(provider)).model == "gpt-5.5-2026-12-01"
    provider.script = said.always(said.text("{}", model="another"))
    assert asyncio.run(ask_anthropic(provider)).model == "another"


def test_the_known_parameters_are_those_of_the_installed_clients() -> None:
    """The lists are written out here, since the server needs no client; the clients check them."""
    from anthropic.types import message_create_params as messages
    from openai.types import decision_create_params as deciding
    from openai.types.chat import completion_create_params as chat
    from openai.types.responses import response_create_params as responses

    from tests.provider.anthropic_wire import KNOWN as OF_MESSAGES

    headers = {"user_profile_id", "workspace_id"}
    fields = set(messages.MessageCreateParamsBase.__annotations__)
    assert fields - headers | {"stream"} == OF_MESSAGES
    assert KNOWN[CHAT] == {*chat.CompletionCreateParamsBase.__annotations__, "stream"}
    assert KNOWN[RESPONSES] == {*responses.ResponseCreateParamsBase.__annotations__, "stream"}
    assert KNOWN[DECISIONS] == set(deciding.DecisionCreateParams.__annotations__)


def test_the_record_holds_every_request_and_how_many_were_in_flight(
    provider: ProviderServer,
) -> None:
    async def run() -> None:
        async with openai_client(provider) as ours, anthropic_client(provider) as theirs:
            await ask_openai(provider, client=ours)  # a client's first call loads much
            await ask_anthropic(provider, client=theirs)
            provider.forget()
            provider.script = lambda asked: said.slow(0.2, said.text(VERDICT))
            await asyncio.gather(
                *(ask_openai(provider, user=f"o{n}", client=ours) for n in range(3)),
                *(ask_anthropic(provider, user=f"a{n}", client=theirs) for n in range(2)),
            )
            await ask_openai(provider, user="last", client=ours)

    asyncio.run(run())
    calls = provider.calls
    assert sorted(call.user for call in calls) == ["a0", "a1", "last", "o0", "o1", "o2"]
    assert {call.provider for call in calls if call.user[0] == "a"} == {"anthropic"}
    assert provider.most_at_once == 5
    assert provider.in_flight == 0
    for call in calls:
        assert call.status == 200
        assert call.finished is not None
        assert call.finished - call.started >= 0.2
    provider.forget()
    assert (provider.calls, provider.most_at_once) == ([], 0)


def test_closing_is_fast_and_leaves_no_thread_even_with_requests_in_flight() -> None:
    before = threading.active_count()

    async def run(server: ProviderServer) -> BaseException | None:
        async with openai_client(server) as client:
            waiting = asyncio.ensure_future(ask_openai(server, client=client))
            while not server.in_flight:
                await asyncio.sleep(0.001)
            server.close()
            await asyncio.wait([waiting])
            return waiting.exception()

    with ProviderServer(said.always(said.never())) as server:
        error = asyncio.run(run(server))
    assert isinstance(error, openai.APIConnectionError)
    assert threading.active_count() == before
    assert server.calls[0].status is None


def test_a_script_that_raises_fails_the_block_and_not_only_a_reply() -> None:
    def script(asked: Asked) -> Said:
        raise AssertionError("the judge asked for the wrong thing")

    caught: list[BaseException] = []
    try:
        with ProviderServer(script) as server:
            try:
                asyncio.run(ask_anthropic(server, retries=2))
            except anthropic.InternalServerError as error:
                caught.append(error)
    except AssertionError as error:
        caught.append(error)
    assert [type(error).__name__ for error in caught] == ["InternalServerError", "AssertionError"]
    assert len(server.calls) == 1
