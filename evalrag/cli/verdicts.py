"""A stored run, held against its baseline: what `run`, `diff`, `gate` and `show` all ask for."""

import contextlib
import difflib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalrag.cli.options import RUNS
from evalrag.errors import DatasetError, RunError, UsageError
from evalrag.loading.collector import collector_paused
from evalrag.loading.dataset import Dataset, load_dataset
from evalrag.regression.exits import quoted
from evalrag.regression.measured import COSTS
from evalrag.regression.narrative import counted, names
from evalrag.regression.verdict import Comparison, judge_run
from evalrag.schema.brief import Result
from evalrag.schema.result import RowResult
from evalrag.schema.run import RunRecord
from evalrag.schema.verdict import Verdict
from evalrag.stores.baselines import Baseline, open_baseline, open_stored
from evalrag.stores.calls import spent_on
from evalrag.stores.running_costs import running_costs
from evalrag.stores.runs import NewerRun, RunFolder, StoredRun


@dataclass(frozen=True, slots=True)
class Against:
    """What a run is compared with."""

    run: StoredRun | None
    why_none: str = "there is no baseline"
    wanted: bool = True


def open_run(name: str, folder: str) -> StoredRun:
    """A finished run by its number, its path, or `latest`; or a baseline by its path."""
    return open_stored(RunFolder(Path(folder)).find(name))


def newest_of(plan: str, folder: str) -> str | None:
    """The newest finished run of a plan, as a command names it; one that cannot be read is none."""
    runs = RunFolder(Path(folder))
    for name in reversed(runs.names()):
        with contextlib.suppress(RunError):
            if StoredRun(runs.path / name).record.plan == plan:
                return name
    return None


def baseline_of(run: StoredRun, given: str | None = None, *, wanted: bool = True) -> Against:
    """The baseline of the run's plan, or the one that was named.

    One of a newer format cannot be compared with: gates that need none are decided all the same.
    """
    if not wanted:
        return Against(None, wanted=False)
    if given is not None:
        return baseline_at(given, read=False, or_run=True)
    return baseline_at(run.record.baseline, read=False)


def baseline_at(path: str | None, *, read: bool = True, or_run: bool = False) -> Against:
    """The baseline in a folder, with its rows read: a damaged one is found out here.

    With `or_run` it may be a run that nobody accepted, since somebody named it.

    Without `read` it is found out where the rows are compared, which spares reading those that are
    equal: for where nothing costly comes in between.
    """
    if path is None:
        return Against(None, "the plan names no baseline (baseline: {path: PATH})")
    try:
        stored = open_baseline(Path(path), or_run=or_run)
        if stored is not None and read:
            _ = stored.briefs
    except NewerRun as error:
        return Against(None, f"the baseline cannot be read: {error.message}")
    if stored is None:
        return Against(None, f"there is no baseline yet in {path}")
    return Against(stored)


def row_of(stored: StoredRun, row: str, *, run: str) -> RowResult:
    """A row of a run by its id; `run` is the run as it was named.

    Raises:
        UsageError: it has no such row.
    """
    by_id = {result.id: result for result in stored.results}
    if row not in by_id:
        near = difflib.get_close_matches(row, by_id, n=1, cutoff=0.4)
        hint = f"evalrag show {shlex.quote(run)}" + (f" {quoted(near[0])}" if near else "")
        raise UsageError(f"run {stored.record.id} has no row {row!r}", hint=hint)
    return by_id[row]


def rows_of(run: StoredRun) -> tuple[Dataset | None, str | None]:
    """The dataset that the run was over, if the file still holds those rows; else what happened.

    A run stands by the rows that it was made with: what a changed file says now is no part of it,
    and gates that would have to read the rows compare less, or are undecided.
    """
    made, name = run.record.dataset, run.record.id
    try:
        dataset = load_dataset(Path(made.path))
    except DatasetError:
        return None, (
            f"{made.path} cannot be read, so nobody knows whether it has changed since run {name} "
            f"was made: evalrag check {quoted(run.record.plan_path or 'PLAN')}"
        )
    if dataset.digest == made.digest:
        return dataset, None
    then = {result.id: result.digest for result in run.briefs}
    left_out = set(made.left_out)
    differ = [row for row, digest in dataset.digests.items() if then.get(row, digest) != digest]
    differ += [row for row in dataset.digests if row not in then and row not in left_out]
    differ += [row for row in then if row not in dataset.digests]
    what = "rows differ that were not in it"
    if differ:
        verb = "differs" if len(differ) == 1 else "differ"
        what = f"{counted(len(differ), 'row')} {verb}: {names(differ)}"
    return None, (
        f"{made.path} has changed since run {name} was made ({what}); the run stands by the rows "
        f"of then, and today's need another: evalrag run {quoted(run.record.plan_path or 'PLAN')}"
    )


