"""The fields of a JSON reply, found by JSONPath (RFC 9535), as a hook would return them."""

from collections.abc import Mapping
from typing import Any

from evalrag.adapters.json_paths import MISSING, JsonPath, Look, Unmatched, wrong_path
from evalrag.adapters.passages import KEYS, ShapeError, what
from evalrag.adapters.shapes import USAGE_KEYS
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
PASSAGES = frozenset({"candidates", "reranked", "context"})
LISTS = PASSAGES | {"citations"}
TEXTS = frozenset({"answer", "query"})
OPTIONAL = frozenset({"citations", "usage", "reranked"})
"""May be missing of a reply; of the others a missing value is the row's error."""
USAGE = ("input_tokens", "output_tokens", "cost")


class ReplyFields:
    """`reply` of a plan: field -> path, of passages and of usage another such mapping.

    Without it a reply is taken as a hook's: a list of passages, or an object with our names.
    """

    def __init__(self, written: Mapping[str, Any] | None, stage: str, *, of: str) -> None:
        self.stage = stage
        self._paths: dict[str, JsonPath] = {}
        self._passage: dict[str, JsonPath] = {}
        self._metadata: dict[str, JsonPath] = {}
        self._usage: dict[str, JsonPath] = {}
        self._given = written is not None
        self._unmatched = Unmatched()
        for name, value in (written or {}).items():
            where = f"with of {of}: reply.{name}"
            if name not in FIELDS[stage]:
                raise _not_of_stage(name, stage, where)
            if name == "passage":
                self._passage, self._metadata = _passage_paths(value, where)
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
                raise wrong_path(f"with of {of}: reply", f"{name!r} is missing, the path of it")
        if self.stage == "answer" and not {"candidates", "context"} & set(self._paths):
            raise wrong_path(f"with of {of}: reply", "candidates or context is missing")

    def read(self, document: Any) -> Any:
        """What a hook of the stage would have returned.

        Raises:
            ShapeError: A place that the plan names is not there.
        """
        if not self._given:
            return _unmapped(document, self.stage)
        found: dict[str, Any] = {}
        looks: list[Look] = []
        for name, path in self._paths.items():
            value = _at(name, path, document)
            if path.has_room(document):
                looks.append(Look(path, document, _gives(name, path, value)))
            if value is not MISSING:
                found[name] = self._mapped(name, value, looks)
        if self._usage:
            found["usage"] = _taken(self._usage, document, looks)
        self._unmatched.count(looks)
        if self.stage in NEEDED:
            return found[NEEDED[self.stage][0]]
        return found

    def remarks(self) -> list[str]:
        """The paths that gave nothing in any of all replies so far."""
        return self._unmatched.remarks()

    def _mapped(self, name: str, value: Any, looks: list[Look]) -> Any:
        if not self._passage or name not in PASSAGES or value is None:
            return value
        return [self._as_passage(entry, number, looks) for number, entry in enumerate(value, 1)]

    def _as_passage(self, entry: Any, number: int, looks: list[Look]) -> Any:
        """A text or an id stays what it is."""
        if not isinstance(entry, dict):
            return entry
        found = _taken(self._passage, entry, looks)
        if found.get("id") is None and found.get("text") is None:
            raise ShapeError(f"answered with passage {number} without {self._names(entry)}")
        if self._metadata:
            found["metadata"] = _taken(self._metadata, entry, looks)
        return found

    def _names(self, entry: Any) -> str:
        """The paths of id and text, and what is there instead."""
        places = [path for key, path in self._passage.items() if key in ("id", "text")]
        named = " or ".join(f"{path.written} ({path.field})" for path in places)
        gaps = dict.fromkeys(path.gap(entry, "it") for path in places)
        return f"{named}: {', '.join(gaps)}"


def _at(name: str, path: JsonPath, document: Any) -> Any:
    """What stands where the plan looks for a field, or `MISSING` of one that may be missing."""
    value = path.many(document) if name in LISTS else path.one(document)
    lacking = ""
    if value is MISSING and name not in OPTIONAL:
        lacking = "answered without"
    elif name in PASSAGES and not (value is MISSING or isinstance(value, list | None)):
        lacking = "answered with no list at"
    elif name in TEXTS and isinstance(value, dict | list):
        lacking = "answered with no text at"
    if lacking:
        there = f"{path.gap(document)}{_own_error(document)}"
        raise ShapeError(f"{lacking} {path.written} ({path.field}): {there}")
    return value


def _own_error(document: Any) -> str:
    """What a service says of its trouble in a reply of status 200.

    No other value is shown: an error that reads the same on every row is told once.
    """
    said = document if isinstance(document, dict) else {}
    known = [key for key in ("error", "errors", "detail", "message") if said.get(key)]
    return f"; {known[0]}: {what(said[known[0]])}" if known else ""


def _taken(paths: Mapping[str, JsonPath], document: Any, looks: list[Look]) -> dict[str, Any]:
    """What stands at places of which each may be missing."""
    read = {name: path.one(document) for name, path in paths.items()}
    looks += [Look(path, document, read[name] is not MISSING) for name, path in paths.items()]
    return {name: value for name, value in read.items() if value is not MISSING}


def _gives(name: str, path: JsonPath, value: Any) -> bool:
    """It found what it is for: with a wildcard an entry, of a whole usage something in it."""
    if name == "usage" and isinstance(value, dict):
        return not USAGE_KEYS.isdisjoint(value)
    return value is not MISSING and (path.single or value != [])


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


def _passage_paths(value: Any, where: str) -> tuple[dict[str, JsonPath], dict[str, JsonPath]]:
    """Of a passage's own fields, and of its metadata where the plan names them one by one."""
    if not isinstance(value, dict) or not {"id", "text"} & set(value):
        raise wrong_path(where, "give the paths of id, text or both, within one passage")
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return _mapping(value, KEYS, where), {}
    fields = {name: path for name, path in value.items() if name != "metadata"}
    named = {name: JsonPath(path, f"{where}.metadata.{name}") for name, path in metadata.items()}
    return _mapping(fields, KEYS, where), named


def _mapping(value: Mapping[str, Any], known: tuple[str, ...], where: str) -> dict[str, JsonPath]:
    for name in value:
        if name not in known:
            raise wrong_path(
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
