"""The base of everything that is stored."""

from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

M = TypeVar("M", bound=BaseModel)


class Frozen(BaseModel):
    """Immutable, closed, finite: a typo in a file is an error and NaN cannot be stored."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        hide_input_in_errors=True,
        json_schema_serialization_defaults_required=True,
    )


def also(schema: dict[str, Any], *short: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a model that files may also write in a short form."""
    return {"anyOf": [*short, schema]}


def first_wrong(error: ValidationError) -> str:
    """The first thing that is wrong, after the field where there is one."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"]))
    return f"{field}: {first['msg']}" if field else first["msg"]


@cache
def _all_fields(model: type[BaseModel]) -> set[str]:
    """One set for all instances: pydantic copies it before it writes to it."""
    return set(model.model_fields)


def made(model: type[M], values: dict[str, Any]) -> M:
    """An instance of values that evalrag computed itself: every field, in the model's order.

    As `model_construct`, without its loop over the fields: nothing is checked, filled in or copied.
    """
    found = model.__new__(model)
    put = object.__setattr__
    put(found, "__dict__", values)
    put(found, "__pydantic_fields_set__", _all_fields(model))
    put(found, "__pydantic_extra__", None)
    put(found, "__pydantic_private__", None)
    return found
