"""An evidence that a corpus does not hold: is it a name, or the metadata, that nobody has?"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evalrag.evidence.match import equal
from evalrag.schema.evidence import Evidence
from evalrag.schema.trace import Passage

COMPARED = 5_000
"""Names of a corpus up to which a near one is looked for."""
LOOKED = 50
"""Evidences for which one is; of more it is only said that there is none."""
_SHOWN = 3
_LONG = 60


def why_absent(evidences: Sequence[Evidence], passages: Iterable[Passage]) -> list[str | None]:
    """For each evidence that was not found: which of its names or metadata the corpus has not.

    Args:
        evidences: of which the corpus was seen to hold none.
        passages: the corpus; gone through once.

    Returns:
        A reason; None where the corpus has what the evidence names, and it is the words or the
        span that are not there.
    """
    leaves = [evidence.leaves() for evidence in evidences]
    asked = {_named(leaf) for group in leaves for leaf in group}
    names: dict[str, set[str]] = {"id": set(), "doc": set()}
    held: dict[tuple[str, str | None], list[Mapping[str, Any]]] = {}
    for passage in passages if asked else ():
        metadata = passage.get("metadata") or {}
        for field, known in names.items():
            name: Any = passage.get(field)
            if name is not None:
                known.add(name)
                if (field, name) in asked:
                    held.setdefault((field, name), []).append(metadata)
    near = {
        field: sorted(known) if len(known) <= COMPARED else [] for field, known in names.items()
    }
    said: list[str | None] = []
    for number, group in enumerate(leaves):
        reasons = (_reason(leaf, held, near if number < LOOKED else {}) for leaf in group)
        said.append(next((reason for reason in reasons if reason), None))
    return said


def _named(leaf: Evidence) -> tuple[str, str | None]:
    return ("id", leaf.chunk) if leaf.chunk is not None else ("doc", leaf.doc)


def _reason(
    leaf: Evidence,
    held: Mapping[tuple[str, str | None], Sequence[Mapping[str, Any]]],
    known: Mapping[str, Sequence[str]],
) -> str | None:
    field, name = _named(leaf)
    if name is None:
        return None
    passages = held.get((field, name))
    if passages is None:
        what = "passage has the id" if field == "id" else "document is called"
        found = difflib.get_close_matches(name, known.get(field, ()), n=1, cutoff=0.6)
        meant = f": did you mean {_quoted(found[0])}?" if found else ""
        return f"no {what} {_quoted(name)}{meant}"
    for key, wanted in leaf.metadata.items():
        values = [metadata[key] for metadata in passages if key in metadata]
        if not values:
            return f"{_quoted(name)} has no {_quoted(key)}"
        if not any(equal(value, wanted) for value in values):
            return _other(name, key, wanted, values)
    return None


def _other(name: str, key: str, wanted: Any, values: Sequence[Any]) -> str:
    """A value of another type, or another value."""
    alike = [value for value in values if _kind(value) != _kind(wanted)]
    for value in alike:
        if str(value).casefold() == str(wanted).casefold():
            return (
                f"its {key} {_shown(wanted)} is {_kind(wanted)}, where the corpus has "
                f"{_kind(value)}: write {_shown(value)}"
            )
    there = list(dict.fromkeys(map(_shown, values)))
    more = f" and {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
    listed = f"{', '.join(there[:_SHOWN])}{more}"
    return f"{_quoted(name)} has no {key} {_shown(wanted)}: there is {listed}"


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
    return "null" if value is None else "a list or an object"


def _shown(value: Any) -> str:
    """As JSON writes it."""
    if isinstance(value, str):
        return _quoted(value)
    words = {True: "true", False: "false", None: "null"}
    plain = value is None or isinstance(value, bool)
    return words[value] if plain else str(value)[:_LONG]


def _quoted(text: str) -> str:
    return f'"{text if len(text) <= _LONG else text[: _LONG - 4] + " ..."}"'
