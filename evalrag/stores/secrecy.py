"""Secrets are taken out of a line before it reaches the disk: of every text in it, and no name."""

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeAlias

from evalrag.redaction import redactor

Redact: TypeAlias = Callable[[bytes], bytes]
"""From the bytes of a JSON text to the same without secrets."""

_WORD = re.compile(r"[a-z][a-z_ -]*")


def unredacted(data: bytes) -> bytes:
    return data


def line_redactor(secrets: Iterable[str]) -> Redact:
    """Takes `secrets` out of JSON; costs nothing where there are none, a search where none occurs.

    A value that is a word of evalrag's own (`with: {mode: ${MODE}}` and MODE=context) is no
    secret: every stored file is full of it.
    """
    kept = [secret for secret in secrets if not _WORD.fullmatch(secret) or not _ours(secret)]
    if not kept:
        return unredacted
    redact = redactor(kept)

    def clean(data: bytes) -> bytes:
        text = data.decode("utf-8")
        if redact(text) == text:
            return data
        end = "\n" if text.endswith("\n") else ""
        layout: dict[str, Any] = (
            {"indent": 2} if text.startswith("{\n") else {"separators": (",", ":")}
        )
        cleaned = json.dumps(_without(json.loads(text), redact), ensure_ascii=False, **layout)
        return (cleaned + end).encode("utf-8")

    return clean


def _without(value: Any, redact: Callable[[str], str]) -> Any:
    match value:
        case str():
            return redact(value)
        case dict():
            return {redact(key): _without(inner, redact) for key, inner in value.items()}
        case list():
            return [_without(inner, redact) for inner in value]
    return value


@cache
def _vocabulary() -> str:
    from evalrag.schema.result import RowResult
    from evalrag.schema.run import Accepted, RunRecord
    from evalrag.schema.trace import Passage, Trace, Usage

    models = (RowResult, RunRecord, Accepted)
    words = [json.dumps(model.model_json_schema(by_alias=True)) for model in models]
    return " ".join(
        [*words, *Trace.__annotations__, *Passage.__annotations__, *Usage.__annotations__]
    )


def _ours(secret: str) -> bool:
    return secret in _vocabulary()
