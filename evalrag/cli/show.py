"""`evalrag show`: one row of a run, from question to diagnosis, its baseline beside it."""

from typing import Annotated

import typer

from evalrag.cli.options import RUNS, Full, RunName, RunsFolder


def show(
    run: RunName = "latest",
    row: Annotated[
        str | None,
        typer.Argument(metavar="ROW", help="The row's id; without it, rows that did not pass."),
    ] = None,
    full: Full = False,
    runs: RunsFolder = RUNS,
) -> None:
    """Show one ROW of a RUN: question, candidates and the window's edge, answer, claims, diagnosis.

    Example: evalrag show latest near-miss-03
    """
    from evalrag.cli.output import colored, say, width
    from evalrag.cli.verdicts import baseline_of, open_run, ref_of, row_of, rows_of
    from evalrag.errors import RunError
    from evalrag.reporters.one_row import Shown, listing, render
    from evalrag.reporters.plain import safe
    from evalrag.reporters.running import took
    from evalrag.stores.running_costs import row_costs

    stored = open_run(run, runs)
    dataset, changed = rows_of(stored)
    if row is None:
        said = listing(stored.results, ref=ref_of(stored, runs), full=full)
        say(f"note: {safe(changed)}\n{said}" if changed else said)
        return
    result = row_of(stored, row, run=run)
    unread = None
    try:
        old = baseline_of(stored).run
    except RunError as error:
        old, unread = None, f"the baseline is not shown: {error.where}: {error.message}"
    before = next((r for r in old.results if r.id == row), None) if old else None
    golden = next((r for r in dataset.rows if r.id == row), None) if dataset else None
    shown = Shown(
        result=result,
        record=stored.record,
        lines=stored.lines(row),
        row=golden,
        before=before,
        ref=ref_of(stored, runs),
        took=[took(costs) for costs in row_costs(stored, row)],
        full=full,
        notes=[note for note in (changed, unread) if note is not None],
    )
    say(render(shown, width=width(), color=colored()))
