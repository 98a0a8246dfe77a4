"""What the server refuses, as the real one does: keys, models, parameters and schemas."""

import asyncio
from typing import Any

import anthropic
import openai
import pytest

from tests.provider.clients import SCHEMA, ask_anthropic, ask_openai, openai_client
from tests.provider.openai_rules import DECISIONS
from tests.provider.server import ProviderServer

OPEN = {"type": "object", "properties": {}, "required": []}
LOOSE = {**SCHEMA, "required": ["label"]}


def refused_by_openai(server: ProviderServer, **more: Any) -> openai.APIStatusError:
    with pytest.raises(openai.APIStatusError) as caught:
        asyncio.run(ask_openai(server, **more))
    return caught.value


def refused_by_anthropic(server: ProviderServer, **more: Any) -> anthropic.APIStatusError:
    with pytest.raises(anthropic.APIStatusError) as caught:
        asyncio.run(ask_anthropic(server, **more))
    return caught.value


def test_a_wrong_key_is_refused_and_openai_repeats_its_ends(provider: ProviderServer) -> None:
    error = refused_by_openai(provider, key="sk-abcdefgh-1234", retries=2)
    assert isinstance(error, openai.AuthenticationError)
    assert error.code == "invalid_api_key"
    assert "sk-a********1234" in str(error)
    assert error.request_id == "req_00000001"
    other = refused_by_anthropic(provider, key="sk-abcdefgh-1234", retries=2)
    assert isinstance(other, anthropic.AuthenticationError)
    assert other.type == "authentication_error"
    assert "sk-a" not in str(other)
    assert other.request_id == "req_00000002"
    assert [call.status for call in provider.calls] == [401, 401]


def test_an_unknown_model_is_refused(provider: ProviderServer) -> None:
    error = refused_by_openai(provider, model="gpt-nil")
    assert isinstance(error, openai.NotFoundError)
    assert (error.code, "`gpt-nil`" in error.message) == ("model_not_found", True)
    other = refused_by_anthropic(provider, model="claude-nil")
    assert isinstance(other, anthropic.NotFoundError)
    assert (other.type, other.api_message) == ("not_found_error", "model: claude-nil")
    assert refused_by_openai(provider, model="claude-haiku-4-5").status_code == 404

    async def look_up() -> None:
        async with openai_client(provider) as client:
            await client.models.retrieve("gpt-nil")

    with pytest.raises(openai.NotFoundError, match="gpt-nil"):
        asyncio.run(look_up())


def test_an_unknown_parameter_is_refused_by_name(provider: ProviderServer) -> None:
    error = refused_by_openai(provider, extra_body={"temprature": 0})
    assert isinstance(error, openai.BadRequestError)
    assert (error.code, error.param) == ("unknown_parameter", "temprature")
    other = refused_by_anthropic(provider, extra_body={"temperature": 0})
    assert isinstance(other, anthropic.BadRequestError)
    assert other.api_message == "temperature: Extra inputs are not permitted"


def test_a_known_parameter_may_be_unsupported(provider: ProviderServer) -> None:
    asyncio.run(ask_openai(provider, temperature=0))
    provider.unsupported = {"temperature"}
    error = refused_by_openai(provider, temperature=0)
    assert (error.code, error.param) == ("unsupported_parameter", "temperature")
    assert "is not supported with this model" in error.message


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"temperature": 3}, "temperature"),
        ({"max_completion_tokens": 0}, "max_completion_tokens"),
        ({"extra_body": {"messages": []}}, "messages"),
        ({"stream": True}, "stream"),
    ],
)
def test_a_bad_value_is_refused_by_name(
    provider: ProviderServer, more: dict[str, Any], param: str
) -> None:
    error = refused_by_openai(provider, **more)
    assert (error.status_code, error.param) == (400, param)


def test_a_path_may_be_missing(provider: ProviderServer) -> None:
    provider.without.add(DECISIONS)
    with pytest.raises(openai.NotFoundError, match="Invalid URL"):
        asyncio.run(decide(provider))


async def decide(server: ProviderServer, **more: Any) -> None:
    asked: dict[str, Any] = {
        "model": "gpt-6-luna",
        "input": "Context and claim.",
        "questions": [{"type": "predicate", "instructions": "It is so."}],
    }
    async with openai_client(server) as client:
        await client.decisions.create(**{**asked, **more})


