"""`evalrag baseline`: accept a run as what later runs are held against, and show what was."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.commands import Commands
from evalrag.cli.options import RUNS, RunName, RunsFolder

if TYPE_CHECKING:
    from pathlib import Path

    from evalrag.schema.run import RunRecord
    from evalrag.stores.runs import StoredRun

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    help="Accept a run as the baseline, or show the baseline.",
)


@app.command()
def accept(
    run: RunName = "latest",
    reason: Annotated[
        str, typer.Option(envvar="EVALRAG_REASON", help="Why this run is right; kept for ever.")
    ] = "",
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            envvar="EVALRAG_BASELINE",
            metavar="DIR",
            help="Where, if the plan names no baseline.",
        ),
    ] = None,
    without_traces: Annotated[
        bool,
        typer.Option(
            "--without-traces",
            envvar="EVALRAG_WITHOUT_TRACES",
            help="Keep no texts: smaller, private; a changed label then cannot be scored again.",
        ),
    ] = False,
    with_undecided: Annotated[
        bool,
        typer.Option(
            "--with-undecided",
            envvar="EVALRAG_WITH_UNDECIDED",
            help="Take undecided rows too, in place of their decided results of before.",
        ),
    ] = False,
    from_plan: Annotated[
        str | None,
        typer.Option(
            "--from-plan",
            envvar="EVALRAG_FROM_PLAN",
            metavar="NAME",
            help="The name of RUN's plan, where the baseline is of another: it was renamed.",
        ),
    ] = None,
    runs: RunsFolder = RUNS,
) -> None:
    """Copy RUN to the plan's baseline path. Nothing else ever moves a baseline.

    Example: evalrag baseline accept latest --reason "reranker on, checked by hand"
    """
    from pathlib import Path

    from evalrag.cli.output import say
    from evalrag.cli.verdicts import open_run
    from evalrag.errors import UsageError
    from evalrag.stores.accepted_files import ChangedBaseline
    from evalrag.stores.baselines import open_baseline, refuse_run

    if not reason.strip(" ."):
        raise UsageError(
            "say why this run is right",
            hint=f'evalrag baseline accept {shlex.quote(run)} --reason "..."',
        )
    stored = open_run(run, runs)
    target = to if to is not None else stored.record.baseline
    if target is None:
        raise UsageError(
            "the plan of this run names no baseline",
            hint="add `baseline: {path: PATH}` to the plan, or give --to PATH",
        )
    path = Path(target)
    refuse_run(path, Path(runs))
    changed: ChangedBaseline | None = None
    try:
        old = open_baseline(path)
    except ChangedBaseline as error:
        if stored.record.dataset.left_out:  # of these, rows of the changed one would stay
            raise
        old, changed = None, error
    theirs = old.record if old is not None else _record_in(path) if changed is not None else None
    _refuse_other_plan(stored, theirs, from_plan, path, runs)
    said = _accept(stored, old, path, reason, without_traces, with_undecided)
    if changed is not None:
        said = f"note: {changed.where}: {changed.message}; nothing of those rows was kept\n{said}"
    say(said)


def _record_in(path: "Path") -> "RunRecord | None":
    """The head of a baseline that was changed: its plan's name is as good as nothing better."""
    from evalrag.errors import RunError
    from evalrag.stores.runs import StoredRun

    try:
        return StoredRun(path).record
    except RunError:
        return None


def _refuse_other_plan(
    stored: "StoredRun", old: "RunRecord | None", from_plan: str | None, path: "Path", runs: str
) -> None:
    """A baseline is its plan's own: the newest run may be of a plan that only reads it.

    Raises:
        UsageError: the run is of another plan than the baseline, or than `from_plan` says.
    """
    from evalrag.cli.prepare import quoted
    from evalrag.cli.verdicts import newest_of, ref_of
    from evalrag.errors import UsageError

    record, ref = stored.record, quoted(ref_of(stored, runs))
    if from_plan is not None and from_plan != record.plan:
        raise UsageError(
            f"run {record.id} is of plan {record.plan!r}, and not of {from_plan!r}",
            hint=f"evalrag show {ref}",
        )
    if old is None or old.plan == record.plan or from_plan is not None:
        return
    elsewhere = "" if runs == RUNS else f" --runs {quoted(runs)}"
    newest = newest_of(old.plan, runs)
    command = f"evalrag run {quoted(old.plan_path or 'PLAN')}"
    if newest is not None:
        command = f'evalrag baseline accept{elsewhere} {quoted(newest)} --reason "..."'
    renamed = f"evalrag baseline accept{elsewhere} {ref} --from-plan {shlex.quote(record.plan)}"
    raise UsageError(
        f"run {record.id} is of plan {record.plan!r}, and the baseline in {path} is of "
        f"{old.plan!r}: accepting it would replace that",
        hint=f'{command}\nnext, if the plan was renamed: {renamed} --reason "..."',
    )


