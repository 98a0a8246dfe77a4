"""What each provider demands of a JSON schema, and the least that fits one."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
Place = tuple[str, ...]

OPENAI_FORBIDS = (
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "uniqueItems",
)
OPENAI_DEPTH = 10
ANTHROPIC_FORMATS = {
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
}
ANTHROPIC_KEEPS = {
    "type",
    "enum",
    "const",
    "anyOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
    "description",
    "title",
    "default",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "format",
}


def parts(schema: Schema, place: Place = ()) -> Iterator[tuple[Place, Schema]]:
    """Every schema in a schema, itself first, with the way to it."""
    yield place, schema
    for key in ("properties", "$defs", "definitions"):
        for name, inner in schema.get(key, {}).items():
            yield from parts(inner, (*place, key, name))
    for key in ("anyOf", "allOf", "oneOf"):
        for index, inner in enumerate(schema.get(key, ())):
            yield from parts(inner, (*place, key, str(index)))
    if isinstance(schema.get("items"), Mapping):
        yield from parts(schema["items"], (*place, "items"))


def openai_problem(schema: Schema) -> str | None:
    """Why OpenAI refuses the schema in strict mode, in its words; None when it takes it."""
    if schema.get("type") != "object":
        kind = schema.get("type")
        return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."
    for place, part in parts(schema):
        if problem := openai_part_problem(part):
            return f"In context={place!r}, {problem}"
        if sum(step in {"properties", "items"} for step in place) > OPENAI_DEPTH:
            return f"In context={place!r}, nesting of the schema exceeds {OPENAI_DEPTH} levels."
    return None


def openai_part_problem(part: Schema) -> str | None:
    for word in OPENAI_FORBIDS:
        if word in part:
            return f"'{word}' is not permitted."
    if "$ref" in part:
        others = sorted(set(part) - {"$ref", "$defs", "definitions"})
        return f"$ref cannot have keywords {others}." if others else None
    if not {"type", "anyOf", "enum", "const"} & set(part):
        return "schema must have a 'type' key."
    kinds = part.get("type")
    if kinds == "array" and "items" not in part:
        return "array schema missing items."
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        return None
    if part.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    lacking = sorted(set(part.get("properties", {})) - set(part.get("required", ())))
    if lacking:
        return (
            "'required' is required to be supplied and to be an array including every key in"
            f" properties. Missing '{lacking[0]}'."
        )
    extra = sorted(set(part.get("required", ())) - set(part.get("properties", {})))
    return f"'required' names '{extra[0]}', which is not in properties." if extra else None


def anthropic_problem(schema: Schema) -> str | None:
    """Why Anthropic refuses the schema: what its own client moves out of one before it is sent."""
    for place, part in parts(schema):
        if problem := anthropic_part_problem(part):
            return problem
        reference = part.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#/"):
            return f"external $ref '{reference}' is not supported"
        if reference is not None and reference in around(schema, place):
            return f"recursive schema '{reference}' is not supported"
    return None


def anthropic_part_problem(part: Schema) -> str | None:
    if "$ref" not in part and not {"type", "anyOf", "allOf", "enum", "const"} & set(part):
        return "schema must have a 'type', 'anyOf', 'allOf', 'enum' or 'const'"
    kind = part.get("type")
    others = sorted(set(part) - ANTHROPIC_KEEPS)
    if others:
        return f"For '{kind}' type, properties {', '.join(others)} are not supported"
    if kind == "object" and part.get("additionalProperties") is not False:
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    if kind == "array" and part.get("minItems", 0) not in (0, 1):
        return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
    if kind == "string" and part.get("format", "uuid") not in ANTHROPIC_FORMATS:
        return f"For 'string' type, 'format' value '{part['format']}' is not supported"
    if any(isinstance(value, (dict, list)) for value in part.get("enum", ())):
        return "'enum' values other than strings, numbers, booleans and null are not supported"
    return None


def around(schema: Schema, place: Place) -> set[str]:
    """References to the definitions that a place stands in, through other definitions too."""
    if place[:1] not in {("$defs",), ("definitions",)}:
        return set()
    definitions = schema[place[0]]
    start = f"#/{place[0]}/{place[1]}"
    found: set[str] = set()
    for name in definitions:
        own = f"#/{place[0]}/{name}"
        if own == start or start in reachable(schema, definitions[name]):
            found.add(own)
    return found


def reachable(schema: Schema, start: Schema) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for _, part in parts(waiting.pop()):
            reference = part.get("$ref")
            if isinstance(reference, str) and reference not in seen:
                seen.add(reference)
                waiting.append(target(schema, reference))
    return seen


def target(schema: Schema, reference: str) -> Schema:
    found: Any = schema
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found  # type: ignore[no-any-return]


def least(schema: Schema | None) -> str:
    """The least text that fits the schema: JSON with the first of each enum, and no longer list
    than it must be.
    """
    return "OK" if schema is None else json.dumps(least_value(schema, schema))


def least_value(part: Schema, whole: Schema) -> Any:
    if "$ref" in part:
        return least_value(target(whole, part["$ref"]), whole)
    if "const" in part:
        return part["const"]
    if "enum" in part:
        return part["enum"][0]
    if "anyOf" in part:
        return least_value(part["anyOf"][0], whole)
    kinds = part.get("type")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if kind == "object":
        named = part.get("properties", {})
        return {name: least_value(inner, whole) for name, inner in named.items()}
    if kind == "array":
        return [least_value(part["items"], whole) for _ in range(part.get("minItems", 0))]
    if kind == "string":
        return "x" * int(part.get("minLength", 0))
    if kind in {"integer", "number"}:
        return part.get("minimum", 0)
    return False if kind == "boolean" else None
