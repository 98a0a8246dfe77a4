"""Where things stand in what a library returns: `metadata.source`, `answers.0.data`."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pydantic import Field, JsonValue, field_validator

from evalrag.adapters.passages import ShapeError, listed
from evalrag.schema.frozen import Frozen

Place: TypeAlias = str | tuple[str, ...]
"""A path, or several of which the first that is there counts; `?` behind one: it may be missing."""

MISSING: Final = object()


class PassageFields(Frozen):
    """Where the parts of a passage stand in a document of the library."""

    id: Place | None = Field(default=None, description="What names the passage.")
    doc: Place | None = Field(default=None, description="The document that it is cut from.")
    text: Place | None = Field(default=None, description="Its words.")
    score: Place | None = Field(default=None, description="What it was ranked by.")
    metadata: str | dict[str, str] | None = Field(
        default=None, description="Where all of it stands, or name -> path."
    )
    span: str | tuple[str, str] | None = Field(
        default=None, description="The start (the text's length gives the end), or [start, end]."
    )

    @field_validator("id", "doc", "text", "score", "metadata", "span")
    @classmethod
    def _paths(cls, value: Any) -> Any:
        for path in _listed(value):
            if not all(path.removesuffix("?").split(".")):
                raise ValueError(f"{path!r} is no path; write names with dots, as metadata.source")
        return value

    def over(self, usual: "PassageFields") -> "PassageFields":
        """These where the plan says something (null: nothing is taken), `usual` elsewhere."""
        said = {name: getattr(self, name) for name in self.model_fields_set}
        return usual.model_copy(update=said)

    def passage(self, document: Any, number: int) -> dict[str, Any]:
        """The parts of a document that are there, as a hook would give them.

        Raises:
            ShapeError: A path that may not be missing is; with the keys that are there.
        """
        where = f"passage {number}"
        found = {
            name: value
            for name in ("id", "doc", "text", "score")
            if (place := getattr(self, name)) is not None
            and (value := first(document, place, f"{where}: {name}")) is not MISSING
        }
        if (metadata := self._metadata(document, where)) is not MISSING:
            found["metadata"] = metadata
        if (span := self._span(document, where, found.get("text"))) is not MISSING:
            found["span"] = span
        return found

    def _metadata(self, document: Any, where: str) -> Any:
        if self.metadata is None:
            return MISSING
        if isinstance(self.metadata, str):
            return first(document, self.metadata, f"{where}: metadata")
        parts = {
            name: first(document, path, f"{where}: metadata.{name}")
            for name, path in self.metadata.items()
        }
        return {name: part for name, part in parts.items() if part is not MISSING}

    def _span(self, document: Any, where: str, text: Any) -> Any:
        """[start, end]. A start below 0 is what splitters write where they lost the place."""
        if self.span is None:
            return MISSING
        if isinstance(self.span, tuple):
            both = [first(document, path, f"{where}: span") for path in self.span]
            return MISSING if MISSING in both else both
        start = first(document, self.span, f"{where}: span")
        if not isinstance(start, int) or isinstance(start, bool):
            return start
        if start < 0 or not isinstance(text, str):
            return MISSING
        return [start, start + len(text)]


def first(value: Any, place: Place, what: str) -> Any:
    """What stands at `place`, or `MISSING` where a path that may be missing is. None is missing.

    Raises:
        ShapeError: The last path is not there, and has no `?`.
    """
    paths = (place,) if isinstance(place, str) else place
    found = MISSING
    for path in paths_of(place):
        found = _at(value, path.split("."))
        if found is not MISSING:
            return found
    if paths and not paths[-1].endswith("?"):
        raise ShapeError(_not_there(value, paths[-1], what))
    return found


def paths_of(place: Place) -> tuple[str, ...]:
    """The paths of a place, without their marks."""
    paths = (place,) if isinstance(place, str) else place
    return tuple(path.removesuffix("?") for path in paths)


def _at(value: Any, steps: Sequence[str]) -> Any:
    """What `steps` lead to. A key that has dots in it is found before its parts are."""
    if not steps:
        return MISSING if value is None else value
    for taken in range(len(steps), 0, -1):
        step = _step(value, ".".join(steps[:taken]))
        if step is not MISSING:
            found = _at(step, steps[taken:])
            if found is not MISSING:
                return found
    return MISSING


def _step(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name, MISSING)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        try:
            return value[int(name)]
        except (ValueError, IndexError):
            return MISSING
    if not name.isidentifier() or name.startswith("_"):
        return MISSING
    found = getattr(value, name, MISSING)
    return MISSING if inspect.isroutine(found) else found


def _not_there(value: Any, path: str, what: str) -> str:
    """Which step of the path failed, and what is there instead."""
    steps = path.split(".")
    reached, at = "", value
    while steps:
        step = _step(at, steps[0])
        if step is MISSING or step is None:
            break
        reached, at = f"{reached}.{steps[0]}".lstrip("."), step
        steps = steps[1:]
    inside = reached or "it"
    wanted = ".".join(steps) or path
    return f"returned no {path!r} ({what}): {inside} has no {wanted!r}; {_there(at)}"


def _there(value: Any) -> str:
    if isinstance(value, Mapping):
        keys = [str(key) for key in value]
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return f"it is a list of {len(value)}"
    else:
        keys = [name for name in getattr(value, "__dict__", {}) if not name.startswith("_")]
        if not keys:
            return f"it is a {type(value).__name__}"
    return f"there are {listed(sorted(keys))}" if keys else "it is empty"


def _listed(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    return list(value.values() if isinstance(value, Mapping) else value)


class OutputFields(Frozen):
    """Where what a pipeline says stands in what it returns. What is not named is not taken."""

    query: Place | None = Field(default=None, description="The question as it was rewritten.")
    candidates: Place | None = Field(default=None, description="What was retrieved, best first.")
    reranked: Place | None = Field(default=None, description="The same in another order.")
    context: Place | None = Field(default=None, description="What the model was given.")
    answer: Place | None = Field(default=None, description="What it wrote.")
    citations: Place | None = Field(default=None, description="Ids of passages that it names.")
    usage: Place | None = Field(default=None, description="Tokens and cost.")

    @field_validator("*")
    @classmethod
    def _paths(cls, value: Any) -> Any:
        for path in _listed(value):
            if not all(path.removesuffix("?").split(".")):
                raise ValueError(f"{path!r} is no path; write names with dots, as llm.replies")
        return value

    def named(self) -> dict[str, Place]:
        """Output -> where it stands, for those that the plan names."""
        places = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {name: place for name, place in places if place is not None}

    def said(self, returned: Any, as_told: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
        """What stands at the places that the plan names.

        Args:
            returned: What the library gave.
            as_told: Output -> what makes of the library's own objects what a hook would return;
                outputs that are not here are passed by.

        Raises:
            ShapeError: A path that may not be missing is.
        """
        found = {}
        for name, place in self.named().items():
            if name in as_told and (value := first(returned, place, name)) is not MISSING:
                found[name] = as_told[name](value)
        return found


def offered(inputs: Mapping[str, JsonValue], offers: Mapping[str, Any]) -> dict[str, Any]:
    """What `inputs` ask for: a string names an offer, anything else is given as it is."""
    return {
        name: offers[value] if isinstance(value, str) else value for name, value in inputs.items()
    }
