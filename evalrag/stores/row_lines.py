"""Scored rows as the lines of `rows.jsonl`, written and read."""

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError
from pydantic_core import to_json

from evalrag.errors import RunError
from evalrag.schema.brief import Result, Shared
from evalrag.schema.frozen import first_wrong
from evalrag.schema.result import Finding, Placed, RowResult
from evalrag.stores.lines import damaged, reading


def row_line(result: RowResult) -> bytes:
    """The line, without its defaults: the bytes of `model_dump_json(exclude_defaults=True)`.

    A row of one attempt that no judge spoke about holds plain values nearly throughout, and is
    written three times as fast as the model writes itself.
    """
    judged = result.verdicts is not None or result.attempts or result.other_verdicts
    if judged or result.probes:
        return result.model_dump_json(exclude_defaults=True).encode("utf-8") + b"\n"
    had = result.__dict__
    said: dict[str, Any] = {
        "id": had["id"],
        "kind": had["kind"]._value_,
        "digest": had["digest"],
        "asked": had["asked"],
    }
    if had["question"]:
        said["question"] = had["question"]
    if had["about"]:
        said["about"] = had["about"]
    if had["expect"]:
        said["expect"] = [form._value_ for form in had["expect"]]
    if had["asks"]:
        said["asks"] = had["asks"]
    said["outcome"] = had["outcome"]._value_
    if had["stages"]:
        said["stages"] = {stage._value_: end._value_ for stage, end in had["stages"].items()}
    if had["scores"]:
        said["scores"] = had["scores"]
    if had["reasons"]:
        said["reasons"] = had["reasons"]
    for name in ("diagnoses", "warnings"):
        if had[name]:
            said[name] = [_finding(one) for one in had[name]]
    if had["passages"]:
        said["passages"] = _placed(had["passages"])
    if had["evidence"]:
        said["evidence"] = had["evidence"]
    if had["answer"] is not None:
        said["answer"] = had["answer"]
    if had["error"] is not None:
        said["error"] = had["error"]
    if had["error_stage"] is not None:
        said["error_stage"] = had["error_stage"]._value_
    if had["flaky"]:
        said["flaky"] = True
    return to_json(said) + b"\n"


def _finding(one: Finding) -> dict[str, str]:
    return {"code": one.code, "because": one.because} if one.because else {"code": one.code}


def _placed(entries: Iterable[Placed | str]) -> list[Any]:
    """Marks as words: a word that is a member of an enumeration is slow to write."""
    found: list[Any] = []
    for entry in entries:
        if type(entry) is dict and "mark" in entry:
            written: dict[str, Any] = dict(entry)
            written["mark"] = entry["mark"]._value_
            found.append(written)
        else:
            found.append(entry)
    return found


def read_rows(path: Path) -> Iterator[RowResult]:
    """Every row of a stored run.

    Raises:
        RunError: the file is missing, or a line is not what evalrag wrote.
    """
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            yield _row(path, number, line)


def briefs(path: Path) -> list[Result]:
    """What a verdict reads of every row."""
    shared, reader = Shared(), RowReader(path)
    return [shared.brief(result, reader.read) for result in read_rows(path)]


def briefs_beside(path: Path, other: Path, known: Sequence[Result]) -> list[Result]:
    """The briefs of `path`, those of equal lines taken from `known`, which are those of `other`.

    The files are read side by side. Where a row was added, removed or moved, reading goes on in
    `other` behind the row of the same id.
    """
    shared, reader = Shared(), RowReader(path)
    found: list[Result] = []
    places = _Places(other, known)
    with _opened(path) as file, _opened(other) as theirs:
        at, expected = 0, theirs.readline()
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\r\n"):  # git's, and not evalrag's
                line = line[:-2] + b"\n"
            if line == expected:
                found.append(known[at])
            else:
                result = _row(path, number, line)
                found.append(shared.brief(result, reader.read))
                place = places.of(result.id)
                if place is None:
                    continue
                if place != at:
                    at = place
                    theirs.seek(places.starts[at])
                    if theirs.readline() == line:
                        found[-1] = known[at]
            at, expected = at + 1, theirs.readline()
    return found


class _Places:
    """Where rows stand in a file, found out when it is first asked."""

    def __init__(self, path: Path, known: Sequence[Result]) -> None:
        self._path, self._known = path, known

    def of(self, row: str) -> int | None:
        return self._numbers.get(row)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {result.id: number for number, result in enumerate(self._known)}

    @cached_property
    def starts(self) -> Sequence[int]:
        found, end = array("Q"), 0
        with _opened(self._path) as file:
            for line in file:
                found.append(end)
                end += len(line)
        return found


class RowReader:
    """Reads single rows of a file, of which a verdict needs few."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, row: str) -> RowResult:
        """The row called `row`, which is there."""
        with _opened(self._path) as file:
            number, start = self._starts[row]
            file.seek(start)
            return _row(self._path, number, file.readline())

    @cached_property
    def _starts(self) -> dict[str, tuple[int, int]]:
        """Row -> its line's number and where it begins."""
        found: dict[str, tuple[int, int]] = {}
        end = 0
        with _opened(self._path) as file:
            for number, line in enumerate(file, start=1):
                found[_row(self._path, number, line).id] = number, end
                end += len(line)
        return found


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with reading(path):
        if not os.path.lexists(path):
            raise RunError("the run has no rows.jsonl", where=str(path), hint="evalrag run PLAN")
        with path.open("rb") as file:
            yield file


_VALIDATE = RowResult.__pydantic_validator__.validate_json


def _row(path: Path, number: int, line: bytes) -> RowResult:
    try:
        found: RowResult = _VALIDATE(line)
    except ValidationError as error:
        raise damaged(path, f"line {number}: {first_wrong(error)}") from None
    return found
