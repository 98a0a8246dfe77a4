"""What a rewriter, a generator or a whole pipeline returned, in the words of a trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalrag.adapters.passages import (
    ShapeError,
    drained,
    kept,
    name_of,
    number_of,
    passage,
    passages,
    what,
)
from evalrag.plugins import closest
from evalrag.redaction import well_formed
from evalrag.schema.trace import Passage, Usage

REUSED = "context_reused_from"
ANSWER_KEYS = ("answer", "citations", "usage", "context", REUSED)
WHOLE_KEYS = (
    "query",
    "candidates",
    "reranked",
    "context",
    "answer",
    "citations",
    "usage",
    REUSED,
)

_PASSAGES = ("passages", "documents", "docs", "chunks", "nodes", "hits", "results", "sources")
_ANSWERS = ("response", "text", "output", "reply", "result", "completion")
_SAID_OTHERWISE = {
    **dict.fromkeys(_PASSAGES, ("candidates", "context")),
    **dict.fromkeys(_ANSWERS, ("answer",)),
}
"""What others call it -> our names, of which a generator has not all."""

_ANSWER_WANTED = (
    "return the answer as a string, or a dict with answer, and optional citations, usage, context, "
    f"{REUSED}"
)
_WHOLE_WANTED = (
    "return a dict with candidates or context (or both), answer, and optional query, reranked, "
    f"citations, usage, {REUSED}"
)
_USAGE = {
    "input_tokens": "input_tokens",
    "prompt_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "completion_tokens": "output_tokens",
    "cost": "cost",
}
USAGE_KEYS = frozenset(_USAGE)
"""What is read of a usage."""


@dataclass(slots=True)
class Retrieved:
    """A ranked list that was cut at `top_k`."""

    passages: list[Passage]
    dropped: int = 0


@dataclass(slots=True)
class Answered:
    """An answer, and what the pipeline says of how it came to be; None where it says nothing."""

    answer: str
    citations: list[str] | None = None
    usage: Usage | None = None
    context: list[Passage] | None = None
    reused_from: int | None = None
    """The turn whose passages were used again."""


@dataclass(slots=True)
class Whole:
    """All that a pipeline of one hook says. `broken` is what is wrong with the answer's part."""

    query: str | None = None
    candidates: Retrieved | None = None
    reranked: list[Passage] | None = None
    context: list[Passage] | None = None
    reused_from: int | None = None
    answered: Answered | None = None
    broken: str | None = field(default=None)


def retrieved(returned: Any, top_k: int | None, *, strings: str = "text") -> Retrieved:
    """What a retriever returned: the first `top_k` as passages, the rest as a count."""
    entries, dropped = kept(drained(returned), top_k)
    return Retrieved(passages(entries, strings=strings), dropped)


def rewritten(returned: Any) -> str:
    """What a rewriter returned: a query."""
    query = returned.get("query") if isinstance(returned, Mapping) else returned
    if not isinstance(query, str):
        raise ShapeError(f"returned {what(returned)}; return the query as a string")
    if not query.strip():
        raise ShapeError("returned an empty query")
    return well_formed(query)


def answered(
    returned: Any, candidates: Sequence[Passage], *, strings: str = "text", indexes: bool = False
) -> Answered:
    """What a generator returned. An empty string is an answer, and is scored as one."""
    if isinstance(returned, str):
        return Answered(well_formed(returned))
    if not isinstance(returned, Mapping):
        raise ShapeError(f"returned {what(returned)}; {_ANSWER_WANTED}")
    _known(returned, ANSWER_KEYS, _ANSWER_WANTED)
    found = _answer(returned)
    if returned.get("context") is not None:
        found.context = context_of(
            returned["context"], candidates, strings=strings, indexes=indexes
        )
    found.reused_from = _turn(returned.get(REUSED))
    if found.reused_from is not None and found.context is None:
        raise ShapeError(f"returned {REUSED} without a context; give the passages that were used")
    return found


def whole(
    returned: Any, top_k: int | None, *, strings: str = "text", indexes: bool = False
) -> Whole:
    """What a pipeline of one hook returned. What it retrieved is kept when its answer is no answer.

    Args:
        returned: A mapping with some of `WHOLE_KEYS`.
        top_k: Candidates that are kept.
        strings: What a bare string in a list of passages is: a text, or an id.
        indexes: A whole number in the context is a position among the candidates, from 0.
    """
    if not isinstance(returned, Mapping):
        raise ShapeError(f"returned {what(returned)}; {_WHOLE_WANTED}")
    _known(returned, WHOLE_KEYS, _WHOLE_WANTED)
    found = Whole()
    if returned.get("query") is not None:
        found.query = rewritten(returned["query"])
    if returned.get("candidates") is not None:
        found.candidates = _part("candidates", returned, top_k, strings)
    listed = found.candidates.passages if found.candidates else []
    if returned.get("reranked") is not None:
        found.reranked = context_of(returned["reranked"], listed, strings=strings, indexes=indexes)
    if returned.get("context") is not None:
        found.context = context_of(returned["context"], listed, strings=strings, indexes=indexes)
    if found.candidates is None and found.context is None:
        raise ShapeError(f"returned neither candidates nor context; {_WHOLE_WANTED}")
    found.reused_from = _turn(returned.get(REUSED))
    if "answer" in returned:
        try:
            found.answered = _answer(returned)
        except ShapeError as error:
            found.broken = str(error)
    return found


