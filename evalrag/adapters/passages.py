"""What a retriever returned, as passages; or what is wrong with it, in one line."""

import math
import numbers
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from pathlib import PurePath
from typing import Any
from uuid import UUID

from evalrag.plugins import closest
from evalrag.redaction import one_line, well_formed
from evalrag.schema.trace import Passage

KEYS = ("id", "doc", "text", "metadata", "span", "score")
MOST = 1_000_000
"""Passages that a generator may yield before it counts as endless."""
DEEPEST = 20
SHOWN = 12
"""Keys that an error names."""
LONGEST = 40
"""Characters of a key that is named."""

_SAID_OTHERWISE = {
    **dict.fromkeys(("page_content", "content", "body", "chunk", "passage"), "text"),
    **dict.fromkeys(("chunk_id", "_id", "uuid", "node_id", "passage_id"), "id"),
    **dict.fromkeys(("doc_id", "document", "document_id", "source", "ref_doc_id"), "doc"),
    **dict.fromkeys(("similarity", "relevance", "_score"), "score"),
    **dict.fromkeys(("meta", "metadatas", "payload"), "metadata"),
}
_WANTED = "return a list of passages: dicts with id, doc, text, metadata, span, score, or texts"

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60
_short.maxlist = _short.maxdict = 3


class ShapeError(Exception):
    """The hook returned something that is no passage or answer. Its row fails, with this text."""


def kept(returned: Any, top_k: int | None) -> tuple[list[Any], int]:
    """The first `top_k` entries of what a retriever returned, and how many more there were.

    Lists, tuples and generators are lists here. A generator must be drained where its own code
    may block, in the hook's thread: see `drained`.
    """
    if type(returned) is list:
        more = 0 if top_k is None else len(returned) - top_k
        return (returned[:top_k], more) if more > 0 else (returned, 0)
    if returned is None:
        raise ShapeError(f"returned None; {_WANTED}, and [] where there is none")
    if isinstance(returned, str | bytes):
        raise ShapeError(f"returned {what(returned)}, one text in place of a list; {_WANTED}")
    if isinstance(returned, Mapping):
        raise ShapeError(f"returned {what(returned)}, a dict in place of a list; {_WANTED}")
    if not isinstance(returned, Sequence):
        raise ShapeError(f"returned {what(returned)}; {_WANTED}")
    if top_k is None or len(returned) <= top_k:
        return list(returned), 0
    return list(islice(returned, top_k)), len(returned) - top_k


def drained(returned: Any) -> Any:
    """A generator's entries as a list; anything else as it is."""
    if type(returned) is list or not isinstance(returned, Iterator):
        return returned
    entries = list(islice(returned, MOST + 1))
    if len(entries) > MOST:
        raise ShapeError(f"yielded more than {MOST} passages; {_WANTED}")
    return entries


def passages(entries: Sequence[Any], *, strings: str = "text") -> list[Passage]:
    """Each entry as a passage. `strings` says what a bare string is: a text, or an id."""
    if _all_texts(entries):
        return [{"text": e} for e in entries] if strings == "text" else [{"id": e} for e in entries]
    if _all_plain(entries):
        return [entry.copy() for entry in entries]
    return [passage(entry, i, strings) for i, entry in enumerate(entries, 1)]


def passage(entry: Any, number: int, strings: str = "text") -> Passage:
    """One entry as a passage; `number` names it in an error."""
    if isinstance(entry, str):
        text = well_formed(entry)
        return {"text": text} if strings == "text" else {"id": text}
    if not isinstance(entry, Mapping):
        raise ShapeError(_not_a_passage(entry, number))
    found: Passage = {}
    for key, value in entry.items():
        if key not in KEYS:
            raise ShapeError(_unknown_key(key, number))
        if value is None:
            continue
        _take(found, key, value, f"passage {number}: {key}")
    if "id" not in found and "text" not in found:
        raise ShapeError(f"passage {number} has neither an id nor a text: {what(entry)}")
    return found


def _all_texts(entries: Sequence[Any]) -> bool:
    """Bare strings without a fault: joined, since that looks at all of them at once."""
    try:
        joined = "".join(entries)
    except TypeError:
        return False
    return well_formed(joined) is joined


