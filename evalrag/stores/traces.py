"""A trace as a line: the context is stored as places in the candidates where it can be."""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from operator import is_
from typing import Annotated, Any, NotRequired, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from pydantic_core import to_json
from typing_extensions import TypedDict

from evalrag.schema.frozen import first_wrong
from evalrag.schema.rows import Golden
from evalrag.schema.trace import Passage, ProbeTrace, Trace
from evalrag.schema.words import Probe, Stage
from evalrag.stores.lines import line_of

_TIMED = ("seconds", "attempts", "usage", "probe_costs")
"""What may differ between two runs of the same inputs; it has a file of its own."""


_SIMPLE = {"candidates", "context", "told"}
_WORDS = {"id", "doc", "text"}
_PLACES = {int}
_LISTS_ALONE = 2
"""Fields of a trace that says its candidates and its context, and nothing else."""
_FORM = b'{"id":%s,"repeat":%d,"question":%s,"candidates":%s,"context":%s}\n'


def trace_bytes(row: Golden, repeat: int, trace: Trace) -> bytes:
    """The same, as it is written; one of words and positions alone is written twice as fast."""
    if len(trace) == _LISTS_ALONE and not row.history:
        listed, context = trace["candidates"], trace["context"]
        if _first(context, listed) and _WORDS.issuperset(chain(*listed)):
            places = _first_places(len(context))
            return _FORM % (to_json(row.id), repeat, to_json(row.question), to_json(listed), places)
    line = trace_line(row, repeat, trace)
    simple = _SIMPLE.issuperset(trace) and _WORDS.issuperset(chain(*trace["candidates"]))
    if simple and _PLACES.issuperset(map(type, line["context"])):
        return to_json(line) + b"\n"
    return line_of(line)


def timing_bytes(row: str, repeat: int, trace: Trace) -> bytes:
    if not any(name in trace for name in _TIMED):
        return b'{"id":%s,"repeat":%d}\n' % (to_json(row), repeat)
    return line_of(timing_line(row, repeat, trace))


def trace_line(row: Golden, repeat: int, trace: Trace) -> dict[str, Any]:
    """What `traces.jsonl` keeps of one attempt."""
    line: dict[str, Any] = {"id": row.id, "repeat": repeat, "question": row.question}
    if row.history:
        line["history"] = [{"role": t.role, "content": t.content} for t in row.history]
    return _packed(line, trace)


def pack(trace: Trace) -> dict[str, Any]:
    return _packed({}, trace)


def _packed(line: dict[str, Any], trace: Trace) -> dict[str, Any]:
    line.update(trace)
    for name in _TIMED:
        line.pop(name, None)
    line["context"] = _places(trace["candidates"], trace["context"])
    if "probes" in trace:
        line["probes"] = {
            name: _packed_probe(trace["candidates"], probe)
            for name, probe in trace["probes"].items()
        }
    return line


_STRICT = ConfigDict(strict=True, allow_inf_nan=False)


@with_config(_STRICT)
class _StoredPassage(TypedDict):
    id: NotRequired[str]
    doc: NotRequired[str]
    text: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    span: NotRequired[Annotated[list[int], Field(min_length=2, max_length=2)]]
    score: NotRequired[float]


@with_config(_STRICT)
class _StoredTurn(TypedDict):
    role: str
    content: str


_Listed = list[int | _StoredPassage]
_Name = Annotated[str, Field(pattern=f"^({'|'.join(Probe)})$")]


@with_config(_STRICT)
class _StoredProbe(TypedDict):
    query: NotRequired[str]
    candidates: NotRequired[_Listed]
    context: NotRequired[_Listed]
    handed: NotRequired[_Listed]
    answer: NotRequired[str]
    unresolved: NotRequired[str]


@with_config(_STRICT)
class _StoredCost(TypedDict):
    seconds: NotRequired[float]
    usage: NotRequired[dict[str, float]]
    kept: NotRequired[bool]


@with_config(_STRICT)
class _StoredTrace(TypedDict):
    repeat: NotRequired[int]
    question: NotRequired[str]
    history: NotRequired[list[_StoredTurn]]
    query: NotRequired[str]
    candidates: list[_StoredPassage]
    reranked: NotRequired[list[_StoredPassage]]
    context: _Listed
    told: NotRequired[bool]
    handed: NotRequired[int]
    merged: NotRequired[bool]
    dropped: NotRequired[int]
    answer: NotRequired[str]
    citations: NotRequired[list[str]]
    usage: NotRequired[dict[str, float]]
    seconds: NotRequired[dict[str, float]]
    attempts: NotRequired[dict[str, int]]
    error: NotRequired[str]
    error_stage: NotRequired[Annotated[str, Field(pattern=f"^({'|'.join(Stage)})$")]]
    context_reused_from: NotRequired[int]
    probes: NotRequired[dict[_Name, _StoredProbe]]
    probe_costs: NotRequired[dict[_Name, _StoredCost]]


