"""The reference page of a metric, from the docstring of the function that computes it."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from evalrag.schema.words import Direction

_HEADS = re.compile(r"^(Args|Returns|Source):$|^(?=>>> )", re.MULTILINE)
_RULES = {Direction.UP: "not_drop", Direction.DOWN: "not_rise"}


def metric_page(name: str, function: Callable[..., Any], direction: Direction) -> str:
    """What it says, its values, examples, what it reads, its source, and the gate to write."""
    doc = inspect.getdoc(function) or ""
    parts = dict(_parts(doc))
    said = [parts.get("", "")]
    if "Returns" in parts:
        said.append(f"Value: {_value(parts['Returns'])}")
    if "Examples" in parts:
        said.append("\n".join(("For example:", *_examples(parts["Examples"]))))
    if direction in _RULES:
        said.append(
            "In `gates` of a plan, with a name of your own:\n"
            f"  - {{name: {name} holds, metric: {name}, must: {_RULES[direction]}}}"
        )
    if "Args" in parts:
        said.append(f"It reads:\n{_indented(inspect.cleandoc(parts['Args']))}")
    if "Source" in parts:
        said.append(f"Source: {inspect.cleandoc(parts['Source'])}")
    return "\n\n".join(part for part in said if part)


def _parts(doc: str) -> Iterator[tuple[str, str]]:
    """The text by its headings: none, `Args`, `Returns`, `Source`, and `Examples`."""
    head, start = "", 0
    for found in _HEADS.finditer(doc):
        if head == "Examples":
            break
        yield head, doc[start : found.start()].strip("\n")
        head, start = found[1] or "Examples", found.end()
    yield head, doc[start:].strip("\n")


def _value(text: str) -> str:
    text = re.sub(r"`Scored`(?= (?:1 or 0|an? ))", "", inspect.cleandoc(text))
    text = text.replace("`Scored`", "a number").replace("`NotApplicable`", "Not applicable")
    return text.strip().lstrip(", ")


def _examples(text: str) -> Iterator[str]:
    """`f(x)` and, of the lines up to the next call, its value."""
    for part in text.split(">>> ")[1:]:
        call, _, shown = part.strip().partition("\n")
        value = re.sub(r"Scored\(value=([^)]*)\)", lambda found: _short(found[1]), shown)
        yield f"  {call.replace('Mark.', '')} is {value.strip()}"


def _short(value: str) -> str:
    return f"{float(value):.4g}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())
