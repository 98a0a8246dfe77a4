"""JSONPath (RFC 9535) in the reply of a service: what a path finds, and where it finds nothing."""

from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

import jsonpath
from jsonpath.selectors import IndexSelector, NameSelector

from evalrag.adapters.passages import ShapeError, listed, what
from evalrag.errors import PluginError
from evalrag.redaction import one_line

MISSING = object()


class JsonPath:
    """One path, compiled."""

    def __init__(self, written: Any, where: str) -> None:
        if not isinstance(written, str):
            raise wrong_path(where, f"{what(written)} is no JSONPath")
        if not written.startswith("$"):
            raise wrong_path(where, f"{written!r} is no JSONPath: one begins with $")
        try:
            found = jsonpath.compile(written, strict=True)
        except jsonpath.JSONPathError as error:
            said = one_line(str(error.args[0]) if error.args else type(error).__name__, 200)
            raise wrong_path(where, f"{written!r} is no JSONPath: {said}") from None
        assert isinstance(found, jsonpath.JSONPath), "strict paths have no unions"
        self.written, self.where, self._path = written, where, found
        self.field = where.partition(": ")[2]
        """`reply.usage.cost`, as the plan has it under `with`."""
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
                f"answered with {len(found)} values at {self.written} ({self.field}), not one"
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

    def has_room(self, document: Any) -> bool:
        """A match could be there: what a wildcard looks through is not empty itself."""
        return self.single or _walked(self._stem, document) not in ([[]], [{}])

    def gap(self, document: Any, name: str = "the reply") -> str:
        """Where the path leaves the document, and what is there: `$.usage has input, output`."""
        at, reached = document, ""
        for step in self._steps if self.single else self._stem:
            inside = _walked([step], at)
            if not inside:
                break
            plain = isinstance(step, str) and step.isidentifier()
            at, reached = inside[0], reached + (f".{step}" if plain else f"[{step!r}]")
        return f"${reached} {_holds(at)}" if reached else f"{name} {_holds(at)}"

    def _all(self, document: Any) -> list[Any]:
        if self.single:
            return _walked(self._steps, document)
        if not isinstance(document, dict | list):  # a text would be parsed as JSON once more
            return []
        try:
            return self._path.findall(document)
        except jsonpath.JSONPathError as error:
            raise ShapeError(f"cannot be searched by {self.written}: {error.args[0]}") from None


class Look(NamedTuple):
    """A place that may be missing was looked for in a reply, or in a passage of one."""

    path: JsonPath
    document: Any
    gave: bool


class Unmatched:
    """The paths that gave nothing in a whole run, of those that may find nothing in a reply.

    One reply without a usage is nothing; a run without any is a path that is written wrongly.
    Replies come from several threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._gave: set[JsonPath] = set()
        self._never: dict[JsonPath, tuple[int, str]] = {}
        """How often it was looked for, and what was there the first time."""

    def count(self, looks: Sequence[Look]) -> None:
        with self._lock:
            for path, document, gave in looks:
                if gave:
                    self._gave.add(path)
                    self._never.pop(path, None)
                elif path not in self._gave:
                    n, there = self._never.get(path, (0, ""))
                    there = there or path.gap(document, f"the first {_unit(path)[0]}")
                    self._never[path] = n + 1, there

    def remarks(self) -> list[str]:
        """A line for each of them, with what is there instead."""
        with self._lock:
            never = [(path, *seen) for path, seen in self._never.items()]
        return [
            f"{path.where}: {path.written} gave nothing in {_each(n, *_unit(path))}: is the path "
            f"right? {there}"
            for path, n, there in sorted(never, key=lambda one: one[0].where)
        ]


def _unit(path: JsonPath) -> tuple[str, str]:
    inside = path.field.startswith("reply.passage.")
    return ("passage", "passages") if inside else ("reply", "replies")


def _each(n: int, one: str, several: str) -> str:
    return f"the only {one}" if n == 1 else f"any of {n} {several}"


def _holds(value: Any) -> str:
    if isinstance(value, dict):
        return f"has {listed(value)}" if value else "is empty"
    if isinstance(value, list):
        first = value[0] if value else None
        more = f", the first has {listed(first)}" if isinstance(first, dict) and first else ""
        return f"is a list of {len(value)}{more}"
    return f"is {_KINDS.get(type(value), 'a number')}"


_KINDS = {type(None): "null", str: "a text", bool: "a boolean"}


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


def wrong_path(where: str, message: str) -> PluginError:
    return PluginError(f"{where}: {message}", hint="a path is written as $.hits[*] or $.text")
