"""A stored run, held against its baseline: what `run`, `diff`, `gate` and `show` all ask for."""

import contextlib
import difflib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalrag.cli.options import RUNS
from evalrag.errors import DatasetError, RunError, UsageError
from evalrag.loading.collector import collector_paused
from evalrag.loading.dataset import Dataset, load_dataset
from evalrag.regression.exits import quoted
from evalrag.regression.measured import COSTS
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
    return baseline_at(given if given is not None else run.record.baseline, read=False)


def baseline_at(path: str | None, *, read: bool = True) -> Against:
    """The baseline in a folder, with its rows read: a damaged one is found out here.

    Without `read` it is found out where the rows are compared, which spares reading those that are
    equal: for where nothing costly comes in between.
    """
    if path is None:
        return Against(None, "the plan names no baseline (baseline: {path: PATH})")
    try:
        stored = open_baseline(Path(path))
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


def rows_of(run: StoredRun) -> Dataset | None:
    """The dataset that the run was over, if the file still holds those rows."""
    try:
        dataset = load_dataset(Path(run.record.dataset.path))
    except DatasetError:
        return None
    return dataset if dataset.digest == run.record.dataset.digest else None


def verdict_of(run: StoredRun, against: Against, *, ref: str) -> Verdict:
    """Gate a stored run. The dataset is read only where a label changed since the baseline."""
    with collector_paused():
        return _verdict_of(run, against, ref=ref)


def _verdict_of(run: StoredRun, against: Against, *, ref: str) -> Verdict:
    old = against.run
    dataset: Dataset | None = None
    before = old.briefs_beside(run) if old is not None else ()
    if old is not None and _needs_rows(run, old, before):
        dataset = rows_of(run)
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
        read=tuple(_notes(old)),
        accepted=old.accepted if isinstance(old, Baseline) else None,
    )
    costs = None
    if not run.just_written or _looks_at_costs(run.record):  # else nobody can have damaged them
        costs = run.costs()
    verdict = judge_run((run.record, run.briefs), comparison, ref=ref, costs=costs)
    return verdict.model_copy(update={"spent": spent_on(run), "running": running_costs(run)})


def _notes(old: StoredRun | None) -> Iterator[str]:
    if isinstance(old, Baseline) and old.accepted.files is None:
        yield undigested(old)


def undigested(baseline: StoredRun) -> str:
    """Said of a baseline that an earlier evalrag accepted."""
    return (
        f"the baseline in {baseline.path} is of an earlier evalrag and holds no digests of its "
        "files, so that a change made by hand goes unseen; accept a run again to have them"
    )


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


def stored_or_raise(path: Path) -> StoredRun:
    """A baseline that must be there."""
    stored = open_baseline(path)
    if stored is None:
        raise RunError(
            "there is no baseline yet",
            where=str(path),
            hint='evalrag baseline accept RUN --reason "..."',
        )
    return stored
