"""A baseline: an accepted run's folder, without timings, with the history of its acceptances."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from evalrag.errors import RunError
from evalrag.loading.strict_json import loads
from evalrag.schema.brief import Result
from evalrag.schema.formats import DIGESTED_FROM, NewerFormat, UnknownFormat, migrate
from evalrag.schema.frozen import first_wrong
from evalrag.schema.run import Acceptance, Accepted
from evalrag.schema.words import Outcome
from evalrag.stores.accepted_files import ChangedBaseline, digests_of, refuse_changed
from evalrag.stores.lines import damaged, line_of, reading
from evalrag.stores.merging import Merged
from evalrag.stores.row_lines import row_line
from evalrag.stores.runs import ROWS, RUN, TIMINGS, TRACES, NewerRun, StoredRun
from evalrag.stores.secrecy import Redact, unredacted
from evalrag.stores.writer import head_bytes

ACCEPTED = "accepted.json"
_DIGESTED = (RUN, ROWS, TRACES)
_OURS = (*_DIGESTED, ACCEPTED)
_ANEW = "or take the folder away, and accept a run anew"
_AGAIN = 'accept a run of all rows again: evalrag baseline accept RUN --reason "..."'
_BESIDE = ("README.md", ".gitattributes", ".gitignore", ".gitkeep")
"""Files of the user's that may wait in the folder for the first baseline."""


class Baseline(StoredRun):
    """An accepted run's folder: every file is the one that was accepted.

    One that an evalrag before format 4 accepted holds no digests, and is believed.

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
        if self.accepted.files is None:
            return
        last = self.accepted.history[-1:]
        refuse_changed(
            path,
            _DIGESTED,
            self.accepted.files,
            since=", ".join(f"run {entry.run} on {entry.day}" for entry in last),
            hint=f"git checkout HEAD -- {{file}}; where git has it like this, {_AGAIN}",
        )


def open_baseline(path: Path) -> StoredRun | None:
    """The stored baseline, or the run in its place; None where there is none yet.

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
            return _run_at(path)
        if path.exists() and not path.is_dir():
            raise RunError("this is no folder, so no baseline", where=str(path), hint=hint)
        if path.is_dir() and any(entry.name not in _BESIDE for entry in path.iterdir()):
            raise RunError(
                "this folder is no baseline: it has no run.json", where=str(path), hint=hint
            )
    return None


def _run_at(path: Path) -> StoredRun:
    """A run, which times its rows; a baseline times none."""
    stored = StoredRun(path)
    if not os.path.lexists(path / TIMINGS):
        raise ChangedBaseline(
            "this file of the baseline is gone, so nothing says that a run was accepted",
            where=str(path / ACCEPTED),
            hint=f"git checkout HEAD -- {shlex.quote(str(path / ACCEPTED))}; or {_AGAIN}",
        )
    return stored


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
        stored = loads(data)
        if not isinstance(stored, dict):
            raise UnknownFormat("it is no object")
        digested = stored.get("files") is not None
        accepted = Accepted.model_validate(migrate(stored))
        if not digested and stored["format"] >= DIGESTED_FROM:
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
    entry: Acceptance,
    *,
    with_traces: bool,
    redact: Redact = unredacted,
) -> None:
    """Write the baseline beside the old one and put it in its place, whole or not at all.

    A link is followed, and files in the folder that are not evalrag's stay.
    """
    path = Path(os.path.realpath(path))
    past = history(path)
    first = {result.id: result.outcome.value for result in merged.results} | past.first
    accepted = past.model_copy(update={"history": (*past.history, entry), "first": first})
    fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir(parents=True)
        (fresh / RUN).write_bytes(head_bytes(merged.record, redact))
        with (fresh / ROWS).open("wb") as file:
            for row in merged.rows():
                file.write(redact(row_line(row)))
        if with_traces:
            with (fresh / TRACES).open("wb") as file:
                for line in merged.lines():
                    file.write(redact(line_of(line)))
        said = redact(accepted.model_dump_json(exclude={"files"}).encode())
        files = {"files": digests_of(fresh, _DIGESTED)}  # beside what is redacted: they say nothing
        whole = Accepted.model_validate_json(said).model_copy(update=files)
        (fresh / ACCEPTED).write_bytes(whole.model_dump_json(indent=2).encode() + b"\n")
        _keep_foreign(path, fresh)
        _replace(fresh, path)
    except OSError as error:
        raise RunError(
            f"the baseline cannot be written: {error.strerror}",
            where=str(path),
            hint="check the folder's rights and the space on the disk; the old one is untouched",
        ) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


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


def movements(results: Sequence[Result], before: Mapping[str, str] | None) -> dict[str, list[str]]:
    """Rows whose outcome an acceptance turns, named by how; `before` is row -> outcome."""
    if before is None:
        return {}
    left = dict(before)
    found: dict[str, list[str]] = {}
    for result in results:
        was = left.pop(result.id, None)
        if was is None:
            found.setdefault("new", []).append(result.id)
        elif was != result.outcome:
            found.setdefault(f"{was} -> {result.outcome}", []).append(result.id)
    if left:
        found["removed"] = list(left)
    worse = f"{Outcome.PASS} -> {Outcome.FAIL}"
    return {key: found[key] for key in sorted(found, key=lambda k: (k != worse, k))}