@cache
def _shape() -> TypeAdapter[_StoredTrace]:
    return TypeAdapter(_StoredTrace)


def check(line: dict[str, Any]) -> None:
    """Hold a line that is not fresh from this process against the shape of a trace.

    Raises:
        ValueError: it is no trace; the message names the field.
    """
    try:
        _shape().validate_python(line)
    except ValidationError as error:
        raise ValueError(f"it is no trace: {first_wrong(error)}") from None


def unpack(line: dict[str, Any]) -> Trace:
    """The trace of a stored line.

    Raises:
        ValueError: it is no trace.
    """
    try:
        return _unpacked(line)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise ValueError("it is no trace") from None


def _unpacked(line: dict[str, Any]) -> Trace:
    known = Trace.__annotations__
    trace = {name: value for name, value in line.items() if name in known}
    candidates = [_passage(p) for p in trace["candidates"]]
    trace["candidates"] = candidates
    trace["context"] = _placed(candidates, trace["context"])
    if "reranked" in trace:
        trace["reranked"] = [_passage(p) for p in trace["reranked"]]
    if "probes" in trace:
        trace["probes"] = {
            name: _unpacked_probe(candidates, probe) for name, probe in trace["probes"].items()
        }
    return cast(Trace, trace)


def _places(candidates: list[Passage], context: list[Passage]) -> list[Any]:
    """The same passage is its own place; an equal one takes the first place that is left."""
    if _first(context, candidates):
        return list(range(len(context)))
    own: dict[int, list[int]] = {}
    for place, passage in enumerate(candidates):
        own.setdefault(id(passage), []).append(place)
    found: list[Any] = [None] * len(context)
    taken: set[int] = set()
    for index, passage in enumerate(context):
        found[index] = _free(own.get(id(passage), ()), taken)
    for index, passage in enumerate(context):
        if found[index] is None:
            equal = [place for place, other in enumerate(candidates) if other == passage]
            found[index] = _free(equal, taken)
        if found[index] is None:
            found[index] = passage
    return found


def _first(context: list[Passage], candidates: list[Passage]) -> bool:
    """The context is the first candidates themselves, each of them once."""
    first = len(context) <= len(candidates) and all(map(is_, context, candidates))
    return first and len(set(map(id, context))) == len(context)


@cache
def _first_places(number: int) -> bytes:
    return to_json(list(range(number)))


_LISTS = ("candidates", "context", "handed")
"""Of a probe: they are stored as places among the row's candidates, too."""


def _packed_probe(candidates: list[Passage], probe: ProbeTrace) -> dict[str, Any]:
    line: dict[str, Any] = dict(probe)
    return line | {name: _places(candidates, line[name]) for name in _LISTS if name in line}


def _unpacked_probe(candidates: list[Passage], line: dict[str, Any]) -> dict[str, Any]:
    return line | {name: _placed(candidates, line[name]) for name in _LISTS if name in line}


def _placed(candidates: list[Passage], places: list[Any]) -> list[Passage]:
    return [
        candidates[place] if isinstance(place, int) and place >= 0 else _passage(place)
        for place in places
    ]


def _free(places: Sequence[int], taken: set[int]) -> int | None:
    """The first place that is not taken, which is then; all taken: a repeat of the first."""
    place = next((place for place in places if place not in taken), None)
    if place is None:
        return places[0] if places else None
    taken.add(place)
    return place


def _passage(stored: dict[str, Any]) -> Passage:
    if not isinstance(stored, dict):
        raise TypeError
    if "span" in stored:
        start, end = stored["span"]
        stored = {**stored, "span": (start, end)}
    return cast(Passage, stored)


def timing_line(row: str, repeat: int, trace: Trace) -> dict[str, Any]:
    """What `timings.jsonl` keeps of one attempt: what was measured, and nothing in its place."""
    line: dict[str, Any] = {"id": row, "repeat": repeat}
    return line | timed(trace)


def timed(trace: Trace) -> dict[str, Any]:
    return {name: value for name, value in trace.items() if name in _TIMED and value}
