"""The two providers' rules for a schema, and the least reply that fits one."""

from typing import Any, Literal

import pytest
from anthropic.lib._parse._transform import transform_schema
from openai.lib._pydantic import to_strict_json_schema
from pydantic import BaseModel, Field

from tests.provider.clients import SCHEMA
from tests.provider.schemas import anthropic_problem, least, openai_problem


class Part(BaseModel):
    claim: str
    confidence: float = Field(ge=0, le=1)


class Verdict(BaseModel):
    label: Literal["SUPPORTED", "ABSENT"]
    quotes: list[str] = Field(min_length=1)
    parts: list[Part]
    first: Part | None
    sure: bool


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
MUTUAL = {
    **inside({"$ref": "#/$defs/A"}),
    "$defs": {"A": inside({"$ref": "#/$defs/B"}), "B": inside({"$ref": "#/$defs/A"})},
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
        (MUTUAL, "recursive"),
        (inside({"enum": [{"a": 1}]}), "'enum' values"),
        (inside({"type": "array", "items": {"type": "string"}, "minItems": 1}), None),
    ],
)
def test_the_rules_of_anthropic(schema: dict[str, Any], words: str | None) -> None:
    problem = anthropic_problem(schema)
    assert problem is None if words is None else words in (problem or "")
