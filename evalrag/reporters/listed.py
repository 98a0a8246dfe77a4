"""The fields of a model as the lines of a reference page."""

import inspect
import json
from collections.abc import Mapping
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo


def listed(fields: Mapping[str, FieldInfo]) -> str:
    """`name (default): what it is`, a line a field."""
    return "\n".join(
        f"  {name} ({_default(field)}){_said(field)}" for name, field in fields.items()
    )


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    return f"default {json.dumps(value)}" if value not in (None, {}) else "not set"


def _said(field: FieldInfo) -> str:
    """What stands beside the field in the code, or about the model that is its type."""
    kinds = (field.annotation, *get_args(field.annotation))
    models = [k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)]
    words = field.description or "".join(inspect.getdoc(model) or "" for model in models)
    return f": {' '.join(words.split())}" if words else ""
