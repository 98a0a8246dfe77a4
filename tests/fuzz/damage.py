"""Files that were right once: some value, line or byte of them is changed, lost, doubled or moved.

`EVALRAG_FUZZ=long` tries a hundred times as much, and other examples each time.
"""

import copy
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

LONG = os.environ.get("EVALRAG_FUZZ") == "long"
Path = tuple[Any, ...]


def bounded(examples: int) -> settings:
    """So many examples, the same ones each time; in a long run many more, and always others."""
    return settings(
        max_examples=examples * 100 if LONG else examples,
        derandomize=not LONG,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def nested(levels: int) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


NASTY: Sequence[Any] = [
    None, True, False, 0, 1, -1, 2**63, -(2**63), 10**400, 0.5, -0.0, 1e308, float("nan"),
    float("inf"), -float("inf"), "", " ", "1", "null", "x" * 5000, "\x00", "\x1b[31m", "\u202e",
    "\u2028", "\ufeff", "e\u0301", "\U0001f600", "\ud800", "²", "a/../b", "h1", "pass", "fail",
    "error", "unresolved", [], {}, [[]], [{}], {"": None}, {"id": "h1"}, ["h1"], [0], [-1], [99],
    {"a": {"b": []}}, nested(30), nested(400),
]  # fmt: skip


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every part of a value, the whole first."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


@st.composite
def changed_values(draw: st.DrawFn, value: Any) -> Any:
    """A value with one to three of its parts changed."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(value))))
        if not path:
            if draw(st.integers(0, 9)) == 0:
                return draw(st.sampled_from(NASTY))
            continue
        above, key = at(value, path[:-1]), path[-1]
        how = draw(st.sampled_from(["set", "set", "set", "drop", "rename", "copy", "double"]))
        other = draw(st.sampled_from(list(places(value))))
        if how == "set":
            above[key] = copy.deepcopy(draw(st.sampled_from(NASTY)))
        elif how == "copy":
            above[key] = copy.deepcopy(at(value, other))
        elif isinstance(above, list):
            if how == "drop":
                del above[key]
            else:
                above.insert(key, copy.deepcopy(above[key]))
        elif how == "drop":
            del above[key]
        else:
            name = draw(st.sampled_from(["", "id", "text", "x", "\u202e", *map(str, above)]))
            above[name] = copy.deepcopy(above[key]) if how == "double" else above.pop(key)
    return value


def encoded(value: Any, *, indent: int | None = None) -> bytes:
    """As JSON, or nearly: NaN is written, and half a surrogate pair as its raw bytes."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


@st.composite
def damaged_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes cut off, cut out, written over or put in."""
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 40)))
    how = draw(st.sampled_from(["torn", "out", "over", "twice", "quote", "all"]))
    put = {
        "torn": b"",
        "out": data[end:],
        "over": draw(st.binary(max_size=8)) + data[end:],
        "twice": data[start:end] + data[start:],
        "quote": draw(st.sampled_from([b'"', b"}", b"[" * 3000, b"\xff", b"\n", b"\0"]))
        + data[end:],
    }
    return draw(st.binary(max_size=80)) if how == "all" else data[:start] + put[how]


def documents(data: bytes) -> st.SearchStrategy[bytes]:
    """One value in a file, damaged."""
    value = json.loads(data)
    return st.one_of(
        changed_values(value).map(encoded), changed_values(value).map(encoded), damaged_bytes(data)
    )


@st.composite
def lines(draw: st.DrawFn, data: bytes) -> bytes:
    """JSON Lines, of which some are changed, lost, doubled or stand elsewhere."""
    found = data.splitlines(keepends=True)
    how = draw(st.sampled_from(["value", "value", "value", "bytes", "drop", "double", "swap"]))
    place = draw(st.integers(0, len(found) - 1))
    other = draw(st.integers(0, len(found) - 1))
    if how == "value":
        found[place] = encoded(draw(changed_values(json.loads(found[place])))) + b"\n"
    elif how == "drop":
        del found[place]
    elif how == "double":
        found.insert(other, found[place])
    elif how == "swap":
        found[place], found[other] = found[other], found[place]
    else:
        return draw(damaged_bytes(data))
    return b"".join(found)