def _accept(
    stored: "StoredRun",
    old: "StoredRun | None",
    path: "Path",
    reason: str,
    without_traces: bool,
    with_undecided: bool,
) -> str:
    from evalrag.cli.prepare import quoted, today
    from evalrag.cli.secrecy import hide_lines
    from evalrag.errors import RunError
    from evalrag.regression.acceptances import standing
    from evalrag.regression.narrative import counted, names
    from evalrag.schema.run import Acceptance
    from evalrag.schema.words import Outcome
    from evalrag.stores.baselines import accept as write
    from evalrag.stores.baselines import history, movements
    from evalrag.stores.merging import merge

    merged = merge(stored, old, with_undecided=with_undecided)
    if all(r.outcome is Outcome.ERROR for r in merged.results):
        raise RunError(
            f"every row of run {stored.record.id} errored: as a baseline it would protect nothing",
            hint=f"see why, mend it and run again: evalrag show {quoted(stored.record.id)}",
        )
    past = history(path)
    last = {row: r.outcome.value for row, r in merged.before.items()}
    if old is None:  # there is none, or it cannot be believed
        last = {row: outcome for row, (outcome, _) in standing(past).items()}
    moved = movements(merged.results, last or None)
    first = movements(merged.results, past.first or None)
    partial = bool(set(stored.record.dataset.left_out) & {r.id for r in merged.results})
    entry = Acceptance(
        run=stored.record.id,
        day=today(),
        reason=reason.strip(),
        rows=len(merged.replaced),
        partial=partial,
        moved={how: tuple(rows) for how, rows in moved.items()},
    )
    write(path, merged, entry, with_traces=not without_traces, redact=hide_lines())
    lines = [
        f"accepted run {stored.record.id} as the baseline in {path}: "
        f"{counted(len(merged.results), 'row')}, "
        f"{len(merged.replaced)} of them from this run"
    ]
    if merged.kept:
        lines.append(f"kept as they were, undecided in this run: {names(merged.kept)}")
    for title, found in (("since the last baseline", moved), ("since the first one", first)):
        lines += [f"{title}: {how}: {names(rows)}" for how, rows in found.items()]
    failing = [r.id for r in merged.results if r.outcome is Outcome.FAIL]
    if failing:
        verb = "fails in it and counts as an accepted failure"
        if len(failing) > 1:
            verb = "fail in it and count as accepted failures"
        lines.append(f"{counted(len(failing), 'row')} {verb}: {names(failing)}")
    undecided = [r.id for r in merged.results if r.outcome in (Outcome.ERROR, Outcome.UNRESOLVED)]
    if undecided:
        verb = (
            "is undecided in it, and protects"
            if len(undecided) == 1
            else "are undecided in it, and protect"
        )
        lines.append(
            f"{counted(len(undecided), 'row')} {verb} nothing until a run that decides "
            f"{'it' if len(undecided) == 1 else 'them'} is accepted: {names(undecided)}"
        )
    lines.append(f"next: git add {quoted(path)}")
    return "\n".join(lines)


@app.command()
def show(
    path: Annotated[
        str | None,
        typer.Argument(metavar="[DIR]", help="The baseline's folder; the latest run's by default."),
    ] = None,
    runs: RunsFolder = RUNS,
) -> None:
    """Show what the baseline holds, and every acceptance with its reason."""
    from collections import Counter
    from pathlib import Path

    from evalrag.cli.output import say
    from evalrag.cli.prepare import quoted
    from evalrag.cli.verdicts import open_run, stored_or_raise, undigested
    from evalrag.errors import UsageError
    from evalrag.regression.narrative import counted
    from evalrag.reporters.plain import safe
    from evalrag.schema.run import Accepted
    from evalrag.stores.baselines import Baseline

    where = path if path is not None else open_run("latest", runs).record.baseline
    if where is None:
        raise UsageError("the plan names no baseline", hint="evalrag baseline show DIR")
    stored = stored_or_raise(Path(where))
    outcomes = Counter(result.outcome.value for result in stored.results)
    record = stored.record
    said = [
        f"{safe(record.plan)}: baseline in {where}, from run {record.id} of {record.day}",
        f"{counted(len(stored.results), 'row')}: "
        + ", ".join(f"{n} {o}" for o, n in sorted(outcomes.items())),
        f"judge {record.judge.name if record.judge else 'none'}, "
        f"traces {'kept' if stored.has_traces else 'not kept'}",
        "",
    ]
    accepted = stored.accepted if isinstance(stored, Baseline) else Accepted()
    if isinstance(stored, Baseline) and accepted.files is None:
        said.insert(-1, f"note: {safe(undigested(stored))}")
    for entry in accepted.history:
        part = " (some rows)" if entry.partial else ""
        said.append(
            f"{entry.day} run {entry.run}{part}, {counted(entry.rows, 'row')}: {safe(entry.reason)}"
        )
        said += [f"    {how}: {', '.join(map(safe, rows))}" for how, rows in entry.moved.items()]
    said.append(f"next: evalrag diff {quoted(where)} latest")
    say("\n".join(said))
