"""A scored row as its line in `rows.jsonl`."""

from collections.abc import Iterable
from typing import Any

from pydantic_core import to_json

from evalrag.schema.result import Placed, RowResult

_PLAIN = ("digest", "asked", "about", "scores", "reasons", "evidence", "flaky")
"""Fields whose values are JSON as they stand, and are left out where they are empty."""


def row_line(result: RowResult) -> bytes:
    """The line, without its defaults: the bytes of `model_dump_json(exclude_defaults=True)`.

    A row of one attempt that no judge spoke about holds plain values nearly throughout, and is
    written three times as fast as the model writes itself.
    """
    if result.verdicts is not None or result.attempts or result.other_verdicts:
        return result.model_dump_json(exclude_defaults=True).encode("utf-8") + b"\n"
    said: dict[str, Any] = {}
    for name, value in result.__dict__.items():
        if name in _PLAIN:
            if value:
                said[name] = value
        elif name == "passages":
            if value:
                said[name] = _placed(value)
        elif name == "stages":
            if value:
                said[name] = {stage._value_: found._value_ for stage, found in value.items()}
        elif name in ("kind", "outcome"):
            said[name] = value._value_
        elif value or value == "":
            said[name] = _shortened(name, value)
    return to_json(said) + b"\n"


_FINDINGS = ("diagnoses", "warnings")


def _shortened(name: str, value: Any) -> Any:
    if name == "error_stage":
        return value._value_
    if name == "expect":
        return [form._value_ for form in value]
    if name in _FINDINGS:
        return [
            {"code": one.code, "because": one.because} if one.because else {"code": one.code}
            for one in value
        ]
    return value


def _placed(entries: Iterable[Placed | str]) -> list[Any]:
    """Marks as words: a word that is a member of an enumeration is slow to write."""
    found: list[Any] = []
    for entry in entries:
        if type(entry) is dict and "mark" in entry:
            written: dict[str, Any] = dict(entry)
            written["mark"] = entry["mark"]._value_
            found.append(written)
        else:
            found.append(entry)
    return found