SAME = [{"value": "a"}, {"value": "a"}]


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"model": "gpt-5.5"}, "model"),
        ({"questions": []}, "questions"),
        ({"extra_body": {"temperature": 0}}, "temperature"),
        ({"questions": [{"type": "vote", "instructions": "?"}]}, "questions[0].type"),
        ({"questions": [{"type": "predicate"}]}, "questions[0].instructions"),
        (
            {"questions": [{"type": "choice", "instructions": "?", "choices": [{"value": "a"}]}]},
            "questions[0].choices",
        ),
        (
            {"questions": [{"type": "choice", "instructions": "?", "choices": SAME}]},
            "questions[0].choices",
        ),
    ],
)
def test_a_decision_keeps_to_its_reference(
    provider: ProviderServer, more: dict[str, Any], param: str
) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        asyncio.run(decide(provider, **more))
    assert caught.value.param == param


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"max_tokens": 0}, "max_tokens: Input should be"),
        ({"messages": []}, "messages: at least one"),
        ({"messages": [{"role": "system", "content": "?"}]}, "messages.0.role"),
        ({"messages": [{"role": "user", "content": " "}]}, "must be non-empty"),
        ({"output_config": {"effort": "some"}}, "output_config.effort"),
        ({"output_config": {"name": "v"}}, "output_config.name: Extra inputs"),
        ({"output_config": {"format": {"type": "json_schema"}}}, "schema: Field required"),
        ({"output_config": {"format": {"type": "json"}}}, "format.type"),
        (
            {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA, "name": "v"}}},
            "output_config.format.name: Extra inputs",
        ),
    ],
)
def test_a_message_keeps_to_its_reference(
    provider: ProviderServer, body: dict[str, Any], words: str
) -> None:
    error = refused_by_anthropic(provider, extra_body=body)
    assert error.type == "invalid_request_error"
    assert words in (error.api_message or "")


def test_a_message_needs_the_version_of_its_protocol(provider: ProviderServer) -> None:
    headers = {"anthropic-version": anthropic.omit}
    error = refused_by_anthropic(provider, extra_headers=headers)
    assert error.api_message == "anthropic-version: header is required"


@pytest.mark.parametrize(
    ("form", "param"),
    [
        ({"type": "json"}, "response_format.type"),
        ({"type": "json_schema"}, "response_format.json_schema.schema"),
        (
            {"type": "json_schema", "json_schema": {"name": "a b", "schema": SCHEMA}},
            "response_format.json_schema.name",
        ),
    ],
)
def test_a_response_format_keeps_to_its_reference(
    provider: ProviderServer, form: dict[str, Any], param: str
) -> None:
    error = refused_by_openai(provider, extra_body={"response_format": form})
    assert (error.status_code, error.param) == (400, param)


def test_a_schema_that_is_not_meant_strictly_is_not_looked_into(provider: ProviderServer) -> None:
    loose = {"type": "json_schema", "json_schema": {"name": "v", "schema": LOOSE}}
    asyncio.run(ask_openai(provider, extra_body={"response_format": loose}))
    assert provider.calls[0].status == 200


def test_a_schema_that_is_not_strict_is_refused(provider: ProviderServer) -> None:
    error = refused_by_openai(provider, schema=OPEN)
    assert isinstance(error, openai.BadRequestError)
    assert error.param == "response_format"
    assert "'verdict': In context=(), 'additionalProperties' is required" in error.message
    assert "Missing 'quotes'" in refused_by_openai(provider, schema=LOOSE).message
    other = refused_by_anthropic(provider, schema=OPEN)
    assert isinstance(other, anthropic.BadRequestError)
    assert other.api_message == (
        "output_config.format.schema: "
        "For 'object' type, 'additionalProperties' must be explicitly set to false"
    )
    asyncio.run(ask_anthropic(provider, schema=LOOSE))  # there a key may be optional


def test_responses_refuse_a_schema_under_their_own_field(provider: ProviderServer) -> None:
    async def run() -> None:
        form: Any = {"type": "json_schema", "name": "verdict", "strict": True, "schema": LOOSE}
        async with openai_client(provider) as client:
            await client.responses.create(model="gpt-5.5", input="?", text={"format": form})

    with pytest.raises(openai.BadRequestError) as caught:
        asyncio.run(run())
    assert (caught.value.code, caught.value.param) == ("invalid_json_schema", "text.format.schema")
