"""JSON as the standard says it: what is ambiguous is refused.

Python's own reader takes NaN, turns 1e999 into infinity, keeps the last of two equal keys and
builds strings that cannot be written as UTF-8. Each of these would end up in a stored run.

Bytes are read by pydantic's reader, in a third of the time, where it can be shown that nothing of
this kind is in them. Everything else, and so every error, is left to the standard library's.
"""

import json
import math
from itertools import chain
from typing import Any, NoReturn

from pydantic_core import from_json

from evalrag.loading.show import clean

MAX_DEPTH = 100
"""Levels of lists and objects. Deeper values are no data of ours, and would end in recursion."""

_PLAIN = {
    "Expecting value": "a value is missing or is not JSON",
    "Extra data": "something stands after the end of the value",
    "Expecting property name enclosed in double quotes": 'a key in double quotes, or "}", is due',
    "Illegal trailing comma before end of object": "a comma stands before the closing brace",
    "Illegal trailing comma before end of array": "a comma stands before the closing bracket",
    "Expecting ':' delimiter": 'a ":" is missing after the key',
    "Expecting ',' delimiter": 'a "," or a closing bracket is missing',
    "Unterminated string starting at": "a string starts here and never ends",
    "Invalid control character at": "a raw control character stands in a string: escape it",
    "Invalid \\escape": "an escape that JSON does not know: a backslash is written \\\\",
    "Invalid \\uXXXX escape": "\\u needs four hexadecimal digits",
}


class JsonError(ValueError):
    """Text that is not strict JSON. `column` counts characters from 1, where it is known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.message, self.column = message, column


def loads(text: str | bytes) -> Any:
    """The value that `text` holds.

    Refused with a `JsonError` (a ValueError): NaN and infinities, numbers that overflow, a key
    that stands twice in one object, half of a surrogate pair, text that is not UTF-8, more than
    `MAX_DEPTH` levels, integers longer than Python reads.
    """
    if isinstance(text, bytes):
        try:
            value = from_json(text, allow_inf_nan=False, cache_strings="keys")
        except ValueError:
            pass  # not JSON, or not UTF-8: said below
        else:
            if _adds_up(text, value):
                return value
        text = _decoded(text)
    try:
        value = _DECODER.decode(text)
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        raise JsonError(f"not JSON: {plain_words(error.msg)}", error.colno) from None
    except RecursionError:
        raise JsonError(f"nested more than {MAX_DEPTH} levels deep") from None
    except ValueError:  # the interpreter's limit on the digits of an integer
        raise JsonError("an integer has too many digits") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise JsonError(f"nested more than {MAX_DEPTH} levels deep")
    if "\\ud" in text or "\\uD" in text or not text.isascii():
        _refuse_surrogates(text, value)
    return value


def plain_words(message: str) -> str:
    """What the standard library says of a mistake, for people."""
    return _PLAIN.get(message.removesuffix(": "), message)


def _adds_up(text: bytes, value: Any) -> bool:
    """`value` is all that `text` says: no key came twice, nothing is infinite or nested too deep.

    Of two equal keys one is lost, and its colon stands in the text all the same: there are none
    where the text has as many colons as the value has keys, and colons in its strings.
    """
    colons = text.count(b":")
    if type(value) is dict and (_flat(value, colons) or _of_passages(value, colons)):
        return True
    keys = 0
    parts: list[Any] = []
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for part in level:
            if type(part) is dict:
                keys += len(part)
                parts += part
                inner += part.values()
            elif type(part) is list:
                inner += part
            elif type(part) is float and math.isinf(part):
                return False
        parts += inner
        level = [part for part in inner if type(part) is not str]
        if not level:
            break
    else:
        return False
    colons -= keys
    if not colons:
        return True
    if b"\\u" in text:  # an escape can write a colon without one
        return False
    return colons == "".join([part for part in parts if type(part) is str]).count(":")


def _flat(value: dict[str, Any], keys: int) -> bool:
    """An object of strings and lists of strings with so many keys, as most lines are."""
    if len(value) != keys:
        return False
    for part in value.values():
        if type(part) is list:
            try:
                "".join(part)
            except TypeError:
                return False
        elif type(part) is not str:
            return False
    return True


def _of_passages(value: dict[str, Any], keys: int) -> bool:
    """One of strings and lists of such objects, so many keys in all: where passages have texts."""
    keys -= len(value)
    try:
        for part in value.values():
            if type(part) is list:
                keys -= sum(map(len, part))
                "".join(chain.from_iterable(map(dict.values, part)))
            elif type(part) is not str:
                return False
    except TypeError:  # a list of something else
        return False
    return not keys


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode("utf-8")) + 1
        raise JsonError(
            f"not UTF-8: byte 0x{data[error.start]:02X} at column {column}; save the file as UTF-8",
            column,
        ) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise JsonError(f'the key "{clean(twice)}" stands twice in one object')
    return found


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise JsonError(f"the number {clean(text)} is too large")
    return number


def _refused(word: str) -> NoReturn:
    raise JsonError(f"{word} is not JSON: use null, or leave the field out")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_finite, parse_constant=_refused)


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        inner: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                inner += part.values()
            elif isinstance(part, list):
                inner += part
        level = [part for part in inner if isinstance(part, dict | list)]
        if not level:
            return False
    return True


def _refuse_surrogates(text: str, value: Any) -> None:
    """Half of a pair comes raw, or from an escape; neither can be stored as UTF-8."""
    try:
        text.encode("utf-8")
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise JsonError(
            f"\\u{code:04x} is half of a surrogate pair and no character by itself"
        ) from None
