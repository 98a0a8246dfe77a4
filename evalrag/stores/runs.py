"""Runs as folders: `run.json`, `rows.jsonl`, `traces.jsonl`, `timings.jsonl`.

A run that is going on is a folder whose name ends in `.part`; it gets its name when it is whole.
"""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from evalrag.errors import RunError
from evalrag.loading.strict_json import loads
from evalrag.schema.brief import Result
from evalrag.schema.formats import NewerFormat, UnknownFormat, check_format
from evalrag.schema.frozen import first_wrong
from evalrag.schema.result import RowResult
from evalrag.schema.run import RunRecord
from evalrag.schema.trace import Trace
from evalrag.stores.lines import LineIndex, damaged, read_lines, reading
from evalrag.stores.row_lines import briefs, briefs_beside, read_rows
from evalrag.stores.traces import check, unpack

RUN, ROWS, TRACES, TIMINGS = "run.json", "rows.jsonl", "traces.jsonl", "timings.jsonl"
CALLS = "calls.jsonl"
"""Of a judge that calls somebody; another run has none."""
PART = ".part"
LATEST = "latest"
R = TypeVar("R", RowResult, Result)


class StoredRun:
    """A finished run, or a baseline, read from its folder."""

    def __init__(self, path: Path, briefs: Sequence[Result] | None = None) -> None:
        """`briefs` are those of the writer that has just written it, to save reading them."""
        self.path = path
        self.record = _record(path / RUN)
        self._briefs = briefs
        self.just_written = briefs is not None

    @cached_property
    def results(self) -> tuple[RowResult, ...]:
        """Every row's line, in dataset order.

        Raises:
            RunError: a line is damaged, missing or there twice, by the count of `run.json`.
        """
        return tuple(self._checked(list(read_rows(self.path / ROWS))))

    def rows(self) -> Iterator[RowResult]:
        """The same one at a time, for where all of them are too much; nothing is counted."""
        return read_rows(self.path / ROWS)

    @property
    def briefs(self) -> Sequence[Result]:
        """What a verdict reads of every row, in dataset order."""
        if self._briefs is None:
            self._briefs = self._checked(briefs(self.path / ROWS))
        return self._briefs

    def briefs_beside(self, other: "StoredRun") -> Sequence[Result]:
        """The same, where a row whose line is also `other`'s is the object that `other` has."""
        return self._checked(briefs_beside(self.path / ROWS, other.path / ROWS, other.briefs))

    def _checked(self, found: list[R]) -> list[R]:
        wanted, ids = self.record.totals.get("rows"), {result.id for result in found}
        if len(ids) != len(found):
            raise damaged(self.path / ROWS, "a row stands in it twice")
        if wanted != len(found):
            raise damaged(self.path / ROWS, f"it holds {len(found)} rows of {wanted}")
        return found

    @cached_property
    def _traces(self) -> LineIndex | None:
        path = self.path / TRACES
        return LineIndex(path) if self.has_traces else None

    @property
    def has_traces(self) -> bool:
        return _there(self.path / TRACES)

    def lines(self, row: str) -> list[dict[str, Any]]:
        """The stored lines of a row's attempts, by their number; none without traces."""
        if self._traces is None:
            return []
        found = self._traces.read(row)
        try:
            for line in found:
                check(line)
        except ValueError as error:
            raise damaged(self.path / TRACES, f"row {row}: {error}") from None
        return sorted(found, key=lambda line: int(line.get("repeat", 0)))

    def traces(self, row: str) -> Sequence[Trace] | None:
        """A row's attempts; None where the run keeps no trace of it."""
        try:
            return [unpack(line) for line in self.lines(row)] or None
        except ValueError as error:
            raise damaged(self.path / TRACES, f"row {row}: {error}") from None

    def costs(self) -> Mapping[str, Mapping[str, float]]:
        """Tokens and cost of each row as far as known; seconds where every attempt was timed."""
        path = self.path / TIMINGS
        found: dict[str, dict[str, float]] = {}
        untimed: set[str] = set()
        if not _there(path):
            return found
        for _, line in read_lines(path):
            try:
                own = found.setdefault(str(line["id"]), {})
                for name, value in _costs(line):
                    own[name] = _finite(own.get(name, 0.0) + value)
                if not line.get("seconds"):
                    untimed.add(str(line["id"]))
            except (ArithmeticError, AttributeError, KeyError, TypeError):
                raise damaged(path, "it times no attempt") from None
        for row in untimed:
            found[row].pop("seconds", None)
        return found


