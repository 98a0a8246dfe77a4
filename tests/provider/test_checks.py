"""What the server refuses, as the real one does: keys, models, parameters and schemas."""

import asyncio
from collections.abc import Callable
from typing import Any, Literal

import anthropic
import openai
import pytest
from anthropic.lib._parse._transform import transform_schema
from openai.lib._pydantic import to_strict_json_schema
from pydantic import BaseModel, Field

from tests.provider.clients import SCHEMA, ask_anthropic, ask_openai, openai_client
from tests.provider.openai_rules import DECISIONS
from tests.provider.schemas import anthropic_problem, least, openai_problem
from tests.provider.server import ProviderServer

Ask = Callable[..., Any]


class Part(BaseModel):
    claim: str
    confidence: float = Field(ge=0, le=1)


class Verdict(BaseModel):
    label: Literal["SUPPORTED", "ABSENT"]
    quotes: list[str] = Field(min_length=1)
    parts: list[Part]
    first: Part | None
    sure: bool


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


# --- schemas ---

OPEN = {"type": "object", "properties": {}, "required": []}
LOOSE = {**SCHEMA, "required": ["label"]}


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


def test_what_the_clients_make_of_a_model_is_taken() -> None:
    """The rules here against the clients' own: each turns a model into what its provider takes."""
    assert openai_problem(to_strict_json_schema(Verdict)) is None
    assert anthropic_problem(transform_schema(Verdict)) is None
    assert "additionalProperties" in (openai_problem(Verdict.model_json_schema()) or "")
    assert "maximum, minimum" in (anthropic_problem(to_strict_json_schema(Verdict)) or "")


@pytest.mark.parametrize("schema", [to_strict_json_schema(Verdict), transform_schema(Verdict)])
def test_the_least_reply_fits_its_schema(schema: dict[str, Any]) -> None:
    found = Verdict.model_validate_json(least(schema))
    assert found.label == "SUPPORTED"


def inside(part: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"a": part},
        "required": ["a"],
        "additionalProperties": False,
    }


DEEP: dict[str, Any] = {"type": "string"}
for _ in range(12):
    DEEP = inside(DEEP)
RECURSIVE = {
    **inside({"$ref": "#/$defs/Node"}),
    "$defs": {"Node": inside({"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]})},
}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "array", "items": {"type": "string"}}, "got 'type: \"array\"'"),
        (inside({"description": "anything"}), "In context=('properties', 'a'), schema must have"),
        (inside({"type": "array"}), "array schema missing items"),
        (inside({"oneOf": [{"type": "string"}]}), "'oneOf' is not permitted"),
        (inside({"$ref": "#/$defs/A", "description": "x"}), "$ref cannot have keywords"),
        (inside({**SCHEMA, "required": ["label", "quotes", "b"]}), "'b', which is not"),
        (DEEP, "nesting"),
        (RECURSIVE, None),
        (inside({"type": ["string", "null"]}), None),
    ],
)
def test_the_rules_of_openai(schema: dict[str, Any], words: str | None) -> None:
    problem = openai_problem(schema)
    assert problem is None if words is None else words in (problem or "")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (inside({"type": "integer", "minimum": 1}), "For 'integer' type, properties minimum"),
        (inside({"type": "string", "maxLength": 9}), "For 'string' type, properties maxLength"),
        (inside({"type": "array", "items": {"type": "string"}, "minItems": 2}), "'minItems'"),
        (inside({"type": "string", "format": "phone"}), "'phone'"),
        (inside({"description": "anything"}), "schema must have"),
        (inside({"$ref": "https://example.org/a.json"}), "external $ref"),
        (RECURSIVE, "recursive"),
        (inside({"type": "array", "items": {"type": "string"}, "minItems": 1}), None),
    ],
)
def test_the_rules_of_anthropic(schema: dict[str, Any], words: str | None) -> None:
    problem = anthropic_problem(schema)
    assert problem is None if words is None else words in (problem or "")
