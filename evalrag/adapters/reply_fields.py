"""The fields of a JSON reply, found by JSONPath (RFC 9535), as a hook would return them."""

from collections.abc import Mapping, Sequence
from typing import Any

import jsonpath
from jsonpath.selectors import IndexSelector, NameSelector

from evalrag.adapters.passages import KEYS, ShapeError, what
from evalrag.adapters.stages import PLACES
from evalrag.errors import PluginError
from evalrag.plugins import closest
from evalrag.redaction import one_line

FIELDS: Mapping[str, tuple[str, ...]] = {
    "retrieve": ("candidates", "passage"),
    "rewrite": ("query",),
    "generate": ("answer", "citations", "usage", "context", "passage"),
    "answer": (
        *("query", "candidates", "reranked", "context", "answer", "citations", "usage", "passage"),
    ),
}
"""What is read of a reply at each stage."""
NEEDED = {"retrieve": ("candidates",), "rewrite": ("query",)}
LISTS = frozenset({"candidates", "reranked", "context", "citations"})
OPTIONAL = frozenset({"citations", "usage", "reranked"})
"""May be missing of a reply; of the others a missing value is the row's error."""
USAGE = ("input_tokens", "output_tokens", "cost")

MISSING = object()


class JsonPath:
    """One path, compiled."""

    def __init__(self, written: Any, where: str) -> None:
        if not isinstance(written, str):
            raise _wrong(where, f"{what(written)} is no JSONPath")
        if not written.startswith("$"):
            raise _wrong(where, f"{written!r} is no JSONPath: one begins with $")
        try:
            found = jsonpath.compile(written, strict=True)
        except jsonpath.JSONPathError as error:
            said = one_line(str(error.args[0]) if error.args else type(error).__name__, 200)
            raise _wrong(where, f"{written!r} is no JSONPath: {said}") from None
        assert isinstance(found, jsonpath.JSONPath), "strict paths have no unions"
        self.written, self.where, self._path = written, where, found
        self.single = found.singular_query()
        """It names one place: `$.a.b[0]`."""
        self._steps = _steps(found) if self.single else []
        self._stem = self._single_stem(found)

    def _single_stem(self, path: jsonpath.JSONPath) -> list[str | int]:
        """The part before the first wildcard: `$.hits` of `$.hits[*]._id`."""
        for end in range(len(path.segments) - 1, 0, -1):
            stem = jsonpath.JSONPath(env=path.env, segments=path.segments[:end])
            if stem.singular_query():
                return _steps(stem)
        return []

    def one(self, document: Any) -> Any:
        """The value, or `MISSING`."""
        found = self._all(document)
        if len(found) > 1:
            raise ShapeError(
                f"answered with {len(found)} values at {self.written} ({self.where}), not one"
            )
        return found[0] if found else MISSING

    def many(self, document: Any) -> Any:
        """The list at a place, or all matches of a path that can have several.

        No match is an empty list only where the place that the matches would be in is there.
        """
        found = self._all(document)
        if self.single:
            return found[0] if found else MISSING
        if not found and not _walked(self._stem, document):
            return MISSING
        return found

    def _all(self, document: Any) -> list[Any]:
        if self.single:
            return _walked(self._steps, document)
        if not isinstance(document, dict | list):  # a text would be parsed as JSON once more
            return []
        try:
            return self._path.findall(document)
        except jsonpath.JSONPathError as error:
            raise ShapeError(f"cannot be searched by {self.written}: {error.args[0]}") from None


def _steps(path: jsonpath.JSONPath) -> list[str | int]:
    """Names and indexes of a path to one place: walked at a twentieth of the library's cost."""
    selectors = [segment.selectors[0] for segment in path.segments]
    return [
        selector.name if isinstance(selector, NameSelector) else selector.index
        for selector in selectors
        if isinstance(selector, NameSelector | IndexSelector)
    ]


def _walked(steps: Sequence[str | int], value: Any) -> list[Any]:
    for step in steps:
        if isinstance(step, str):
            if not isinstance(value, dict) or step not in value:
                return []
        elif not isinstance(value, list) or not -len(value) <= step < len(value):
            return []
        value = value[step]
    return [value]