def _finite(total: float) -> float:
    if not math.isfinite(total):
        raise OverflowError
    return total


def _costs(line: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """What one attempt took; what was not measured is not there."""
    seconds, usage = line.get("seconds", {}), line.get("usage", {})
    if seconds:
        yield "seconds", sum(seconds.values())
    tokens = [usage[k] for k in ("input_tokens", "output_tokens") if k in usage]
    if tokens:
        yield "tokens", sum(tokens)
    if "cost" in usage:
        yield "cost", usage["cost"]


class StoredAttempts:
    """The attempts of a stored run, read as a journal's are."""

    def __init__(self, run: StoredRun) -> None:
        self._run = run

    def attempts(self, row: str) -> list[tuple[int, Trace]]:
        return list(enumerate(self._run.traces(row) or ()))


def _record(path: Path) -> RunRecord:
    try:
        stored = loads(path.read_bytes())
        if not isinstance(stored, dict):
            raise UnknownFormat("it is no object")
        check_format(stored)
        return RunRecord.model_validate(stored)
    except FileNotFoundError:
        raise RunError(
            "this is not a finished run: it has no run.json",
            where=str(path.parent),
            hint="evalrag run PLAN",
        ) from None
    except NewerFormat as error:
        raise NewerRun(str(error), where=str(path), hint="pip install --upgrade evalrag") from None
    except OSError as error:
        raise RunError(
            f"cannot be read: {error.strerror}", where=str(path), hint="check the path"
        ) from None
    except ValidationError as error:
        raise damaged(path, first_wrong(error)) from None
    except (ValueError, UnknownFormat) as error:
        raise damaged(path, str(error)) from None


class NewerRun(RunError):
    """A run, or a baseline, of a format that a later evalrag wrote."""


def _there(path: Path) -> bool:
    """Something has that name, be it a file that can be read or not."""
    with reading(path):
        return os.path.lexists(path)


class RunFolder:
    """All runs of a plan's `runs` folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """Finished runs, oldest first."""
        return [name for name in self._entries() if not name.endswith(PART)]

    def parts(self) -> list[Path]:
        """Runs that were not finished, oldest first."""
        return [self.path / name for name in self._entries() if name.endswith(PART)]

    def _entries(self) -> list[str]:
        if not self.path.is_dir():
            return []
        with reading(self.path):
            found = [entry.name for entry in self.path.iterdir() if entry.is_dir()]
        return sorted(
            (name for name in found if _number(name.removesuffix(PART))),
            key=lambda name: (int(name.removesuffix(PART)), name),
        )

    def begin(self) -> Path:
        """Make the folder of a new run; two runs at once get two numbers."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self.path, error) from None
        used = [int(name.removesuffix(PART)) for name in self._entries()]
        number = max(used, default=0) + 1
        while True:
            path = self.path / f"{number:04d}{PART}"
            try:
                path.mkdir()
                # Looked for only now: one that has just ended took the free name it left behind.
                if not (self.path / f"{number:04d}").exists():
                    return path
                path.rmdir()
            except FileExistsError:
                pass
            except OSError as error:
                raise _unwritable(self.path, error) from None
            number += 1

    def find(self, name: str) -> Path:
        """A finished run's folder by its number, by `latest`, or by a path.

        Raises:
            RunError: there is no such run, with the names of those that there are.
        """
        if name == LATEST:
            names = self.names()
            if names:
                return self.path / names[-1]
        elif _number(name):
            for known in self.names():
                if int(known) == int(name):
                    return self.path / known
        if _is_run(Path(name)):
            return Path(name)
        known_names = self.names()
        shown = ", ".join(known_names[-5:]) if known_names else "none yet"
        raise RunError(
            f"there is no run {name!r} (the newest in {self.path}: {shown})",
            hint="evalrag run PLAN" if not known_names else "name one of these, or `latest`",
        )


def _is_run(path: Path) -> bool:
    try:
        return os.path.lexists(path / RUN)
    except (OSError, ValueError):  # too long, or with a null byte: no path at all
        return False


def _number(name: str) -> bool:
    """ASCII digits alone: `int` does not take every character that `isdigit` does."""
    return name.isascii() and name.isdecimal()


def _unwritable(path: Path, error: OSError) -> RunError:
    return RunError(
        f"the folder of runs cannot be written: {error.strerror}",
        where=str(path),
        hint="give another folder in the plan: runs: PATH",
    )
