"""A baseline: an accepted run's folder, without timings, with the history of its acceptances."""

import os
import shlex
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalrag.errors import RunError
from evalrag.loading.jsonl import LFS_POINTER, WHAT_IS_LFS
from evalrag.loading.strict_json import loads
from evalrag.schema.formats import NewerFormat, UnknownFormat, check_format
from evalrag.schema.frozen import first_wrong
from evalrag.schema.result import RowResult
from evalrag.schema.run import Accepted
from evalrag.stores.accepted_files import (
    ChangedBaseline,
    digests_of,
    refuse_changed,
)
from evalrag.stores.lines import damaged, line_of, reading
from evalrag.stores.merging import Merged
from evalrag.stores.row_lines import row_line
from evalrag.stores.runs import ROWS, RUN, TIMINGS, TRACES, NewerRun, StoredRun
from evalrag.stores.secrecy import Redact, unredacted
from evalrag.stores.writer import head_bytes

ACCEPTED = "accepted.json"
OUTCOMES = "outcomes.jsonl"
"""For the reviewer of a change: outcome, stages and answer of each row, a line a row."""
SUMMARY = "SUMMARY.md"
_DIGESTED = (RUN, ROWS, TRACES, OUTCOMES)
_OURS = (*_DIGESTED, ACCEPTED, SUMMARY)
_ATTRIBUTES = ".gitattributes"
_MACHINES = f"""# Review {SUMMARY} and {OUTCOMES}; scores and the texts of passages are for evalrag.
{ROWS} -diff linguist-generated=true
{TRACES} -diff linguist-generated=true
"""
_ANEW = "or take the folder away, and accept a run anew"
_AGAIN = 'accept a run of all rows again: evalrag baseline accept RUN --reason "..."'
_BESIDE = ("README.md", ".gitattributes", ".gitignore", ".gitkeep")
"""Files of the user's that may wait in the folder for the first baseline."""


class Baseline(StoredRun):
    """An accepted run's folder: every file is the one that was accepted.

    Raises:
        ChangedBaseline: a file was changed, taken away or put there since.
    """

    def __init__(self, path: Path) -> None:
        self.accepted = history(path)
        try:
            super().__init__(path)
        except NewerRun:
            raise
        except RunError:
            self._refuse_changed(path)
            raise
        self._refuse_changed(path)

    def _refuse_changed(self, path: Path) -> None:
        last = self.accepted.history[-1:]
        refuse_changed(
            path,
            _DIGESTED,
            self.accepted.files,
            since=", ".join(f"run {entry.run} on {entry.day}" for entry in last),
            hint=f"git checkout HEAD -- {{file}}; where git has it like this, {_AGAIN}",
        )


def open_baseline(path: Path, *, or_run: bool = False) -> StoredRun | None:
    """The stored baseline; None where there is none yet. With `or_run` a run may stand there.

    A plan's own baseline is an accepted one: a run that was copied there is none.

    Raises:
        NewerRun: a later evalrag wrote it.
        ChangedBaseline: a file of it is not the accepted one.
        RunError: it is there and cannot be read.
    """
    hint = "name another folder in the plan: baseline: {path: PATH}"
    with reading(path):
        if os.path.lexists(path / ACCEPTED):
            return Baseline(path)
        if os.path.lexists(path / RUN):
            if or_run and os.path.lexists(path / TIMINGS):
                return StoredRun(path)
            raise _not_accepted(path)
        if path.exists() and not path.is_dir():
            raise RunError("this is no folder, so no baseline", where=str(path), hint=hint)
        if path.is_dir() and any(entry.name not in _BESIDE for entry in path.iterdir()):
            raise RunError(
                "this folder is no baseline: it has no run.json", where=str(path), hint=hint
            )
    return None


def _not_accepted(path: Path) -> ChangedBaseline:
    return ChangedBaseline(
        "this file is not there, so nothing says that a run was accepted: a baseline is made by "
        "accepting a run, never by copying one",
        where=str(path / ACCEPTED),
        hint=f"git checkout HEAD -- {shlex.quote(str(path))}; or take the folder away, and "
        'evalrag baseline accept RUN --reason "..."',
    )


def open_stored(path: Path) -> StoredRun:
    """A run, or a baseline that was named in its place."""
    with reading(path):
        accepted = os.path.lexists(path / ACCEPTED)
    return Baseline(path) if accepted else StoredRun(path)


def history(path: Path) -> Accepted:
    """How the baseline came to be; empty where there is none."""
    try:
        with reading(path / ACCEPTED):
            if not os.path.lexists(path / ACCEPTED):
                return Accepted()
            data = (path / ACCEPTED).read_bytes()
        if b"\n<<<<<<<" in b"\n" + data:
            raise UnknownFormat("a merge left its marks in it: <<<<<<<")
        if data.startswith(LFS_POINTER):
            raise RunError(WHAT_IS_LFS, where=str(path / ACCEPTED), hint="git lfs pull")
        stored = loads(data)
        if not isinstance(stored, dict):
            raise UnknownFormat("it is no object")
        check_format(stored)
        accepted = Accepted.model_validate(stored)
        if not accepted.files:
            raise UnknownFormat("it has no digests of the other files")
        return accepted
    except NewerFormat as error:
        raise NewerRun(str(error), where=str(path), hint="pip install --upgrade evalrag") from None
    except (ValueError, ValidationError, UnknownFormat) as error:
        where = path / ACCEPTED
        hint = f"git checkout HEAD -- {shlex.quote(str(path))}, which takes one side of a merge; "
        why = first_wrong(error) if isinstance(error, ValidationError) else str(error)
        raise damaged(where, why, hint=hint + _ANEW) from None


