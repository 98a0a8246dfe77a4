"""`evalrag baseline`: accept a run as what later runs are held against, and show what was."""

from typing import TYPE_CHECKING, Annotated

import typer

from evalrag.cli.commands import Commands
from evalrag.cli.options import RUNS, RunName, RunsFolder

if TYPE_CHECKING:
    from pathlib import Path

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
    runs: RunsFolder = RUNS,
) -> None:
    """Copy RUN to the plan's baseline path. Nothing else ever moves a baseline.

    Example: evalrag baseline accept latest --reason "reranker on, checked by hand"
    """
    import shlex
    from pathlib import Path

    from evalrag.cli.output import say
    from evalrag.cli.verdicts import open_run
    from evalrag.errors import UsageError
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
    say(_accept(stored, open_baseline(path), path, reason, without_traces, with_undecided))


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
    last = {row: r.outcome.value for row, r in merged.before.items()} if old else None
    moved = movements(merged.results, last)
    first = movements(merged.results, history(path).first or None)
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
    from evalrag.cli.verdicts import open_run, stored_or_raise
    from evalrag.errors import UsageError
    from evalrag.regression.narrative import counted
    from evalrag.reporters.plain import safe
    from evalrag.stores.baselines import history

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
    for entry in history(Path(where)).history:
        part = " (some rows)" if entry.partial else ""
        said.append(
            f"{entry.day} run {entry.run}{part}, {counted(entry.rows, 'row')}: {safe(entry.reason)}"
        )
        said += [f"    {how}: {', '.join(map(safe, rows))}" for how, rows in entry.moved.items()]
    said.append(f"next: evalrag diff {quoted(where)} latest")
    say("\n".join(said))