def context_of(
    returned: Any, candidates: Sequence[Passage], *, strings: str = "text", indexes: bool = False
) -> list[Passage]:
    """The passages that were used: as passages, or as ids (or texts) of the candidates."""
    entries = returned if isinstance(returned, list) else drained(returned)
    if isinstance(entries, str | bytes | Mapping) or not isinstance(entries, Sequence):
        raise ShapeError(f"context is {what(returned)}; give a list of passages or of their ids")
    entries = list(entries)
    if indexes:
        entries = [_at(e, candidates) if isinstance(e, int) else e for e in entries]
    names = [
        str(e) if isinstance(e, str | int) and not isinstance(e, bool) else None for e in entries
    ]
    known = _named(names, candidates)
    if known and strings == "text":
        lost = next((n for n in names if n is not None and n not in known), None)
        if lost is not None:
            raise ShapeError(f"context names {what(lost)}, which is the id of no candidate")
    found: list[Passage] = []
    for number, (entry, name) in enumerate(zip(entries, names, strict=True), 1):
        if name in known:
            found.append(known[name])
        elif isinstance(entry, int) and name is not None:
            found.append({"id": name})
        else:
            found.append(passage(entry, number, strings))
    return found


def _named(names: Sequence[str | None], candidates: Sequence[Passage]) -> dict[str | None, Passage]:
    """The candidates that `names` name, by id, or by text where a candidate has no id."""
    asked = {name for name in names if name is not None}
    found: dict[str | None, Passage] = {}
    if asked:
        for candidate in candidates:
            name = candidate.get("id", candidate.get("text"))
            if name in asked:
                found.setdefault(name, candidate)
    return found


def _at(index: int, candidates: Sequence[Passage]) -> Passage:
    if isinstance(index, bool) or not 0 <= index < len(candidates):
        raise ShapeError(f"context names candidate {index} of {len(candidates)}")
    return candidates[index]


def _part(key: str, returned: Mapping[str, Any], top_k: int | None, strings: str) -> Retrieved:
    try:
        return retrieved(returned[key], top_k, strings=strings)
    except ShapeError as error:
        raise ShapeError(f"{key}: {error}") from None


def _answer(returned: Mapping[str, Any]) -> Answered:
    answer = returned.get("answer")
    if not isinstance(answer, str):
        got = f"the answer {what(answer)}" if "answer" in returned else "no answer"
        raise ShapeError(f"returned {got}; {_ANSWER_WANTED}")
    return Answered(
        well_formed(answer),
        citations=_citations(returned.get("citations")),
        usage=_usage(returned.get("usage")),
    )


def _citations(returned: Any) -> list[str] | None:
    if returned is None:
        return None
    if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Sequence):
        raise ShapeError(f"citations is {what(returned)}; give a list of passage ids")
    return [
        name_of(entry.get("id") if isinstance(entry, Mapping) else entry, f"citation {number}")
        for number, entry in enumerate(returned, 1)
    ]


def _turn(returned: Any) -> int | None:
    """The number of an earlier turn of the user's, from 1."""
    if returned is None:
        return None
    if not isinstance(returned, int) or isinstance(returned, bool) or returned < 1:
        raise ShapeError(f"{REUSED} is {what(returned)}; give the number of a turn, from 1")
    return returned


def _usage(returned: Any) -> Usage | None:
    """Tokens and cost under our names or OpenAI's; SDKs put much more there, which is passed by."""
    if returned is None:
        return None
    if not isinstance(returned, Mapping):
        raise ShapeError(f"usage is {what(returned)}; give input_tokens, output_tokens, cost")
    found: Usage = {}
    for key, name in _USAGE.items():
        value = returned.get(key)
        if value is None:
            continue
        number = number_of(value, f"usage.{key}")
        if number < 0:
            raise ShapeError(f"usage.{key} is {what(value)}, less than nothing")
        if name == "cost":
            found["cost"] = number
        elif name == "input_tokens":
            found["input_tokens"] = int(number)
        else:
            found["output_tokens"] = int(number)
    return found or None


def _known(returned: Mapping[Any, Any], keys: Sequence[str], wanted: str) -> None:
    for key in returned:
        if key not in keys:
            ours = [repr(name) for name in _SAID_OTHERWISE.get(str(key), ()) if name in keys]
            near = f": evalrag calls it {' or '.join(ours)}" if ours else closest(str(key), keys)
            raise ShapeError(f"returned the unknown key {key!r}{near}; {wanted}")
