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
    import difflib
    import shlex

    from evalrag.cli.output import colored, say, width
    from evalrag.cli.verdicts import baseline_of, open_run, ref_of, rows_of
    from evalrag.errors import RunError, UsageError
    from evalrag.regression.exits import quoted
    from evalrag.reporters.one_row import Shown, listing, render

    stored = open_run(run, runs)
    by_id = {result.id: result for result in stored.results}
    if row is None:
        say(listing(stored.results, ref=ref_of(stored, runs), full=full))
        return
    if row not in by_id:
        near = difflib.get_close_matches(row, by_id, n=1, cutoff=0.4)
        hint = f"evalrag show {shlex.quote(run)}" + (f" {quoted(near[0])}" if near else "")
        raise UsageError(f"run {stored.record.id} has no row {row!r}", hint=hint)
    try:
        old = baseline_of(stored).run
    except RunError:
        old = None
    before = next((r for r in old.results if r.id == row), None) if old else None
    dataset = rows_of(stored)
    golden = next((r for r in dataset.rows if r.id == row), None) if dataset else None
    shown = Shown(
        result=by_id[row],
        record=stored.record,
        lines=stored.lines(row),
        row=golden,
        before=before,
        ref=ref_of(stored, runs),
        full=full,
    )
    say(render(shown, width=width(), color=colored()))