def _all_plain(entries: Sequence[Any]) -> bool:
    """Dicts of an id, a text or both and nothing else."""
    if not all(type(entry) is dict and entry and _WORDS.issuperset(entry) for entry in entries):
        return False
    return _all_texts([part for entry in entries for part in entry.values()]) and not any(
        entry.get("id") == "" for entry in entries
    )


_WORDS = {"id", "text"}


def name_of(value: Any, where: str) -> str:
    """An id: a string, or what has one plain spelling (a whole number, a UUID)."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, UUID) or (
        isinstance(value, numbers.Integral) and not isinstance(value, bool)
    ):
        return str(value)
    raise ShapeError(f"{where} is {what(value)}, not a string")


def number_of(value: Any, where: str) -> float:
    """A finite number as a float."""
    if isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool):
        try:
            number = float(value)
        except (OverflowError, ValueError):
            number = math.nan
        if math.isfinite(number):
            return number
    raise ShapeError(f"{where} is {what(value)}, not a finite number")


def what(value: Any) -> str:
    """A value for an error: its type and a short picture. The user's `__repr__` may do anything."""
    try:
        picture = one_line(_short.repr(value), 120)
    except Exception:  # noqa: BLE001
        picture = "which cannot be shown"
    return f"{type(value).__name__} {picture}"


def listed(keys: Iterable[object]) -> str:
    """Keys for an error. A long one is only counted: cut in two, a secret is not seen to be one."""
    every = [one_line(str(key)) for key in keys]
    shown = [key for key in every if len(key) <= LONGEST][:SHOWN]
    if not shown:
        return f"{len(every)} long key" + "s" * (len(every) > 1)
    more = f" and {len(every) - len(shown)} more" if len(every) > len(shown) else ""
    return ", ".join(shown) + more


def _take(found: Passage, key: str, value: Any, where: str) -> None:
    if key == "text":
        if not isinstance(value, str):
            raise ShapeError(f"{where} is {what(value)}, not a string")
        found["text"] = well_formed(value)
    elif key == "id":
        if name := name_of(value, where):
            found["id"] = name
    elif key == "doc":
        if name := name_of(value, where):
            found["doc"] = name
    elif key == "score":
        found["score"] = number_of(value, where)
    elif key == "span":
        found["span"] = _span(value, where)
    elif not isinstance(value, Mapping):
        raise ShapeError(f"{where} is {what(value)}, not a mapping")
    elif value:
        found["metadata"] = _plain(value, where, 0)


def _span(value: Any, where: str) -> tuple[int, int]:
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        start, end = value
        whole = all(isinstance(n, numbers.Integral) and not isinstance(n, bool) for n in value)
        if whole and 0 <= start <= end:
            return int(start), int(end)
    raise ShapeError(f"{where} is {what(value)}, not [start, end] with 0 <= start <= end")


def _plain(value: Any, where: str, depth: int) -> Any:
    """A metadata value as JSON; what has one plain spelling (a date, a UUID) is spelt out."""
    if depth > DEEPEST:
        raise ShapeError(f"{where} is nested more than {DEEPEST} levels deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return _plain(value.value, where, depth + 1)
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        return number if math.isfinite(number) else str(number)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, UUID | Decimal | PurePath | timedelta):
        return str(value)
    if isinstance(value, Mapping):
        return {
            well_formed(str(key)): _plain(part, f"{where}.{key}", depth + 1)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(part, where, depth + 1) for part in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(part, where, depth + 1) for part in value), key=repr)
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        return _plain(value.tolist(), where, depth + 1)
    raise ShapeError(f"{where} is {what(value)}, which is no JSON value")


def _not_a_passage(entry: Any, number: int) -> str:
    message = f"passage {number} is {what(entry)}, neither a dict nor a text"
    names = {"page_content", "metadata", "text", "content", "get_content"}
    has = [name for name in sorted(names) if entry is not None and hasattr(type(entry), name)]
    has += [name for name in sorted(names) if name in getattr(entry, "__dict__", {})]
    if has:
        message += f"; make a dict of its {', '.join(dict.fromkeys(has))}"
    return message


def _unknown_key(key: Any, number: int) -> str:
    known = _SAID_OTHERWISE.get(str(key))
    if known:
        return f"passage {number} has the key {key!r}: evalrag calls it {known!r}"
    near = closest(str(key), KEYS)
    return (
        f"passage {number} has the unknown key {one_line(str(key), 60)!r}{near}; known: "
        f"{', '.join(KEYS)} (anything else goes into metadata)"
    )
