"""Pydantic's errors in plain words, each at the key path that a person wrote."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from evalrag.loading.shape import Found, Model, fields_of, model_at
from evalrag.loading.show import KeyPath, clean, closest, sentence, show, unknown, written_at
from evalrag.schema.gate import TAGS

_NEEDED = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "tuple": "a list",
    "list": "a list",
    "dict": "an object",
    "model": "an object",
}
_LIMITS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}


def problems_of(
    model: Model,
    raw: Any,
    error: ValidationError,
    *,
    word: str,
    told: Iterable[Found] = (),
    redact: Callable[[str], str] = str,
) -> list[Found]:
    """What `error` says of `raw`, after what was `told` already, once for each place.

    Values are shown as `raw` has them: where a secret of the environment was filled in, its name.
    `redact` does the same for the words of a validator.
    `word` is what a name is called in this kind of file: a field, a key.
    """
    found = list(told)
    places = {item.path for item in found}
    for details in error.errors(include_url=False):
        path = _written(raw, details["loc"], keep_last=details["type"] == "missing")
        if path and any(_nested(path, place) for place in places if place):
            continue
        if details["type"] == "too_short" and details["input"]:
            continue  # it holds entries, and each of them is wrong by itself
        value = written_at(raw, path)
        if isinstance(value, dict) and details["input"] in _words(value):
            value = details["input"]  # the word of a short form, which is a key in the file
        message = redact(_message(model, path, details, value, word))  # before it is cut
        found.append(Found(path, sentence(message)))
    return found


def by_field(model: Model, found: Found) -> Iterator[Found]:
    """The rules about a whole row come as one message: each one names its field first."""
    if found.path:
        yield found
        return
    for message in found.message.split("; "):
        words = message.replace(":", " ").replace(",", " ").split()
        field = next((word for word in words if word in model.model_fields), None)
        path = (field,) if field is not None else ()
        yield Found(path, message.removeprefix(f"{field} "))


def _words(short_form: dict[str, Any]) -> list[str]:
    return list(short_form) if len(short_form) == 1 else []


def _nested(one: KeyPath, other: KeyPath) -> bool:
    """One place is the other, or inside it: what is wrong there was said already."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _written(raw: Any, loc: KeyPath, *, keep_last: bool) -> KeyPath:
    """The part of `loc` that exists in the file: a short form has no inner fields of its own."""
    here, path = raw, list[str | int]()
    for i, part in enumerate(loc):
        if part in TAGS and not (isinstance(here, dict) and part in here):
            continue  # which of two forms it took the entry for
        missing = keep_last and i == len(loc) - 1
        if isinstance(part, int):
            inside = isinstance(here, list) and part < len(here)
        else:
            inside = isinstance(here, dict) and (part in here or missing)
        if not inside:
            if isinstance(part, int) and part == 0 and isinstance(here, dict):
                continue  # one rule, where a list of them may stand
            break
        path.append(part)
        here = None if missing else here[part]
    return tuple(path)


def _message(model: Model, path: KeyPath, details: ErrorDetails, value: Any, word: str) -> str:
    kind, context = details["type"], details.get("ctx", {})
    if kind == "extra_forbidden":
        owner = model_at(model, path[:-1])
        return unknown(word, str(path[-1]), fields_of(owner) if owner else ())
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return _refused(value, str(context["error"]))
    if kind in ("enum", "literal_error"):
        return _choice(value, str(context["expected"]))
    if kind in _LIMITS:
        key, words = _LIMITS[kind]
        return f"must be {words} {context[key]:g}, not {show(value)}"
    if kind == "string_too_short":
        return "is empty"
    if kind == "too_short":
        return "is empty: at least one entry is needed"
    if kind == "recursion_loop":
        return "is nested too deeply"
    needed = _NEEDED.get(kind.split("_")[0])
    if needed is not None:
        return _needed(needed, value, details)
    return re.sub(r"^Input should be", "must be", details["msg"])


def _needed(needed: str, value: Any, details: ErrorDetails) -> str:
    if details.get("ctx", {}).get("class_name") == "Evidence":
        needed = "a chunk id (text) or an object"
    if "must" in details["loc"] and needed in ("a list", "an object"):
        needed = "a rule, such as not_drop or {at_least: 0.8}, or a list of them"
    if value is None and needed == "a list":
        return "null where a list is needed: write [] or leave it out"
    if needed == "text" and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{show(value)} is a number and text is needed: put it in quotes"
    return f"{needed} is needed, not {show(value)}"


def _refused(value: Any, message: str) -> str:
    """A validator's own words, with the word it refused where it only says what there is."""
    if not isinstance(value, str) or not message.startswith("one of "):
        return message
    near = closest(value, re.findall(r"\w+", message))
    return f"{show(value)} is not {message}" + (f": did you mean {near}?" if near else "")


def _choice(value: Any, expected: str) -> str:
    choices = re.findall(r"'([^']*)'", expected)
    if not isinstance(value, str):
        return f"one of {', '.join(choices)} is needed, not {show(value)}"
    near = closest(value, choices)
    if near is not None:
        return f'"{clean(value)}" is none of {", ".join(choices)}: did you mean "{near}"?'
    return f'"{clean(value)}" is none of {", ".join(choices)}'
