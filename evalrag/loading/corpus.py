"""A corpus in JSON Lines to passages."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalrag.errors import DatasetError, Problem
from evalrag.loading.jsonl import read_objects
from evalrag.loading.show import clean, field_name, show
from evalrag.schema.trace import Passage

_USUAL = {"id": ("id", "chunk_id"), "doc": ("doc", "doc_id"), "text": ("text",), "span": ("span",)}
"""Passage field -> the fields of the file it is read from where the plan does not say; the first
that a record has."""


def read_corpus(
    path: Path,
    *,
    fields: Mapping[str, str],
    where: Mapping[str, Any],
    shown: str | None = None,
) -> Iterator[Passage]:
    """The passages of a corpus, in file order, as they are read.

    `fields` maps `id`, `doc`, `text`, `span` or any metadata name to the file's own field. The
    record's other scalar fields become metadata, and an object `metadata` is merged in, over them.
    `where` keeps the records whose fields all equal its values: a list is any-of, null is a field
    that is null or missing. It looks at the file's fields, then into `metadata`.

    Raises:
        DatasetError: with all problems, at the end of the file. No passage comes after the first.
    """
    name = clean(shown if shown is not None else str(path), 400)
    reading = _Reading(name, fields, where)
    kept = 0
    for line, record in read_objects(path, shown=name):
        if isinstance(record, Problem):
            reading.problems.append(record)
            continue
        reading.know(record)
        if not reading.wanted(record):
            continue
        kept += 1
        passage = reading.passage(line, record)
        if not reading.problems:
            yield passage
    reading.close(kept)


class _Reading:
    """One pass over a corpus: what was seen, and what was wrong."""

    def __init__(self, name: str, fields: Mapping[str, str], where: Mapping[str, Any]) -> None:
        self._name, self._fields = name, fields
        self._where = {key: v if isinstance(v, list) else [v] for key, v in where.items()}
        self._unmet = set(where)
        self._lines: dict[str, int] = {}
        self._records = 0
        self.problems: list[Problem] = []

    def know(self, record: Mapping[str, Any]) -> None:
        """Note which keys of `where` exist."""
        self._records += 1
        if self._unmet:
            inner = record.get("metadata")
            self._unmet -= record.keys()
            self._unmet -= inner.keys() if isinstance(inner, dict) else set()

    def wanted(self, record: Mapping[str, Any]) -> bool:
        inner = record.get("metadata")
        for key, values in self._where.items():
            source = record if key in record or not isinstance(inner, dict) else inner
            if not any(_equal(source.get(key), value) for value in values):
                return False
        return True

    def passage(self, line: int, record: Mapping[str, Any]) -> Passage:
        sources = {name: self._source(name, record) for name in _USUAL}
        passage: Passage = {}
        for name, needed in (("id", True), ("doc", False), ("text", True)):
            value = self._text(line, record, name, sources[name], needed=needed)
            if value is not None:
                passage[name] = value  # type: ignore[literal-required]
        if "id" in passage:
            first = self._lines.setdefault(passage["id"], line)
            if first != line:
                said = f'"{clean(passage["id"])}" is already the id of line {first}'
                self._wrong(said, line, sources["id"])
        span = record.get(sources["span"])
        if span is not None:
            if _is_span(span):
                passage["span"] = (span[0], span[1])
            else:
                self._wrong(
                    f"a span is [start, end], two whole numbers, not {show(span)}",
                    line,
                    sources["span"],
                )
        passage["metadata"] = self._metadata(line, record, set(sources.values()))
        return passage

    def close(self, kept: int) -> None:
        """Say all that was wrong, if anything was."""
        if not self._records and not self.problems:
            self._wrong("the corpus has no record")
        for key in sorted(self._unmet if self._records else ()):
            self._wrong(f'where: no record has a field "{clean(key)}"')
        if self._records and not kept and not self.problems:
            self._wrong("where: no record is left")
        if self.problems:
            raise DatasetError(
                self.problems, hint="correct the corpus, or the `fields` and `where` that read it"
            )

    def _source(self, name: str, record: Mapping[str, Any]) -> str:
        usual = _USUAL[name]
        return self._fields.get(name) or next((f for f in usual if f in record), usual[0])

    def _text(
        self, line: int, record: Mapping[str, Any], name: str, source: str, *, needed: bool
    ) -> str | None:
        value = record.get(source)
        if isinstance(value, str) and (value or name == "text"):
            return value
        if value is None and not needed:
            return None
        if value is None:
            hint = (
                "" if name in self._fields else f"; say which field it is: fields: {{{name}: ...}}"
            )
            self._wrong(f"is missing{hint}", line, source)
        elif value == "":
            self._wrong("is empty", line, source)
        else:
            self._wrong(f"text is needed, not {show(value)}", line, source)
        return None

    def _metadata(self, line: int, record: Mapping[str, Any], used: set[str]) -> dict[str, Any]:
        renamed = {source: name for name, source in self._fields.items() if name not in _USUAL}
        metadata = {
            renamed.get(key, key): value
            for key, value in record.items()
            if key not in used and not isinstance(value, dict | list)
        }
        inner = record.get("metadata")
        if isinstance(inner, dict):
            metadata.update(inner)
        elif isinstance(inner, list):
            self._wrong("an object is needed, not a list", line, "metadata")
        return metadata

    def _wrong(self, message: str, line: int | None = None, field: str | None = None) -> None:
        name = field_name((field,)) if field is not None else None
        self.problems.append(Problem(self._name, message, line, None, name))


def _equal(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1."""
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(end) is int for end in value)
        and 0 <= value[0] <= value[1]
    )