def refuse_run(path: Path, runs: Path) -> None:
    """A run is not written over: a baseline has a folder of its own.

    Raises:
        RunError: `path` is a run, or lies in the folder of runs.
    """
    real = Path(os.path.realpath(path))
    with reading(path):
        is_run = os.path.lexists(real / TIMINGS)
    if is_run or real.is_relative_to(os.path.realpath(runs)):
        raise RunError(
            "this is a run, or in the folder of runs: a baseline there would write over it",
            where=str(path),
            hint="name another folder: --to DIR, or baseline: {path: PATH} in the plan",
        )


def accept(
    path: Path,
    merged: Merged,
    accepted: Accepted,
    *,
    summary: str,
    with_traces: bool,
    redact: Redact = unredacted,
) -> None:
    """Write the baseline beside the old one and put it in its place, whole or not at all.

    `accepted` is the history with the new entry, `summary` the Markdown for a reviewer. A link is
    followed, and files in the folder that are not evalrag's stay.
    """
    path = Path(os.path.realpath(path))
    fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir(parents=True)
        (fresh / RUN).write_bytes(head_bytes(merged.record, redact))
        with (fresh / ROWS).open("wb") as rows, (fresh / OUTCOMES).open("wb") as outcomes:
            for row in merged.rows():
                rows.write(redact(row_line(row)))
                outcomes.write(redact(line_of(_outcome(row))))
        if with_traces:
            with (fresh / TRACES).open("wb") as file:
                for line in merged.lines():
                    file.write(redact(line_of(line)))
        (fresh / SUMMARY).write_bytes(redact(summary.encode()))
        said = redact(accepted.model_dump_json(exclude={"files"}).encode())
        files = {"files": digests_of(fresh, _DIGESTED)}  # beside what is redacted: they say nothing
        whole = Accepted.model_validate_json(said).model_copy(update=files)
        (fresh / ACCEPTED).write_bytes(whole.model_dump_json(indent=2).encode() + b"\n")
        _keep_foreign(path, fresh)
        if not os.path.lexists(fresh / _ATTRIBUTES):
            (fresh / _ATTRIBUTES).write_text(_MACHINES, encoding="utf-8")
        _replace(fresh, path)
    except OSError as error:
        raise RunError(
            f"the baseline cannot be written: {error.strerror}",
            where=str(path),
            hint="check the folder's rights and the space on the disk; the old one is untouched",
        ) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _outcome(row: RowResult) -> dict[str, Any]:
    return {
        "id": row.id,
        "kind": row.kind.value,
        "outcome": row.outcome.value,
        "stages": {stage.value: outcome.value for stage, outcome in row.stages.items()},
        "diagnoses": [finding.code for finding in row.diagnoses],
        "answer": row.answer,
    }


def same_as_accepted(merged: Merged, *, with_traces: bool) -> bool:
    """Nothing of the baseline would change but the run's number, its day and its tool."""
    old = merged.old
    if old is None or with_traces is not old.has_traces:
        return False
    as_before = {name: getattr(old.record, name) for name in _OF_THE_DAY}
    as_before["reading"] = merged.record.reading.model_copy(update={"day": old.record.reading.day})
    if merged.record.model_copy(update=as_before) != old.record:
        return False
    if [row.id for row in merged.results] != [row.id for row in old.briefs]:
        return False
    # A row of the run that is the baseline's, to the byte, is one object in both.
    replaced = set(merged.replaced)
    same_rows = all(merged.before[r.id] is r or r.id not in replaced for r in merged.results)
    return same_rows and (
        not with_traces or all(old.lines(row) == merged.run.lines(row) for row in merged.replaced)
    )


_OF_THE_DAY = ("id", "day", "tool", "commit", "plan_digest")


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Hold the folder of a baseline while it is read, laid over and written.

    Raises:
        RunError: another process has held it for too long.
    """
    parent = Path(os.path.realpath(path)).parent
    parent.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # there is none on Windows, where nothing is held
        yield
        return
    held = os.open(parent, os.O_RDONLY)
    try:
        for wait in (0.0, *[0.1] * 100):
            time.sleep(wait)
            with suppress(BlockingIOError):
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
        else:
            raise RunError(
                "another process is accepting a run there",
                where=str(path),
                hint="try again when it has ended",
            )
        yield
    finally:
        os.close(held)


def _keep_foreign(path: Path, fresh: Path) -> None:
    if not path.is_dir():
        return
    for entry in path.iterdir():
        if entry.name in _OURS:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, fresh / entry.name, symlinks=True)
        else:
            shutil.copy2(entry, fresh / entry.name, follow_symlinks=False)


def _replace(fresh: Path, path: Path) -> None:
    old = path.with_name(f".{path.name}.old-{os.getpid()}")
    if path.exists():
        os.rename(path, old)
        try:
            os.rename(fresh, path)
        except OSError:
            os.rename(old, path)
            raise
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.rename(fresh, path)
