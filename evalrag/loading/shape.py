"""What a model of the schema accepts, read off its types: for the checks pydantic leaves out.

Files are read leniently by pydantic (a list for a tuple, a word for an enum), which also lets
`"8"`, `8.0` or `yes` pass for a number or a boolean. `tidy` refuses these, and drops nulls.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
)

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from evalrag.loading.show import KeyPath, show, written_at
from evalrag.schema.gate import Rule

Model: TypeAlias = type[BaseModel]


class Found(NamedTuple):
    """One thing that is wrong, by its key path."""

    path: KeyPath
    message: str


class Shape(NamedTuple):
    """What a type asks of a value in a file; at most one of the first four is set."""

    model: Model | None = None
    """The model that an object becomes."""
    item: Any = None
    """The type of an entry, where it is a list of any length."""
    text: bool = False
    number: tuple[tuple[type, ...], str] | None = None
    """The types of Python that are accepted, and what to call them."""
    listed: bool = False
    """A list, of any kind."""


_SCALARS: Mapping[Any, tuple[tuple[type, ...], str]] = {
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
}


@cache
def shape_of(annotation: Any) -> Shape:
    """The shape of a type, read once. Any type that asks nothing by itself is left to pydantic."""
    annotation = _bare(annotation)
    parts = [annotation]
    if get_origin(annotation) in (Union, UnionType):
        parts = [_bare(part) for part in get_args(annotation) if part is not NoneType]
        parts = [part for part in parts if get_origin(part) is not Literal]
    if len(parts) != 1:
        return Shape()
    (part,) = parts
    if get_origin(part) is tuple:
        args = get_args(part)
        item = args[0] if len(args) == 2 and args[1] is Ellipsis else None
        return Shape(item=item, listed=True)
    if isinstance(part, type) and issubclass(part, BaseModel):
        return Shape(model=part)
    return Shape(text=part is str, number=_SCALARS.get(part) if isinstance(part, type) else None)


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


@cache
def fields_of(model: Model) -> Mapping[str, tuple[Shape, FieldInfo]]:
    """The model's fields by the names that a file uses."""
    return {
        info.alias or name: (shape_of(cast(Any, info.annotation)), info)
        for name, info in model.model_fields.items()
    }


def model_at(model: Model, path: KeyPath) -> Model | None:
    """The model whose field or entry a key path of `model` ends in, if there is one."""
    here: Model | None = model
    for part in path:
        if isinstance(part, int):
            continue  # an entry has the model of its list
        if here is None or part not in fields_of(here):
            return None
        shape, _ = fields_of(here)[part]
        here = shape.model or shape_of(shape.item).model
    return here


class Tidy:
    """A copy of what a file holds, without nulls, and what pydantic would take for a number.

    A null for an optional field counts as missing; `keep_lists` leaves a null for a list, for
    pydantic to refuse. `texts` are values whose written form was a text: where the type is text,
    they are put back (a version of digits from the environment). `numbers` are texts that are
    taken for what they say where the type is no text. `raw` is what errors show.
    """

    def __init__(
        self,
        *,
        keep_lists: bool = False,
        texts: Mapping[KeyPath, str] | None = None,
        numbers: Mapping[KeyPath, Any] | None = None,
        raw: Any = None,
    ) -> None:
        self.found: list[Found] = []
        self._raw = raw
        self._keep_lists, self._texts, self._numbers = keep_lists, texts or {}, numbers or {}

    def model(self, model: Model, raw: Any, path: KeyPath = ()) -> Any:
        """`raw`, meant for `model`, tidied. What is not an object is pydantic's to refuse."""
        if not isinstance(raw, dict):
            return raw
        if model is Rule and "must" not in raw:  # the short form {at_least: 0.8}
            number = shape_of(float)
            return {key: self._value(number, value, (*path, key)) for key, value in raw.items()}
        fields = fields_of(model)
        tidied: dict[str, Any] = {}
        for key, value in raw.items():
            if key not in fields:
                tidied[key] = value
                continue
            shape, info = fields[key]
            if value is not None:
                tidied[key] = self._value(shape, value, (*path, key))
            elif info.is_required() or (self._keep_lists and shape.listed):
                tidied[key] = None
        return tidied

    def _value(self, shape: Shape, value: Any, path: KeyPath) -> Any:
        if shape.model is not None:
            return self.model(shape.model, value, path)
        if shape.item is not None:
            inner = shape_of(shape.item)
            if isinstance(value, dict):  # one entry, where a list of rules may stand
                return self._value(inner, value, path)
            if isinstance(value, list):
                return [self._value(inner, entry, (*path, i)) for i, entry in enumerate(value)]
        elif shape.text:
            return self._texts.get(path, value)
        elif shape.number is not None:
            accepted, words = shape.number
            value = self._numbers.get(path, value)
            if type(value) not in accepted:
                said = written_at(self._raw, path) if self._raw is not None else value
                self.found.append(Found(path, f"{words} is needed, not {show(said)}"))
        return value


def spans_in(raw: Any, path: KeyPath) -> Iterator[Found]:
    """Spans that are no pair of whole numbers, in an evidence and its alternatives."""
    if not isinstance(raw, dict):
        return
    span = raw.get("span")
    if span is not None and not (
        isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)
    ):
        yield Found((*path, "span"), f"a span is [start, end], two whole numbers, not {show(span)}")
    for name in ("any_of", "all_of"):
        parts = raw.get(name)
        for i, part in enumerate(parts if isinstance(parts, list) else ()):
            yield from spans_in(part, (*path, name, i))