class ReplyFields:
    """`reply` of a plan: field -> path, of passages and of usage another such mapping.

    Without it a reply is taken as a hook's: a list of passages, or an object with our names.
    """

    def __init__(self, written: Mapping[str, Any] | None, stage: str, *, of: str) -> None:
        self.stage = stage
        self._paths: dict[str, JsonPath] = {}
        self._passage: dict[str, JsonPath | dict[str, JsonPath]] = {}
        self._usage: dict[str, JsonPath] = {}
        self._given = written is not None
        for name, value in (written or {}).items():
            where = f"with of {of}: reply.{name}"
            if name not in FIELDS[stage]:
                raise _not_of_stage(name, stage, where)
            if name == "passage":
                self._passage = _passage_paths(value, where)
            elif name == "usage" and isinstance(value, dict):
                self._usage = _mapping(value, USAGE, where)
            else:
                self._paths[name] = JsonPath(value, where)
        if self._given:
            self._check_enough(of)

    def _check_enough(self, of: str) -> None:
        needed = NEEDED.get(self.stage, ("answer",))
        for name in needed:
            if name not in self._paths:
                raise _wrong(f"with of {of}: reply", f"{name!r} is missing, the path of it")
        if self.stage == "answer" and not {"candidates", "context"} & set(self._paths):
            raise _wrong(f"with of {of}: reply", "candidates or context is missing")

    def read(self, document: Any) -> Any:
        """What a hook of the stage would have returned.

        Raises:
            ShapeError: A place that the plan names is not there.
        """
        if not self._given:
            return _unmapped(document, self.stage)
        found: dict[str, Any] = {}
        for name, path in self._paths.items():
            value = path.many(document) if name in LISTS else path.one(document)
            if value is not MISSING:
                found[name] = self._mapped(name, value)
            elif name not in OPTIONAL:
                raise ShapeError(
                    f"answered without {path.written} (reply.{name}): {what(document)}"
                )
        if self._usage:
            read = {name: path.one(document) for name, path in self._usage.items()}
            found["usage"] = {k: v for k, v in read.items() if v is not MISSING}
        if self.stage in NEEDED:
            return found[NEEDED[self.stage][0]]
        return found

    def _mapped(self, name: str, value: Any) -> Any:
        if not self._passage or name == "citations" or not isinstance(value, list):
            return value
        return [self._as_passage(entry, number) for number, entry in enumerate(value, 1)]

    def _as_passage(self, entry: Any, number: int) -> Any:
        """A text or an id stays what it is."""
        if not isinstance(entry, dict):
            return entry
        found: dict[str, Any] = {}
        for key, path in self._passage.items():
            if isinstance(path, dict):
                read = {name: inner.one(entry) for name, inner in path.items()}
                found[key] = {k: v for k, v in read.items() if v is not MISSING}
            elif (value := path.one(entry)) is not MISSING:
                found[key] = value
        if found.get("id") is None and found.get("text") is None:
            places = [p for k, p in self._passage.items() if k in ("id", "text")]
            named = " or ".join(p.written for p in places if isinstance(p, JsonPath))
            raise ShapeError(f"answered with passage {number} without {named}: {what(entry)}")
        return found


def _unmapped(document: Any, stage: str) -> Any:
    if stage != "retrieve" or not isinstance(document, dict):
        return document
    for key in document:
        if key != "candidates":
            raise ShapeError(
                f"answered with the unknown key {one_line(str(key), 60)!r}"
                f"{closest(str(key), ('candidates',))}; a list of passages, or an object with "
                "candidates, is read without `reply`"
            )
    return document.get("candidates")


def _passage_paths(value: Any, where: str) -> dict[str, JsonPath | dict[str, JsonPath]]:
    if not isinstance(value, dict) or not {"id", "text"} & set(value):
        raise _wrong(where, "give the paths of id, text or both, within one passage")
    metadata = value.get("metadata")
    simple = {k: v for k, v in value.items() if k != "metadata" or not isinstance(v, dict)}
    found: dict[str, JsonPath | dict[str, JsonPath]] = dict(_mapping(simple, KEYS, where).items())
    if isinstance(metadata, dict):
        found["metadata"] = {
            name: JsonPath(path, f"{where}.metadata.{name}") for name, path in metadata.items()
        }
    return found


def _mapping(value: Mapping[str, Any], known: tuple[str, ...], where: str) -> dict[str, JsonPath]:
    for name in value:
        if name not in known:
            raise _wrong(
                f"{where}.{name}", f"unknown{closest(name, known)}; known: {', '.join(known)}"
            )
    return {name: JsonPath(path, f"{where}.{name}") for name, path in value.items()}


def _not_of_stage(name: str, stage: str, where: str) -> PluginError:
    known = FIELDS[stage]
    place = PLACES.get(stage, "whole pipeline")
    said = f"of a {place} it is not read{closest(name, known)}"
    others = [PLACES[other] for other in PLACES if name in FIELDS[other]]
    if others:
        said += f"; it belongs to the {' or the '.join(others)}"
    return PluginError(f"{where}: {said}", hint=f"of a {place} are read {', '.join(known)}")


def _wrong(where: str, message: str) -> PluginError:
    return PluginError(f"{where}: {message}", hint="a path is written as $.hits[*] or $.text")
