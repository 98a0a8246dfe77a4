"""A trace as a line: the context is stored as places in the candidates where it can be."""

from operator import is_
from typing import Any, cast

from pydantic_core import to_json

from evalrag.schema.row import Row
from evalrag.schema.trace import Passage, Trace
from evalrag.stores.lines import line_of

_TIMED = ("seconds", "usage")
"""What may differ between two runs of the same inputs; it has a file of its own."""


_SIMPLE = {"candidates", "context", "told"}
_WORDS = {"id", "doc", "text"}


def trace_bytes(row: Row, repeat: int, trace: Trace) -> bytes:
    """The same, as it is written; one of words and positions alone is written twice as fast."""
    line = trace_line(row, repeat, trace)
    simple = _SIMPLE.issuperset(trace) and all(map(_WORDS.issuperset, trace["candidates"]))
    if simple and all(type(entry) is int for entry in line["context"]):
        return to_json(line) + b"\n"
    return line_of(line)


def timing_bytes(row: str, repeat: int, trace: Trace) -> bytes:
    if "seconds" not in trace and "usage" not in trace:
        return b'{"id":%s,"repeat":%d,"seconds":{}}\n' % (to_json(row), repeat)
    return line_of(timing_line(row, repeat, trace))


def trace_line(row: Row, repeat: int, trace: Trace) -> dict[str, Any]:
    """What `traces.jsonl` keeps of one attempt."""
    line: dict[str, Any] = {"id": row.id, "repeat": repeat, "question": row.question}
    if row.history:
        line["history"] = [{"role": t.role, "content": t.content} for t in row.history]
    return line | pack(trace)


def pack(trace: Trace) -> dict[str, Any]:
    packed: dict[str, Any] = {k: v for k, v in trace.items() if k not in _TIMED}
    packed["context"] = _places(trace["candidates"], trace["context"])
    return packed


def unpack(line: dict[str, Any]) -> Trace:
    """The trace of a stored line, without what timed it."""
    known = Trace.__annotations__
    trace = {name: value for name, value in line.items() if name in known}
    candidates = [_passage(p) for p in trace.get("candidates", ())]
    trace["candidates"] = candidates
    trace["context"] = [
        candidates[place] if isinstance(place, int) else _passage(place)
        for place in trace.get("context", ())
    ]
    if "reranked" in trace:
        trace["reranked"] = [_passage(p) for p in trace["reranked"]]
    return cast(Trace, trace)


def _places(candidates: list[Passage], context: list[Passage]) -> list[Any]:
    if len(context) <= len(candidates) and all(map(is_, context, candidates)):
        return list(range(len(context)))
    places = {id(passage): place for place, passage in enumerate(candidates)}
    found: list[Any] = []
    for passage in context:
        place = places.get(id(passage))
        if place is None:
            place = next((i for i, other in enumerate(candidates) if other == passage), None)
        found.append(passage if place is None else place)
    return found


def _passage(stored: dict[str, Any]) -> Passage:
    if "span" in stored:
        start, end = stored["span"]
        stored = {**stored, "span": (start, end)}
    return cast(Passage, stored)


def timing_line(row: str, repeat: int, trace: Trace) -> dict[str, Any]:
    """What `timings.jsonl` keeps of one attempt."""
    line: dict[str, Any] = {"id": row, "repeat": repeat, "seconds": trace.get("seconds", {})}
    if "usage" in trace:
        line["usage"] = trace["usage"]
    return line
