"""A baseline: an accepted run's folder, without timings, with the history of its acceptances."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalrag.errors import RunError
from evalrag.loading.strict_json import loads
from evalrag.schema.formats import NewerFormat, UnknownFormat, migrate
from evalrag.schema.result import RowResult
from evalrag.schema.run import MATCHING, Acceptance, Accepted, RunRecord
from evalrag.schema.words import Outcome
from evalrag.stores.lines import damaged, line_of, reading
from evalrag.stores.row_lines import row_line
from evalrag.stores.runs import ROWS, RUN, TIMINGS, TRACES, NewerRun, StoredRun
from evalrag.stores.secrecy import Redact, unredacted
from evalrag.stores.writer import head_bytes

ACCEPTED = "accepted.json"
_OURS = (RUN, ROWS, TRACES, ACCEPTED)
_BESIDE = ("README.md", ".gitattributes", ".gitignore", ".gitkeep")
"""Files of the user's that may wait in the folder for the first baseline."""


def open_baseline(path: Path) -> StoredRun | None:
    """The stored baseline; None where there is none yet.

    Raises:
        NewerRun: a later evalrag wrote it.
        RunError: it is there and cannot be read.
    """
    hint = "name another folder in the plan: baseline: {path: PATH}"
    with reading(path):
        if os.path.lexists(path / RUN):
            return StoredRun(path)
        if path.exists() and not path.is_dir():
            raise RunError("this is no folder, so no baseline", where=str(path), hint=hint)
        if path.is_dir() and any(entry.name not in _BESIDE for entry in path.iterdir()):
            raise RunError(
                "this folder is no baseline: it has no run.json", where=str(path), hint=hint
            )
    return None


def is_baseline(run: StoredRun) -> bool:
    """An acceptance put it there, and no run."""
    return os.path.lexists(run.path / ACCEPTED)


def history(path: Path) -> Accepted:
    """How the baseline came to be; empty where there is none."""
    try:
        with reading(path / ACCEPTED):
            if not os.path.lexists(path / ACCEPTED):
                return Accepted()
            stored = loads((path / ACCEPTED).read_bytes())
        if not isinstance(stored, dict):
            raise UnknownFormat("it is no object")
        return Accepted.model_validate(migrate(stored))
    except NewerFormat as error:
        raise NewerRun(str(error), where=str(path), hint="pip install --upgrade evalrag") from None
    except (ValueError, ValidationError, UnknownFormat) as error:
        where = path / ACCEPTED
        raise damaged(where, str(error), hint="restore the file from git") from None


@dataclass(frozen=True, slots=True)
class Merged:
    """What a baseline will hold after an acceptance."""

    record: RunRecord
    results: tuple[RowResult, ...]
    traces: Mapping[str, Sequence[Mapping[str, Any]]]
    replaced: tuple[str, ...]
    """Rows that were taken from the run."""
    kept: tuple[str, ...]
    """Rows that are undecided in the run and keep their decided result of before."""


def merge(run: StoredRun, old: StoredRun | None, *, with_undecided: bool) -> Merged:
    """Lay an accepted run over the baseline that there is.

    A run of all rows replaces everything; a run of selected rows (one without the holdout rows is
    one) replaces those rows and no other. A row that is undecided in the run keeps its old
    decided result, unless `with_undecided`.

    Raises:
        RunError: some rows were selected, and the run was judged or decided by other rules than
            the rows that would stay.
    """
    before = {result.id: result for result in old.results} if old else {}
    new = {result.id: result for result in run.results}
    narrow = run.record.selection.narrow
    if old is not None and narrow:
        _same_rules(run.record, old.record)
    kept = (
        ()
        if with_undecided
        else tuple(
            row
            for row, result in new.items()
            if not result.outcome.decided and row in before and before[row].outcome.decided
        )
    )
    left_out = set(run.record.dataset.left_out)
    results = [before[r.id] if r.id in kept else r for r in run.results]
    results += [
        result for row, result in before.items() if row not in new and (narrow or row in left_out)
    ]
    source = {row: run for row in new if row not in kept}
    traces = {}
    for result in results:
        lines = (source.get(result.id) or old or run).lines(result.id)
        if lines:
            traces[result.id] = lines
    replaced = tuple(row for row in new if row not in kept)
    head = _head(run.record, old.record if old is not None and narrow else None, results)
    if old is not None and any(result.id not in source for result in results):
        head = _with_judges_of(head, old.record)
    return Merged(head, tuple(results), traces, replaced, kept)


_RULES = ("scoring", "thresholds", "generates", "repeats")


def _same_rules(run: RunRecord, old: RunRecord) -> None:
    differs = [name for name in _RULES if getattr(run, name) != getattr(old, name)]
    differs += [n for n in MATCHING if getattr(run.reading, n) != getattr(old.reading, n)]
    if (run.judge and run.judge.digest) != (old.judge and old.judge.digest):
        differs.append("judge")
    if differs:
        command = f"evalrag run {shlex.quote(run.plan_path or 'PLAN')}"
        raise RunError(
            f"this run of some rows has another {', '.join(differs)} than the baseline, whose "
            "other rows would stay as they were decided",
            hint=f"run all rows, and accept that: {command}",
        )


def _head(record: RunRecord, old: RunRecord | None, results: Sequence[RowResult]) -> RunRecord:
    """The accepted run's head, said over all the rows that the baseline holds.

    Gates, waivers and the like of a run of some rows are not accepted with it: they stay `old`'s,
    so that what they loosen is still said by the next run of all rows.
    """
    held = {result.id for result in results}
    outcomes: dict[str, int] = {}
    for result in results:
        outcomes[result.outcome.value] = outcomes.get(result.outcome.value, 0) + 1
    left_out = tuple(row for row in record.dataset.left_out if row not in held)
    dataset = record.dataset.model_copy(update={"left_out": left_out})
    ruling = old if old is not None else record
    kept = {name: getattr(ruling, name) for name in _GATING}
    totals = {name: record.totals[name] for name in _JUDGED_BY if name in record.totals}
    totals |= {"rows": len(results), "outcomes": dict(sorted(outcomes.items()))}
    return record.model_copy(update={"dataset": dataset, "totals": totals, **kept})


def _with_judges_of(head: RunRecord, old: RunRecord) -> RunRecord:
    """The head of a baseline in which rows of the old one stay: both had their judges."""
    both = {
        name: sorted({*head.totals.get(name, ()), *old.totals.get(name, ())})
        for name in _JUDGED_BY
        if name in head.totals or name in old.totals
    }
    return head.model_copy(update={"totals": head.totals | both})


_JUDGED_BY = ("judge_models", "judge_unpinned")
"""What the head says of the models that were heard; a later run is held against it."""


_GATING = (
    "gates",
    "fail_on_loosened",
    "allow_errors",
    "waivers",
    "quarantine",
    "retired",
    "metrics",
)


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
            for result in merged.results:
                file.write(redact(row_line(result)))
        if with_traces:
            with (fresh / TRACES).open("wb") as file:
                for result in merged.results:
                    for line in merged.traces.get(result.id, ()):
                        file.write(redact(line_of(line)))
        said = accepted.model_dump_json(indent=2).encode() + b"\n"
        (fresh / ACCEPTED).write_bytes(redact(said))
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


def movements(
    results: Sequence[RowResult], before: Mapping[str, str] | None
) -> dict[str, list[str]]:
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
