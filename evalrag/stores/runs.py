"""Runs as folders: `run.json`, `rows.jsonl`, `traces.jsonl`, `timings.jsonl`.

A run that is going on is a folder whose name ends in `.part`; it gets its name when it is whole.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalrag.errors import RunError
from evalrag.loading.strict_json import loads
from evalrag.schema.formats import NewerFormat, UnknownFormat, migrate
from evalrag.schema.result import RowResult
from evalrag.schema.run import RunRecord
from evalrag.schema.trace import Trace
from evalrag.stores.lines import LineIndex, line_of, read_lines, sync, sync_folder, write_whole
from evalrag.stores.traces import unpack

RUN, ROWS, TRACES, TIMINGS = "run.json", "rows.jsonl", "traces.jsonl", "timings.jsonl"
PART = ".part"
LATEST = "latest"


class StoredRun:
    """A finished run, or a baseline, read from its folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = _record(path / RUN)

    @cached_property
    def results(self) -> tuple[RowResult, ...]:
        """Every row's line, in dataset order.

        Raises:
            RunError: a line is damaged, missing or there twice, by the count of `run.json`.
        """
        found = tuple(_results(self.path / ROWS))
        wanted, ids = self.record.totals.get("rows"), {result.id for result in found}
        if len(ids) != len(found):
            raise _damaged(self.path / ROWS, "a row stands in it twice")
        if wanted != len(found):
            raise _damaged(self.path / ROWS, f"it holds {len(found)} rows of {wanted}")
        return found

    @cached_property
    def _traces(self) -> LineIndex | None:
        path = self.path / TRACES
        return LineIndex(path) if path.is_file() else None

    @property
    def has_traces(self) -> bool:
        return (self.path / TRACES).is_file()

    def lines(self, row: str) -> list[dict[str, Any]]:
        """The stored lines of a row's attempts, by their number; none without traces."""
        if self._traces is None:
            return []
        return sorted(self._traces.read(row), key=lambda line: int(line.get("repeat", 0)))

    def traces(self, row: str) -> Sequence[Trace] | None:
        """A row's attempts; None where the run keeps no trace of it."""
        return [unpack(line) for line in self.lines(row)] or None

    def costs(self) -> Mapping[str, Mapping[str, float]]:
        """Seconds, tokens and cost of each row, over all its attempts, as far as known."""
        path = self.path / TIMINGS
        found: dict[str, dict[str, float]] = {}
        if not path.is_file():
            return found
        for _, line in read_lines(path):
            own = found.setdefault(str(line["id"]), {})
            seconds = line.get("seconds", {})
            own["seconds"] = own.get("seconds", 0.0) + sum(seconds.values())
            usage = line.get("usage", {})
            tokens = [usage[k] for k in ("input_tokens", "output_tokens") if k in usage]
            if tokens:
                own["tokens"] = own.get("tokens", 0.0) + sum(tokens)
            if "cost" in usage:
                own["cost"] = own.get("cost", 0.0) + usage["cost"]
        return found


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
        return RunRecord.model_validate(migrate(stored))
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
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise _damaged(path, f"{field}: {first['msg']}") from None
    except (ValueError, UnknownFormat) as error:
        raise _damaged(path, str(error)) from None


class NewerRun(RunError):
    """A run, or a baseline, of a format that a later evalrag wrote."""


def _damaged(path: Path, why: str) -> RunError:
    return RunError(
        f"not what evalrag wrote ({why})",
        where=str(path),
        hint="restore the file, or make the run again: evalrag run PLAN",
    )


def _results(path: Path) -> Iterator[RowResult]:
    if not path.is_file():
        raise RunError("the run has no rows.jsonl", where=str(path), hint="evalrag run PLAN")
    validate = RowResult.__pydantic_validator__.validate_json
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield validate(line)
            except ValidationError as error:
                first = error.errors(include_input=False)[0]
                field = ".".join(map(str, first["loc"]))
                raise _damaged(path, f"line {number}: {field}: {first['msg']}") from None


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
        found = [entry.name for entry in self.path.iterdir() if entry.is_dir()]
        return sorted(
            (name for name in found if name.removesuffix(PART).isdigit()),
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
                if not (self.path / f"{number:04d}").exists():
                    path.mkdir()
                    return path
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
        elif name.isdigit():
            for known in self.names():
                if int(known) == int(name):
                    return self.path / known
        if (Path(name) / RUN).is_file():
            return Path(name)
        known_names = self.names()
        shown = ", ".join(known_names[-5:]) if known_names else "none yet"
        raise RunError(
            f"there is no run {name!r} (the newest in {self.path}: {shown})",
            hint="evalrag run PLAN" if not known_names else "name one of these, or `latest`",
        )


def _unwritable(path: Path, error: OSError) -> RunError:
    return RunError(
        f"the folder of runs cannot be written: {error.strerror}",
        where=str(path),
        hint="give another folder in the plan: runs: PATH",
    )


class RunWriter:
    """Writes the files of a run into its `.part` folder, and gives it its name at the end."""

    def __init__(self, part: Path) -> None:
        self.part = part
        self._files = {name: (part / name).open("wb") for name in (ROWS, TRACES, TIMINGS)}

    def row(self, result: RowResult) -> None:
        data = result.model_dump_json(exclude_defaults=True)
        self._files[ROWS].write(data.encode("utf-8") + b"\n")

    def trace(self, line: Mapping[str, Any]) -> None:
        self._files[TRACES].write(line_of(line))

    def timing(self, line: Mapping[str, Any]) -> None:
        self._files[TIMINGS].write(line_of(line))

    def finish(self, record: RunRecord, *, leave: Sequence[str] = ()) -> Path:
        """Write the head last, drop what a finished run does not have, and rename the folder."""
        for file in self._files.values():
            sync(file)
            file.close()
        write_whole(self.part / RUN, head_bytes(record))
        for path in self.part.iterdir():
            if path.name not in (RUN, ROWS, TRACES, TIMINGS, *leave):
                path.unlink(missing_ok=True)
        whole = self.part.with_name(self.part.name.removesuffix(PART))
        os.rename(self.part, whole)
        sync_folder(whole.parent)
        return whole

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def head_bytes(record: RunRecord) -> bytes:
    """`run.json`, indented so that a change of it can be read in a diff."""
    return record.model_dump_json(indent=2, by_alias=True).encode("utf-8") + b"\n"