def verdict_of(run: StoredRun, against: Against, *, ref: str) -> Verdict:
    """Gate a stored run.

    Of a run that has just been made the dataset is read only where a label changed since the
    baseline; of another one always, to say whether it is still the run's.
    """
    with collector_paused():
        return _verdict_of(run, against, ref=ref)


def _verdict_of(run: StoredRun, against: Against, *, ref: str) -> Verdict:
    old = against.run
    dataset: Dataset | None = None
    changed: str | None = None
    before = old.briefs_beside(run) if old is not None else ()
    if not run.just_written or (old is not None and _needs_rows(run, old, before)):
        dataset, changed = rows_of(run)
    rows = {row.id: row for row in dataset.rows} if dataset else {}
    digests: Mapping[str, tuple[str, str]] = (
        {row: (dataset.digests[row], dataset.asked[row]) for row in dataset.digests}
        if dataset
        else {}
    )
    comparison = Comparison(
        baseline=(old.record, before) if old is not None else None,
        why_none=against.why_none,
        wanted=against.wanted,
        traces=old.traces if old is not None else lambda row: None,
        rows=rows,
        digests=digests,
        holdout_runs=_holdout_runs(run),
        read=(changed,) if changed else (),
        accepted=old.accepted if isinstance(old, Baseline) else None,
    )
    costs = None
    if not run.just_written or _looks_at_costs(run.record):  # else nobody can have damaged them
        costs = run.costs()
    verdict = judge_run((run.record, run.briefs), comparison, ref=ref, costs=costs)
    return verdict.model_copy(update={"spent": spent_on(run), "running": running_costs(run)})


def _looks_at_costs(record: RunRecord) -> bool:
    """Some gate does; no default gate is one of them."""
    return any(gate.metric in COSTS for gate in record.gates or ())


def _holdout_runs(run: StoredRun) -> int:
    """How often the holdout rows were asked for, in the runs that are kept beside this one."""
    if not run.record.selection.holdout:
        return 0
    folder = RunFolder(run.path.parent)
    heads = [run.record]
    for name in folder.names():
        if name == run.path.name:
            continue
        with contextlib.suppress(RunError):  # a run that cannot be read says nothing of this one
            heads.append(StoredRun(folder.path / name).record)
    return sum(head.selection.holdout and head.plan == run.record.plan for head in heads)


def _needs_rows(run: StoredRun, old: StoredRun, before: Sequence[Result]) -> bool:
    if run.record.decisions:  # they are read of the baseline's answers too
        return True
    ran, held = {result.id for result in run.briefs}, {result.id for result in before}
    if ran - held and held - ran:  # a row may have been renamed
        return True
    shared = set(map(id, run.briefs))
    digests = {result.id: result.digest for result in before if id(result) not in shared}
    if digests and any(digests.get(r.id, r.digest) != r.digest for r in run.briefs):
        return True
    return run.record.scoring != old.record.scoring or (
        not old.record.reading.matches_as(run.record.reading)
    )


def ref_of(run: StoredRun, folder: str = RUNS) -> str:
    """The run as the next command has to name it."""
    known = RunFolder(Path(RUNS)).path / run.path.name
    if folder == RUNS and known.resolve() == run.path.resolve():
        return run.path.name
    path = run.path.as_posix()
    return f"./{path}" if path.startswith("-") else path


def stored_or_raise(path: Path) -> Baseline:
    """A baseline that must be there."""
    stored = open_baseline(path)
    if not isinstance(stored, Baseline):
        raise RunError(
            "there is no baseline yet",
            where=str(path),
            hint='evalrag baseline accept RUN --reason "..."',
        )
    return stored
