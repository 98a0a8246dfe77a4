"""The fields of a model as the lines of a reference page, all of it read off the model."""

import inspect
import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, cast

from evalrag.loading.shape import Model, fields_of, shape_of
from evalrag.schema.gate import Rule

_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
}
_LISTED = {
    "text": "texts",
    "object": "objects",
    "whole number": "whole numbers",
    "number": "numbers",
    "anything": "anything",
    "lists of these": "of lists of these",
}
_BOUNDS = (
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
)


def listed(model: Model, *, without: Collection[str] = ()) -> str:
    """`name (type, default): what it is`, a line a field, by the names that a file uses."""
    names = [name for name in fields_of(model) if name not in without]
    return "\n".join(f"  {line(model, name)}" for name in names)


def line(model: Model, name: str) -> str:
    """What one field is called, takes, is by default, and means."""
    _, info = fields_of(model)[name]
    schema = _schema(model)
    known = schema.get("$defs", {})
    asked = _field(schema, known, name)
    about = [_kind(asked, known)]
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    if info.is_required():
        about.append("required")
    elif isinstance(default, bool | int | float | str):
        about.append(f"default {json.dumps(default)}")
    within = model_of(model, name)
    words = info.description or (inspect.getdoc(within) if within else None) or ""
    return f"{name} ({', '.join(about)})" + (f": {' '.join(words.split())}" if words else "")


def model_of(model: Model, name: str) -> Model | None:
    """The model of a field, or of the entries of its list, if it has one."""
    shape, _ = fields_of(model)[name]
    return shape.model or shape_of(shape.item).model


def whole(model: Model, *, without: Collection[str] = ()) -> str:
    """The fields, and below them those of every model that they are made of, each once."""
    return "\n\n".join([listed(model, without=without), *_inner(model, {model}, without)])


def _inner(model: Model, seen: set[Model], without: Collection[str] = ()) -> Iterator[str]:
    owners: dict[Model, list[str]] = {}
    for name in fields_of(model):
        within = model_of(model, name)
        if within is not None and within not in seen and name not in without:
            owners.setdefault(within, []).append(name)
    for within, names in owners.items():
        seen.add(within)
        doc = inspect.getdoc(within)
        written = (
            f"\n{listed(within)}" if within is not Rule else ""
        )  # as a word, or {rule: number}
        yield f"{', '.join(names)}:" + f" {doc}" * bool(doc) + written
        yield from _inner(within, seen)


@cache
def _schema(model: Model) -> Mapping[str, Any]:
    return model.model_json_schema(by_alias=True)


def _field(schema: Mapping[str, Any], known: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A field's schema, past the short forms that a model may have."""
    if "$ref" in schema:
        return _field(known[schema["$ref"].rpartition("/")[2]], known, name)
    forms = (schema, *schema.get("anyOf", ()))
    found = next(form["properties"] for form in forms if name in form.get("properties", ()))
    return cast(Mapping[str, Any], found[name])


def _kind(schema: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """A type in a few words: `list of texts`, `whole number, 1 to 15`."""
    if "$ref" in schema:
        return _kind(known[schema["$ref"].rpartition("/")[2]], known)
    several = schema.get("anyOf") or schema.get("oneOf")
    if several:
        kinds = [_kind(part, known) for part in several if part.get("type") != "null"]
        lists = [_list({"items": part}, known) for part in several]
        named = ["a list of these" if kind in lists else kind for kind in kinds]
        return " or ".join(dict.fromkeys(named))
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "array":
        return _list(schema, known)
    kind = _TYPES.get(schema.get("type", ""), "anything")
    if "minimum" in schema and "maximum" in schema:
        return f"{kind}, {_short(schema['minimum'])} to {_short(schema['maximum'])}"
    bounds = [f"{words} {_short(schema[key])}" for key, words in _BOUNDS if key in schema]
    return ", ".join([kind, *bounds])


def _short(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def _list(schema: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(_kind(part, known) for part in schema['prefixItems'])}]"
    item = _kind(schema["items"], known).replace("a list of these", "lists of these")
    if item.startswith("one of "):
        return f"list, {item}"
    return f"list of {' or '.join(_LISTED.get(part, part) for part in item.split(' or '))}"
